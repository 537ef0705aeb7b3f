"""The interface of every attention variant: its output, and the weights that the output stands for."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..errors import InputError

Rows = Int[Tensor, " _"] | None  # positions of queries; None for all


@dataclass(frozen=True, kw_only=True)
class Variant(ABC):
    """Self-attention among the tokens of one sequence, exact or approximate; scores are divided by sqrt(head_dim).

    A variant has no parameters and may be shared by threads. With `causal`, no query receives the value of a later key.
    Where `looks_ahead` is True, later tokens nevertheless influence the weights of a query: such a map can be
    displayed, but the loss of a model that predicts the next token must not be measured with it.
    """

    causal: bool = True

    looks_ahead: ClassVar[bool] = False

    @abstractmethod
    def output(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key value_dim"],
    ) -> Float[Tensor, "batch head query value_dim"]:
        """The output of each query; differentiable."""

    @abstractmethod
    def weights(
        self,
        query: Float[Tensor, "*leading query head_dim"],
        key: Float[Tensor, "*leading key head_dim"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        """The matrix that maps the values to the output: all its rows, or those at the positions `rows`.

        For display and tests: it takes the work and memory that `output` saves.
        """

    @abstractmethod
    def multiplications(self, tokens: int, head_dim: int) -> int:
        """The number of multiplications in the matrix products of `output`, for one head."""


def check_lengths(query: Tensor, key: Tensor) -> int:
    """The number of tokens; InputError unless there are as many queries as keys."""
    if query.shape[-2] != key.shape[-2]:
        raise InputError(
            f"An approximation needs queries and keys of the same tokens, not {query.shape[-2]} queries and "
            f"{key.shape[-2]} keys. Choose self-attention that reads a whole text at once."
        )
    return query.shape[-2]


def check_at_least(minimum: int, **settings: int) -> None:
    """Raise InputError for a setting below `minimum`."""
    for name, value in settings.items():
        if value < minimum:
            raise InputError(f"'{name.replace('_', ' ')}' is at least {minimum}, not {value}.")


def row_positions(tokens: int, rows: Rows, device: torch.device) -> Int[Tensor, " query"]:
    """The positions of the rows: all of them where `rows` is None."""
    return torch.arange(tokens, device=device) if rows is None else rows.to(device)


def later_keys(rows: Int[Tensor, " query"], tokens: int) -> Tensor:
    """Mask of the keys after each of these queries, (row, key)."""
    return torch.arange(tokens, device=rows.device) > rows[:, None]


def scores(
    query: Float[Tensor, "*leading query head_dim"], key: Float[Tensor, "*leading key head_dim"]
) -> Float[Tensor, "*leading query key"]:
    """Scaled products of queries and keys (Vaswani et al. 2017, section 3.2.1)."""
    return (query * query.shape[-1] ** -0.5) @ key.mT
