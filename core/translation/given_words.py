"""Alignment maps and links between the words of a gold standard: tokenization, maps in batches, pooling to words.

The words are those of the gold standard, each with the span of its pieces; a word without pieces has no links.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor, nn

from ..capture import record_attention
from ..models.bahdanau import Bahdanau
from ..models.seq2seq import Seq2Seq
from ..models.transformer import Transformer
from ..tokens.words import join_words
from .alignment import Direction, Link, links_of
from .decoding import BEGIN, END, padded
from .influence import influence

# Which row aligns a target token: 0, that of the step that writes it; 1, that of the next step, which reads it
# (Chen et al. 2020, "Accurate Word Alignment Induction from Neural Machine Translation").
Shift = Literal[0, 1]
BATCH_SIZE = 32  # sentence pairs

_BRACKETS = {"-LRB-": "(", "-RRB-": ")"}
_NO_SPACE_BEFORE = re.compile(r"[,.)\]%…]|\.\.\.|['’]\w+|-\w+|-")
_NO_SPACE_BEFORE_IN_ENGLISH = re.compile(r"[;:?!]")
_NO_SPACE_AFTER = re.compile(r"[(\[$-]|\w+['’]")


@dataclass(frozen=True)
class Pieces:
    """A tokenized sentence: the ids of its pieces, with the end mark last, and the span of pieces of each word."""

    ids: tuple[int, ...]
    spans: tuple[range | None, ...]  # of each word; None for a word without pieces

    @property
    def word_numbers(self) -> tuple[int, ...]:
        """The numbers of the words that have pieces."""
        return tuple(word for word, span in enumerate(self.spans) if span is not None)

    @property
    def word_spans(self) -> tuple[range, ...]:
        """The spans of the words that have pieces, in order, and that of the end mark."""
        return (*(span for span in self.spans if span is not None), range(len(self.ids) - 1, len(self.ids)))


def tokenize_words(
    tokenizer: Tokenizer, words: Sequence[str], normalise: Callable[[str], str], *, french: bool
) -> Pieces:
    """Tokenize words, joined with the spaces of printed text; a piece belongs to the word of most of its characters.

    `normalise` is a function of core/translation/spelling.py, applied word by word: no word is lost or split.
    """
    text, word_of_character = _join_as_printed(words, normalise, french=french)
    encoding = tokenizer.encode(text, add_special_tokens=False)
    owners = [_majority_owner(word_of_character[start:end]) for start, end in encoding.offsets]
    spans: list[range | None] = [None] * len(words)
    first = 0
    for index, word in enumerate(owners):
        if word is None:  # a piece that is a space: it belongs to the next word
            continue
        span = spans[word]
        spans[word] = range(first if span is None else span.start, index + 1)
        first = index + 1
    return Pieces((*encoding.ids, END), tuple(spans))


def _join_as_printed(
    words: Sequence[str], normalise: Callable[[str], str], *, french: bool
) -> tuple[str, list[int | None]]:
    """The words joined with the spaces of printed text, and the number of each character's word (None for a space)."""
    text, owners, previous_word = "", list[int | None](), ""
    for number, word in enumerate(words):
        word = _BRACKETS.get(word, word)
        if not (normalised := normalise(word)):
            continue
        joined = _NO_SPACE_BEFORE.fullmatch(word) or (not french and _NO_SPACE_BEFORE_IN_ENGLISH.fullmatch(word))
        if text and not joined and not _NO_SPACE_AFTER.fullmatch(previous_word):
            text, owners = text + " ", [*owners, None]
        text, owners, previous_word = text + normalised, owners + [number] * len(normalised), word
    return text, owners


def _majority_owner(owners: Sequence[int | None]) -> int | None:
    """The word that most of a piece's characters belong to, the first in a tie; None for a space."""
    owner_numbers = [owner for owner in owners if owner is not None]
    return max(dict.fromkeys(owner_numbers), key=owner_numbers.count) if owner_numbers else None


@torch.no_grad()
def alignment_maps(
    network: nn.Module, pairs: Sequence[tuple[Pieces, Pieces]], *, batch_size: int = BATCH_SIZE
) -> list[Float[Tensor, "layer head target source"]]:
    """The cross-attention of a model with each target as its decoder's output, for each layer and head.

    Rows and columns include the end marks. Pairs are batched by length. For a model without attention, the influence
    of each source token (core/translation/influence.py), one pair at a time.
    """
    maps: list[Tensor | None] = [None] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda number: len(pairs[number][0].ids) + len(pairs[number][1].ids))
    step = 1 if isinstance(network, Seq2Seq) else batch_size
    for start in range(0, len(order), step):
        batch = order[start : start + step]
        source, padding = padded([pairs[number][0].ids for number in batch])
        target, _ = padded([pairs[number][1].ids for number in batch])
        for number, maps_of_pair in zip(batch, _maps(network, source, target, padding), strict=True):
            english, french = pairs[number]
            maps[number] = maps_of_pair[:, :, : len(french.ids), : len(english.ids)].clone()
    return [maps_of_pair for maps_of_pair in maps if maps_of_pair is not None]


def _maps(network: nn.Module, source: Tensor, target: Tensor, padding: Tensor) -> Float[Tensor, "batch layer head _ _"]:
    decoder_input = torch.cat([torch.full_like(target[:, :1], BEGIN), target[:, :-1]], dim=1)
    if isinstance(network, Seq2Seq):
        return influence(network, source, target)[:, None, None]
    if isinstance(network, Bahdanau):
        return network.attend(source, decoder_input, padding)[1][:, None, None]
    if not isinstance(network, Transformer):
        raise TypeError(f"A {type(network).__name__} is none of the three translation models.")
    with record_attention(network) as record:
        network(source, decoder_input, padding)
    layers = [call for call in record.calls if call.kind == "cross"]
    return torch.stack(
        [
            torch.stack([torch.stack([call.weights(head, item) for head in range(call.heads)]) for call in layers])
            for item in range(len(source))
        ]
    )


def maps_between_words(
    maps: Float[Tensor, "*leading target source"], source: Pieces, target: Pieces, *, shift: Shift = 0
) -> Float[Tensor, "*leading _ _"]:
    """Maps between words: the sum over the pieces of a source word, the mean over those of a target word.

    Words without pieces have no row or column. With `shift` 1, the row of a piece is that of the next step. The column
    of the end mark is dropped, so rows sum to less than 1.
    """
    rows = maps if not shift else torch.cat([maps[..., 1:, :], maps[..., -1:, :]], dim=-2)
    return join_words(rows, target.word_spans, source.word_spans)[..., :-1, :-1]


def links_between_words(
    words: Float[Tensor, "_ _"], source: Pieces, target: Pieces, direction: Direction = "target"
) -> set[Link]:
    """The strongest links of a map of `maps_between_words`, as (source word, target word) of all words."""
    if not words.numel():
        return set()
    links = links_of(words, direction)
    return {(source.word_numbers[column], target.word_numbers[row]) for column, row in links}
