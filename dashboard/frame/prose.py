"""The prose of a page: one Markdown file beside its code, in which a heading names each section and each text.

    # What does the page ask?
    The lead: a sentence of at most 20 words above the first figure.
    ### About
    A text of the page; this one stands below the figure of every section that has no text “About” of its own.
    ### References
    VASWANI, JAIN

    ## Agreement
    ### Try this
    - A suggestion.
    ### How it is computed
    $$
    s = I \\cdot T
    $$

    Here $s = {{cosine:.3f}}$.

`##` is a section by its name in the address, or a part of one with notes of its own (`## Tokens: surprise`). `###` is a
text of the section, or of the page before the first section.
References are names in references.toml. `{{cosine:.3f}}` is a place for a number (or a text, where it has no format)
that the page computes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dashboard.frame.references import references

ABOUT, TRY_THIS, FORMULA, REFERENCES = "About", "Try this", "How it is computed", "References"
PLACE = re.compile(r"\{\{(\w+)(?::([^{}]*))?\}\}")
DISPLAYED = re.compile(r"(\$\$\n.*?\n\$\$)", re.DOTALL)  # a formula of its own
GOES_ON = re.compile(r"(?<=\S)\n *(?=[^\s\-|>])")  # a line of the paragraph before it: no list, table or quotation


@dataclass(frozen=True)
class Prose:
    """The texts of a section, or those that all sections of a page share, by their headings, as Markdown.

    Written by us, never by a visitor: what a visitor wrote goes through `typeset.plain` into a place.
    """

    name: str
    texts: Mapping[str, str]

    def text(self, heading: str, /, **values: object) -> str:
        """The text below a heading, with a value in each of its places.

        KeyError if there is no such heading, or a place without a value; ValueError for a value without a place.
        """
        return fill(self.texts[heading], values)

    @property
    def about(self) -> str:
        """A paragraph below the figure."""
        return self.texts.get(ABOUT, "")

    @property
    def try_this(self) -> tuple[str, ...]:
        """What one may try, one suggestion each."""
        return tuple(line.removeprefix("- ") for line in self.texts.get(TRY_THIS, "").splitlines() if line)

    @property
    def references(self) -> tuple[str, ...]:
        """The works to read on in, as Markdown."""
        names = re.findall(r"\w+", self.texts.get(REFERENCES, ""))
        return references(*names)


@dataclass(frozen=True)
class PageProse(Prose):
    """The prose of a page: `name` is the question that it asks, `lead` the sentence above its figures."""

    lead: str = ""
    sections: Mapping[str, Prose] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """The question that the page asks."""
        return self.name

    def section(self, name: str) -> Prose:
        """The prose of a section, with the page's texts where it has none of its own; KeyError if it is not there."""
        own = self.sections[name]
        return Prose(own.name, {**self.texts, **own.texts})


def read_prose(module: str) -> PageProse:
    """The prose of the page in whose folder a module stands: `pages/…/clip/clip.md` for one in `pages/…/clip/`."""
    folder = Path(module).parent
    return parse((folder / f"{folder.name}.md").read_text(encoding="utf-8"))


def parse(markdown: str) -> PageProse:
    """The prose that a Markdown file holds (the format: see above). ValueError for a text that nothing names."""
    of_page, sections = _divided(markdown, "##")
    before, titles = _divided(of_page, "#")
    if before or len(titles) != 1:
        raise ValueError("The prose of a page begins with its question: one heading “# …”.")
    ((question, below),) = titles.items()
    lead, texts = _texts(below)
    return PageProse(question, texts, lead, {name: _section(name, own) for name, own in sections.items()})


def _section(name: str, markdown: str) -> Prose:
    before, texts = _texts(markdown)
    if before:
        raise ValueError(f"In the section “{name}” a text stands below no heading: {before[:60]}")
    return Prose(name, texts)


def _texts(markdown: str) -> tuple[str, dict[str, str]]:
    """What stands before the first heading of a text, and the texts by their headings, each paragraph in one line."""
    before, texts = _divided(markdown, "###")
    return _joined(before), {heading: _joined(text) for heading, text in texts.items()}


def _divided(markdown: str, mark: str) -> tuple[str, dict[str, str]]:
    """What stands before the first heading of one depth, and what stands below each; ValueError for two of one name."""
    before, *parts = re.split(rf"^{mark} (.+)\n", f"{markdown}\n", flags=re.MULTILINE)
    headings, texts = parts[::2], parts[1::2]
    if len(set(headings)) < len(headings):
        raise ValueError(f"Two of these headings are the same: {', '.join(headings)}")
    return before.strip(), dict(zip(headings, texts, strict=True))


def _joined(text: str) -> str:
    """A text with each paragraph in one line: what is plain text elsewhere would keep the ends of lines."""
    parts = DISPLAYED.split(text.strip())
    return "".join(part if part.startswith("$$\n") else GOES_ON.sub(" ", part) for part in parts)


def fill(text: str, values: Mapping[str, object]) -> str:
    """A text with a value in each place; KeyError for a place without one, ValueError for a value without a place."""
    named = {match[1] for match in PLACE.finditer(text)}
    if unused := values.keys() - named:
        raise ValueError(f"The text has no place for {', '.join(sorted(unused))}: {text[:60]}")
    return PLACE.sub(lambda match: format(values[match[1]], match[2] or ""), text)
