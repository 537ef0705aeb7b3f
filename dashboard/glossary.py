"""The terms of glossary.toml; the first occurrence of each in a text of ours becomes a link to its meaning."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlsplit

from dashboard import contents

MOST_LINKS = 4  # links in one paragraph: more would be restless
TERM = "term"  # in the address of the page Glossary: the term to show


@dataclass(frozen=True, eq=False)
class Term:
    """A term, its meaning in a sentence or two (`says`), the page that shows it (`see`), and its spellings in prose."""

    name: str
    says: str
    see: str
    also: Sequence[str] = ()
    forms: Sequence[str] = ()
    linked_as: Sequence[str] | None = None

    @property
    def spellings(self) -> Sequence[str]:
        """The spellings that become a link in prose."""
        return (self.name, *self.also, *self.forms) if self.linked_as is None else self.linked_as

    @property
    def page(self) -> contents.Page:
        """The page that shows the term."""
        return contents.page_at(urlsplit(self.see).path)

    @property
    def choices(self) -> dict[str, str]:
        """The choices on that page that show the term, by their names in the address."""
        return dict(parse_qsl(urlsplit(self.see).query))

    @property
    def place(self) -> str:
        """The page and the section that show the term, in words."""
        return " / ".join([self.page.name, *self.choices.values()])

    @property
    def shown_at(self) -> str:
        """The address of that page with the choices, relative to any page."""
        return self.page.address(**self.choices) if self.choices else self.page.url

    @cached_property
    def address(self) -> str:
        """The address of the term on the page Glossary."""
        return contents.GLOSSARY.address(**{TERM: self.name})


def _read() -> dict[str, Term]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: Term(name, **tables[name]) for name in sorted(tables, key=str.casefold)}


TERMS = _read()  # by their names, in alphabetical order


def linked(text: str) -> str:
    """Markdown in which the first occurrence of each term is a link to its meaning; no other letter changes.

    Code, formulas, links, headings and text between “quotation marks” (mostly visitors' words) stay as they are, and so
    does a paragraph in which it is not certain where these begin and end.
    """
    linked_terms = set[str]()
    return "".join(part if is_verbatim else _linked(part, linked_terms) for part, is_verbatim in _blocks(text))


def terms_in(labels: Iterable[str]) -> list[Term]:
    """The terms that plain labels name, such as the headers of a table, in their order."""
    matches = (match for label in labels for match in _SPELLED.finditer(label))
    return list(dict.fromkeys(_term_of(match.group()) for match in matches))


def links(terms: Iterable[Term]) -> str:
    """Markdown with a link for each term."""
    return " · ".join(f"[{term.name}]({term.address})" for term in terms)


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text, each with whether it is verbatim: code and formulas on own lines, and paragraph ends."""
    start = 0
    for match in _VERBATIM_BLOCK.finditer(text):
        yield text[start : match.start()], False
        yield match.group(), True
        start = match.end()
    yield text[start:], False


def _linked(paragraph: str, linked_terms: set[str]) -> str:
    parts = _parts(paragraph)
    outline = "".join("x" if is_verbatim else part for part, is_verbatim in parts)
    if _NO_PROSE.search(paragraph) or _UNPAIRED.search(_EMPHASIS.sub("x", outline)):
        return paragraph
    linked_names = {name for part, is_verbatim in parts if is_verbatim for name in _explained(part)}
    linked_terms |= linked_names
    remaining = MOST_LINKS - len(linked_names)
    links = []
    start = 0
    for part, is_verbatim in parts:
        for match in () if is_verbatim else _SPELLED.finditer(paragraph, start, start + len(part)):
            term = _term_of(match.group())
            if remaining > 0 and term.name not in linked_terms and _stands_alone(paragraph, *match.span()):
                linked_terms.add(term.name)
                remaining -= 1
                links.append((match.span(), f"[{match.group()}]({term.address})"))
        start += len(part)
    for (start, end), link in reversed(links):
        paragraph = paragraph[:start] + link + paragraph[end:]
    return paragraph


def _parts(paragraph: str) -> list[tuple[str, bool]]:
    """The parts of a paragraph, each with whether it is verbatim."""
    parts, start = [], 0
    for match in _VERBATIM.finditer(paragraph):
        parts += [(paragraph[start : match.start()], False), (match.group(), True)]
        start = match.end()
    return [*parts, (paragraph[start:], False)]


def _explained(link: str) -> list[str]:
    """The names of the terms to which a link leads; empty for a link that does not lead to the glossary."""
    match = _OWN_LINK.fullmatch(link)
    return parse_qs(match[1]).get(TERM, []) if match else []


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a link from `start` to `end` would leave the meaning of the Markdown around it unchanged."""
    before, after = _BEFORE.search(text[:start]), _AFTER.match(text[end:])
    return bool(before and after and (after[1] is None or before[1] == after[1]))


def _term_of(spelling: str) -> Term:
    return _BY_SPELLING.get(spelling) or _BY_SPELLING[spelling[0].lower() + spelling[1:]]


def _either_case(spelling: str) -> str:
    """A pattern for a spelling; one in lower case may begin with a capital, as at the beginning of a sentence."""
    first = f"[{spelling[0]}{spelling[0].upper()}]" if spelling.islower() else re.escape(spelling[0])
    return first + re.escape(spelling[1:])


_BY_SPELLING = {spelling: term for term in TERMS.values() for spelling in (term.name, *term.spellings)}
_IN_PROSE = sorted((spelling for term in TERMS.values() for spelling in term.spellings), key=len, reverse=True)


def _by_first_letter(spellings: Sequence[str]) -> str:
    """A pattern for the first spelling that fits; a letter is compared only with spellings that begin with it."""
    groups = defaultdict[str, list[str]](list)
    for spelling in spellings:
        groups[spelling[0].lower()].append(_either_case(spelling))
    return "|".join(
        f"(?=[{re.escape(letter + letter.upper())}])(?:{'|'.join(group)})" for letter, group in groups.items()
    )


_NO_NAME = r"(?!(?<=[Hh]ead) \d|(?<=[Ll]ayer) \d)"  # “layer 3, head 2” names a place
_SPELLED = re.compile(rf"(?<![\w-])(?:{_by_first_letter(_IN_PROSE)})(?![\w-]){_NO_NAME}")

_VERBATIM_BLOCK = re.compile(
    r"""
      ^[ ]{0,3}(`{3,}(?![^\n]*`)|~{3,}|\${2,}(?![^\n]*\$)).*?(?:^[ ]{0,3}\1|\Z)   # code or a formula between fences
    | ^[ ]{0,3}<.*\Z                                                              # markup, whatever its end may be
    | \n[ \t]*(?=\n)                                                              # the end of a paragraph
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_VERBATIM = re.compile(
    r"""
      \\.                                                 # an escaped sign
    | (?<!`)(`+)(?!`).+?(?<!`)\1(?!`)                     # code
    | (?<!\$)(\$+)(?!\$).+?(?<!\$)\2(?!\$)                # a formula
    | !?\[(?:\\.|[^\\\[\]])*\](?:\((?:\\.|[^\\()])*\))?   # a link, a picture, [CLS]
    | <[^<>]*>                                            # an address, markup
    | (?:https?://|www\.)[^\s`$]+
    | :[a-z_]+(?:/[a-z_]+)?:                              # an icon
    | “[^“”]*”
    """,
    re.VERBOSE | re.DOTALL,
)
_OWN_LINK = re.compile(rf"\[[^\]]*\]\({contents.GLOSSARY.url}\?([^)]*)\)")
_EMPHASIS = re.compile(r"(?<![*~])(\*{1,3}|~~)(?![*~\s])[^*~]+(?<![*~\s])\1(?![*~])")
_UNPAIRED = re.compile(r"[`$\[\]<>“”*~]")  # one of these that is not part of a pair
# Headings, also underlined ones, and code that is indented.
_NO_PROSE = re.compile(r"^ {0,3}#{1,6}(?:\s|$)|^ {0,3}(?:=+|-+)\s*$|^[ >*+\d.)-]*(?: {4}|\t)", re.MULTILINE)
_BEFORE = re.compile(r"(?:^|\s|\((?![*~]))([*~]{0,3})\Z", re.MULTILINE)
# The group: emphasis that ends here and is followed by a stop, as in “**term**,”; it has to begin right before.
_AFTER = re.compile(r"[*~]{0,3}(?:\s|\Z)|(?:([*~]{1,3})(?![*~]))?[.,;:!?)]{1,3}(?:[\s*~]|\Z)|['’]s\b")
