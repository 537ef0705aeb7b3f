"""One place of a photograph, and what has reached it (or where it has come) after each block of two models."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from core.vision.window_rollout import growing_limit, growing_reach, share_needed, spread_limit, spread_of
from core.vision.windows import WindowLayer
from dashboard.models import image_model
from dashboard.photograph import TRANSFORMERS
from dashboard.photograph import Photograph as Given
from dashboard.watched import WatchedImage, watch_image
from pages.vision.swin import compute_reach as swin_reach
from pages.vision.swin.compute import watch_windows
from pages.vision.swin.compute_reach import Direction

PART = 0.9  # of what arrives: how much of the picture does it take?


@dataclass(frozen=True, eq=False)
class Reached:
    """One model: for every block a map of shares, and where anything can have come from (or to) at all.

    `title` is the model's, `labels` name the blocks, `chosen` is the patch (row, column) on a grid of rows x columns.
    """

    title: str
    watched: WatchedImage
    labels: tuple[str, ...]
    shares: tuple[np.ndarray, ...]
    limits: tuple[np.ndarray, ...]
    chosen: tuple[int, int]
    grid: tuple[int, int]
    besides: str = ""  # what holds the rest of the shares: padding, or the class token

    @cached_property
    def can(self) -> tuple[float, ...]:
        """The share of the picture within reach, before and after every block."""
        return (1 / (self.grid[0] * self.grid[1]), *(float(limit.mean()) for limit in self.limits))

    @cached_property
    def does(self) -> tuple[float, ...]:
        """The share of the picture that holds PART of what arrived, likewise."""
        return (self.can[0], *(share_needed(torch.from_numpy(shares), PART) for shares in self.shares))

    @property
    def rest(self) -> float:
        """How much of the place comes from no patch at all, after the last block; of backward maps only."""
        return max(0.0, 1 - float(self.shares[-1].sum()))

    @property
    def own(self) -> float:
        """What the chosen patch itself has, after the last block; of backward maps only."""
        return float(self.shares[-1][self.chosen])

    @property
    def whole_after(self) -> int | None:
        """After how many blocks the whole picture is within reach; None if it never is."""
        return next((number for number, share in enumerate(self.can) if share == 1), None)


def name_of(layer: WindowLayer) -> str:
    """A block by its stage and number, as on the whole page."""
    return f"stage {layer.stage}, block {layer.block}" + (", shifted" if layer.shifted else "")


def through_windows(given: Given, head: int | None, chosen: tuple[int, int], direction: Direction) -> Reached:
    """In the chosen model with windows; `chosen` is a patch of its first grid."""
    layers = watch_windows(given.name, given.picture, given.resolution).layers
    blocks = swin_reach.blocks(given.name, given.picture, given.resolution, head)
    if direction == "back":
        shares, limits = growing_reach(blocks, *chosen).unbind(), growing_limit(blocks, *chosen).unbind()
    else:
        shares, limits = spread_of(blocks, *chosen), spread_limit(blocks, *chosen)
    watched = given.watched()
    return Reached(
        watched.model.title.split(",")[0],
        watched,
        tuple(name_of(layer) for layer in layers),
        tuple(share.numpy() for share in shares),
        tuple(limit.numpy() for limit in limits),
        chosen,
        (layers[0].rows, layers[0].columns),
        "padding" if any(layer.padded for layer in layers) or _odd(layers) else "",
    )


def through_all(given: Given, head: int | None, place: tuple[float, float], direction: Direction) -> Reached:
    """In the vision transformer that comes with the atlas, at the nearest resolution; `place` is 0 to 1 each way."""
    name = TRANSFORMERS[0]
    side = max(given.watched().given.pixels.shape[-2:])
    resolution = min(image_model(name).resolutions, key=lambda each: (abs(each - side), each))
    watched = watch_image(name, given.picture, resolution)
    patches = watched.given.patches
    chosen = int(place[0] * patches.rows), int(place[1] * patches.columns)
    token = len(patches.prefix) + chosen[0] * patches.columns + chosen[1]
    found = swin_reach.rolled(name, given.picture, resolution, head, token, direction)
    maps = found[:, len(patches.prefix) :].reshape(-1, patches.rows, patches.columns)
    return Reached(
        watched.model.title.split(",")[0],
        watched,
        tuple(f"block {number}" for number in range(len(maps))),
        tuple(maps),
        tuple(np.ones(each.shape, dtype=bool) for each in maps),  # every token looks at every other
        chosen,
        (patches.rows, patches.columns),
        " and ".join(patches.prefix) + " token" * bool(patches.prefix),
    )


def shared_heads(given: Given) -> int:
    """How many heads every block of both models has: those that can be followed alone."""
    calls = (*given.watched().record.calls, *watch_image(TRANSFORMERS[0], given.picture, None).record.calls)
    return min(call.heads for call in calls)


def _odd(layers: tuple[WindowLayer, ...]) -> bool:
    return any(layer.rows % 2 or layer.columns % 2 for layer in layers[:-1])
