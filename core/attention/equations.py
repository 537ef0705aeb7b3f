"""Equations between matrices, and the terms from which each of their cells is computed."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Matrix:
    """One array of a step: a matrix for each head, or (without the head axis) one that all heads share."""

    symbol: str  # as in the formula, in LaTeX
    values: Float[Tensor, "head row column"] | Float[Tensor, "row column"]
    axes: tuple[str, str]  # what a row and a column stand for: names from core/axes.py

    def of_head(self, head: int) -> Float[Tensor, "row column"]:
        """The matrix of one head."""
        return self.values[head] if self.values.ndim == 3 else self.values

    @property
    def size(self) -> str:
        """Rows times columns, in LaTeX."""
        rows, columns = self.values.shape[-2:]
        return rf"{rows}\times {columns}"

    @property
    def symbol_with_size(self) -> str:
        """The symbol with its size below it, in LaTeX."""
        return rf"\underset{{{self.size}}}{{{self.symbol}}}"


@dataclass(frozen=True)
class Operation:
    """One equation of a step: its inputs in the order of the formula, and its output."""

    kind: str  # "product", "multiple", "sum", "softmax" or "join": how a cell is computed (see `terms`)
    inputs: tuple[Matrix, ...]
    output: Matrix
    formula: str
    factors: tuple[tuple[str, float], ...] = ()  # of a "multiple": the factors of every cell, with their LaTeX


@dataclass(frozen=True)
class Step:
    """One of the eight steps; "project" has three equations, the others have one."""

    name: str
    meaning: str
    operations: tuple[Operation, ...]

    @property
    def arrays(self) -> dict[str, Tensor]:
        """The outputs of the step, by symbol."""
        return {operation.output.symbol: operation.output.values for operation in self.operations}

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first output: that of the queries, where keys and values differ."""
        return tuple(self.operations[0].output.values.shape)

    @property
    def formula(self) -> str:
        """All its equations, in LaTeX, with the current shapes."""
        return r" \qquad ".join(operation.formula for operation in self.operations)


@dataclass(frozen=True)
class Term:
    """One summand: a product of factors, each with the name of the cell it comes from."""

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
    """The terms of one cell: it is their sum or, for a softmax, the term `term_index` divided by their sum."""

    terms: tuple[Term, ...]
    term_index: int | None = None

    @property
    def total(self) -> float:
        """The sum of all terms."""
        return sum(term.value for term in self.terms)

    @property
    def value(self) -> float:
        """The value of the cell, computed from its terms."""
        return self.total if self.term_index is None else self.terms[self.term_index].value / self.total


def terms(operation: Operation, row: int, column: int, *, head: int = 0) -> Sum:
    """The terms from which one cell of `operation.output` is computed.

    Those of a softmax are exp(score - largest score of the row), one for each key; subtracting the largest prevents
    overflow and does not change the weights.
    """
    first = operation.inputs[0].of_head(head).double()

    def factor(matrix: Matrix, row: int, column: int) -> tuple[str, float]:
        return f"{matrix.symbol}[{row},{column}]", float(matrix.of_head(head)[row, column])

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
            exponentials = (first[row] - first[row].max()).exp().tolist()
            symbol = operation.inputs[0].symbol
            return Sum(
                tuple(Term(((f"exp {symbol}[{row},{i}]", p),)) for i, p in enumerate(exponentials)), term_index=column
            )
        case "join":
            head, channel = divmod(column, first.shape[1])
            return Sum((Term((factor(operation.inputs[0], row, channel),)),))
    raise ValueError(f"Nobody has written how a cell of '{operation.kind}' is made.")
