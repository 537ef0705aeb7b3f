"""The form in which lessons are written, Markdown that also reads well as it stands: docs/writing-a-lesson.md."""

import ast
import os
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from core.errors import InputError
from dashboard import contents
from dashboard.cache.memo import cached
from dashboard.contents import Page

FOLDER = contents.ROOT / "lessons"
TOUR = "first-twenty-minutes"  # the path that Home offers
LONGEST = 100_000  # characters of a lesson
SETTING = "ATLAS_LESSONS"  # a folder with lessons of a host's own

_ORDER = re.compile(r"^\d+-")  # before the name of a file: its place among the others
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]*)\)")
_READING = re.compile(r"`([^`]+)`\s+(\S.*)")
_PLACE = re.compile(r"\{\{\s*([^{}\n]{1,200}?)\s*\}\}")  # in a station's text: {{share}}, for what a reading measured


@dataclass(frozen=True)
class Question:
    """What is asked before the view is shown.

    `reading` names a function of `dashboard.lessons.readings` and `arguments` its arguments: it reads the answer off a
    model. `options` are the choices that are offered; none: all that the reading knows. `expected` is the answer that
    the lesson was written for: the test of a lesson compares it with what the model says.
    """

    text: str
    reading: str
    arguments: Mapping[str, Any]
    expected: str
    options: tuple[str, ...] = ()

    @property
    def identity(self) -> Hashable:
        """What tells it from any other, however it is put in words."""
        return self.reading, repr(sorted(self.arguments.items())), self.options


@dataclass(frozen=True)
class Station:
    """One stop: a page with all that is chosen on it, what to know before, a question, and what to see afterwards."""

    title: str
    page: Page
    choices: Mapping[str, str]
    before: str
    question: Question
    after: str


@dataclass(frozen=True)
class Lesson:
    """A path of stations; `name` stands in the address."""

    name: str
    title: str
    about: str
    stations: tuple[Station, ...]


@cached(computes=False)
def lessons() -> Mapping[str, Lesson]:
    """The lessons that come along and those of the host's own folder, by name and in the order of the files.

    InputError, with the file and the line, where one is not in this form.
    """
    folders = [FOLDER, *(Path(each) for each in [os.environ.get(SETTING, "")] if each)]
    files = {_ORDER.sub("", file.stem): file for folder in folders for file in sorted(folder.glob("*.md"))}
    return {name: read(file.read_text(encoding="utf-8"), name=name, where=file.name) for name, file in files.items()}


def read(text: str, *, name: str, where: str = "The lesson") -> Lesson:
    """A lesson from its text; InputError with the line where the form is left."""
    if len(text) > LONGEST:
        raise InputError(f"{where} has {len(text):,} characters; a lesson has at most {LONGEST:,}.")
    blocks = list(_blocks(text))
    if not blocks or not blocks[0].text.startswith("# "):
        raise InputError(f"{where} begins with its title, such as “# Inside one head”.")
    starts = [place for place, block in enumerate(blocks) if block.text.startswith("## ")]
    if not starts:
        raise InputError(f"{where} has no station yet: each begins with a title such as “## A head that looks back”.")
    stations = [
        _station(blocks[start:end], where) for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True)
    ]
    about = "\n\n".join(block.text for block in blocks[1 : starts[0]])
    return Lesson(name, blocks[0].text[2:].strip(), about, tuple(stations))


def fill(text: str, words: Mapping[str, str]) -> str:
    """A station's text with `{{name}}` replaced by what the reading of its question measured under that name.

    InputError for a name that the reading does not have.
    """

    def put(place: re.Match[str]) -> str:
        if place[1] not in words:
            raise InputError(
                f"This station's text names “{place[1][:40]}”, and its reading measures no such thing; it has "
                f"{', '.join(words)[:300]}."
            )
        return words[place[1]]

    return _PLACE.sub(put, text)


def named(text: str) -> tuple[str, ...]:
    """The names in a station's text for which a reading has numbers."""
    return tuple(_PLACE.findall(text))


@dataclass(frozen=True)
class _Block:
    line: int
    text: str


def _blocks(text: str) -> Iterator[_Block]:
    """Pieces between empty lines, each with the number of its first line; a quotation with empty lines is one."""
    held: list[str] = []
    begun = 0
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip():
            begun = begun if held else number
            held.append(line.rstrip())
        elif held:
            yield _Block(begun, "\n".join(held))
            held = []


def _station(blocks: list[_Block], where: str) -> Station:
    title, *rest = blocks
    asked = [place for place, block in enumerate(rest) if block.text.startswith(">")]
    link = _LINK.fullmatch(rest[0].text) if rest else None
    if link is None:
        raise InputError(
            f"{where}, line {title.line}: below its title a station links to its page, such as "
            "“[Text](text?text=To+be+or+not+to+be)”."
        )
    if len(asked) != 1:
        raise InputError(
            f"{where}, line {title.line}: a station asks one question, in lines that begin with “>”; this one asks "
            f"{len(asked)}."
        )
    page, choices = _place(link[2], f"{where}, line {rest[0].line}")
    before, after = ("\n\n".join(block.text for block in some) for some in (rest[1 : asked[0]], rest[asked[0] + 1 :]))
    question = _question(rest[asked[0]], where)
    return Station(title.text[3:].strip(), page, choices, before, question, after)


def _place(address: str, where: str) -> tuple[Page, dict[str, str]]:
    url, _, query = address.partition("?")
    known = {page.url: page for page in contents.pages()}
    if url not in known:
        raise InputError(f"{where}: there is no page “{url[:60]}”; there are {', '.join(filter(None, known))}.")
    return known[url], dict(parse_qsl(query, keep_blank_values=True))


def _question(block: _Block, where: str) -> Question:
    lines = [line.removeprefix(">").strip() for line in block.text.splitlines()]
    read = [found for line in lines if (found := _READING.fullmatch(line))]
    if len(read) != 1:
        raise InputError(
            f"{where}, line {block.line}: a question names what answers it, and the answer, in a line such as "
            '“> `next_token(text="The cat")` sat”.'
        )
    reading, arguments = _call(read[0][1], f"{where}, line {block.line}")
    text = " ".join(line for line in lines if line and not line.startswith("- ") and not _READING.fullmatch(line))
    if not text:
        raise InputError(f"{where}, line {block.line}: this question asks nothing: write it above the reading.")
    options = tuple(line[2:].strip() for line in lines if line.startswith("- "))
    return Question(text, reading, arguments, read[0][2].strip(), options)


def _call(text: str, where: str) -> tuple[str, dict[str, Any]]:
    """The name and the arguments of a call with literal arguments by name; nothing of it is run."""
    try:
        call = ast.parse(text, mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args):
            raise ValueError
        return call.func.id, {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise InputError(
            f"{where}: “{text[:80]}” is not a reading: write a name and arguments, as in `looks_at(layer=3, head=2)`."
        ) from None
