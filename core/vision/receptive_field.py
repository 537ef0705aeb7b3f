"""Which pixels a place of a hybrid has already seen before any attention: its receptive field.

How much each pixel counts for the features at a place falls off around it long before the field ends that the sizes of
the kernels allow: the effective receptive field (Luo et al. 2016, section 2). Here it is measured for one picture.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..zoo.image_models import ImageModel, PreparedPicture
from .patches import Projection


@dataclass(frozen=True, eq=False)
class ReceptiveField:
    """How much the pixels count for the features at a place: `shares` of 1, by pixel of the picture."""

    shares: Float[Tensor, "_ _"]
    box: tuple[slice, slice]  # rows and columns of the pixels that belong to the place alone

    @property
    def inside(self) -> float:
        """The share of the pixels that belong to the place."""
        return float(self.shares[self.box].sum())

    def side_of(self, share: float) -> int:
        """The side in pixels of the smallest square around the middle of the place that holds `share`.

        Where it reaches over the edge of the picture, what lies outside counts nothing.
        """
        rows, columns = self.box
        down, across = (torch.arange(length) + 0.5 for length in self.shares.shape)
        row_distances = (down - (rows.start + rows.stop) / 2).abs()
        column_distances = (across - (columns.start + columns.stop) / 2).abs()
        distances = torch.maximum(row_distances[:, None], column_distances[None]).flatten()
        nearest = distances.argsort()
        held = self.shares.flatten()[nearest].cumsum(0)
        last = int((held < share).sum().clamp(max=len(held) - 1))
        return round(2 * float(distances[nearest[last]]) + 1)

    def over(self, rows: int, columns: int) -> Float[Tensor, "row column"]:
        """The shares of the squares of a grid over the picture."""
        high, wide = (length // count for length, count in zip(self.shares.shape, (rows, columns), strict=True))
        cropped = self.shares[: rows * high, : columns * wide]
        return cropped.reshape(rows, high, columns, wide).sum(dim=(1, 3))


def receptive_field(
    model: ImageModel, prepared: PreparedPicture, projection: Projection, place: tuple[int, int]
) -> ReceptiveField:
    """The receptive field of the features that become the patch of a hybrid at a place (row, column), for one picture.

    By the gradient of half the squared length of the features there: for each pixel its size, added over colours.
    `projection`: that of the model, with a `body`.
    """
    assert projection.body is not None
    (row, column), (down, across) = place, projection.patch
    pixels = prepared.pixels.clone().requires_grad_()
    with torch.enable_grad():
        features = model.network.get_submodule(projection.body)(pixels)
        features = features[-1] if isinstance(features, list | tuple) else features
        own = features[0, :, row * down : (row + 1) * down, column * across : (column + 1) * across]
        (gradient,) = torch.autograd.grad(own.square().sum() / 2, pixels)
    sizes = gradient[0].abs().sum(dim=0)
    high, wide = down * len(sizes) // features.shape[2], across * sizes.shape[1] // features.shape[3]
    box = (slice(row * high, (row + 1) * high), slice(column * wide, (column + 1) * wide))
    return ReceptiveField(sizes / sizes.sum().clamp_min(torch.finfo(torch.float32).tiny), box)
