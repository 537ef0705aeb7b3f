"""A sentence and its translation in one input: masked words guessed with and without the translation, and the attention
from the words of one language to those of the other."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log2

import torch
from jaxtyping import Float
from torch import Tensor

from ...capture import Record, record_attention
from ...heads.measures import shares
from ...text import Tokens
from ...zoo.masked_language_models import MaskedLanguageModel
from .masked_places import MaskedToken, masked_tokens
from .words import Word, words_of

FAINT = 1e-30  # a probability that float32 holds as 0 has a logarithm all the same


@dataclass(frozen=True, eq=False)
class GuessPair:
    """The guess for a masked token with the other language in the same input, and with its own sentence alone."""

    with_other: MaskedToken
    alone: MaskedToken

    @property
    def bits(self) -> float:
        """log2 of the probability of the true token with the other language over that without it."""
        return log2(max(self.with_other.probability, FAINT) / max(self.alone.probability, FAINT))


def sides_of(tokens: Tokens) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """The words of each of the two texts of `MaskedLanguageModel.encode_pair`."""
    words = words_of(tokens)
    first, second = (tuple(word for word in words if tokens.segments[word.places[0]] == side) for side in (0, 1))
    return first, second


def guess_with_and_without(
    model: MaskedLanguageModel, own: str, other: str, hidden: Collection[int], other_hidden: Collection[int] = ()
) -> tuple[GuessPair, ...]:
    """Mask words of `own` and guess them with `other` in the same input and without it.

    `hidden` and `other_hidden` are numbers of words of the two texts, counted as `sides_of` does. `own` comes first in
    both inputs, so its tokens have the same places in both.
    """
    together, single = model.encode_pair(own, other), model.encode(own)
    first, second = sides_of(together)
    own_places = [place for number in sorted(hidden) for place in first[number].places]
    other_places = [place for number in sorted(other_hidden) for place in second[number].places]
    guesses = []
    with torch.inference_mode():
        for tokens, hidden_places in ((together, [*own_places, *other_places]), (single, own_places)):
            logits = model.run(model.mask_places(tokens, hidden_places)).logits
            assert logits is not None
            guesses.append([gap for gap in masked_tokens(model, tokens, own_places, logits) if gap.place < len(single)])
    return tuple(GuessPair(with_other, alone) for with_other, alone in zip(*guesses, strict=True))


def attention_across_languages(model: MaskedLanguageModel, tokens: Tokens) -> Float[Tensor, "layer head target source"]:
    """Attention from each word of the second text (target) to each word of the first (source), in every head.

    Summed over the tokens of the source word, averaged over those of the target word; each row of the model's weights
    is divided by its sum first. Attention to special tokens and to the word's own text is left out. A row that sums to
    0 gives 0.
    """
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(tokens)
    source, target = (_pieces(words, len(tokens)) for words in sides_of(tokens))
    return (target / target.sum(dim=1, keepdim=True)) @ _weights(record) @ source.T


def _weights(record: Record) -> Float[Tensor, "layer head query key"]:
    maps = torch.stack([torch.cat(list(call.weights_by_heads())) for call in record.calls]).float()
    return shares(maps).nan_to_num(nan=0.0)


def _pieces(words: Sequence[Word], length: int) -> Float[Tensor, "place token"]:
    """1 where a token belongs to a word, else 0."""
    matrix = torch.zeros(len(words), length)
    for row, word in enumerate(words):
        matrix[row, list(word.places)] = 1.0
    return matrix
