"""The reference is made from all docstrings without a warning, and tells of each public name of the recorder."""

import html
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from core import capture

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "docs.api", "--folder", folder], cwd=ROOT, check=True, capture_output=True)
    return folder


def test_every_room_of_the_library_has_a_page(site):
    index = (site / "index.html").read_text()
    rooms = [file for file in (ROOT / "core").iterdir() if (file / "__init__.py").is_file()]
    assert len(rooms) > 20
    for room in rooms:
        assert (site / "attention_atlas" / f"{room.name}.html").is_file()
        assert f"attention_atlas/{room.name}.html" in index


@pytest.mark.parametrize("name", capture.__all__)
def test_a_public_name_is_told_with_its_first_sentence(site, name):
    page = html.unescape(re.sub(r"<[^>]*>", "", (site / "attention_atlas" / "capture.html").read_text()))
    first = inspect.getdoc(getattr(capture, name)).split("\n")[0]
    assert name in page
    assert first.replace("`", "") in page.replace("`", "")
