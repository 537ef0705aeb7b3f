"""The attention of every head before and after fine-tuning, and how much of it moved.

    before, after = (maps_of(model, tokens) for model in (pretrained, tuned))
    measures.moved(before, after)                       # (layer, head): the mean share that went elsewhere
    shares(after[5, 2, 0], tokens, place=0)             # of one row: itself, [CLS], [SEP], the rest

Kovaleva et al. 2019, section 4.3, compare each head before and after by the cosine of its maps; a share that moved (the
total variation distance) says the same in a unit that one can point at.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ...capture import record_attention
from ...heads import measures
from ...text import Tokens
from ...zoo import TextModel


@torch.inference_mode()
def maps_of(model: TextModel, tokens: Tokens) -> Float[Tensor, "layer head query key"]:
    """The attention weights of every head of one of this project's models on these tokens."""
    with record_attention(model.network) as record:
        model.run(tokens)
    return torch.stack([torch.cat(list(call.weights_by_heads())) for call in record.calls])


@dataclass(frozen=True)
class Shares:
    """One token's attention to itself, to [CLS] (`first`), to [SEP] (`separator`) and to all others; the sum is 1.

    The attention of a special token to itself is in `itself`.
    """

    itself: float
    first: float
    separator: float
    others: float


def shares(row: Float[Tensor, " key"], tokens: Tokens, place: int) -> Shares:
    """Divide up the attention of the token at `place`; special tokens count at the beginning and end of the text.

    NaN where the row sums to 0.
    """
    row = measures.shares(row)
    itself = float(row[place])
    first = float(row[0]) if tokens.special[0] and place != 0 else 0.0
    last = len(tokens) - 1
    separator = float(row[last]) if tokens.special[last] and place != last and last > 0 else 0.0
    return Shares(itself, first, separator, float((row.sum() - itself - first - separator).clamp(min=0)))


def row_moved(before: Float[Tensor, "*leading key"], after: Float[Tensor, "*leading key"]) -> Float[Tensor, "*leading"]:
    """The share of one row's attention that went elsewhere, from 0 to 1."""
    return measures.moved(before[..., None, :], after[..., None, :])
