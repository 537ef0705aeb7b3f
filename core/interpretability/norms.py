"""Layer norm and RMS norm recomputed by their formulas, and compared with the output of the module."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..errors import CaptureError

EPSILON = 1e-5  # where a module does not say what it adds to the variance


@dataclass(frozen=True, eq=False)
class NormReading:
    """One norm: mean and deviation of each token before it, its weights, and the output of the formula.

    `kind` is "layer" for gamma (x - mean) / deviation + beta (Ba et al. 2016, equations 3 and 4), "rms" for
    gamma x / root mean square (Zhang and Sennrich 2019, equation 4). `difference` is the largest
    absolute difference between the outputs of the formula and of the module.
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

    def linear_part(self, vector: Float[Tensor, "*leading width"]) -> Float[Tensor, "*leading width"]:
        """The norm without beta: linear, so it can be applied to each of several vectors that sum to the input."""
        centred = vector - vector.mean(dim=-1, keepdim=True) if self.kind == "layer" else vector
        return self.gamma * centred * self.scale

    def pull_back(self, reading: Float[Tensor, " width"]) -> Float[Tensor, " width"]:
        """The transposed map, without beta: pull_back(r) @ x equals r @ linear_part(x) for every input x."""
        scaled = self.gamma * reading * self.scale
        return scaled - scaled.mean() if self.kind == "layer" else scaled


def read_norm(
    module: nn.Module, before: Float[Tensor, "token width"], after: Float[Tensor, "token width"]
) -> NormReading:
    """Try each formula, and return the one whose output is closest to that of the module."""
    readings = [_layer(module, before, after), *(_rms(module, before, after, offset) for offset in (0.0, 1.0))]
    return min(readings, key=lambda reading: reading.difference)


def freeze(module: nn.Module, before: Float[Tensor, " width"], after: Float[Tensor, " width"]) -> FrozenNorm:
    """The norm with its scale fixed to the one at a token, computed from its input and output vector there."""
    reading = read_norm(module, before[None], after[None])
    beta = torch.zeros_like(after) if reading.beta is None else reading.beta
    scaled = reading.gamma * (before - before.mean() if reading.kind == "layer" else before)
    return FrozenNorm(reading.kind, reading.gamma, beta, float((after - beta) @ scaled / (scaled @ scaled)))


def _layer(module: nn.Module, before: Tensor, after: Tensor) -> NormReading:
    gamma, beta = _weights(module)
    mean = before.mean(dim=-1)
    variance = before.var(dim=-1, unbiased=False)
    deviation = (variance + _epsilon(module)).sqrt()
    computed = gamma * (before - mean[:, None]) / deviation[:, None] + (0 if beta is None else beta)
    return NormReading("layer", mean, variance.sqrt(), gamma, beta, computed, _difference(computed, after))


def _rms(module: nn.Module, before: Tensor, after: Tensor, offset: float) -> NormReading:
    """`offset` is 1 for Gemma, which stores gamma - 1, else 0."""
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
