"""Scenes as anti-aliased pictures, and the mask of each thing: in integers, so that all machines give the same."""

from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Int, UInt8

from .things import COLOURS, GROUNDS, SIDE, Scene, Thing

FINE = 8  # samples on a side of a pixel
FULL = FINE * FINE
STRIPES = 3  # pixels of a stripe, in a picture of SIDE


def draw(scene: Scene, side: int = SIDE) -> UInt8[np.ndarray, "row column channel"]:
    """A picture of `side` x `side` pixels, values 0 to 255; later things are drawn over earlier ones."""
    picture = _ground(scene, side)
    for thing in scene.things:
        rows, columns, covered = _placed_coverage(thing, side)
        below = picture[rows, columns]
        colour = _row_colours(thing, covered.shape[0], side)
        share = covered[:, :, None]
        picture[rows, columns] = (share * colour + (FULL - share) * below + FULL // 2) // FULL
    return picture.astype(np.uint8)


def mask(thing: Thing, side: int = SIDE) -> Bool[np.ndarray, "row column"]:
    """True for the pixels of which a thing covers at least half."""
    pixels = np.zeros((side, side), dtype=bool)
    rows, columns, covered = _placed_coverage(thing, side)
    pixels[rows, columns] = 2 * covered >= FULL
    return pixels


def masks(scene: Scene, side: int = SIDE) -> Bool[np.ndarray, "draw row column"]:
    """The masks of all things, in their order."""
    return np.stack([mask(thing, side) for thing in scene.things])


def _ground(scene: Scene, side: int) -> Int[np.ndarray, "row column channel"]:
    top, bottom = (np.array(GROUNDS[number], dtype=np.int64) for number in (scene.top, scene.bottom))
    down = np.arange(side, dtype=np.int64)[:, None]
    rows = (top * (side - 1 - down) + bottom * down + (side - 1) // 2) // max(1, side - 1)
    return np.repeat(rows[:, None], side, axis=1)


def _placed_coverage(thing: Thing, side: int) -> tuple[slice, slice, Int[np.ndarray, "row column"]]:
    """The rows and columns of a thing in the picture, and how many of FULL samples of each pixel there it covers."""
    radius = max(1, thing.radius * side // SIDE)
    row, column = thing.row * side // SIDE, thing.column * side // SIDE
    covered = coverage(thing.shape, radius)
    # What reaches beyond the edge is cut off.
    up, left = max(0, radius - row), max(0, radius - column)
    down, right = min(2 * radius, side - row + radius), min(2 * radius, side - column + radius)
    rows = slice(row - radius + up, row - radius + down)
    return rows, slice(column - radius + left, column - radius + right), covered[up:down, left:right]


def _row_colours(thing: Thing, height: int, side: int) -> Int[np.ndarray, "row 1 channel"]:
    """The colour of each row of a thing: stripes are half-way to white."""
    colour = np.array(COLOURS[thing.colour], dtype=np.int64)
    rows = np.repeat(colour[None], height, axis=0)
    if thing.texture == "striped":
        width = max(1, STRIPES * side // SIDE)
        light = np.arange(height) // width % 2 == 1
        rows[light] = (rows[light] + 255) // 2
    return rows[:, None]


@lru_cache(maxsize=256)
def coverage(shape: str, radius: int) -> Int[np.ndarray, "row column"]:
    """The number of samples, of FULL in each pixel, within a shape that is 2 x `radius` pixels wide and high."""
    # Odd numbers from -(n - 1) to n - 1 are the middles of n samples; the edge of the shape is at `reach`.
    reach = 2 * radius * FINE
    along = np.arange(-reach + 1, reach, 2, dtype=np.int64)
    inside = _inside(shape, along[None], along[:, None], reach)
    return inside.reshape(2 * radius, FINE, 2 * radius, FINE).sum(axis=(1, 3), dtype=np.int64)


def _inside(shape: str, x: np.ndarray, y: np.ndarray, reach: int) -> Bool[np.ndarray, "row column"]:
    """Whether points (x to the right, y down, both from -reach to reach) lie within a shape."""
    squared_distance = x * x + y * y
    square = reach * reach
    if shape == "circle":
        return squared_distance <= square
    if shape == "ring":
        return (squared_distance <= square) & (25 * squared_distance >= 9 * square)
    if shape == "square":
        return (10 * abs(x) <= 9 * reach) & (10 * abs(y) <= 9 * reach)
    if shape == "diamond":
        return abs(x) + abs(y) <= reach
    if shape == "cross":
        return (3 * abs(x) <= reach) | (3 * abs(y) <= reach)
    if shape == "triangle":
        return (9 * abs(x) * 2 <= 10 * (y + reach)) & (10 * y <= 9 * reach)
    if shape == "star":
        return _within_star(x, y, reach)
    return _within_heart(x, y, reach)


# Corners of a star with five points, in thousandths of its radius: outer and inner ones in turn, the top first.
STAR = (
    (0, -1000),
    (225, -309),
    (951, -309),
    (363, 118),
    (588, 809),
    (0, 382),
    (-588, 809),
    (-363, 118),
    (-951, -309),
    (-225, -309),
)


def _within_star(x: np.ndarray, y: np.ndarray, reach: int) -> Bool[np.ndarray, "row column"]:
    """By the even-odd rule: whether a ray to the right crosses an odd number of edges."""
    across, down = np.broadcast_arrays(1000 * x, 1000 * y)
    odd = np.zeros(across.shape, dtype=bool)
    for (x1, y1), (x2, y2) in zip(STAR, (*STAR[1:], STAR[0]), strict=True):
        x1, y1, x2, y2 = (corner * reach for corner in (x1, y1, x2, y2))
        if y1 == y2:
            continue
        between = (y1 > down) != (y2 > down)
        # x < x1 + (y - y1) (x2 - x1) / (y2 - y1), without dividing
        left = (across - x1) * (y2 - y1) - (down - y1) * (x2 - x1)
        odd ^= between & ((left < 0) == (y2 > y1))
    return odd


HEART = (8284, 1716)  # half the diagonal of a square on its corner, and how far below the middle; in ten-thousandths


def _within_heart(x: np.ndarray, y: np.ndarray, reach: int) -> Bool[np.ndarray, "row column"]:
    """A heart: a square on its corner, and a circle on each of its upper sides."""
    half, low = (length * reach for length in HEART)
    across, down = 10_000 * abs(x), 10_000 * y - low
    corner = across + abs(down) <= half
    circle = 2 * ((across - half // 2) ** 2 + (down + half // 2) ** 2) <= half * half
    return corner | circle
