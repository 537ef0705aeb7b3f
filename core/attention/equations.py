"""Equations between matrices in which every cell can be taken apart: how it was made, from which numbers."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Matrix:
    """One array of a step: a matrix for each head, or (without the first axis) one that all heads share."""

    symbol: str  # as in the formula, in LaTeX
    values: Float[Tensor, "head row column"] | Float[Tensor, "row column"]
    axes: tuple[str, str]  # what a row and a column stand for: names from core/axes.py

    def of(self, head: int) -> Float[Tensor, "row column"]:
        """What one head sees of it."""
        return self.values[head] if self.values.ndim == 3 else self.values

    @property
    def size(self) -> str:
        """Rows times columns, in LaTeX."""
        rows, columns = self.values.shape[-2:]
        return rf"{rows}\times {columns}"

    @property
    def sized(self) -> str:
        """The symbol with its size below it, in LaTeX."""
        return rf"\underset{{{self.size}}}{{{self.symbol}}}"


@dataclass(frozen=True)
class Operation:
    """One equation of a step: what goes in, in the order of the formula, and the matrix that comes out."""

    kind: str  # "product", "multiple", "sum", "softmax" or "join": how a cell is made (see `terms`)
    inputs: tuple[Matrix, ...]
    output: Matrix
    formula: str
    factors: tuple[tuple[str, float], ...] = ()  # of a "multiple": what every cell is multiplied by


@dataclass(frozen=True)
class Step:
    """One of the eight steps; "project" has three equations, the others have one."""

    name: str
    meaning: str
    operations: tuple[Operation, ...]

    @property
    def arrays(self) -> dict[str, Tensor]:
        """What the step makes, by symbol."""
        return {operation.output.symbol: operation.output.values for operation in self.operations}

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what it makes; queries, keys and values that differ in shape report the queries'."""
        return tuple(self.operations[0].output.values.shape)

    @property
    def formula(self) -> str:
        """All its equations, in LaTeX, with the current shapes."""
        return r" \qquad ".join(operation.formula for operation in self.operations)


@dataclass(frozen=True)
class Term:
    """One summand: the product of its factors, each with the place that it comes from."""

    factors: tuple[tuple[str, float], ...]

    @property
    def value(self) -> float:
        """The product of the factors."""
        product = 1.0
        for _, factor in self.factors:
            product *= factor
        return product


@dataclass(frozen=True)
class Sum:
    """How one cell was made: its terms added up or, for a softmax, the `share` of one term in their total."""

    terms: tuple[Term, ...]
    share: int | None = None

    @property
    def total(self) -> float:
        """All terms added up."""
        return sum(term.value for term in self.terms)

    @property
    def value(self) -> float:
        """The cell, computed again."""
        return self.total if self.share is None else self.terms[self.share].value / self.total


def terms(operation: Operation, row: int, column: int, *, head: int = 0) -> Sum:
    """The sum that made one cell of `operation.output`.

    A softmax is a share: its terms are exp(score - largest score of the row), one for each key. Subtracting
    the largest changes no share, and keeps the numbers within reach.
    """
    first = operation.inputs[0].of(head).double()

    def factor(matrix: Matrix, row: int, column: int) -> tuple[str, float]:
        return f"{matrix.symbol}[{row},{column}]", float(matrix.of(head)[row, column])

    match operation.kind:
        case "product":
            left, right, *biases = operation.inputs
            products = [Term((factor(left, row, i), factor(right, i, column))) for i in range(first.shape[1])]
            return Sum((*products, *(Term((factor(bias, 0, column),)) for bias in biases)))
        case "multiple":
            return Sum((Term((factor(operation.inputs[0], row, column), *operation.factors)),))
        case "sum":
            return Sum(tuple(Term((factor(matrix, row, column),)) for matrix in operation.inputs))
        case "softmax":
            powers = (first[row] - first[row].max()).exp().tolist()
            symbol = operation.inputs[0].symbol
            return Sum(tuple(Term(((f"exp {symbol}[{row},{i}]", p),)) for i, p in enumerate(powers)), share=column)
        case "join":
            head, each = divmod(column, first.shape[1])
            return Sum((Term((factor(operation.inputs[0], row, each),)),))
    raise ValueError(f"Nobody has written how a cell of '{operation.kind}' is made.")
