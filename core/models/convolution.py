"""Causal convolution over a sequence (van den Oord et al. 2016; Gehring et al. 2017): a window that slides.

Each layer lets a token see `kernel` tokens, itself and those just before it; all tokens are computed at once. A stack
of `layers` sees exactly 1 + layers * (kernel - 1) tokens, and nothing at all beyond them.
"""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Convolution(nn.Module):
    """Layers of causal convolutions, each added to its input."""

    def __init__(self, width: int, layers: int, kernel: int):
        super().__init__()
        self.width, self.kernel = width, kernel
        self.reach = 1 + layers * (kernel - 1)  # tokens that the last output can depend on, itself included
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.convolutions = nn.ModuleList(nn.Conv1d(width, width, kernel) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        for norm, convolution in zip(self.norms, self.convolutions, strict=True):
            past = F.pad(norm(x).transpose(1, 2), (self.kernel - 1, 0))  # nothing from the future
            x = x + F.gelu(convolution(past)).transpose(1, 2)
        return self.norm(x)
