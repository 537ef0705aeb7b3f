"""Pictures for the training scripts: decoding, batches, augmentation and normalisation."""

from collections.abc import Sequence
from io import BytesIO
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from PIL import Image
from torch import Tensor


def batch_at(step: int, count: int, size: int, seed: int) -> Tensor:
    """The numbers of the pictures of a step; every epoch is in a new order."""
    epoch, step = divmod(step, count // size)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed * 1009 + epoch))
    return order[step * size : (step + 1) * size]


def vary(pictures: Tensor, size: int = 64, *, light: bool = True) -> Tensor:
    """Crop (35 to 100 % of the area), stretch, mirror and `light` each picture at random, to `size` pixels a side.

    (batch, channel, row, column), values 0 to 1, in and out.
    """
    count, device = len(pictures), pictures.device
    area = torch.empty(count, device=device).uniform_(0.35, 1.0)
    aspect = torch.empty(count, device=device).uniform_(-0.28, 0.28).exp()  # 3/4 to 4/3
    height, width = (area / aspect).sqrt().clamp(max=1), (area * aspect).sqrt().clamp(max=1)
    mirror = torch.randint(2, (count,), device=device) * 2.0 - 1
    window = torch.zeros(count, 2, 3, device=device)
    window[:, 0, 0], window[:, 1, 1] = width * mirror, height
    window[:, 0, 2] = (torch.rand(count, device=device) * 2 - 1) * (1 - width)
    window[:, 1, 2] = (torch.rand(count, device=device) * 2 - 1) * (1 - height)
    grid = F.affine_grid(window, [count, 3, size, size], align_corners=False)
    pictures = F.grid_sample(pictures, grid, padding_mode="reflection", align_corners=False)
    if not light:
        return pictures
    contrast, brightness = torch.empty(2, count, 1, 1, 1, device=device).uniform_(0.75, 1.25)
    mean = pictures.mean(dim=(1, 2, 3), keepdim=True)
    return ((pictures - mean) * contrast + mean * brightness).clamp(0, 1)


def standardise(pictures: Tensor, mean: Sequence[float], deviation: Sequence[float]) -> Tensor:
    """Values 0 to 1 to about zero mean and unit variance in each channel."""
    middle, spread = (torch.tensor(values, device=pictures.device).view(-1, 1, 1) for values in (mean, deviation))
    return (pictures - middle) / spread


def decode(jpeg: np.ndarray, offsets: np.ndarray, side: int) -> np.ndarray:
    """Concatenated JPEG files, to one array (picture, channel, row, column) uint8.

    A picture that is not `side` pixels high and wide is scaled (Lanczos).
    """
    pictures = np.empty((len(offsets) - 1, 3, side, side), dtype=np.uint8)
    for number, (start, end) in enumerate(pairwise(offsets)):
        picture = Image.open(BytesIO(jpeg[start:end].tobytes())).convert("RGB")
        if picture.size != (side, side):
            picture = picture.resize((side, side), Image.Resampling.LANCZOS)
        pictures[number] = np.asarray(picture).transpose(2, 0, 1)
    return pictures


def as_pixels(pictures: list[np.ndarray]) -> Float[Tensor, "batch channel row column"]:
    """Pictures (row, column, channel) uint8 as values 0 to 1."""
    return torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float() / 255
