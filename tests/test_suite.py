"""The tests themselves: what is slow and why, that nothing waits for a fixed time, that shapes are checked."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from jaxtyping import Float, TypeCheckError, jaxtyped
from torch import Tensor

from dashboard import contents
from tests.conftest import SLOW, parts_of_others
from tests.scheduling import DIVIDED, ORDER, scope, turn
from tests.type_checks import CALLS, FIRST, check_again, checked

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "tests").rglob("*.py"))
POLLING = ROOT / "tests" / "polling.py"  # the one place that sleeps, between two looks
LONG = 2.0  # seconds on an idle machine after which a test may be left to `make test-all`
WAITS = {"sleep", "wait_for_timeout"}


def test_every_place_of_slow_tests_is_there_and_has_a_reason():
    for place, reason in SLOW.items():
        assert (ROOT / "tests" / place).exists(), place
        assert len(reason.split()) > 3, place


def test_every_file_that_is_divided_by_page_visits_each_page_and_every_place_that_begins_early_is_there():
    for file in DIVIDED:
        assert any("contents.pages()" in mark for test in functions(ROOT / file).values() for mark in marks(test)), file
    for place in ORDER:
        assert (ROOT / "tests" / place).exists(), place


def test_visits_of_one_page_are_for_one_worker_and_so_are_the_tests_of_any_other_file():
    assert scope("tests/browser/test_smoke.py::test_x[Swin]") == scope("tests/browser/test_smoke.py::test_x[CLIP]")
    sections = "tests/browser/test_every_section.py"
    assert scope(f"{sections}::test_x[Swin]") != scope(f"{sections}::test_x[CLIP]")
    assert scope(f"{sections}::test_x[Swin]") == scope(f"{sections}::test_y[Swin]")
    assert scope("tests/pages/test_addresses.py::test_x[vit]") != scope("tests/pages/test_addresses.py::test_x[swin]")
    assert scope("tests/pages/test_addresses.py::test_y[1-1]") == scope("tests/pages/test_addresses.py::test_z")
    assert scope("tests/core/test_axes.py::test_x[CLIP]") == scope("tests/core/test_axes.py::test_y[Swin]")


def test_long_files_begin_before_short_ones():
    paths = ["core/test_axes.py", "training/test_swin.py", "browser/test_vision.py", "browser/test_classroom.py"]
    assert sorted(paths, key=turn) == paths[::-1]
    assert turn("pages_of_another/test_x.py") == turn("core/test_axes.py")


@pytest.mark.parametrize("page", contents.pages(), ids=lambda page: page.name)
def test_every_page_keeps_a_visit_in_the_browser_and_one_without(page):
    smoke = functions(ROOT / "tests" / "browser" / "test_smoke.py")
    (visit,) = (function for function in smoke.values() if any("part_of" in mark for mark in marks(function)))
    assert any("contents.pages()" in mark for mark in marks(visit))
    assert any(visits(file, page.folder) for file in (ROOT / "tests" / "pages").glob("test_*.py")), page.folder


def test_a_single_slow_test_says_how_long_it_takes_and_which_quick_one_guards_the_same():
    for file in FILES:
        if file.name == "conftest.py":  # where places are marked
            continue
        for line, seconds, guard in slow_marks(file.read_text(encoding="utf-8")):
            place = f"{file.relative_to(ROOT)}:{line}"
            assert seconds > LONG, f"{place}: what takes {seconds} seconds is not slow."
            path, _, name = guard.rpartition("::")
            tests = functions(ROOT / path if path else file)
            assert name in tests, f"{place}: there is no {guard}."
            assert not any(mark.startswith("pytest.mark.slow") for mark in marks(tests[name])), f"{place}: {guard}"


def test_a_slow_mark_without_its_reason_is_not_taken():
    assert list(slow_marks("@pytest.mark.slow(seconds=3, guard='test_x')\ndef test_y(): ...")) == [(1, 3.0, "test_x")]
    for mark in ("pytest.mark.slow", "pytest.mark.slow()", "pytest.mark.slow(seconds=3)"):
        with pytest.raises(AssertionError, match="seconds and guard"):
            list(slow_marks(f"@{mark}\ndef test_y(): ..."))


def test_a_part_of_a_slow_test_names_that_test_and_has_the_same_cases():
    parts = [
        (function, ast.literal_eval(mark.partition("part_of")[2]))
        for file in FILES
        for function in functions(file).values()
        for mark in marks(function)
        if mark.startswith("pytest.mark.part_of")
    ]
    assert parts
    for part, guard in parts:
        path, _, name = guard.rpartition("::")
        assert cases(part) == cases(functions(ROOT / path)[name]), part.name


@dataclass
class Item:
    """What `parts_of_others` asks of a test."""

    nodeid: str
    slow_test: str = ""

    def get_closest_marker(self, _name: str) -> pytest.Mark | None:
        return pytest.mark.part_of(self.slow_test).mark if self.slow_test else None


def test_the_part_of_a_slow_test_is_left_out_where_the_slow_test_is_run_for_the_same_case():
    parts = [Item(f"test_quick.py::test_part[{page}]", "test_slow.py::test_all") for page in ("swin", "clip")]
    slow = [Item(f"test_slow.py::test_all[{page}]") for page in ("clip", "order")]
    assert parts_of_others([*parts, *slow]) == [parts[1]]
    assert not parts_of_others(parts)


def test_nothing_waits_for_a_fixed_time():
    waiting = {
        f"{file.relative_to(ROOT)}:{line}"
        for file in FILES
        if file != POLLING
        for line in fixed_waits(file.read_text(encoding="utf-8"))
    }
    assert not waiting


def test_the_test_of_waits_can_fail():
    assert list(fixed_waits("import time\ntime.sleep(1)\n")) == [2]
    assert list(fixed_waits("page.wait_for_timeout(300)")) == [1]
    assert list(fixed_waits("page.wait_for_load_state('networkidle')")) == [1]
    assert not list(fixed_waits("wait_until(lambda: answers(server))"))


def test_a_shape_that_is_not_the_one_written_down_is_an_error():
    @jaxtyped(typechecker=checked)
    def double(row: Float[Tensor, "token"]) -> Float[Tensor, "token"]:
        return torch.cat([row, row])

    with pytest.raises(TypeCheckError):
        double(torch.ones(3))


def test_what_a_function_makes_is_checked_the_first_times_and_what_a_module_has_always():
    def inner(count: int) -> int:
        return count

    inner.__qualname__ = "outer.<locals>.inner"
    made = [checked(inner) is not inner for _ in range(2 * FIRST + 1)]
    assert made == [*[True] * 2 * FIRST, False]
    inner.__qualname__ = "inner"
    assert all(checked(inner) is not inner for _ in range(2 * FIRST + 1))


@jaxtyped(typechecker=checked)
def doubled(row: Float[Tensor, "token"], fits: bool) -> Float[Tensor, "token"]:
    return 2 * row if fits else torch.cat([row, row])


def test_the_first_calls_of_a_function_are_checked_in_each_test():
    for _ in range(CALLS):
        assert doubled(torch.ones(3), True).shape == (3,)
    assert doubled(torch.ones(3), False).shape == (6,)
    check_again()
    with pytest.raises(TypeCheckError):
        doubled(torch.ones(3), False)


def functions(file: Path) -> dict[str, ast.FunctionDef]:
    """The tests of a file by their names."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")}


def marks(function: ast.FunctionDef) -> list[str]:
    """What stands above a function, as it is written."""
    return [ast.unparse(decorator) for decorator in function.decorator_list]


def cases(function: ast.FunctionDef) -> list[str]:
    """What a test is parametrised by, as it is written."""
    return [mark for mark in marks(function) if mark.startswith("pytest.mark.parametrize")]


def visits(file: Path, room: str) -> bool:
    """Whether a file names a page's room, and has a test with an app that is not slow."""
    source = file.read_text(encoding="utf-8")
    quick = [test for test in functions(file).values() if not any(".slow" in mark for mark in marks(test))]
    return f'"{room}"' in source and any("visit" in ast.unparse(test) for test in quick)


def slow_marks(source: str) -> Iterator[tuple[int, float, str]]:
    """Line, seconds and guard of each `pytest.mark.slow(seconds=..., guard=...)` of a source."""
    tree = ast.parse(source)
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "pytest.mark.slow":
            call = calls.get(id(node))
            reason = {word.arg: ast.literal_eval(word.value) for word in call.keywords} if call else {}
            assert reason.keys() == {"seconds", "guard"}, f"Line {node.lineno}: a slow test says its seconds and guard."
            yield node.lineno, float(reason["seconds"]), reason["guard"]


def fixed_waits(source: str) -> Iterator[int]:
    """The lines of a source that wait for a time, or for a network that happens to be quiet."""
    for node in ast.walk(ast.parse(source)):
        name = node.func if isinstance(node, ast.Call) else None
        if isinstance(name, ast.Attribute | ast.Name):
            called = name.attr if isinstance(name, ast.Attribute) else name.id
            states = [word.value for word in node.args if isinstance(word, ast.Constant)]
            if called in WAITS or (called == "wait_for_load_state" and "networkidle" in states):
                yield node.lineno
