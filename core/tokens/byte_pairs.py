"""Byte-pair encoding merge by merge (Sennrich, Haddow and Birch 2016, section 3.2), from a tokenizer's own merges.

A word begins as its smallest symbols: characters, or bytes written as letters (Radford et al. 2019, section 2.2). Of
all neighbours in the list of merges, the pair of lowest rank is merged, the leftmost first, until no pair is in the
list.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tokenizers import Tokenizer


@dataclass(frozen=True)
class Merge:
    """A rule of the list of merges, and where it was applied in a word."""

    left: str
    right: str
    piece: str  # the merged piece
    rank: int  # position in the list, from 1: the first was the most frequent pair when the tokenizer was trained
    spans: tuple[tuple[int, int, int], ...]  # numbers of symbols: start of the left part, start of the right one, end

    @property
    def count(self) -> int:
        """The number of consecutive applications."""
        return len(self.spans)


@dataclass(frozen=True)
class MergedWord:
    """A word, its initial symbols and the merges that make its tokens."""

    symbols: tuple[str, ...]
    merges: tuple[Merge, ...]  # in the order of application
    in_vocabulary: bool = False  # the word is one token, without merges (`ignore_merges`)

    @property
    def stages(self) -> tuple[tuple[str, ...], ...]:
        """The pieces before the first merge and after each merge; the last ones are the tokens."""
        pieces = dict(enumerate(self.symbols))
        stages = [tuple(pieces.values())]
        for merge in self.merges:
            for first, middle, _ in merge.spans:
                pieces[first] = merge.piece
                del pieces[middle]
            stages.append(tuple(pieces.values()))
        return tuple(stages)

    @property
    def pieces(self) -> tuple[str, ...]:
        """The tokens."""
        return self.stages[-1]


class BytePairs:
    """The merges of a tokenizer, applied one by one."""

    def __init__(self, tokenizer: Tokenizer):
        """Read the tokenizer's JSON; raises ValueError unless its model is BPE."""
        model = model_of(tokenizer)
        if model["type"] != "BPE":
            raise ValueError(f"This tokenizer is a {model['type']}, which merges no pairs.")
        self._tokenizer, self._vocabulary = tokenizer, model["vocab"]
        self._prefix, self._suffix = model["continuing_subword_prefix"] or "", model["end_of_word_suffix"] or ""
        self._unknown, self._fuse_unknown, self._byte_fallback = (
            model["unk_token"],
            model["fuse_unk"],
            model["byte_fallback"],
        )
        self._ignore_merges = model.get("ignore_merges", False)
        pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"])
        self._ranks = {(left, right): rank for rank, (left, right) in enumerate(pairs, start=1)}

    def __len__(self) -> int:
        return len(self._ranks)

    def words(self, text: str) -> tuple[str, ...]:
        """The pre-tokenized words of a text; no merge crosses their borders."""
        normalizer, pre_tokenizer = self._tokenizer.normalizer, self._tokenizer.pre_tokenizer
        text = normalizer.normalize_str(text) if normalizer else text
        return tuple(word for word, _ in pre_tokenizer.pre_tokenize_str(text)) if pre_tokenizer else (text,)

    def spell(self, word: str) -> MergedWord:
        """The merges of one of `words`, step by step."""
        if self._ignore_merges and word in self._vocabulary:
            return MergedWord((word,), (), in_vocabulary=True)
        symbols = self._symbols(word)
        return MergedWord(tuple(symbols), self._merges(symbols))

    def _symbols(self, word: str) -> list[str]:
        """The initial symbols; a character outside the vocabulary becomes bytes, the unknown token, or nothing."""
        symbols: list[str] = []
        for index, character in enumerate(word):
            symbol = (self._prefix if index else "") + character
            symbol += self._suffix if index == len(word) - 1 else ""
            in_bytes = [f"<0x{byte:02X}>" for byte in symbol.encode()]
            if symbol in self._vocabulary:
                symbols.append(symbol)
            elif self._byte_fallback and all(byte in self._vocabulary for byte in in_bytes):
                symbols += in_bytes
            elif self._unknown and not (self._fuse_unknown and symbols[-1:] == [self._unknown]):
                symbols.append(self._unknown)
        return symbols

    def _merges(self, symbols: Sequence[str]) -> tuple[Merge, ...]:
        pieces = list(symbols)
        piece_starts = list(range(len(symbols) + 1))  # of each piece, and the end of the last
        merges: list[Merge] = []
        while ranked := [
            (self._ranks[pair], index) for index, pair in enumerate(pairwise(pieces)) if pair in self._ranks
        ]:
            rank, index = min(ranked)
            left, right = pieces[index : index + 2]
            piece = left + right.removeprefix(self._prefix)
            span = (piece_starts[index], piece_starts[index + 1], piece_starts[index + 2])
            pieces[index : index + 2] = [piece]
            del piece_starts[index + 1]
            if merges and merges[-1].rank == rank:
                merges[-1] = Merge(left, right, piece, rank, (*merges[-1].spans, span))
            else:
                merges.append(Merge(left, right, piece, rank, (span,)))
        return tuple(merges)


def model_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """The "model" of a tokenizer's JSON: its "type" ("BPE", "Unigram", "WordPiece"), vocabulary and merges."""
    return json.loads(tokenizer.to_str())["model"]
