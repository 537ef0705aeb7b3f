"""What each section of a page suggests to try is its own."""

import ast
import importlib
from collections import defaultdict
from pathlib import Path

from dashboard.contents import ROOT
from dashboard.frame.layout import PageWords


def suggestions() -> dict[Path, dict[str, set[str]]]:
    """For each page, each suggestion and the sections that make it: what stands in their calls of `layout.notes`."""
    sections: dict[Path, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file in ROOT.glob("pages/*/*/*.py"):
        for call in filter(is_notes, ast.walk(ast.parse(file.read_text(encoding="utf-8")))):
            for suggestion in words_of(call.args[0], file).try_this:
                sections[file.parent][suggestion].add(file.stem)
    return sections


def is_notes(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "layout.notes" and "." in ast.unparse(node.args[0])


def words_of(expression: ast.expr, file: Path) -> PageWords:
    """The words that a section names, such as `words.NOTES[words.REACH]`."""
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    page_words = eval(ast.unparse(expression), vars(importlib.import_module(name)))
    assert isinstance(page_words, PageWords)
    return page_words


def test_no_suggestion_stands_below_two_sections_of_a_page():
    by_page = suggestions()
    assert len(by_page) > 15
    shared = [
        (page.name, suggestion, files)
        for page, own in by_page.items()
        for suggestion, files in own.items()
        if len(files) > 1
    ]
    assert not shared
