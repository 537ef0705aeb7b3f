"""The query and the keys of a head as arrows in a plane; the query is turned by dragging, and attends again at once."""

from collections.abc import Callable, Mapping, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from core.attention.query_key_plane import products_outside
from dashboard.components.kit import Component, component_value, place_of, selection_callback

__all__ = ["query_plane"]

HALF_TURN = 180  # degrees

_show = Component(__file__)


def query_plane(
    query: Float[Tensor, " head_dim"],
    keys: Float[Tensor, "key head_dim"],
    allowed: Bool[Tensor, " key"],
    axes: Float[Tensor, "head_dim 2"],
    *,
    key: str,
    labels: Sequence[str],
    axis_names: tuple[str, str],
    degrees: int,
    divisor: float,
    exact: float,
    most: int,
    on_turn: Callable[[int], None],
    alt: str,
    name: str,
) -> None:
    """Show one query and the keys in the plane of two orthonormal `axes`, with angles, dot products and weights.

    `query` is the query before its turn by `degrees`, from -180 to 180. The browser turns it while it is dragged or
    moved with the arrow keys, and computes dot products (of all channels) and weights again: softmax over the keys that
    are `allowed` of the dot products divided by `divisor`. `on_turn(degrees)` is called, before the page runs again,
    when the query is let go. At most `most` keys, those with the largest weights, have bars. Where the parts outside of
    the plane change a dot product by at least `exact`, bars of those in the plane stand beside them. `alt` describes
    the figure for screen readers; `name` begins the names of files.
    """
    data = pack(query, keys, allowed, axes, divisor=divisor) | {
        "labels": list(labels),
        "axes": list(axis_names),
        "degrees": degrees,
        "exact": exact,
        "most": most,
        "heard": _time_of(component_value(key, "turned")),
        "alt": alt,
        "name": f"attention-atlas-{name}",
    }

    def hear(turn: int) -> None:
        on_turn(turn - HALF_TURN)

    _show(key, data, turned=selection_callback(turn_of, hear))


def pack(
    query: Float[Tensor, " head_dim"],
    keys: Float[Tensor, "key head_dim"],
    allowed: Bool[Tensor, " key"],
    axes: Float[Tensor, "head_dim 2"],
    *,
    divisor: float,
) -> dict:
    """What turning.js computes with: places in the plane, and the parts of the dot products that no turn changes.

    ValueError if there are no keys, if none is allowed, or if the divisor is not positive.
    """
    if not len(keys) or not bool(allowed.any()):
        raise ValueError(f"A query needs a key that it may attend to, but of {len(keys)} keys it may attend to none.")
    if not divisor > 0:
        raise ValueError(f"Scores are divided by a positive number, not by {divisor}.")
    query, keys, axes = query.to(torch.float64), keys.to(torch.float64), axes.to(torch.float64)
    return {
        "query": (query @ axes).tolist(),
        "keys": (keys @ axes).tolist(),
        "fixed": products_outside(query, keys, axes).tolist(),
        "allowed": allowed.tolist(),
        "divisor": divisor,
    }


def _time_of(message: object) -> int | None:
    """When the browser sent a message, by its own clock: the answer to it holds the same number."""
    time = message.get("at") if isinstance(message, Mapping) else None
    return time if isinstance(time, int) else None


def turn_of(message: object) -> tuple[int, ...] | None:
    """The turn in a browser's message, as degrees after -180; None if there is no valid one."""
    return place_of(message, turn=2 * HALF_TURN + 1)
