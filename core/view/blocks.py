"""Heads in blocks of tokens, for where there is no room for every weight: means that sum to what rows did."""

import math

import numpy as np
from jaxtyping import Bool, Float

from .scene import Scene


def block_width(scene: Scene, room: int) -> int:
    """The fewest tokens in a block with which all heads together have no more cells than `room`."""
    shapes = [(*scene.shape(place), layer.heads) for place, layer in enumerate(scene.layers)]
    longest = max(max(queries, keys) for queries, keys, _ in shapes)
    fits = (
        width
        for width in range(1, longest)
        if sum(heads * math.ceil(queries / width) * math.ceil(keys / width) for queries, keys, heads in shapes) <= room
    )
    return next(fits, longest)


def in_blocks(
    patterns: Float[np.ndarray, "head query key"], links: Bool[np.ndarray, "query key"], width: int
) -> Float[np.ndarray, "head down across"]:
    """What the queries of a block give, on average, to the keys of a block together: rows sum to what they did.

    -1 where no query may look at any key; NaN where no query of the block has numbers.
    """
    down, across = (range(0, length, width) for length in links.shape)
    known = ~np.isnan(patterns).any(axis=2)
    given = np.where((patterns > 0) & known[:, :, None], patterns, 0)
    sums = np.add.reduceat(np.add.reduceat(given, across, axis=2), down, axis=1)
    queries = np.add.reduceat(known.astype(np.float32), down, axis=1)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, and means it
        means = sums / queries[:, :, None]
    allowed = np.logical_or.reduceat(np.logical_or.reduceat(links, across, axis=1), down, axis=0)
    means[:, ~allowed] = -1
    return means
