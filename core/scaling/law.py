"""Scaling laws: the loss of a language model as a function of its parameters and training tokens."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy import ndarray

from ..errors import InputError

FLOPS_EACH = 6  # of a training step, for a parameter and a token: C = 6 N D (Kaplan et al. 2020, section 2.1)


@dataclass(frozen=True)
class Points:
    """Training runs: parameters, tokens and final loss (nats per token) of each."""

    parameters: Float[ndarray, " point"]
    tokens: Float[ndarray, " point"]
    loss: Float[ndarray, " point"]

    def __len__(self) -> int:
        return len(self.loss)

    @property
    def flops(self) -> Float[ndarray, " point"]:
        """The training compute in FLOPs, 6 N D."""
        return FLOPS_EACH * self.parameters * self.tokens

    def where(self, chosen: Bool[ndarray, " point"] | Int[ndarray, " _"]) -> "Points":
        """The points that a mask or an array of numbers selects."""
        return Points(self.parameters[chosen], self.tokens[chosen], self.loss[chosen])


@dataclass(frozen=True)
class Law(ABC):
    """A fitted law; the fields of a subclass are its coefficients."""

    @abstractmethod
    def loss(self, parameters: Float[ndarray, "*point"], tokens: Float[ndarray, "*point"]) -> Float[ndarray, "*point"]:
        """The predicted loss in nats per token."""

    @abstractmethod
    def lowest(self, flops: Float[ndarray, " point"]) -> Float[ndarray, " point"]:
        """The lowest loss for each compute C = 6 N D, at the best split into parameters and tokens."""

    @classmethod
    @abstractmethod
    def fit(cls, points: Points, start: "Law | None" = None) -> "Law":
        """Fit the law to points; with `start` the search begins there only, which is faster.

        InputError for fewer points than coefficients.
        """

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the coefficients."""
        return tuple(field.name for field in fields(cls))

    def values(self) -> tuple[float, ...]:
        """The coefficients' values, in the order of `names`."""
        return tuple(getattr(self, name) for name in self.names())


def frontier(points: Points) -> Bool[ndarray, " point"]:
    """True for the runs that no other run beats with a lower loss at the same or less compute."""
    order = np.lexsort((points.loss, points.flops))
    lowest = np.minimum.accumulate(points.loss[order])
    best = np.empty(len(points), dtype=bool)
    best[order] = np.append(True, points.loss[order][1:] < lowest[:-1])
    return best


def enough(points: Points, law: type[Law]) -> None:
    """InputError unless there are more points than coefficients."""
    if len(points) <= len(law.names()):
        raise InputError(
            f"A law of {len(law.names())} numbers needs more than {len(law.names())} runs to be fitted to, and here "
            f"are {len(points)}. Choose more of them."
        )
