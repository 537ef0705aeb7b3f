"""The house: pages -> dashboard -> core; training -> core; benchmarks -> core, dashboard; no page knows another."""

import ast
import re
from pathlib import Path

import pytest

from core.axes import AXES

ROOT = Path(__file__).parent.parent
BROWSER = {"streamlit", "plotly"}
FORBIDDEN = {
    # Itself it imports by relative names: once installed it is called `attention_atlas`.
    "core": BROWSER | {"dashboard", "pages", "training", "benchmarks", "core", "attention_atlas"},
    "dashboard": {"pages", "training", "benchmarks"},
    "training": BROWSER | {"dashboard", "pages", "benchmarks"},
    "pages": {"training", "benchmarks"},
    "benchmarks": {"pages", "training"},
}
PAGE_ROOMS = sorted(file.parent for file in (ROOT / "pages").rglob("page.py"))


@pytest.mark.parametrize("room", FORBIDDEN)
def test_no_room_imports_what_it_must_not_know(room):
    files = sorted((ROOT / room).rglob("*.py"))
    assert files, f"{room}/ holds no Python file."
    for file in files:
        wrong = {name.split(".")[0] for name in imported(file.read_text())} & FORBIDDEN[room]
        assert not wrong, f"{file.relative_to(ROOT)} imports {', '.join(sorted(wrong))}."


def test_a_page_imports_no_other_page():
    assert len(PAGE_ROOMS) >= 13
    for room in PAGE_ROOMS:
        for file in room.glob("*.py"):
            wrong = of_other_pages(file.read_text(), dotted(room))
            assert not wrong, (
                f"{file.relative_to(ROOT)} imports {', '.join(sorted(wrong))}: what two need is in the kit."
            )


def test_everything_of_a_page_is_in_its_room():
    rooms = {file.parent for file in (ROOT / "pages").rglob("*.py")}
    assert rooms == set(PAGE_ROOMS), "Files below pages/ belong into a room with a page.py."
    assert all((room / "words.py").is_file() for room in PAGE_ROOMS)
    assert all(len(room.relative_to(ROOT).parts) == 3 for room in PAGE_ROOMS), "A room is pages/<group>/<page>/."


@pytest.mark.parametrize(
    "source",
    [
        "import streamlit",
        "from dashboard.theme import LIGHT",
        "from core.errors import AtlasError",
        "def f():\n    import plotly.x",
    ],
)
def test_the_test_of_rooms_can_fail(source):
    assert {name.split(".")[0] for name in imported(source)} & FORBIDDEN["core"]


@pytest.mark.parametrize("source", ["from pages.vision.vit import words", "import pages.vision.swin_two.page"])
def test_the_test_of_pages_can_fail(source):
    assert of_other_pages(source, "pages.vision.swin")
    assert not of_other_pages(
        "from pages.vision.swin import words\nfrom pages.vision.swin.maps import show", "pages.vision.swin"
    )


@pytest.mark.parametrize(
    ("what", "place"),
    [
        ("st.cache_", None),
        ("functools.cache", None),
        ("TLRUCache", "dashboard/store.py"),
        ("dashboard.store", "dashboard/kept.py"),
    ],
)
def test_there_is_one_place_that_keeps(what, place):
    assert users_of(what) == ({place} if place else set())


def test_whatever_drives_a_browser_lies_where_tests_are_slow():
    users = {file for file in (ROOT / "tests").rglob("*.py") if "playwright" in imported_roots(file)}
    assert users
    assert all(file.is_relative_to(ROOT / "tests" / "browser") for file in users)


def test_figures_reach_the_browser_by_one_way():
    assert users_of("plotly_chart(") == {"dashboard/charts.py"}


def test_tables_reach_the_browser_by_one_way():
    assert users_of("st.dataframe(") == {"dashboard/data_table.py"}


def test_numbers_of_addresses_are_read_in_one_place():
    # That of a lesson's question is not bound to the address.
    assert users_of("number_input(") == {"dashboard/controls.py", "dashboard/lessons/player.py"}


def test_no_page_is_long():
    for room in PAGE_ROOMS:
        lines = len((room / "page.py").read_text().splitlines())
        assert lines <= 50, f"{room.name}/page.py has {lines} lines: it chooses a section and shows it."


def test_every_axis_of_core_is_in_the_glossary():
    for file in (ROOT / "core").rglob("*.py"):
        unknown = axes(file.read_text()) - AXES.keys()
        assert not unknown, f"{file.relative_to(ROOT)} names axes that core/axes.py does not: {sorted(unknown)}."


def test_the_test_of_axes_can_fail():
    assert axes('def f(x: Float[Tensor, "batch *leading #seq 3 _"]): ...') - AXES.keys() == {"seq"}


def imported_roots(file: Path) -> set[str]:
    """The packages that a file imports."""
    return {name.split(".")[0] for name in imported(file.read_text())}


def users_of(what: str) -> set[str]:
    """The files of the kit and the pages in which a text stands."""
    files = (file for room in ("dashboard", "pages") for file in (ROOT / room).rglob("*.py"))
    return {str(file.relative_to(ROOT)) for file in files if what in file.read_text()}


def dotted(room: Path) -> str:
    """The name of a page's room as imports write it."""
    return ".".join(room.relative_to(ROOT).parts)


def of_other_pages(source: str, room: str) -> set[str]:
    """What a source imports from rooms of pages other than its own."""
    return {name for name in imported(source) if name.startswith("pages.") and not f"{name}.".startswith(f"{room}.")}


def axes(source: str) -> set[str]:
    """The axis names in the shapes of a source; sizes, "_" and "..." name nothing."""
    shapes = re.findall(r'(?:Float|Int|Bool|UInt8)\[[\w.]+, "([^"]*)"\]', source)
    names = {name.lstrip("*#?") for shape in shapes for name in shape.split()}
    return {name for name in names if name.isidentifier() and name != "_"}


def imported(source: str) -> set[str]:
    """The full names of all modules that a source imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names
