"""Patch embedding: patches cut from the pixels, or from features, the linear map to tokens, its filters as pictures."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..errors import ModelError
from ..interpretability.trace import ModuleRun, Trace
from ..zoo.image_models import ImageModel, PreparedPicture

BODY = "patch_embed.backbone"  # the path of the convolutional network in timm's hybrids


@dataclass(frozen=True, eq=False)
class Projection:
    """The linear map from a flattened patch to a token; `patch` is its rows and columns of what it is cut from.

    The libraries implement it as a convolution whose stride equals its kernel size. Patches are cut from the pixels; in
    a hybrid (Dosovitskiy et al. 2020, section 3.1) from the features of the convolutional network at the path `body`.
    """

    path: str
    patch: tuple[int, int]
    weight: Float[Tensor, "width_out width_in"]
    bias: Float[Tensor, " width_out"] | None
    body: str | None = None

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
    if BODY in modules and (projection := _projection("patch_embed.proj", modules["patch_embed.proj"])):
        return replace(projection, body=BODY)
    shape = tuple(prepared.pixels.shape)
    for event in trace.events:
        module = modules.get(event.path) if isinstance(event, ModuleRun) else None
        if isinstance(event, ModuleRun) and isinstance(module, nn.Conv2d) and event.inputs[:1] == (shape,):
            projection = _projection(event.path, module)
            if projection is not None and projection.patch == model.patch:
                return projection
            break
    raise ModelError(
        f"{model.title} does not make its tokens from separate patches by one linear map: several or overlapping "
        "convolutions do it. Choose a plain vision transformer, such as ViT, DeiT or DINOv2."
    )


def _projection(path: str, module: nn.Module) -> Projection | None:
    """The linear map that a convolution is to separate patches; None where patches overlap or are mixed."""
    if not isinstance(module, nn.Conv2d) or module.groups > 1 or not set(module.padding) <= {0}:
        return None
    high, wide = kernel = tuple(module.kernel_size)
    if kernel != tuple(module.stride) or tuple(module.dilation) != (1, 1):
        return None
    bias = None if module.bias is None else module.bias.detach().float()
    return Projection(path, (high, wide), module.weight.detach().float().flatten(1), bias)


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
