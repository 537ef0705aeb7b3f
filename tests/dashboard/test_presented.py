"""What a projector's view may leave out: leads and tools, but nothing that says how far a claim holds."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.frame.prose import read_prose
from dashboard.inputs.picture_input import PHOTOGRAPHS
from tests.pages.conftest import visit  # noqa: F401  (a fixture)

ROOT = Path(__file__).parents[2]
FILES = sorted(file for room in ("pages", "dashboard") for file in (ROOT / room).rglob("*.py"))
# A caption or a box says what a figure rests on. Prose may be left out, unless it says so, too.
KEPT = {"caption", "info", "warning", "error"}
PROSE = {"markdown", "prose"}  # `st.markdown` and `layout.prose`
GUARD = re.compile(
    r"learned from|was trained on|held[- ]out|standard error|interval|by chance|one seed|cannot be compared|"
    r"does not (?:show|prove)|may be far apart|random weights|was not measured"
)
LINKS = "glossary.links"  # of a table's terms: a tool
LINES = """
if not theme.is_presented():
    st.markdown(words.LEAD)
    {line}
"""


def left_out(source: str) -> Iterator[ast.Call]:
    """All calls of a file that are made only where it is not presented, and those of `layout.prose`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "layout.prose":
            yield node
        body = getattr(node, "body", None)
        if isinstance(node, ast.If) and "is_presented" in ast.dump(node.test):
            is_else = "Not()" not in ast.dump(node.test)
            for statement in node.orelse if is_else else node.body:
                yield from (call for call in ast.walk(statement) if isinstance(call, ast.Call))
        if isinstance(body, list):
            for place, statement in enumerate(body):
                if is_a_way_out(statement):
                    yield from (
                        call for later in body[place + 1 :] for call in ast.walk(later) if isinstance(call, ast.Call)
                    )


def is_a_way_out(statement: ast.stmt) -> bool:
    """Whether it is `if theme.is_presented(): return`."""
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Call)
        and "is_presented" in ast.dump(statement.test)
        and isinstance(statement.body[-1], ast.Return)
    )


def of_kind(source: str) -> list[str]:
    """The captions and boxes of a file that a projector would not show; those within a fold go with its table."""
    folds = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.With) and "expander" in ast.dump(node.items[0])
    ]
    folded = {ast.unparse(call) for fold in folds for call in ast.walk(fold) if isinstance(call, ast.Call)}
    return [
        text
        for call in left_out(source)
        if isinstance(call.func, ast.Attribute) and call.func.attr in KEPT
        if LINKS not in (text := ast.unparse(call)) and text not in folded
    ]


def prose_of(file: Path) -> Iterator[str]:
    """The texts of a page's prose that a projector leaves out: `SECTION.text("Heading")`, in whichever section."""
    for call in left_out(file.read_text()):
        if isinstance(call.func, ast.Attribute) and call.func.attr in PROSE:
            headings = set(filter(None, map(heading_of, ast.walk(call))))
            if headings:
                page = read_prose(str(file))
                for part in (page, *page.sections.values()):
                    yield from (text for heading, text in part.texts.items() if heading in headings)


def heading_of(node: ast.AST) -> str | None:
    """The heading in a call such as `SECTION.text("Heading", ...)`; None for anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "text":
        heading = node.args[0]
        return heading.value if isinstance(heading, ast.Constant) and isinstance(heading.value, str) else None
    return None


def test_a_projector_leaves_out_no_caption_and_no_box():
    assert {str(file.relative_to(ROOT)): calls for file in FILES if (calls := of_kind(file.read_text()))} == {}


def test_no_prose_that_a_projector_leaves_out_says_how_far_a_claim_holds():
    texts = [(file.name, text) for file in FILES for text in prose_of(file)]
    assert len(texts) > 10
    assert [text for text in texts if GUARD.search(text[1])] == []


@pytest.mark.parametrize("line", ["layout.caption(words.HOW)", "if x:\n        st.info(words.CUT)"])
def test_that_test_can_fail(line):
    assert of_kind(LINES.format(line=line))
    assert of_kind("def show():\n    if theme.is_presented():\n        return\n    layout.caption(words.HOW)")
    assert not of_kind("def show():\n    if not theme.is_presented():\n        st.markdown('')\n    layout.caption('')")


@pytest.mark.parametrize(
    ("room", "query"),
    [
        ("words_and_pictures/captioning", {"world": PHOTOGRAPHS}),
        ("scale/scaling_comparison", {"show": "Small data"}),
        ("language/translation", {"show": "Measured"}),
    ],
)
def test_presented_a_section_has_all_of_its_captions(visit, room, query):  # noqa: F811
    usual, presented = ({element.value for element in visit(room, **query, **extra).caption} for extra in ({}, PRESENT))
    assert usual <= presented | {text for text in usual if text.startswith("Terms: ")}
    assert usual


PRESENT = {"present": "1"}
