"""The house: pages -> dashboard -> core; training -> core; benchmarks -> core, dashboard; no page knows another."""

import ast
import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
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
# Models that build on others, each with those whose data, weights or measures it uses. training/common/ is open to all.
MODELS_USED = {
    "attention_gan": {"dalle"},  # both are measured on the same sentences
    "bert_books": {"gpt_books"},  # the same books
    "bert_inference": {"bert_pairs"},  # the weights with which its training began
    "bert_pairs": {"translation"},  # the same sentences and links
    "clip": {"captioning"},  # the same photographs and places
    "dalle": {"discrete_vae"},  # its codes
    "gpt_books_long": {"gpt_books"},  # its weights, books and measures
    "hybrid_vit": {"captioning", "efficientnet_lite0"},  # the same photographs and places; the same pictures to name
    "mae": {"tiny_imagenet"},  # the same pictures
    "measurements": {"tiny_imagenet"},  # the same pictures
    "positions": {"characters"},  # the same network
    "shrinking": {"bert_books", "bert_tasks", "gpt_books", "tiny_imagenet", "translation"},  # makes these smaller
}
PAGE_ROOMS = sorted(file.parent for file in (ROOT / "pages").rglob("page.py"))


@pytest.mark.parametrize("room", FORBIDDEN)
def test_no_room_imports_what_it_must_not_know(room):
    files = sorted((ROOT / room).rglob("*.py"))
    assert files, f"{room}/ holds no Python file."
    for file in files:
        wrong = {name.split(".")[0] for name in imported(file.read_text())} & FORBIDDEN[room]
        assert not wrong, f"{file.relative_to(ROOT)} imports {', '.join(sorted(wrong))}."


@pytest.mark.parametrize("package", ["core", "dashboard", "training"])
def test_no_two_files_import_one_another(package):
    assert not cycle(imports_of(package))


@pytest.mark.parametrize("package", ["core", "dashboard"])
def test_no_arrow_between_rooms_runs_back_up(package):
    # What `core` offers at its root is that of core.capture: the face of the package is no room.
    files = {name: imported for name, imported in imports_of(package).items() if name != "core"}
    assert not cycle(between_rooms(files))


def test_a_model_is_trained_with_nothing_of_other_models_but_what_is_declared():
    models = between_models(imports_of("training"))
    assert len(models) >= 24
    assert not models["common"], f"training/common imports {', '.join(sorted(models['common']))}."
    assert {model: others for model, others in models.items() if others} == MODELS_USED


def test_the_test_of_models_can_fail():
    files = {"training.clip.train": {"training.common.loop", "training.mae.train"}, "training.common.loop": set()}
    assert between_models(files) == {"clip": {"mae"}, "common": set()}
    files["training.common.loop"] = {"training.clip.train"}
    assert between_models(files)["common"] == {"clip"}


def test_the_tests_of_arrows_can_fail():
    files = {"core.a.x": {"core.b.x"}, "core.b.x": set(), "core.b.y": {"core.a.x"}}
    assert not cycle(files)
    assert set(cycle(between_rooms(files))) == {"core.a", "core.b"}
    assert cycle(files | {"core.b.x": {"core.b.y"}})
    assert absolute("from ..errors import AtlasError\nfrom . import call", "core.capture.record") == {
        "core.errors.AtlasError",
        "core.capture.call",
    }


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
    assert all((room / f"{room.name}.md").is_file() for room in PAGE_ROOMS)
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
        ("TLRUCache", "dashboard/cache/store.py"),
        ("dashboard.cache.store", "dashboard/cache/memo.py"),
    ],
)
def test_there_is_one_place_that_keeps(what, place):
    assert users_of(what) == ({place} if place else set())


def test_only_the_zoo_asks_of_which_kind_a_model_is():
    zoo = sorted((ROOT / "core" / "zoo").rglob("*.py"))
    kinds = {
        node.name for file in zoo for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ClassDef)
    }
    assert {"TextModel", "ImageModel", "Classifier"} <= kinds
    files = (file for room in ("core", "dashboard", "pages") for file in (ROOT / room).rglob("*.py"))
    for file in files:
        if not file.is_relative_to(ROOT / "core" / "zoo"):
            checked = checked_kinds(file.read_text()) & kinds
            assert not checked, f"{file.relative_to(ROOT)} asks whether a model is of {', '.join(sorted(checked))}."


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(model, TextModel)",
        "assert not isinstance(model, (int, zoo.TextModel))",
        "isinstance(model, int | TextModel)",
        "match model:\n    case TextModel():\n        pass",
        'type(model).__name__ == "TextModel"',
        'QUESTIONS = {"TextModel": 1}\nQUESTIONS[type(model).__name__]',
    ],
)
def test_the_test_of_kinds_can_fail(source):
    assert checked_kinds(source) == {"TextModel"}


def test_whatever_drives_a_browser_lies_where_tests_are_slow():
    users = {file for file in (ROOT / "tests").rglob("*.py") if "playwright" in imported_roots(file)}
    assert users
    assert all(file.is_relative_to(ROOT / "tests" / "browser") for file in users)


def test_figures_reach_the_browser_by_one_way():
    assert users_of("plotly_chart(") == {"dashboard/output/charts.py"}


def test_tables_reach_the_browser_by_one_way():
    assert users_of("st.dataframe(") == {"dashboard/output/data_table.py"}


def test_numbers_of_addresses_are_read_in_one_place():
    # That of a lesson's question is not bound to the address.
    assert users_of("number_input(") == {"dashboard/inputs/controls.py", "dashboard/lessons/player.py"}


def test_what_pages_read_from_the_address_is_read_in_one_place():
    # Elsewhere what stands there is compared, or kept, as it is; "french" is bound to a field.
    users = {user for user in users_of("query_params.get(") if user.startswith("pages/")}
    compared = {"codes.py", "matrices.py", "cuts.py", "reviews.py", "your_own_pair.py", "written_tree.py"}
    assert {Path(user).name for user in users} == compared


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


def imports_of(package: str) -> dict[str, set[str]]:
    """For each module of a package those of the same package that it imports, wherever in the file."""
    files = {module_of(file): file for file in sorted((ROOT / package).rglob("*.py"))}
    arrows = {}
    for module, file in files.items():
        names = absolute(file.read_text(), f"{module}.__init__" if file.name == "__init__.py" else module)
        modules = {name if name in files else name.rpartition(".")[0] for name in names}
        arrows[module] = modules & files.keys() - {module}
    return arrows


def absolute(source: str, module: str) -> set[str]:
    """The full names of all that a module imports: of modules, or of what is in them."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".")[: -node.level] if node.level else []
            names |= {".".join([*package, *filter(None, [node.module]), alias.name]) for alias in node.names}
    return names


def between_rooms(files: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The same arrows between rooms; a module at the root of the package is a room of its own."""
    rooms: dict[str, set[str]] = {}
    for name, others in files.items():
        rooms.setdefault(room_of(name), set()).update({room_of(other) for other in others} - {room_of(name)})
    return rooms


def between_models(files: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """For each model of training/, and for training/common/, the models of which it imports a module."""
    rooms = {name.removeprefix("training."): others for name, others in between_rooms(files).items()}
    return {
        name: {other.removeprefix("training.") for other in others} - {"common"}
        for name, others in rooms.items()
        if name not in ("training", "__main__")
    }


def room_of(module: str) -> str:
    """The folder below the package in which a module lies, or the module itself."""
    return ".".join(module.split(".")[:2])


def module_of(file: Path) -> str:
    """The name of a module as imports write it."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def cycle(arrows: Mapping[str, set[str]]) -> list[str]:
    """Names that lead from one to the next and back to the first; empty if there are none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def checked_kinds(source: str) -> set[str]:
    """The names that a source compares the type of something with: by isinstance, by a pattern, or as a string."""
    tree, names = ast.parse(source), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            names |= names_in(node.args[1])
        if isinstance(node, ast.MatchClass):
            names |= names_in(node.cls)
    if "__name__" in source:
        names |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()
        }
    return names - {"int", "zoo"}


def names_in(node: ast.AST) -> set[str]:
    """All names and attributes that stand in an expression."""
    inside = list(ast.walk(node))
    attributes = {part.attr for part in inside if isinstance(part, ast.Attribute)}
    return attributes | {part.id for part in inside if isinstance(part, ast.Name)}
