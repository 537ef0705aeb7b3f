"""How far back a model still feels: what a change of each character that was read does to what it expects next.

    reach(t) = | d log p(c | x_1 ... x_n) / d x_t |        c: the character expected most after x_n

x_t is the vector that stands for character t. The chain rule makes this gradient a product of one factor for every
step between t and n: in a recurrent network it shrinks (vanishes) or grows (explodes) with the distance, as a power of
the factor (Bengio et al. 1994, section III; Pascanu et al. 2013, equations 3 to 5), and the same gradient is all that
training has to learn from. Beyond the window of a convolution it is exactly 0; attention has a path of one step to
every character.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..models.character import CharacterModel


def reach(model: CharacterModel, characters: Int[Tensor, "batch token"]) -> Float[Tensor, "batch token"]:
    """The norm of the gradient that each character gets from the log-probability of the most expected next one.

    One backward pass for the whole batch. The model is left as it was: no gradient is kept in its parameters.
    """
    with torch.enable_grad():
        embedded = model.embedding(characters).detach().requires_grad_()
        expected = model.read_out(embedded)[:, -1].log_softmax(dim=-1).amax(dim=-1)
        # The passages of a batch do not meet, so the gradient of the sum holds that of each.
        (gradient,) = torch.autograd.grad(expected.sum(), embedded)
    return gradient.norm(dim=-1)


def by_distance(norms: Float[Tensor, "*leading token"]) -> Float[Tensor, "*leading token"]:
    """The same norms counted from the last character (distance 0) backwards, relative to that of the last one."""
    backwards = norms.flip(-1)
    return backwards / backwards[..., :1]


def shares(norms: Float[Tensor, "*leading token"]) -> Float[Tensor, "*leading token"]:
    """The part that each character has in the whole: each row sums to 1."""
    return norms / norms.sum(dim=-1, keepdim=True)


def half_life(norms: Float[Tensor, " token"]) -> float:
    """In how many characters the norms (by distance) fall to half, if they fall by the same factor with each.

    From the straight line that fits their logarithms best (least squares); norms of 0 are left out. Infinite where
    they do not fall, NaN where fewer than two are left.
    """
    distance = torch.arange(len(norms), dtype=torch.float64)[norms > 0]
    logarithm = norms[norms > 0].double().log()
    if len(logarithm) < 2:
        return math.nan
    centred = distance - distance.mean()
    slope = float((centred * logarithm).sum() / centred.square().sum())
    return math.log(2) / -slope if slope < 0 else math.inf


def edge(norms: Float[Tensor, " token"]) -> int:
    """The largest distance (norms are by distance) from which anything at all arrives; -1 where nothing does."""
    felt = norms.nonzero()
    return int(felt[-1]) if len(felt) else -1
