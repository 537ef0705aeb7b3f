"""The browser's map of a long text: only real places reach Python, and its script is complete."""

from pathlib import Path

import pytest

from core.view.scripts import bundle
from dashboard.components import map_view
from dashboard.components.map_view import place_in


@pytest.mark.parametrize("place", ["0.0", "2.3.0.1000.20", "11.7.-5.131071.0", "5.1.17.0.0"])
def test_a_place_is_read_as_it_is(place):
    assert place_in(place) == place


@pytest.mark.parametrize(
    "message",
    [
        None,
        1,
        "",
        "2",
        "2.3.4",
        "2.3.4.5",
        "a.b",
        "2.3.4.5.6.7",
        "-1.2",
        "2.3.0.1.2\n",
        "٢.٣",
        ["2.3"],
        {"place": "2.3"},
        "9" * 9 + ".1",
    ],
)
def test_what_is_no_place_is_none(message):
    assert place_in(message) is None


def test_the_script_is_one_module_that_asks_only_its_own_server():
    script = bundle(Path(map_view.__file__).parent)
    assert "http" not in script.replace("http://www.w3.org/2000/svg", "").replace('startsWith("http")', "")
    assert "innerHTML" not in script
