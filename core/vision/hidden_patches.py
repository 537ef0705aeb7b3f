"""Occlusion: class probabilities of a picture without some of its patches.

hidden = hide(prepared.pixels, model.patch, grid, {3, 4})      # zero after the model's normalisation
losses = occlusion(model, prepared, target)                    # for each square, the drop in probability
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

MAX_SQUARES = 256  # squares that are hidden one at a time; where there are more patches, several form a square
BATCH_SIZE = 16  # pictures in one forward pass


@dataclass(frozen=True, eq=False)
class Occlusion:
    """The drop in the probability of a class when one square of the picture is hidden; below 0 where it rises.

    Squares are `side` x `side` patches; those on the right and at the bottom may be smaller. `probability` is that of
    the complete picture.
    """

    target: int
    probability: float
    side: int
    losses: Float[Tensor, "row column"]

    @property
    def most_important(self) -> tuple[int, int]:
        """Row and column of the square with the largest drop."""
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
    """The class probabilities of several pictures. Raises ModelError if the model has no classes."""
    if not model.classes:
        raise ModelError(f"{model.title} predicts nothing: it has no output layer. Choose a model that knows classes.")
    with torch.inference_mode():
        output = model.network(pixels)
    scores = output if isinstance(output, Tensor) else output.logits
    return scores.float().softmax(dim=-1)


def occlusion(model: ImageModel, prepared: PreparedPicture, target: int, progress: Progress | None = None) -> Occlusion:
    """The drop in the probability of a class when each square in turn is hidden (Zeiler and Fergus 2014, section 4.2).

    Squares are patches, or several patches where there are more than MAX_SQUARES. `progress` may stop it by an
    exception.
    """
    grid = prepared.patches
    side = square_side(grid)
    rows, columns = math.ceil(grid.rows / side), math.ceil(grid.columns / side)
    baseline = float(probabilities(model, prepared.pixels)[0, target])
    losses = torch.zeros(rows * columns)
    for start in range(0, len(losses), BATCH_SIZE):
        if progress:
            progress(start, len(losses))
        squares = [divmod(place, columns) for place in range(start, min(start + BATCH_SIZE, len(losses)))]
        pictures = [hide(prepared.pixels, model.patch, grid, _patches(square, side, grid)) for square in squares]
        losses[start : start + len(squares)] = baseline - probabilities(model, torch.cat(pictures))[:, target]
    return Occlusion(target, baseline, side, losses.unflatten(0, (rows, columns)))


def square_side(grid: Patches) -> int:
    """The side of a square in patches, so that there are at most MAX_SQUARES squares."""
    side = 1
    while math.ceil(grid.rows / side) * math.ceil(grid.columns / side) > MAX_SQUARES:
        side += 1
    return side


def _patches(square: tuple[int, int], side: int, grid: Patches) -> frozenset[int]:
    row, column = square
    return frozenset(
        down * grid.columns + across
        for down in range(row * side, min((row + 1) * side, grid.rows))
        for across in range(column * side, min((column + 1) * side, grid.columns))
    )
