"""What a norm does to each token: recomputed by the formula, and compared with what the module made."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..errors import CaptureError

EPSILON = 1e-5  # where a module does not say what it adds to the variance


@dataclass(frozen=True, eq=False)
class NormReading:
    """One norm: mean and deviation of each token before it, its weights, and what the formula makes of them.

    `kind` is "layer" for gamma (x - mean) / deviation + beta (Ba et al. 2016, equations 3 and 4), "rms" for
    gamma x / root mean square (Zhang and Sennrich 2019, equation 4). `difference` is the largest one between any
    number of the formula's and the module's.
    """

    kind: Literal["layer", "rms"]
    mean: Float[Tensor, " token"]
    deviation: Float[Tensor, " token"]  # of "rms": the root mean square
    gamma: Float[Tensor, " width"]
    beta: Float[Tensor, " width"] | None
    computed: Float[Tensor, "token width"]
    difference: float


@dataclass(frozen=True, eq=False)
class FrozenNorm:
    """A norm with the scale that it had at one token: gamma (x - mean) scale + beta; an RMS norm has no mean."""

    kind: Literal["layer", "rms"]
    gamma: Float[Tensor, " width"]
    beta: Float[Tensor, " width"]
    scale: float

    def part_of(self, given: Float[Tensor, "*leading width"]) -> Float[Tensor, "*leading width"]:
        """What comes of one of the vectors that what goes in is the sum of; beta left aside."""
        centred = given - given.mean(dim=-1, keepdim=True) if self.kind == "layer" else given
        return self.gamma * centred * self.scale

    def pulled_back(self, reading: Float[Tensor, " width"]) -> Float[Tensor, " width"]:
        """The vector whose products with what goes in are those of `reading` with what comes out, beta left aside."""
        weighed = self.gamma * reading * self.scale
        return weighed - weighed.mean() if self.kind == "layer" else weighed


def read_norm(
    module: nn.Module, before: Float[Tensor, "token width"], after: Float[Tensor, "token width"]
) -> NormReading:
    """Which formula the module follows is found by trying: whichever comes closest to what it made."""
    readings = [_layer(module, before, after), *(_rms(module, before, after, offset) for offset in (0.0, 1.0))]
    return min(readings, key=lambda reading: reading.difference)


def freeze(module: nn.Module, given: Float[Tensor, " width"], made: Float[Tensor, " width"]) -> FrozenNorm:
    """The norm with its scale at one token, read off what it was given and what it made of that."""
    reading = read_norm(module, given[None], made[None])
    beta = torch.zeros_like(made) if reading.beta is None else reading.beta
    weighed = reading.gamma * (given - given.mean() if reading.kind == "layer" else given)
    return FrozenNorm(reading.kind, reading.gamma, beta, float((made - beta) @ weighed / (weighed @ weighed)))


def _layer(module: nn.Module, before: Tensor, after: Tensor) -> NormReading:
    gamma, beta = _weights(module)
    mean = before.mean(dim=-1)
    variance = before.var(dim=-1, unbiased=False)
    deviation = (variance + _epsilon(module)).sqrt()
    computed = gamma * (before - mean[:, None]) / deviation[:, None] + (0 if beta is None else beta)
    return NormReading("layer", mean, variance.sqrt(), gamma, beta, computed, _difference(computed, after))


def _rms(module: nn.Module, before: Tensor, after: Tensor, offset: float) -> NormReading:
    """`offset` 1: Gemma keeps gamma - 1."""
    gamma, beta = _weights(module)
    gamma = gamma + offset
    square = before.square().mean(dim=-1)
    computed = gamma * before / (square + _epsilon(module)).sqrt()[:, None] + (0 if beta is None else beta)
    return NormReading("rms", before.mean(dim=-1), square.sqrt(), gamma, beta, computed, _difference(computed, after))


def _weights(module: nn.Module) -> tuple[Tensor, Tensor | None]:
    weights = [weight.detach().float() for weight in module.parameters()]
    if not weights:
        raise CaptureError("This norm has no weights to show.")
    return weights[0], weights[1] if len(weights) > 1 else None


def _epsilon(module: nn.Module) -> float:
    for name in ("eps", "variance_epsilon", "epsilon"):
        if isinstance(value := getattr(module, name, None), float):
            return value
    return EPSILON


def _difference(computed: Tensor, after: Tensor) -> float:
    return (computed - after).abs().max().item()
