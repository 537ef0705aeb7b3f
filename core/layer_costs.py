"""What one layer costs on this machine: time and memory of a forward pass, as the sequence grows."""

import statistics
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile, record_function

from core.models.convolution import Convolution
from core.models.lstm import LSTM
from core.models.self_attention import Attention

WIDTH, HEADS, KERNEL = 128, 4, 5
TOKENS = (128, 256, 512, 1024, 2048)
REPEATS = 5
PATIENCE = 10.0  # seconds after which no further round is begun, on a slow or busy machine

Progress = Callable[[int, int], None]  # is told how many passes are done, and of how many

# The profiler of torch is one for the whole process.
_MEASURING = threading.Lock()


class WrittenOut(Attention):
    """The same attention, with the scores and weights of all heads written into memory on the way."""

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


@dataclass(frozen=True)
class LayerCost:
    """One layer at one length."""

    layer: str  # a name of LAYERS
    tokens: int
    seconds: float  # the median of the repeats
    repeats: int
    bytes: int  # the most that was allocated at once during one pass, beyond the layer and its input


def measure(
    progress: Progress,
    *,
    tokens: tuple[int, ...] = TOKENS,
    repeats: int = REPEATS,
    patience: float = PATIENCE,
) -> tuple[LayerCost, ...]:
    """Run every layer at every length, `repeats` times, or fewer if that takes more than `patience` seconds.

    Layers take turns, so that a busy moment of the machine falls on all of them alike; the first pass of each is not
    timed but watched by torch's profiler, which sees every allocation, also those inside of kernels.
    """
    with _MEASURING, torch.inference_mode():
        began = time.perf_counter()
        generator = torch.Generator().manual_seed(0)
        layers = {name: make().eval() for name, make in LAYERS.items()}
        inputs = {length: torch.randn(1, length, WIDTH, generator=generator) for length in tokens}
        passes = [(name, length) for length in tokens for name in layers]
        done, total = 0, len(passes) * (1 + repeats)

        def report() -> None:
            nonlocal done
            done += 1
            progress(done, total)

        memory = _memory(layers, inputs, passes, report)
        seconds: dict[tuple[str, int], list[float]] = {each: [] for each in passes}
        for turn in range(repeats):
            if turn and time.perf_counter() - began > patience:
                break
            for name, length in passes:
                started = time.perf_counter()
                layers[name](inputs[length])
                seconds[name, length].append(time.perf_counter() - started)
                report()
    return tuple(
        LayerCost(*each, statistics.median(seconds[each]), len(seconds[each]), memory[each]) for each in passes
    )


def _memory(
    layers: Mapping[str, nn.Module],
    inputs: Mapping[int, Tensor],
    passes: list[tuple[str, int]],
    report: Callable[[], None],
) -> dict[tuple[str, int], int]:
    """The most bytes that were held at once in each pass."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        for name, length in passes:
            with record_function(f"{name} {length}"):
                layers[name](inputs[length])
            report()
    events = profiler.profiler.kineto_results.events()
    changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    spans = {event.name(): (event.start_ns(), event.end_ns()) for event in events}
    return {(name, length): _peak(changes, *spans[f"{name} {length}"]) for name, length in passes}


def _peak(changes: list[tuple[int, int]], start: int, end: int) -> int:
    """The highest sum of allocations (above 0) and releases (below 0) between two moments."""
    held = highest = 0
    for moment, size in changes:
        if start <= moment <= end:
            held += size
            highest = max(highest, held)
    return highest
