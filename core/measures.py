"""What a head does, as a number: attention patterns in, one value per head out.

Every function takes weights whose rows sum to 1, with any leading axes (batch, head, layer), and keeps those axes.
"""

import torch
from jaxtyping import Float
from torch import Tensor


def entropy(weights: Float[Tensor, "*leading query key"]) -> Float[Tensor, "*leading query"]:
    """How spread out each row is, in bits: 0 for one key, log2(n) for n equal ones (Shannon 1948)."""
    return torch.special.entr(weights).sum(dim=-1) / torch.log(torch.tensor(2.0))


def keys_holding(weights: Float[Tensor, "*leading query key"], share: float = 0.9) -> Tensor:
    """The fewest keys that together hold `share` of each row; int64, (*leading query)."""
    mass = weights.sort(dim=-1, descending=True).values.cumsum(dim=-1)
    return 1 + (mass < share).sum(dim=-1).clamp(max=weights.shape[-1] - 1)


def same_token(weights: Float[Tensor, "*leading token token"]) -> Float[Tensor, "*leading"]:
    """Mean share of attention that a token gives to itself."""
    return weights.diagonal(dim1=-2, dim2=-1).mean(dim=-1)


def previous_token(weights: Float[Tensor, "*leading token token"]) -> Float[Tensor, "*leading"]:
    """Mean share that a token (after the first) gives to the one just before it (Clark et al. 2019, section 3)."""
    return weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(dim=-1)


def first_token(weights: Float[Tensor, "*leading query key"]) -> Float[Tensor, "*leading"]:
    """Mean share that goes to the first token, by queries after the first (an "attention sink", Xiao et al. 2023)."""
    return weights[..., 1:, 0].mean(dim=-1)


def induction(weights: Float[Tensor, "*leading token token"], period: int) -> Float[Tensor, "*leading"]:
    """The induction score on a sequence that repeats with this period (Olsson et al. 2022, "Head activation").

    In the second repeat, the mean share given to the token that followed the same token the first time.
    """
    return weights.diagonal(offset=1 - period, dim1=-2, dim2=-1)[..., 1:].mean(dim=-1)


def mean_distance(weights: Float[Tensor, "*leading token token"]) -> Float[Tensor, "*leading"]:
    """How many tokens away attention falls, on average over queries."""
    place = torch.arange(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    return (weights * (place[:, None] - place[None, :]).abs()).sum(dim=-1).mean(dim=-1)
