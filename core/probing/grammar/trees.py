"""Sentences that linguists have annotated: for each word the word that governs it, and the relation between the two.

    trees = read_conllu(open("en_ewt-ud-test.conllu", "rb").read()).trees
    trees[0].words, trees[0].governors, trees[0].relations

The scheme is that of Universal Dependencies (Nivre et al. 2020); a file as its treebanks have it is in CoNLL-U.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...errors import InputError
from ...text import Tokens
from ...zoo import TextModel

ROOT = -1  # the governor of the word that has none
NOT_COUNTED = ("root", "punct")  # relations that Clark et al. leave out, too: no link, and no grammar
LARGEST_FILE = 10_000_000  # bytes
MOST_TREES = 2_000  # of a visitor's file: read in a few minutes
MOST_WORDS = 128  # of a sentence; Clark et al. 2019 read as many tokens
LONGEST_WORD, LONGEST_RELATION = 200, 40  # characters


@dataclass(frozen=True)
class Tree:
    """An annotated sentence: its words, the place of each one's governor (from 0, or ROOT), and the relation to it.

    `text` is how the sentence is written. Where the words do not spell it (French "du" is "de" and "le"), it is the
    words with spaces between them.
    """

    words: tuple[str, ...]
    governors: tuple[int, ...]
    relations: tuple[str, ...]
    text: str

    def __post_init__(self):
        if not len(self.words) == len(self.governors) == len(self.relations):
            raise ValueError("Each word of a tree has one governor and one relation.")
        if spans_of(self.words, self.text) is None:
            object.__setattr__(self, "text", " ".join(self.words))

    @property
    def links(self) -> tuple[tuple[int, int, str], ...]:
        """(dependent, governor, relation) of every link except root and punctuation."""
        return tuple(
            (word, governor, relation)
            for word, (governor, relation) in enumerate(zip(self.governors, self.relations, strict=True))
            if governor != ROOT and relation not in NOT_COUNTED
        )


def spans_of(words: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Where each word stands in the text, as (first character, end); None if they do not spell it, spaces aside."""
    spans, end = [], _after_spaces(text, 0)
    for word in words:
        if not text.startswith(word, end):
            return None
        spans.append((end, end + len(word)))
        end = _after_spaces(text, end + len(word))
    return spans if end == len(text) else None


_SPACES = re.compile(r"\s*")


def _after_spaces(text: str, place: int) -> int:
    spaces = _SPACES.match(text, place)
    assert spaces is not None
    return spaces.end()


def encode_tree(model: TextModel, tree: Tree) -> Tokens | None:
    """The tokens of a sentence; their `words` are places in the tree, None for special tokens and spaces.

    A token belongs to the word in which it begins, so a word that is written together with the one before it ("not" in
    "cannot") may have none. None where the model cannot read the whole sentence.
    """
    tokens = model.encode(tree.text)
    if tokens.cut:
        return None
    spans = spans_of(tree.words, tree.text)
    assert spans is not None
    word_at: list[int | None] = [None] * len(tree.text)
    for word, (start, end) in enumerate(spans):
        word_at[start:end] = [word] * (end - start)
    offsets = iter(model.tokenizer.encode(tree.text, add_special_tokens=False).offsets)
    numbers = [
        None if special else next((word for word in word_at[slice(*next(offsets))] if word is not None), None)
        for special in tokens.special
    ]
    return replace(tokens, words=tuple(numbers))


@dataclass(frozen=True)
class Treebank:
    """The trees of a file, and how many sentences were left out because they were too long, or too many."""

    trees: tuple[Tree, ...]
    too_long: int = 0
    too_many: int = 0


def read_conllu(content: bytes) -> Treebank:
    """The sentences of a CoNLL-U file, the first MOST_TREES of at most MOST_WORDS words.

    Ranges of words (1-2) and empty nodes (1.1) are passed over. InputError with the number of the line where
    something cannot be right.
    """
    if len(content) > LARGEST_FILE:
        raise InputError(
            f"This file has {len(content) / 1e6:.0f} MB; a treebank may have at most {LARGEST_FILE / 1e6:.0f} MB. "
            "Choose a part of it."
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"CoNLL-U is written in UTF-8, and byte {error.start + 1:,} of this file does not belong there. Choose a "
            "file whose name ends in .conllu."
        ) from error
    trees: list[Tree] = []
    too_long = too_many = 0
    for lines in _sentences(text):
        rows, written = _rows(lines)
        if len(rows) > MOST_WORDS:
            too_long += 1
        elif rows and len(trees) == MOST_TREES:
            too_many += 1
        elif rows:
            trees.append(_tree(rows, written))
    if not trees:
        raise InputError("No annotated sentence was found in this file. Choose a CoNLL-U file of a treebank.")
    return Treebank(tuple(trees), too_long, too_many)


def _sentences(text: str) -> Iterator[list[tuple[int, str]]]:
    """The lines of each sentence with their numbers; an empty line ends one."""
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            lines.append((number, line.removesuffix("\r")))
        elif lines:
            yield lines
            lines = []
    if lines:
        yield lines


Row = tuple[int, list[str]]  # the number of a line and its cells


def _rows(lines: Sequence[tuple[int, str]]) -> tuple[list[Row], str]:
    """The lines of a sentence that stand for words, and how it is written, if a comment says so."""
    rows, written = list[Row](), ""
    for number, line in lines:
        if line.startswith("#"):
            written = line.partition("=")[2].strip() if re.match(r"#\s*text\s*=", line) else written
            continue
        cells = line.split("\t")
        if len(cells) != 10:
            raise InputError(
                f"Line {number:,} of this file has {len(cells)} columns, and CoNLL-U has 10, with tabs between them. "
                "Choose a CoNLL-U file of a treebank."
            )
        if not re.fullmatch(r"\d+[-.]\d+", cells[0]):
            rows.append((number, cells))
    return rows, written


def _tree(rows: Sequence[Row], written: str) -> Tree:
    """A sentence from the cells of its words; InputError where one cannot be right."""
    for place, (number, cells) in enumerate(rows, start=1):
        line = f"Line {number:,} of this file"
        if cells[0] != str(place):
            raise InputError(f"{line} should begin with {place}, the number of its word. Choose another file.")
        if not 0 < len(cells[1].strip()) <= LONGEST_WORD:
            raise InputError(f"{line} needs a word of 1 to {LONGEST_WORD} characters in its second column.")
        if cells[7] == "_" or not 0 < len(cells[7]) <= LONGEST_RELATION:
            raise InputError(f"{line} names no relation in its eighth column. Choose a file that is annotated.")
        is_whole_number = cells[6].isascii() and cells[6].isdecimal() and len(cells[6]) < 9
        if not is_whole_number or int(cells[6]) > len(rows) or int(cells[6]) == place:
            raise InputError(
                f"{line} needs the number of another word of its sentence (1 to {len(rows)}), or 0, in its seventh "
                "column. Choose another file."
            )
    words, governors, relations = zip(*((cells[1], int(cells[6]) - 1, cells[7]) for _, cells in rows), strict=True)
    return Tree(words, governors, relations, written)
