"""The recipes and the examples of docs/library.md run from first to last, as in a notebook; recipes hold no results."""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECIPES = sorted((ROOT / "docs" / "recipes").glob("*.ipynb"))
# In a clone the library is called `core`: here it has the name that it has where it is installed. One process for all.
RUN = """
import json, sys, traceback
from types import ModuleType
sys.modules["attention_atlas"] = library = ModuleType("attention_atlas")
import core
library.__path__ = core.__path__
library.__getattr__ = lambda name: getattr(__import__("attention_atlas.capture", fromlist=[name]), name)
said = {}
for recipe, cells in json.loads(sys.stdin.read()).items():
    names = {"__name__": "__main__"}
    try:
        for cell in cells:
            exec(compile(cell, recipe, "exec"), names)
    except Exception:
        said[recipe] = traceback.format_exc()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def failed():
    cells_json = json.dumps({recipe.stem: cells(recipe, "code") for recipe in RECIPES})
    done = subprocess.run([sys.executable, "-c", RUN], input=cells_json, text=True, cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_examples_of_the_library_run_one_after_another(tmp_path):
    text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^(?: {4}.*)?\n)+", text, re.MULTILINE)]
    # Commands of a shell are no Python, and a server would not end.
    examples = [block for block in blocks if "\n" in block.strip() and "serve(" not in block]
    assert len(examples) >= 7
    places = os.environ | {"PYTHONPATH": str(ROOT)}
    names = json.dumps({"library": examples})
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=names, text=True, cwd=tmp_path, capture_output=True, env=places
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {}
    assert (tmp_path / "attention.html").stat().st_size > 0


def cells(recipe, kind):
    book = json.loads(recipe.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == kind]


def test_there_are_eleven_and_each_begins_with_its_question():
    assert len(RECIPES) == 11
    for recipe in RECIPES:
        question = cells(recipe, "markdown")[0].splitlines()[0]
        assert question.startswith("# ")
        assert question.endswith("?")


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_a_recipe_runs(recipe, failed):
    assert recipe.stem not in failed, failed[recipe.stem]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_a_recipe_is_kept_without_results(recipe):
    book = json.loads(recipe.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in book["cells"])
