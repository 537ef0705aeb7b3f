"""A sentence and its translation in one input: a hidden word guessed with the other language and without it, and what
the words of one language look at in the other."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log2

import torch
from jaxtyping import Float
from torch import Tensor

from ...capture import Record, record_attention
from ...heads.measures import shares
from ...text import Tokens
from ...zoo.masked_language_models import MissingToken
from .masked_places import Gap, gaps_of
from .words import Word, words_of

FAINT = 1e-30  # a probability that float32 holds as 0 has a logarithm all the same


@dataclass(frozen=True, eq=False)
class Twice:
    """A hidden token as it is guessed with the other language in the same input, and with its own sentence alone."""

    beside: Gap
    alone: Gap

    @property
    def bits(self) -> float:
        """What the other language is worth for the true token: log2 of how many times more probable it becomes."""
        return log2(max(self.beside.probability, FAINT) / max(self.alone.probability, FAINT))


def sides_of(tokens: Tokens) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """The words of each of the two texts of `MissingToken.encode_pair`."""
    words = words_of(tokens)
    first, second = (tuple(word for word in words if tokens.segments[word.places[0]] == side) for side in (0, 1))
    return first, second


def guess_twice(
    model: MissingToken, own: str, other: str, hidden: Collection[int], other_hidden: Collection[int] = ()
) -> tuple[Twice, ...]:
    """Hide words of `own`, counted as `sides_of` does, and guess them with `other` behind them and without it.

    What is hidden stands first in both inputs: so its places are the same. Words of `other` may be hidden as well.
    """
    together, single = model.encode_pair(own, other), model.encode(own)
    first, second = sides_of(together)
    places = [place for number in sorted(hidden) for place in first[number].places]
    others = [place for number in sorted(other_hidden) for place in second[number].places]
    found = []
    with torch.inference_mode():
        for tokens, covered in ((together, [*places, *others]), (single, places)):
            logits = model.run(model.hide(tokens, covered)).logits
            assert logits is not None
            found.append([gap for gap in gaps_of(model, tokens, places, logits) if gap.place < len(single)])
    return tuple(Twice(beside, alone) for beside, alone in zip(*found, strict=True))


def look_across(model: MissingToken, tokens: Tokens) -> Float[Tensor, "layer head target source"]:
    """What each word of the second text gives to each of the first, in every head: the sum over the pieces that are
    looked at, the mean over those that look, as parts of a row's sum. What special tokens and the own text get is
    left out; a row of which nothing is left gives nothing."""
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(tokens)
    source, target = (_pieces(words, len(tokens)) for words in sides_of(tokens))
    return (target / target.sum(dim=1, keepdim=True)) @ _weights(record) @ source.T


def _weights(record: Record) -> Float[Tensor, "layer head query key"]:
    maps = torch.stack([torch.cat(list(call.weights_by_heads())) for call in record.calls]).float()
    return shares(maps).nan_to_num(nan=0.0)


def _pieces(words: Sequence[Word], length: int) -> Float[Tensor, "place token"]:
    """For each word which tokens are its pieces, as 0 and 1."""
    found = torch.zeros(len(words), length)
    for row, word in enumerate(words):
        found[row, list(word.places)] = 1.0
    return found
