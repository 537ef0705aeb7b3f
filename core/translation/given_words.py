"""Sentences whose words were counted by people, as a model reads them: pieces, maps in batches, links between words.

The gold words stay what they are: each knows which pieces of the text it became, and a word of which the tokenizer
sees nothing stays without a link.
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

# Which row says where a word comes from: that of the step that writes it, or that of the next, which has read it
# (Chen et al. 2020, "Accurate Word Alignment Induction from Neural Machine Translation").
Shift = Literal[0, 1]
TOGETHER = 32  # sentences that are read at once

_BRACKETS = {"-LRB-": "(", "-RRB-": ")"}
_NO_SPACE_BEFORE = re.compile(r"[,.)\]%…]|\.\.\.|['’]\w+|-\w+|-")
_NOR_IN_ENGLISH = re.compile(r"[;:?!]")
_NO_SPACE_AFTER = re.compile(r"[(\[$-]|\w+['’]")


@dataclass(frozen=True)
class Pieces:
    """Words as a model reads them: the numbers of their pieces, the end mark last, and which are whose."""

    ids: tuple[int, ...]
    spans: tuple[range | None, ...]  # of each word; None where the tokenizer sees nothing of it

    @property
    def seen(self) -> tuple[int, ...]:
        """The words that have pieces."""
        return tuple(word for word, span in enumerate(self.spans) if span is not None)

    @property
    def parts(self) -> tuple[range, ...]:
        """The spans of the words that are seen, one after the other, and that of the end mark."""
        return (*(span for span in self.spans if span is not None), range(len(self.ids) - 1, len(self.ids)))


def cut_words(tokenizer: Tokenizer, words: Sequence[str], normalise: Callable[[str], str], *, french: bool) -> Pieces:
    """The pieces of given words, joined as they would be printed; a piece belongs to the word of most of its letters.

    `normalise` is one of core/translation/spelling.py, and works on one word at a time: no word is lost or split.
    """
    text, owner = _printed(words, normalise, french=french)
    encoding = tokenizer.encode(text, add_special_tokens=False)
    owners = [_most(owner[start:end]) for start, end in encoding.offsets]
    spans: list[range | None] = [None] * len(words)
    first = 0
    for place, word in enumerate(owners):
        if word is None:  # a space that is a piece of its own: it goes with what follows
            continue
        span = spans[word]
        spans[word] = range(first if span is None else span.start, place + 1)
        first = place + 1
    return Pieces((*encoding.ids, END), tuple(spans))


def _printed(words: Sequence[str], normalise: Callable[[str], str], *, french: bool) -> tuple[str, list[int | None]]:
    """The words with the spaces that print puts between them, and for each character the word that it belongs to."""
    text, owner, before = "", list[int | None](), ""
    for number, word in enumerate(words):
        word = _BRACKETS.get(word, word)
        if not (plain := normalise(word)):
            continue
        together = _NO_SPACE_BEFORE.fullmatch(word) or (not french and _NOR_IN_ENGLISH.fullmatch(word))
        if text and not together and not _NO_SPACE_AFTER.fullmatch(before):
            text, owner = text + " ", [*owner, None]
        text, owner, before = text + plain, owner + [number] * len(plain), word
    return text, owner


def _most(owners: Sequence[int | None]) -> int | None:
    """The word that most of a piece's characters belong to, the first of equals."""
    real = [owner for owner in owners if owner is not None]
    return max(dict.fromkeys(real), key=real.count) if real else None


@torch.no_grad()
def read_pairs(
    network: nn.Module, pairs: Sequence[tuple[Pieces, Pieces]], *, together: int = TOGETHER
) -> list[Float[Tensor, "layer head target source"]]:
    """What a model looks at while it is made to write each target: one map for each layer and head, end marks included.

    Many pairs at once, those of like lengths together. A model without attention gives its influences, one pair at a
    time (core/translation/influence.py).
    """
    maps: list[Tensor | None] = [None] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda number: len(pairs[number][0].ids) + len(pairs[number][1].ids))
    step = 1 if isinstance(network, Seq2Seq) else together
    for start in range(0, len(order), step):
        chosen = order[start : start + step]
        source, padding = padded([pairs[number][0].ids for number in chosen])
        target, _ = padded([pairs[number][1].ids for number in chosen])
        for number, found in zip(chosen, _maps(network, source, target, padding), strict=True):
            english, french = pairs[number]
            maps[number] = found[:, :, : len(french.ids), : len(english.ids)].clone()
    return [found for found in maps if found is not None]


def _maps(network: nn.Module, source: Tensor, target: Tensor, padding: Tensor) -> Float[Tensor, "batch layer head _ _"]:
    before = torch.cat([torch.full_like(target[:, :1], BEGIN), target[:, :-1]], dim=1)
    if isinstance(network, Seq2Seq):
        return influence(network, source, target)[:, None, None]
    if isinstance(network, Bahdanau):
        return network.attend(source, before, padding)[1][:, None, None]
    if not isinstance(network, Transformer):
        raise TypeError(f"A {type(network).__name__} is none of the three translation models.")
    with record_attention(network) as record:
        network(source, before, padding)
    layers = [call for call in record.calls if call.kind == "cross"]
    return torch.stack(
        [
            torch.stack([torch.stack([call.weights(head, item) for head in range(call.heads)]) for call in layers])
            for item in range(len(source))
        ]
    )


def between_words(
    maps: Float[Tensor, "*leading target source"], source: Pieces, target: Pieces, *, shift: Shift = 0
) -> Float[Tensor, "*leading _ _"]:
    """Maps between the words that are seen: the sum over the pieces of a source word, the mean over those of a target.

    `shift` 1 takes for each piece the row of the next step. What the end mark gets is left out, so rows sum to less
    than 1.
    """
    rows = maps if not shift else torch.cat([maps[..., 1:, :], maps[..., -1:, :]], dim=-2)
    return join_words(rows, target.parts, source.parts)[..., :-1, :-1]


def links_between(
    words: Float[Tensor, "_ _"], source: Pieces, target: Pieces, direction: Direction = "target"
) -> set[Link]:
    """The strongest links of a map from `between_words`, as (source word, target word) of all words."""
    if not words.numel():
        return set()
    found = links_of(words, direction)
    return {(source.seen[of], target.seen[to]) for of, to in found}
