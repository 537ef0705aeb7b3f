"""The prose of a page: its sections and texts by their headings, values in their places, mistakes named."""

import ast
import re
from pathlib import Path

import pytest

from dashboard import contents
from dashboard.frame.prose import ABOUT, FORMULA, PLACE, REFERENCES, TRY_THIS, Prose, fill, parse
from dashboard.frame.references import WORKS

MARKDOWN = """# Which?

A lead of
two lines.

### About

The page.

### References

VASWANI,
JAIN

## First section

### Try this

- One that goes
  on.
- Another.

### How it is computed

$$
\\begin{gathered}
s = \\frac{1}{K} \\\\
x
\\end{gathered}
$$

Here $s = {{cosine:.2f}}$, for
“{{word}}”: {{count:,}}.

## Second section

### About

Its own.
"""


def test_texts_stand_below_their_headings_and_sections_have_those_of_the_page():
    page = parse(MARKDOWN)
    assert (page.question, page.lead, page.about) == ("Which?", "A lead of two lines.", "The page.")
    assert list(page.sections) == ["First section", "Second section"]
    first, second = map(page.section, page.sections)
    assert (first.about, second.about) == ("The page.", "Its own.")
    assert first.references == second.references == (WORKS["VASWANI"], WORKS["JAIN"])
    assert first.try_this == ("One that goes on.", "Another.")
    assert second.try_this == ()
    with pytest.raises(KeyError, match="Third"):
        page.section("Third")


def test_a_formula_keeps_its_lines_and_its_braces():
    text = parse(MARKDOWN).section("First section").text(FORMULA, cosine=0.126, word="a {{b}}", count=1234)
    formula, words = text.split("\n\n")
    assert formula.splitlines() == ["$$", r"\begin{gathered}", r"s = \frac{1}{K} \\", "x", r"\end{gathered}", "$$"]
    assert words == "Here $s = 0.13$, for “a {{b}}”: 1,234."


@pytest.mark.parametrize(
    ("text", "values", "error", "name"),
    [("{{a}}", {}, KeyError, "a"), ("{{a}}", {"a": 1, "b": 2}, ValueError, "b"), ("a", {"a": 1}, ValueError, "a")],
)
def test_a_place_without_a_value_and_a_value_without_a_place_are_named(text, values, error, name):
    with pytest.raises(error, match=name):
        fill(text, values)


@pytest.mark.parametrize(
    "markdown",
    [
        "No question.\n",
        "# One\n\n# Two\n",
        "before\n# One\n",
        "# One\n## A\nbelow no heading\n",
        "# One\n### A\nx\n### A\ny\n",
        "# One\n## A\n### B\nx\n## A\n### C\ny\n",
    ],
)
def test_a_text_that_nothing_names_and_a_heading_that_stands_twice_are_refused(markdown):
    with pytest.raises(ValueError, match=r"heading|question|same"):
        parse(markdown)


def files() -> list[Path]:
    return sorted(contents.ROOT.glob("pages/*/*/*.md"))


def read(file: Path) -> dict[str, Prose]:
    """The page's own texts, at "", and those of each section, without what they have from the page."""
    page = parse(file.read_text(encoding="utf-8"))
    return {"": page, **page.sections}


def constants(folder: Path) -> list[str]:
    """Patterns of all strings in the code of a page; what an f-string computes may be anything."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in folder.glob("*.py")]
    patterns = []
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.JoinedStr):
            parts = [re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in node.values]
            if any(part != ".+" for part in parts):
                patterns.append("".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            patterns.append(re.escape(node.value))
    return patterns


@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_every_text_is_shown_by_the_page_and_every_section_has_its_name(file):
    named = re.compile("|".join(f"(?:{pattern})" for pattern in constants(file.parent)))
    standard = {ABOUT, TRY_THIS, FORMULA, REFERENCES}
    for section, prose in read(file).items():
        unnamed = [name for name in {section, *prose.texts} - standard - {""} if not named.fullmatch(name)]
        assert not unnamed, f"{file.name}, {section}"
        assert not PLACE.search(prose.texts.get(ABOUT, "")), "nothing fills the places of what a page is about"


@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_a_lead_is_short_and_no_two_sections_suggest_the_same(file):
    page = parse(file.read_text(encoding="utf-8"))
    assert len(page.lead.split()) <= 20
    suggestions = [suggestion for section in page.sections.values() for suggestion in section.try_this]
    assert len(set(suggestions)) == len(suggestions)
    assert file.stem == file.parent.name
    assert page.question in {listed.question for listed in contents.pages()}
