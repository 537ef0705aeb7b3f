"""Arrows point one way: pages -> dashboard -> core; training -> core; benchmarks -> core, dashboard."""

import ast
import re
from pathlib import Path

import pytest

from core.axes import AXES

ROOT = Path(__file__).parent.parent
BROWSER = {"streamlit", "plotly"}
FORBIDDEN = {
    "core": BROWSER | {"dashboard", "pages", "training", "benchmarks"},
    "dashboard": {"pages", "training", "benchmarks"},
    "training": BROWSER | {"dashboard", "pages", "benchmarks"},
    "pages": {"training", "benchmarks", "plotly"},
    "benchmarks": {"pages", "training"},
}


@pytest.mark.parametrize("room", FORBIDDEN)
def test_no_room_imports_what_it_must_not_know(room):
    files = sorted((ROOT / room).rglob("*.py"))
    assert files, f"{room}/ holds no Python file."
    for file in files:
        wrong = imported(file.read_text()) & FORBIDDEN[room]
        assert not wrong, f"{file.relative_to(ROOT)} imports {', '.join(sorted(wrong))}."


@pytest.mark.parametrize(
    "source",
    ["import streamlit", "from dashboard.theme import LIGHT", "def f():\n    import plotly.graph_objects as go"],
)
def test_that_test_can_fail(source):
    assert imported(source) & FORBIDDEN["core"]


def test_caching_is_in_one_room_only():
    users = {
        str(file.parent.relative_to(ROOT))
        for room in ("dashboard", "pages")
        for file in (ROOT / room).rglob("*.py")
        if "st.cache_" in file.read_text()
    }
    assert users == {"dashboard/runs"}


def test_figures_reach_the_browser_by_one_way():
    users = {
        str(file.relative_to(ROOT))
        for room in ("dashboard", "pages")
        for file in (ROOT / room).rglob("*.py")
        if "plotly_chart(" in file.read_text()
    }
    assert users == {"dashboard/charts.py"}


def test_no_page_is_long():
    for file in (ROOT / "pages").rglob("*.py"):
        lines = len(file.read_text().splitlines())
        assert lines <= 100, f"{file.relative_to(ROOT)} has {lines} lines: a page chooses, computes and shows."


def test_every_axis_of_core_is_in_the_glossary():
    for file in (ROOT / "core").rglob("*.py"):
        unknown = axes(file.read_text()) - AXES.keys()
        assert not unknown, f"{file.relative_to(ROOT)} names axes that core/axes.py does not: {sorted(unknown)}."


def test_that_test_can_fail_too():
    assert axes('def f(x: Float[Tensor, "batch *leading #seq 3 _"]): ...') - AXES.keys() == {"seq"}


def axes(source: str) -> set[str]:
    """The axis names in the shapes of a source; sizes, "_" and "..." name nothing."""
    shapes = re.findall(r'(?:Float|Int|Bool|UInt8)\[[\w.]+, "([^"]*)"\]', source)
    names = {name.lstrip("*#?") for shape in shapes for name in shape.split()}
    return {name for name in names if name.isidentifier() and name != "_"}


def imported(source: str) -> set[str]:
    """The top-level names of all modules that a source imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names
