"""The cost of attention in windows, compared with attention over the whole grid: counted and measured.

Liu et al. 2021, "Swin Transformer", section 3.2, equations 1 and 2: on a grid of h x w places of C channels,

    Omega(MSA)   = 4 h w C^2 + 2 (h w)^2 C      every place attends to every other
    Omega(W-MSA) = 4 h w C^2 + 2 M^2 h w C      every place attends to the M x M places of its window

in multiply-adds: four projections (query, key, value, output), the scores, and the sum of values; the softmax and the
position bias are not counted, as in the paper. A window need not be square: M^2 is then its rows times its columns.
"""

import math
import statistics
import threading
import time
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ..progress import Progress

PIXELS = (64, 96, 128, 192, 256, 320, 384, 448, 512)  # on a side
REPEATS = 5
PATIENCE = 15.0  # seconds after which no further pass is begun, on a slow or busy machine


_MEASURING = threading.Lock()  # simultaneous measurements slow each other down


@dataclass(frozen=True)
class BlockSizes:
    """The sizes of one attention block that determine its cost, besides the picture."""

    width: int  # C: channels
    heads: int
    window: tuple[int, int]  # M x M: rows and columns of places
    patch: int  # pixels on a side of a place

    def grid(self, pixels: int) -> int:
        """h = w for a square picture of this many pixels on a side."""
        return -(-pixels // self.patch)

    def padded(self, pixels: int) -> tuple[int, int]:
        """Rows and columns of the grid, padded to whole windows."""
        grid = self.grid(pixels)
        high, wide = self.window
        return grid + -grid % high, grid + -grid % wide


def global_cost(h: int, w: int, width: int) -> int:
    """Omega(MSA), equation 1: multiply-adds."""
    return 4 * h * w * width**2 + 2 * (h * w) ** 2 * width


def window_cost(h: int, w: int, width: int, window: tuple[int, int]) -> int:
    """Omega(W-MSA), equation 2: multiply-adds; exact where the windows fill the grid."""
    return 4 * h * w * width**2 + 2 * math.prod(window) * h * w * width


class GridAttention(nn.Module):
    """Multi-head self-attention over a grid, in windows or, with `window=None`, over all of it; the fused kernel."""

    def __init__(self, width: int, heads: int, window: tuple[int, int] | None):
        super().__init__()
        self.heads, self.window = heads, window
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Float[Tensor, "batch row column width"]) -> Float[Tensor, "batch row column width"]:
        """The grid is padded to whole windows on the right and below."""
        _, rows, columns, _ = x.shape
        if self.window is None:
            return self._attend(x.flatten(1, 2)).view_as(x)
        high, wide = self.window
        padded = F.pad(x, (0, 0, 0, -columns % wide, 0, -rows % high))
        split = padded.unflatten(1, (-1, high)).unflatten(3, (-1, wide)).transpose(2, 3)
        mixed = self._attend(split.flatten(3, 4).flatten(0, 2)).view(split.shape)
        return mixed.transpose(2, 3).flatten(3, 4).flatten(1, 2)[:, :rows, :columns]

    def _attend(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        return self.out(F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(start_dim=2))


@dataclass(frozen=True)
class Timing:
    """One picture size: the median seconds of one block with windows and of one over the whole grid."""

    pixels: int
    window: float
    full_grid: float
    repeats: int


def measure(
    sizes: BlockSizes,
    progress: Progress,
    *,
    pixels: tuple[int, ...] = PIXELS,
    repeats: int = REPEATS,
    patience: float = PATIENCE,
) -> tuple[Timing, ...]:
    """Time both blocks at every size, smallest first; sizes after `patience` seconds are left out.

    Each runs once untimed; the two alternate, so that other load on the machine affects both.
    """
    with _MEASURING, torch.inference_mode():
        began, timings, done = time.perf_counter(), [], 0
        blocks = [GridAttention(sizes.width, sizes.heads, window).eval() for window in (sizes.window, None)]
        for side in pixels:
            grid = sizes.grid(side)
            x = torch.randn(1, grid, grid, sizes.width, generator=torch.Generator().manual_seed(0))
            seconds: list[list[float]] = [[], []]
            for turn in range(repeats + 1):
                for block, durations in zip(blocks, seconds, strict=True):
                    started = time.perf_counter()
                    block(x)
                    durations.append(time.perf_counter() - started)
                done += 1
                progress(done, len(pixels) * (repeats + 1))
                if turn and time.perf_counter() - began > patience:
                    break
            window, full_grid = (statistics.median(durations[1:]) for durations in seconds)
            timings.append(Timing(side, window, full_grid, len(seconds[0]) - 1))
            if time.perf_counter() - began > patience:
                break
    return tuple(timings)
