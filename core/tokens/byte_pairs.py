"""Byte-pair encoding in its single steps (Sennrich, Haddow and Birch 2016, section 3.2), as a tokenizer's file has it.

A word begins as its smallest symbols: characters, or bytes that are spelled as letters (Radford et al. 2019, section
2.2). Of all neighbours that stand in the list of merges, the pair that stands first in it becomes one symbol, the
leftmost of them first; until no pair stands in the list any more.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tokenizers import Tokenizer


@dataclass(frozen=True)
class Merge:
    """A rule of the list, and what it did in a word."""

    left: str
    right: str
    piece: str  # what both become
    rank: int  # place in the list, from 1: the first was the most frequent pair when the tokenizer was trained
    spans: tuple[tuple[int, int, int], ...]  # first symbol, the one at which the right part begins, the one after it

    @property
    def count(self) -> int:
        """How often it was applied, one time after the other."""
        return len(self.spans)


@dataclass(frozen=True)
class Spelled:
    """A word, from its symbols to its tokens."""

    symbols: tuple[str, ...]
    merges: tuple[Merge, ...]  # in the order in which they were applied
    whole: bool = False  # the word stands in the vocabulary, and this tokenizer then needs no merge

    @property
    def stages(self) -> tuple[tuple[str, ...], ...]:
        """The pieces before the first merge, after it, and so on; the last are the tokens."""
        pieces = dict(enumerate(self.symbols))
        found = [tuple(pieces.values())]
        for merge in self.merges:
            for first, middle, _ in merge.spans:
                pieces[first] = merge.piece
                del pieces[middle]
            found.append(tuple(pieces.values()))
        return tuple(found)

    @property
    def pieces(self) -> tuple[str, ...]:
        """The tokens."""
        return self.stages[-1]


class BytePairs:
    """The merges of a tokenizer, to be applied one by one."""

    def __init__(self, tokenizer: Tokenizer):
        """Read the tokenizer's own JSON; ValueError if it merges no pairs."""
        model = model_of(tokenizer)
        if model["type"] != "BPE":
            raise ValueError(f"This tokenizer is a {model['type']}, which merges no pairs.")
        self._tokenizer, self._vocabulary = tokenizer, model["vocab"]
        self._prefix, self._suffix = model["continuing_subword_prefix"] or "", model["end_of_word_suffix"] or ""
        self._unknown, self._fuses, self._falls_back = model["unk_token"], model["fuse_unk"], model["byte_fallback"]
        self._whole_first = model.get("ignore_merges", False)
        pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"])
        self._ranks = {(left, right): rank for rank, (left, right) in enumerate(pairs, start=1)}

    def __len__(self) -> int:
        return len(self._ranks)

    def words(self, text: str) -> tuple[str, ...]:
        """What the tokenizer cuts a text into before it merges: no merge crosses these borders."""
        normalizer, cutter = self._tokenizer.normalizer, self._tokenizer.pre_tokenizer
        text = normalizer.normalize_str(text) if normalizer else text
        return tuple(word for word, _ in cutter.pre_tokenize_str(text)) if cutter else (text,)

    def spell(self, word: str) -> Spelled:
        """Merge one of `words`, step by step."""
        if self._whole_first and word in self._vocabulary:
            return Spelled((word,), (), whole=True)
        symbols = self._symbols(word)
        return Spelled(tuple(symbols), self._merges(symbols))

    def _symbols(self, word: str) -> list[str]:
        """The smallest symbols; a character that is none is its bytes, or unknown, or left out."""
        symbols: list[str] = []
        for place, character in enumerate(word):
            symbol = (self._prefix if place else "") + character
            symbol += self._suffix if place == len(word) - 1 else ""
            in_bytes = [f"<0x{byte:02X}>" for byte in symbol.encode()]
            if symbol in self._vocabulary:
                symbols.append(symbol)
            elif self._falls_back and all(byte in self._vocabulary for byte in in_bytes):
                symbols += in_bytes
            elif self._unknown and not (self._fuses and symbols[-1:] == [self._unknown]):
                symbols.append(self._unknown)
        return symbols

    def _merges(self, symbols: Sequence[str]) -> tuple[Merge, ...]:
        pieces = list(symbols)
        starts = list(range(len(symbols) + 1))  # of each piece, and the end of the last
        done: list[Merge] = []
        while ranked := [
            (self._ranks[pair], place) for place, pair in enumerate(pairwise(pieces)) if pair in self._ranks
        ]:
            rank, place = min(ranked)
            left, right = pieces[place : place + 2]
            piece = left + right.removeprefix(self._prefix)
            span = (starts[place], starts[place + 1], starts[place + 2])
            pieces[place : place + 2] = [piece]
            del starts[place + 1]
            if done and done[-1].rank == rank:
                done[-1] = Merge(left, right, piece, rank, (*done[-1].spans, span))
            else:
                done.append(Merge(left, right, piece, rank, (span,)))
        return tuple(done)


def model_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """What a tokenizer's JSON says of how it makes tokens: its "type" ("BPE", "Unigram", "WordPiece") and its lists."""
    return json.loads(tokenizer.to_str())["model"]
