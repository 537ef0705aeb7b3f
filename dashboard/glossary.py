"""What words mean: glossary.toml has each term once; where a text of ours says one first, it becomes a link."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlsplit

from dashboard import contents

MOST = 4  # links in one paragraph: more would be restless
TERM = "term"  # in the address of the page Glossary: the term to show


@dataclass(frozen=True, eq=False)
class Term:
    """A term, what it means in a sentence or two, which page shows it, and how prose spells it."""

    name: str
    says: str
    see: str
    also: Sequence[str] = ()
    forms: Sequence[str] = ()
    linked_as: Sequence[str] | None = None

    @property
    def spellings(self) -> Sequence[str]:
        """What becomes a link in prose."""
        return (self.name, *self.also, *self.forms) if self.linked_as is None else self.linked_as

    @property
    def page(self) -> contents.Page:
        """The page that shows it."""
        return contents.at(urlsplit(self.see).path)

    @property
    def choices(self) -> dict[str, str]:
        """What has to be chosen on that page, by its name in the address."""
        return dict(parse_qsl(urlsplit(self.see).query))

    @property
    def place(self) -> str:
        """The page and the section that show it, in words."""
        return " / ".join([self.page.name, *self.choices.values()])

    @property
    def shown_at(self) -> str:
        """The whole address of that place, seen from any page."""
        return self.page.address(**self.choices) if self.choices else self.page.url

    @cached_property
    def address(self) -> str:
        """Where the page Glossary explains it."""
        return contents.GLOSSARY.address(**{TERM: self.name})


def _read() -> dict[str, Term]:
    found = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: Term(name, **found[name]) for name in sorted(found, key=str.casefold)}


TERMS = _read()  # by their names, in alphabetical order


def linked(text: str) -> str:
    """Markdown in which the first occurrence of each term is a link to what it means; no other letter changes.

    Code, formulas, links, headings and what stands between “quotation marks” (visitors' words mostly)
    stay as they are, and so does a paragraph in which it is not certain where those begin and end.
    """
    explained = set[str]()
    return "".join(part if whole else _linked(part, explained) for part, whole in _blocks(text))


def terms_in(labels: Iterable[str]) -> list[Term]:
    """The terms that plain labels name, such as the heads of a table, in their order."""
    found = (match for label in labels for match in _SPELLED.finditer(label))
    return list(dict.fromkeys(_of(match.group()) for match in found))


def links(terms: Iterable[Term]) -> str:
    """Markdown with a link for each term."""
    return " · ".join(f"[{term.name}]({term.address})" for term in terms)


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """The paragraphs of a text; code and formulas on lines of their own, and what is between paragraphs: as a whole."""
    at = 0
    for match in _WHOLE.finditer(text):
        yield text[at : match.start()], False
        yield match.group(), True
        at = match.end()
    yield text[at:], False


def _linked(paragraph: str, explained: set[str]) -> str:
    parts = _parts(paragraph)
    outline = "".join("x" if kept else part for part, kept in parts)
    if _OTHER.search(paragraph) or _UNCLEAR.search(_EMPHASIS.sub("x", outline)):
        return paragraph
    already = {name for part, kept in parts if kept for name in _explained(part)}
    explained |= already
    left = MOST - len(already)
    made = []
    at = 0
    for part, kept in parts:
        for match in () if kept else _SPELLED.finditer(paragraph, at, at + len(part)):
            term = _of(match.group())
            if left > 0 and term.name not in explained and _stands_alone(paragraph, *match.span()):
                explained.add(term.name)
                left -= 1
                made.append((match.span(), f"[{match.group()}]({term.address})"))
        at += len(part)
    for (start, end), link in reversed(made):
        paragraph = paragraph[:start] + link + paragraph[end:]
    return paragraph


def _parts(paragraph: str) -> list[tuple[str, bool]]:
    """A paragraph in parts, each with whether it is kept as it is."""
    parts, at = [], 0
    for match in _KEPT.finditer(paragraph):
        parts += [(paragraph[at : match.start()], False), (match.group(), True)]
        at = match.end()
    return [*parts, (paragraph[at:], False)]


def _explained(kept: str) -> list[str]:
    """The term that a link leads to, if it leads to the glossary."""
    match = _OWN_LINK.fullmatch(kept)
    return parse_qs(match[1]).get(TERM, []) if match else []


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a link there leaves all signs around it with the meaning that they have."""
    before, after = _BEFORE.search(text[:start]), _AFTER.match(text[end:])
    return bool(before and after and (after[1] is None or before[1] == after[1]))


def _of(spelled: str) -> Term:
    return _BY_SPELLING.get(spelled) or _BY_SPELLING[spelled[0].lower() + spelled[1:]]


def _either_case(spelling: str) -> str:
    """Lower case also at the beginning of a sentence; what has a capital is a name, and written like that only."""
    first = f"[{spelling[0]}{spelling[0].upper()}]" if spelling.islower() else re.escape(spelling[0])
    return first + re.escape(spelling[1:])


_BY_SPELLING = {spelling: term for term in TERMS.values() for spelling in (term.name, *term.spellings)}
_IN_PROSE = sorted((spelling for term in TERMS.values() for spelling in term.spellings), key=len, reverse=True)


def _by_first_letter(spellings: Sequence[str]) -> str:
    """One of them, the first that fits: a letter is compared with those only that begin with it."""
    groups = defaultdict[str, list[str]](list)
    for spelling in spellings:
        groups[spelling[0].lower()].append(_either_case(spelling))
    return "|".join(f"(?=[{re.escape(at + at.upper())}])(?:{'|'.join(group)})" for at, group in groups.items())


_NO_NAME = r"(?!(?<=[Hh]ead) \d|(?<=[Ll]ayer) \d)"  # “layer 3, head 2” names a place
_SPELLED = re.compile(rf"(?<![\w-])(?:{_by_first_letter(_IN_PROSE)})(?![\w-]){_NO_NAME}")

_WHOLE = re.compile(
    r"""
      ^[ ]{0,3}(`{3,}(?![^\n]*`)|~{3,}|\${2,}(?![^\n]*\$)).*?(?:^[ ]{0,3}\1|\Z)   # code or a formula between fences
    | ^[ ]{0,3}<.*\Z                                                              # markup, whatever its end may be
    | \n[ \t]*(?=\n)                                                              # the end of a paragraph
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_KEPT = re.compile(
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
_UNCLEAR = re.compile(r"[`$\[\]<>“”*~]")  # one of these that is not part of a pair
# Headings, also underlined ones, and code that is indented.
_OTHER = re.compile(r"^ {0,3}#{1,6}(?:\s|$)|^ {0,3}(?:=+|-+)\s*$|^[ >*+\d.)-]*(?: {4}|\t)", re.MULTILINE)
_BEFORE = re.compile(r"(?:^|\s|\((?![*~]))([*~]{0,3})\Z", re.MULTILINE)
# The group: emphasis that ends here and is followed by a stop, as in “**term**,”; it has to begin right before.
_AFTER = re.compile(r"[*~]{0,3}(?:\s|\Z)|(?:([*~]{1,3})(?![*~]))?[.,;:!?)]{1,3}(?:[\s*~]|\Z)|['’]s\b")
