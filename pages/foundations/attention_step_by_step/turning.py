"""A query of one head that turns in a plane: its scores and weights by the arithmetic of the eight steps."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from core.attention.equations import Step
from core.attention.query_key_plane import (
    angles_between,
    is_plane,
    plane_of_most,
    plane_of_query,
    squared_length_kept,
    turned,
)
from core.attention.steps import steps_from_heads

QUERY_PLANE, MOST_PLANE = "The query and its strongest key", "All queries and keys"


@dataclass(frozen=True)
class Head:
    """Queries, keys and values of one head, and which keys one query may attend to."""

    queries: Float[Tensor, "query head_dim"]
    keys: Float[Tensor, "key head_dim"]
    values: Float[Tensor, "key value_dim"]
    allowed: Bool[Tensor, " key"]
    query: int

    @property
    def vector(self) -> Float[Tensor, " head_dim"]:
        """The query that is followed."""
        return self.queries[self.query]


@dataclass(frozen=True)
class Turned:
    """The query after its turn, in the head's channels; the weights before it; the plane that it is drawn in."""

    head: Head
    degrees: float
    vector: Float[Tensor, " head_dim"]
    axes: Float[Tensor, "head_dim 2"]
    products: Float[Tensor, " key"]  # query · key, exact
    weights: Float[Tensor, " key"]
    weights_before: Float[Tensor, " key"]

    @property
    def is_exact(self) -> bool:
        """Whether the plane is the head itself, which has two channels."""
        return is_plane(self.vector)

    @property
    def products_in_plane(self) -> Float[Tensor, " key"]:
        """The dot products of what the plane keeps of the query and of the keys."""
        return (self.head.keys @ self.axes) @ (self.vector @ self.axes)

    @property
    def angles_in_plane(self) -> Float[Tensor, " key"]:
        """The angles of the drawn arrows, in degrees; NaN where there is nothing to draw."""
        return angles_between(self.vector @ self.axes, self.head.keys @ self.axes)

    @property
    def angles(self) -> Float[Tensor, " key"]:
        """The angles in all channels of the head, in degrees."""
        return angles_between(self.vector, self.head.keys)

    @property
    def error(self) -> float:
        """The largest difference between a dot product in the plane and the exact one, among the allowed keys."""
        return float((self.products_in_plane - self.products).abs()[self.head.allowed].max())

    def kept_share(self, *, keys: bool) -> float:
        """The share of the squared length of all keys, or of the query, that the plane keeps; NaN if that is 0."""
        return squared_length_kept(self.head.keys if keys else self.vector[None], self.axes)


def head_of(steps: Sequence[Step], head: int, query: int) -> Head:
    """What one query of one head computes with, from the eight steps."""
    operations = {step.name: step.operations[0] for step in steps}
    queries, keys = (matrix.of_head(head) for matrix in operations["score"].inputs)
    masked = operations["mask"].inputs[1].of_head(head)[query].isneginf()
    return Head(queries, keys.T, operations["mix"].inputs[1].of_head(head), ~masked, query)


def turn(head: Head, degrees: float, *, plane: str, scale: bool, temperature: float) -> Turned:
    """Turn the query by an angle in the chosen plane (`QUERY_PLANE` or `MOST_PLANE`), and attend again."""

    def weights(vector: Float[Tensor, " head_dim"]) -> Float[Tensor, " key"]:
        steps = steps_from_heads(
            vector[None, None],
            head.keys[None],
            head.values[None],
            scale=scale,
            temperature=temperature,
            mask=head.allowed[None, None],
        )
        return next(step for step in steps if step.name == "normalise").arrays["A"][0, 0]

    products = torch.where(head.allowed, head.keys @ head.vector, -torch.inf)
    if plane == MOST_PLANE:
        axes = plane_of_most(torch.cat([head.queries, head.keys]))
    else:
        axes = plane_of_query(head.vector, head.keys[int(products.argmax())])
    vector = turned(head.vector, axes, degrees)
    return Turned(head, degrees, vector, axes, head.keys @ vector, weights(vector), weights(head.vector))
