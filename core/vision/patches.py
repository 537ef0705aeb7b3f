"""Patch embedding: patches cut from the pixels, the linear map to tokens, and its filters as pictures."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..errors import ModelError
from ..interpretability.trace import ModuleRun, Trace
from ..zoo.image_models import ImageModel, PreparedPicture


@dataclass(frozen=True, eq=False)
class Projection:
    """The linear map from a flattened patch to a token; `patch` is its rows and columns of pixels.

    The libraries implement it as a convolution whose stride equals its kernel size.
    """

    path: str
    patch: tuple[int, int]
    weight: Float[Tensor, "width_out width_in"]
    bias: Float[Tensor, " width_out"] | None

    def __call__(self, patches: Float[Tensor, "patch channel row column"]) -> Float[Tensor, "patch width_out"]:
        """The embedding x E^T + b of each patch."""
        tokens = patches.flatten(1) @ self.weight.T
        return tokens if self.bias is None else tokens + self.bias

    @property
    def filters(self) -> Float[Tensor, "width_out channel row column"]:
        """The weights of each output channel, as a picture of the size of a patch."""
        return self.weight.unflatten(1, (-1, *self.patch))


@dataclass(frozen=True, eq=False)
class PrincipalFilters:
    """The principal components of the filters, and their shares of the total variance, the largest first."""

    pictures: Float[Tensor, "_ channel row column"]
    shares: Float[Tensor, " _"]


def cut(pixels: Float[Tensor, "channel _ _"], patch: tuple[int, int]) -> Float[Tensor, "patch channel row column"]:
    """Cut into patches, row by row; pixels beyond the last whole patch are dropped, as by a convolution."""
    channels, height, width = pixels.shape
    (high, wide) = patch
    rows, columns = height // high, width // wide
    cropped = pixels[:, : rows * high, : columns * wide].reshape(channels, rows, high, columns, wide)
    return cropped.permute(1, 3, 0, 2, 4).reshape(rows * columns, channels, high, wide)


def projection_of(model: ImageModel, trace: Trace, prepared: PreparedPicture) -> Projection:
    """The patch embedding of a model. Raises ModelError if it is not one linear map of separate patches."""
    modules = dict(model.network.named_modules())
    shape = tuple(prepared.pixels.shape)
    for event in trace.events:
        module = modules.get(event.path) if isinstance(event, ModuleRun) else None
        if isinstance(event, ModuleRun) and isinstance(module, nn.Conv2d) and event.inputs[:1] == (shape,):
            kernel, stride = tuple(module.kernel_size), tuple(module.stride)
            is_patch_embedding = kernel == stride == model.patch and module.groups == 1 and set(module.padding) <= {0}
            if is_patch_embedding and module.dilation == (1, 1):
                bias = None if module.bias is None else module.bias.detach().float()
                return Projection(event.path, (kernel[0], kernel[1]), module.weight.detach().float().flatten(1), bias)
            break
    raise ModelError(
        f"{model.title} does not make its tokens from separate patches by one linear map: several or overlapping "
        "convolutions do it. Choose a plain vision transformer, such as ViT, DeiT or DINOv2."
    )


def principal_filters(projection: Projection, limit: int = 28) -> PrincipalFilters:
    """The principal components of the filters (Dosovitskiy et al. 2020, figure 7, left).

    Each filter is a point with as many coordinates as a patch has numbers; their mean is subtracted first. The sign of
    a component is arbitrary: here its numbers sum to 0 or more.
    """
    points = projection.weight - projection.weight.mean(dim=0)
    _, lengths, directions = torch.linalg.svd(points, full_matrices=False)
    count = min(limit, len(points) - 1, len(directions))
    directions = directions[:count] * torch.where(directions[:count].sum(dim=1, keepdim=True) < 0, -1.0, 1.0)
    variance = lengths.square()
    shares = variance[:count] / variance.sum().clamp_min(torch.finfo(torch.float32).tiny)
    return PrincipalFilters(directions.unflatten(1, (-1, *projection.patch)), shares)


def components_for(shares: Float[Tensor, " _"], share: float) -> int | None:
    """The number of the largest shares that sum to at least `share`; None if all of them sum to less."""
    indices = (shares.cumsum(0) >= share - 1e-6).nonzero()
    return None if not len(indices) else int(indices[0]) + 1
