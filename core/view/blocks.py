"""Heads pooled into blocks of tokens, where there is no room for every weight; row sums do not change."""

import math

import numpy as np
from jaxtyping import Bool, Float

from .scene import Scene


def block_width(scene: Scene, max_cells: int) -> int:
    """The smallest number of tokens in a block with which all heads together have at most `max_cells` cells."""
    shapes = [(*scene.shape(number), layer.heads) for number, layer in enumerate(scene.layers)]
    longest = max(max(queries, keys) for queries, keys, _ in shapes)
    widths = (
        width
        for width in range(1, longest)
        if sum(heads * math.ceil(queries / width) * math.ceil(keys / width) for queries, keys, heads in shapes)
        <= max_cells
    )
    return next(widths, longest)


def pool_into_blocks(
    patterns: Float[np.ndarray, "head query key"], links: Bool[np.ndarray, "query key"], width: int
) -> Float[np.ndarray, "head down across"]:
    """The mean over the queries of a block of their weights summed over a block of keys; row sums do not change.

    -1 where no query of the block may attend to any key; NaN where the weights of all its queries are NaN.
    """
    down, across = (range(0, length, width) for length in links.shape)
    has_numbers = ~np.isnan(patterns).any(axis=2)
    positive_weights = np.where((patterns > 0) & has_numbers[:, :, None], patterns, 0)
    sums = np.add.reduceat(np.add.reduceat(positive_weights, across, axis=2), down, axis=1)
    queries = np.add.reduceat(has_numbers.astype(np.float32), down, axis=1)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, as intended
        means = sums / queries[:, :, None]
    allowed = np.logical_or.reduceat(np.logical_or.reduceat(links, across, axis=1), down, axis=0)
    means[:, ~allowed] = -1
    return means
