"""Patches that a model is not shown: what it says without some, and which single one matters most.

hidden = hide(prepared.pixels, model.patch, grid, {3, 4})      # zero after the model's normalisation
losses = occlusion(model, prepared, target)                    # for each square, what the class loses without it
"""

import math
from collections.abc import Collection
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import InputError, ModelError
from ..images import Patches
from ..progress import Progress
from ..zoo.image_models import ImageModel, PreparedPicture

MOST = 256  # squares that are hidden one after the other: where there are more patches, several form a square
TOGETHER = 16  # pictures in one forward pass


@dataclass(frozen=True, eq=False)
class Occlusion:
    """What the probability of a class loses when one square of the picture is hidden, below 0 where it gains.

    Squares are `side` x `side` patches; those on the right and at the bottom may be smaller. `probability` is that
    of the whole picture.
    """

    target: int
    probability: float
    side: int
    losses: Float[Tensor, "row column"]

    @property
    def most(self) -> tuple[int, int]:
        """Row and column of the square that matters most."""
        row, column = divmod(int(self.losses.argmax()), self.losses.shape[1])
        return row, column

    def patches(self, square: tuple[int, int], grid: Patches) -> frozenset[int]:
        """The patches of a square, counted row by row."""
        return _patches(square, self.side, grid)


def hide(
    pixels: Float[Tensor, "batch channel _ _"], patch: tuple[int, int], grid: Patches, places: Collection[int]
) -> Float[Tensor, "batch channel _ _"]:
    """The same pictures with these patches (counted row by row) at 0, after the model's own normalisation.

    InputError for a patch that the grid does not have.
    """
    count = grid.rows * grid.columns
    if outside := sorted(place for place in places if not 0 <= place < count):
        raise InputError(f"This picture has the patches 0 to {count - 1}; there is no patch {outside[0]} to hide.")
    hidden = pixels.clone()
    for place in places:
        row, column = divmod(place, grid.columns)
        hidden[..., row * patch[0] : (row + 1) * patch[0], column * patch[1] : (column + 1) * patch[1]] = 0
    return hidden


def probabilities(model: ImageModel, pixels: Float[Tensor, "batch channel _ _"]) -> Float[Tensor, "batch class"]:
    """How probable the model says each class is, for several pictures at once; ModelError if it knows no classes."""
    if not model.classes:
        raise ModelError(f"{model.title} predicts nothing: it has no output layer. Choose a model that knows classes.")
    with torch.inference_mode():
        output = model.network(pixels)
    scores = output if isinstance(output, Tensor) else output.logits
    return scores.float().softmax(dim=-1)


def occlusion(model: ImageModel, prepared: PreparedPicture, target: int, progress: Progress | None = None) -> Occlusion:
    """Hide each square in turn and note what the class loses (Zeiler and Fergus 2014, section 4.2).

    Squares are patches, or several together where there are more than MOST. `progress` may stop it by an exception.
    """
    grid = prepared.patches
    side = square_side(grid)
    rows, columns = math.ceil(grid.rows / side), math.ceil(grid.columns / side)
    whole = float(probabilities(model, prepared.pixels)[0, target])
    losses = torch.zeros(rows * columns)
    for start in range(0, len(losses), TOGETHER):
        if progress:
            progress(start, len(losses))
        squares = [divmod(place, columns) for place in range(start, min(start + TOGETHER, len(losses)))]
        pictures = [hide(prepared.pixels, model.patch, grid, _patches(square, side, grid)) for square in squares]
        losses[start : start + len(squares)] = whole - probabilities(model, torch.cat(pictures))[:, target]
    return Occlusion(target, whole, side, losses.unflatten(0, (rows, columns)))


def square_side(grid: Patches) -> int:
    """How many patches on a side form one square: so many that there are at most MOST squares."""
    side = 1
    while math.ceil(grid.rows / side) * math.ceil(grid.columns / side) > MOST:
        side += 1
    return side


def _patches(square: tuple[int, int], side: int, grid: Patches) -> frozenset[int]:
    row, column = square
    return frozenset(
        down * grid.columns + across
        for down in range(row * side, min((row + 1) * side, grid.rows))
        for across in range(column * side, min((column + 1) * side, grid.columns))
    )
