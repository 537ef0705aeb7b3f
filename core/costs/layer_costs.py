"""Measured costs of one layer of each kind."""

from collections.abc import Callable, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..models.convolution import Convolution
from ..models.lstm import LSTM
from ..models.self_attention import Attention
from ..progress import Progress
from .one_pass import PATIENCE, REPEATS, Cost, Pass, measure

WIDTH, HEADS, KERNEL = 128, 4, 5
TOKENS = (128, 256, 512, 1024, 2048)


class WrittenOut(Attention):
    """The same attention with explicit scores and weights of all heads in memory."""

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        """As in `Attention`, without its fused kernel."""
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        scores = (query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5).masked_fill(later, -torch.inf)
        return self.out((scores.softmax(dim=-1) @ value).transpose(1, 2).flatten(start_dim=2))


LAYERS: Mapping[str, Callable[[], nn.Module]] = {
    "Self-attention, written out": lambda: WrittenOut(WIDTH, HEADS, "none"),
    "Self-attention, fused": lambda: Attention(WIDTH, HEADS, "none"),
    "LSTM": lambda: LSTM(WIDTH, layers=1),
    "Convolution": lambda: Convolution(WIDTH, layers=1, kernel=KERNEL),
}


def measure_layers(
    progress: Progress, *, tokens: Sequence[int] = TOKENS, repeats: int = REPEATS, patience: float = PATIENCE
) -> tuple[Cost, ...]:
    """Measure each of LAYERS at every length; see `core.costs.one_pass.measure`."""
    generator = torch.Generator().manual_seed(0)
    inputs = {length: torch.randn(1, length, WIDTH, generator=generator) for length in tokens}

    def subject(make: Callable[[], nn.Module]) -> Callable[[int], Pass]:
        layer = make().eval()
        return lambda length: lambda: layer(inputs[length])

    subjects = {name: subject(make) for name, make in LAYERS.items()}
    return measure(subjects, progress, tokens=tokens, repeats=repeats, patience=patience)
