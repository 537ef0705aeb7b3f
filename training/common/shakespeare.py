"""Tiny Shakespeare (Karpathy 2015): a million characters, nine tenths to learn from, the last one to measure on."""

import gzip
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor, nn

from core.models.character import Alphabet

FILE = "tinyshakespeare.txt.gz"
LEARNT = 0.9  # of the text; the split of nanoGPT
GROUPS = 4  # of hidden characters: one in four is hidden at a time
UNKNOWN_SHARE = 0.005  # share of characters shown as unknown, so that the unknown character's vector is learned too


def read(data: Path) -> tuple[Alphabet, str, str]:
    """The alphabet, the text to learn from, and the text that is held out."""
    text = gzip.decompress((data / FILE).read_bytes()).decode()
    learnt = int(LEARNT * len(text))
    return Alphabet("".join(sorted(set(text)))), text[:learnt], text[learnt:]


class Windows:
    """The text cut into windows of `length` + 1 characters, in a new order and at a new offset in each epoch."""

    def __init__(self, characters: Int[Tensor, " token"], length: int, batch: int, seed: int):
        self.characters, self.length, self.size, self.seed = characters, length, batch, seed
        self.per_epoch = (len(characters) - 2 * length) // length // batch

    def batch(self, step: int) -> tuple[Tensor, Tensor]:
        """Inputs (batch, length), some of them replaced by the unknown character, and the characters that follow."""
        epoch, step = divmod(step, self.per_epoch)
        generator = torch.Generator().manual_seed(self.seed * 1009 + epoch)
        offset = int(torch.randint(self.length, (), generator=generator))
        order = torch.randperm(self.per_epoch * self.size, generator=generator)
        starts = offset + self.length * order[step * self.size : (step + 1) * self.size]
        windows = torch.stack([self.characters[start : start + self.length + 1] for start in starts.tolist()])
        unknown = torch.rand(windows.shape[0], self.length, generator=generator) < UNKNOWN_SHARE
        return windows[:, :-1].masked_fill(unknown, 0), windows[:, 1:]


@torch.inference_mode()
def bits_by_position(model: nn.Module, characters: Tensor, length: int, batch: int = 32) -> np.ndarray:
    """Mean bits for the character after position 0, 1, 2 ... of windows of `length`, side by side over the text."""
    windows = characters[: len(characters) // (length + 1) * (length + 1)].unflatten(0, (-1, length + 1))
    losses = [
        F.cross_entropy(model(part[:, :-1]).transpose(1, 2), part[:, 1:], reduction="none")
        for part in windows.split(batch)
    ]
    return (torch.cat(losses).mean(dim=0) / math.log(2)).numpy()


def hidden_groups(windows: int, length: int, generator: torch.Generator | None = None) -> Int[Tensor, "window token"]:
    """A random group, 0 to `GROUPS` - 1, for each character of a window; one group is hidden at a time."""
    return torch.rand(windows, length, generator=generator).argsort(dim=-1) % GROUPS


@torch.inference_mode()
def bits_of_hidden(model: nn.Module, characters: Tensor, length: int, seed: int, batch: int = 32) -> float:
    """Mean bits for a hidden character, shown as unknown, in windows side by side; each is hidden exactly once."""
    windows = characters[: len(characters) // length * length].unflatten(0, (-1, length))
    groups = hidden_groups(len(windows), length, torch.Generator().manual_seed(seed))
    total = 0.0
    for text, group in zip(windows.split(batch), groups.split(batch), strict=True):
        for number in range(GROUPS):
            hidden = group == number
            logits = model(text.masked_fill(hidden, 0))[hidden]
            total += F.cross_entropy(logits, text[hidden], reduction="sum").item()
    return total / windows.numel() / math.log(2)
