"""What is computed for Bits: a rounded matrix, the network with it, and the network in each number format."""

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from core.shrinking.bits import round_matrix, round_network
from core.shrinking.layouts import matrices_of
from core.shrinking.number_formats import FORMATS, in_number_format
from dashboard.cache.memo import cached
from pages.scale.shrinking.compute import Beside, Question, beside, network_of

COLUMNS = 60  # of the histogram


@dataclass(frozen=True)
class Choice:
    """A matrix and how it is rounded; `alone`: whether no other matrix is."""

    matrix: str
    bits: int
    grouping: str
    alone: bool

    @property
    def identity(self) -> Hashable:
        """What tells it from any other."""
        return self.matrix, self.bits, self.grouping, self.alone


@dataclass(frozen=True, eq=False)
class Levels:
    """A matrix as a histogram (`edges` has one more than `counts`), the levels of its first row, and its error.

    `error` and `size` are root mean squares; `moved` the largest step taken by a weight, in units of its own step;
    `full_bytes` and `stored`: bytes before and after.
    """

    edges: np.ndarray
    counts: np.ndarray
    levels: np.ndarray
    error: float
    size: float
    moved: float
    step: float
    full_bytes: int
    stored: int
    identity: Hashable = field(kw_only=True)


@cached("Rounding …")
def levels(question: Question, choice: Choice) -> Levels:
    """A matrix and what rounding does to it."""
    weights = matrices_of(network_of(question))[choice.matrix].weight.detach()
    rounded = round_matrix(weights, choice.bits, choice.grouping)
    counts, edges = np.histogram(weights.numpy(), bins=COLUMNS)
    apart = weights - rounded.values
    steps = rounded.steps.clamp_min(1e-30)
    return Levels(
        edges=edges,
        counts=counts,
        levels=rounded.values[0].unique().numpy(),
        error=float(apart.square().mean().sqrt()),
        size=float(weights.square().mean().sqrt()),
        moved=float((apart.abs() / steps).max()),
        step=float(rounded.steps.max()),
        full_bytes=4 * weights.numel(),
        stored=rounded.bytes,
        identity=(question, choice),
    )


@cached("Rounding the network …")
def rounded(question: Question, choice: Choice) -> Beside:
    """The network with the chosen matrix rounded, or with all of them, computed with in float32."""
    names = [choice.matrix] if choice.alone else None
    network = round_network(network_of(question), choice.bits, choice.grouping, names)[0].eval()
    return beside(question, network, identity=(question, choice))


@cached("Computing with fewer bits …")
def in_formats(question: Question) -> tuple[Beside, ...]:
    """The network in each of FORMATS but the first, which is how it is."""
    full_network = network_of(question)
    return tuple(
        beside(question, in_number_format(full_network, name), identity=(question, name)) for name in FORMATS[1:]
    )
