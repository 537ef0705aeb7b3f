"""The gradient of a model's prediction with respect to each character it has read, by distance.

    reach(t) = | d log p(c | x_1 ... x_n) / d x_t |        c: the most probable character after x_n

x_t is the embedding of character t. By the chain rule this gradient is a product of one factor for every step between
t and n: in a recurrent network it vanishes or explodes with the distance, as a power of the factor (Bengio et al. 1994,
section III; Pascanu et al. 2013, equations 3 to 5), and training has no other signal. Beyond the window of a
convolution it is exactly 0; attention has a path of one step to every character.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..models.character import CharacterModel


def reach(model: CharacterModel, characters: Int[Tensor, "batch token"]) -> Float[Tensor, "batch token"]:
    """The norm of the gradient of the most probable next character's log-probability, for each character's embedding.

    One backward pass for the batch; gradients of parameters are not touched.
    """
    with torch.enable_grad():
        embedded = model.embedding(characters).detach().requires_grad_()
        expected = model.read_out(embedded)[:, -1].log_softmax(dim=-1).amax(dim=-1)
        # The passages of a batch are independent, so the gradient of the sum has those of all passages.
        (gradient,) = torch.autograd.grad(expected.sum(), embedded)
    return gradient.norm(dim=-1)


def by_distance(norms: Float[Tensor, "*leading token"]) -> Float[Tensor, "*leading token"]:
    """Norms in reverse order, from the last character (distance 0) backwards, divided by that of the last one."""
    backwards = norms.flip(-1)
    return backwards / backwards[..., :1]


def shares(norms: Float[Tensor, "*leading token"]) -> Float[Tensor, "*leading token"]:
    """Norms divided by their sum, so that each row sums to 1."""
    return norms / norms.sum(dim=-1, keepdim=True)


def half_life(norms: Float[Tensor, " token"]) -> float:
    """The number of characters over which norms (by distance) halve, by a least squares fit of their logarithms.

    Norms of 0 are ignored. Infinite where norms do not fall, NaN where fewer than two are above 0.
    """
    distance = torch.arange(len(norms), dtype=torch.float64)[norms > 0]
    logarithm = norms[norms > 0].double().log()
    if len(logarithm) < 2:
        return math.nan
    centred = distance - distance.mean()
    slope = float((centred * logarithm).sum() / centred.square().sum())
    return math.log(2) / -slope if slope < 0 else math.inf


def farthest_distance(norms: Float[Tensor, " token"]) -> int:
    """The largest distance with a norm above 0, of norms by distance; -1 where all are 0."""
    distances = norms.nonzero()
    return int(distances[-1]) if len(distances) else -1
