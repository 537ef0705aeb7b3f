"""Pictures of Tiny ImageNet: read once, decoded, normalised."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.common.pictures import decode, standardise

MEAN, DEVIATION = (0.480, 0.448, 0.398), (0.277, 0.269, 0.282)


def normalise(pictures: Tensor) -> Tensor:
    """Standardise pictures of values 0 to 1 with the mean and deviation of Tiny ImageNet's channels."""
    return standardise(pictures, MEAN, DEVIATION)


def read_pictures(data: Path, split: str, cache: Path) -> tuple[Tensor, Tensor]:
    """All pictures of a split, (picture, channel, row, column) uint8, and their class numbers."""
    with np.load(data / "tiny_imagenet_100.npz") as archive:
        labels = torch.from_numpy(archive[f"{split}_labels"].astype(np.int64))
        decoded = cache / f"{split}.npy"
        if not decoded.exists():
            cache.mkdir(parents=True, exist_ok=True)
            np.save(decoded, decode(archive[f"{split}_jpeg"], archive[f"{split}_offsets"], side=64))
    return torch.from_numpy(np.load(decoded)), labels


def read_classes(data: Path) -> list[str]:
    """The names of the classes; of several names of a class the first."""
    with np.load(data / "tiny_imagenet_100.npz") as archive:
        return [str(name).split(",")[0].replace("_", " ").strip() for name in archive["names"]]
