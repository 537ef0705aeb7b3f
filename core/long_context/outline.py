"""Where chapters, paragraphs and sentences of a text begin, by rules of typography alone."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

Level = Literal[0, 1, 2]  # chapter, paragraph, sentence

LONGEST_TITLE = 60  # characters of a chapter's title
LONGEST_LABEL = 40  # characters of the label of a mark
_PARAGRAPH = re.compile(r"(?:\A|\n\s*\n)\s*(\S)")
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-ZÀ-ÞА-Я0-9])")
# A line of its own: a Roman or Arabic number, or a few words that begin with a capital and end without a full stop.
_TITLE = re.compile(
    r"(?:[IVXLC]+|\d{1,3})\.?|(?:Chapter|CHAPTER|Book|BOOK|Part|PART)\b[^\n]*|[A-ZÀ-Þ][^\n.!?\"“”;:,]*[^\s.!?\"“”;:,—]"
)


@dataclass(frozen=True)
class Mark:
    """The first token of a chapter (level 0), a paragraph (1) or a sentence (2), and how it begins."""

    token: int
    level: Level
    label: str


def outline(labels: Sequence[str]) -> tuple[Mark, ...]:
    """The marks of a text, in its order, from the labels of its tokens, which joined are the text.

    A paragraph begins after an empty line; a chapter is a paragraph of one short line that is a number or has no full
    stop at its end; a sentence begins after a full stop, question or exclamation mark and a space, before a capital.
    Several marks may be of one token; the first of them has the lowest level.
    """
    text = "".join(labels)
    starts = [0, *accumulate(map(len, labels))]
    paragraphs = [match.start(1) for match in _PARAGRAPH.finditer(text)]
    sentences = sorted({*paragraphs, *(match.end() for match in _SENTENCE.finditer(text))})
    levels: dict[int, Level] = dict.fromkeys(sentences, 2)
    for place, following in zip(paragraphs, [*paragraphs[1:], len(text)], strict=True):
        levels[place] = 0 if _is_title(text[place:following].strip()) else 1
    marks = []
    for place in sentences:
        label = text[place : place + LONGEST_LABEL].split("\n")[0].rstrip()
        marks.append(Mark(bisect_right(starts, place) - 1, levels[place], label))
    return tuple(marks)


def _is_title(paragraph: str) -> bool:
    return len(paragraph) <= LONGEST_TITLE and _TITLE.fullmatch(paragraph) is not None


def sentence_at(marks: Sequence[Mark], token: int, tokens: int) -> range:
    """The tokens of the sentence that holds a token; all tokens where there is no mark."""
    places = [mark.token for mark in marks]
    index = bisect_right(places, token)
    return range(places[index - 1] if index else 0, places[index] if index < len(places) else tokens)
