"""The format of lessons, a form of Markdown that is readable as such: docs/writing-a-lesson.md."""

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
TOUR = "first-twenty-minutes"  # the lesson that Home offers
LONGEST = 100_000  # characters of a lesson
SETTING = "ATLAS_LESSONS"  # a folder with lessons of a host's own

_ORDER = re.compile(r"^\d+-")  # at the beginning of a file's name: its order among the lessons
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]*)\)")
_READING = re.compile(r"`([^`]+)`\s+(\S.*)")
_PLACEHOLDER = re.compile(
    r"\{\{\s*([^{}\n]{1,200}?)\s*\}\}"
)  # in a station's text: {{share}}, for a value of its reading


@dataclass(frozen=True)
class Question:
    """A question that is asked before the view is shown.

    `reading` names a function of `dashboard.lessons.readings` that reads the answer off a model, `arguments` are its
    arguments. `options` are the choices offered; none: all that the reading returns. `expected` is the answer for which
    the lesson was written: tests compare it with that of the model.
    """

    text: str
    reading: str
    arguments: Mapping[str, Any]
    expected: str
    options: tuple[str, ...] = ()

    @property
    def identity(self) -> Hashable:
        """The key of the question in caches, independent of its wording."""
        return self.reading, repr(sorted(self.arguments.items())), self.options


@dataclass(frozen=True)
class Station:
    """A page with choices on it, the text before it, a question, and the text after the answer."""

    title: str
    page: Page
    choices: Mapping[str, str]
    before: str
    question: Question
    after: str


@dataclass(frozen=True)
class Lesson:
    """A sequence of stations; `name` stands in the address."""

    name: str
    title: str
    about: str
    stations: tuple[Station, ...]


@cached(computes=False)
def lessons() -> Mapping[str, Lesson]:
    """The built-in lessons and those of the host's own folder, by name and in the order of the files.

    InputError, with the file and the line, for a lesson that is not in this format.
    """
    folders = [FOLDER, *(Path(folder) for folder in [os.environ.get(SETTING, "")] if folder)]
    files = {_ORDER.sub("", file.stem): file for folder in folders for file in sorted(folder.glob("*.md"))}
    return {name: read(file.read_text(encoding="utf-8"), name=name, where=file.name) for name, file in files.items()}


def read(text: str, *, name: str, where: str = "The lesson") -> Lesson:
    """Parse a lesson; InputError with the line that is not in the format."""
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
    """A station's text with each `{{name}}` replaced by the value of that name in `words`, from the question's reading.

    InputError for a name that is not in `words`.
    """

    def value_at(match: re.Match[str]) -> str:
        if match[1] not in words:
            raise InputError(
                f"This station's text names “{match[1][:40]}”, and its reading measures no such thing; it has "
                f"{', '.join(words)[:300]}."
            )
        return words[match[1]]

    return _PLACEHOLDER.sub(value_at, text)


def placeholders(text: str) -> tuple[str, ...]:
    """The names in the placeholders of a station's text."""
    return tuple(_PLACEHOLDER.findall(text))


@dataclass(frozen=True)
class _Block:
    line: int
    text: str


def _blocks(text: str) -> Iterator[_Block]:
    """The paragraphs of a text, each with the number of its first line."""
    paragraph: list[str] = []
    start = 0
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip():
            start = start if paragraph else number
            paragraph.append(line.rstrip())
        elif paragraph:
            yield _Block(start, "\n".join(paragraph))
            paragraph = []


def _station(blocks: list[_Block], where: str) -> Station:
    title, *body = blocks
    questions = [place for place, block in enumerate(body) if block.text.startswith(">")]
    link = _LINK.fullmatch(body[0].text) if body else None
    if link is None:
        raise InputError(
            f"{where}, line {title.line}: below its title a station links to its page, such as "
            "“[Text](text?text=To+be+or+not+to+be)”."
        )
    if len(questions) != 1:
        raise InputError(
            f"{where}, line {title.line}: a station asks one question, in lines that begin with “>”; this one asks "
            f"{len(questions)}."
        )
    page, choices = _place(link[2], f"{where}, line {body[0].line}")
    before, after = (
        "\n\n".join(block.text for block in part) for part in (body[1 : questions[0]], body[questions[0] + 1 :])
    )
    question = _question(body[questions[0]], where)
    return Station(title.text[3:].strip(), page, choices, before, question, after)


def _place(address: str, where: str) -> tuple[Page, dict[str, str]]:
    url, _, query = address.partition("?")
    page_by_url = {page.url: page for page in contents.pages()}
    if url not in page_by_url:
        raise InputError(f"{where}: there is no page “{url[:60]}”; there are {', '.join(filter(None, page_by_url))}.")
    return page_by_url[url], dict(parse_qsl(query, keep_blank_values=True))


def _question(block: _Block, where: str) -> Question:
    lines = [line.removeprefix(">").strip() for line in block.text.splitlines()]
    readings = [match for line in lines if (match := _READING.fullmatch(line))]
    if len(readings) != 1:
        raise InputError(
            f"{where}, line {block.line}: a question names what answers it, and the answer, in a line such as "
            '“> `next_token(text="The cat")` sat”.'
        )
    reading, arguments = _call(readings[0][1], f"{where}, line {block.line}")
    text = " ".join(line for line in lines if line and not line.startswith("- ") and not _READING.fullmatch(line))
    if not text:
        raise InputError(f"{where}, line {block.line}: this question asks nothing: write it above the reading.")
    options = tuple(line[2:].strip() for line in lines if line.startswith("- "))
    return Question(text, reading, arguments, readings[0][2].strip(), options)


def _call(text: str, where: str) -> tuple[str, dict[str, Any]]:
    """Parse a call with literal keyword arguments into its name and arguments, without running anything."""
    try:
        call = ast.parse(text, mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args):
            raise ValueError
        return call.func.id, {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise InputError(
            f"{where}: “{text[:80]}” is not a reading: write a name and arguments, as in `attends_to(layer=3, head=2)`."
        ) from None
