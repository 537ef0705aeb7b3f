"""What every kind of attention here can do: mix values, and write out the map that it stands for."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..errors import InputError

Rows = Int[Tensor, " _"] | None


@dataclass(frozen=True, kw_only=True)
class Variant(ABC):
    """Self-attention among the tokens of one sequence, exact or not; scores are divided by sqrt(each).

    A variant has no weights of its own and may be shared by threads. With `causal`, no query takes the value of a
    later key. Where `looks_ahead` is True, later tokens have a say nevertheless in which weights a query gives: such a
    map can be looked at, but a model that predicts the next token must not be measured with it.
    """

    causal: bool = True

    looks_ahead: ClassVar[bool] = False

    @abstractmethod
    def output(
        self,
        query: Float[Tensor, "batch head query each"],
        key: Float[Tensor, "batch head key each"],
        value: Float[Tensor, "batch head key each_value"],
    ) -> Float[Tensor, "batch head query each_value"]:
        """What each query receives; differentiable."""

    @abstractmethod
    def weights(
        self,
        query: Float[Tensor, "*leading query each"],
        key: Float[Tensor, "*leading key each"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        """The matrix that takes the values to the output, written out: all its rows, or those of chosen queries.

        For looking at and for testing: it costs what `output` saves.
        """

    @abstractmethod
    def multiplications(self, tokens: int, each: int) -> int:
        """How many numbers `output` multiplies in the matrix products of one head."""


def check_lengths(query: Tensor, key: Tensor) -> int:
    """How many tokens; InputError unless there are as many queries as keys."""
    if query.shape[-2] != key.shape[-2]:
        raise InputError(
            f"An approximation needs queries and keys of the same tokens, not {query.shape[-2]} queries and "
            f"{key.shape[-2]} keys. Choose self-attention that reads a whole text at once."
        )
    return query.shape[-2]


def at_least(least: int, **settings: int) -> None:
    """InputError for a setting that is too small."""
    for name, chosen in settings.items():
        if chosen < least:
            raise InputError(f"'{name.replace('_', ' ')}' is at least {least}, not {chosen}.")


def chosen_rows(tokens: int, rows: Rows, device: torch.device) -> Int[Tensor, " query"]:
    """The positions of the rows that are asked for: all of them, unless somebody says otherwise."""
    return torch.arange(tokens, device=device) if rows is None else rows.to(device)


def later(rows: Int[Tensor, " query"], tokens: int) -> Tensor:
    """Which keys come after each of these queries; boolean, (row, key)."""
    return torch.arange(tokens, device=rows.device) > rows[:, None]


def scores(
    query: Float[Tensor, "*leading query each"], key: Float[Tensor, "*leading key each"]
) -> Float[Tensor, "*leading query key"]:
    """Scaled products of queries and keys (Vaswani et al. 2017, section 3.2.1)."""
    return (query * query.shape[-1] ** -0.5) @ key.mT
