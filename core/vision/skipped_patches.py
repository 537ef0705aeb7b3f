"""What leaving hidden patches out of the encoder saves: counted, and measured on this machine.

He et al. 2022, section 3 and table 2: an encoder that reads mask tokens costs several times as much, and learns less.
"""

import statistics
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from ..models.mae import MAEConfig, MaskedAutoencoder, hidden_at_random, loss_of, seen_places
from ..progress import Progress, no_progress

ALL, VISIBLE = READ = ("all patches", "visible patches only")  # what the encoder reads
FORWARD, STEP = WORK = ("forward pass", "training step")
HIDDEN, BATCH, REPEATS = 0.75, 16, 5
PATIENCE = 15.0  # seconds after which no further round is begun, on a slow or busy machine

# Two measurements at once would measure one another.
_MEASURING = threading.Lock()


@dataclass(frozen=True)
class Saving:
    """Of one picture with `hidden` of its patches hidden: multiply-adds, and median seconds, by what is read.

    `seconds` by work (one of WORK), then by what is read (one of READ), for a batch of `batch` pictures.
    """

    operations: Mapping[str, int]
    seconds: Mapping[str, Mapping[str, float]]
    batch: int
    hidden: float = HIDDEN

    def times(self, work: str = "") -> float:
        """How many times as much reading all patches costs: in seconds of a work, or counted where none is named."""
        cost = self.seconds[work] if work else self.operations
        return cost[ALL] / cost[VISIBLE]


def counted(config: MAEConfig, seen: int) -> int:
    """Multiply-adds of the matrix products of one picture's forward pass, of which the encoder reads `seen` patches."""
    values = 3 * config.patch**2
    tokens, places = 1 + seen, 1 + config.patches
    encoder = seen * values * config.width + config.layers * _block(tokens, config.width)
    decoder = tokens * config.width * config.decoder_width + config.decoder_layers * _block(
        places, config.decoder_width
    )
    return encoder + decoder + config.patches * config.decoder_width * len(config.targets) * values


def _block(tokens: int, width: int) -> int:
    """Queries, keys, values and their sum's way out (4), the MLP (8); scores and sums of all pairs of tokens (2)."""
    return 12 * tokens * width**2 + 2 * tokens**2 * width


def measure(
    config: MAEConfig,
    progress: Progress = no_progress,
    *,
    batch: int = BATCH,
    repeats: int = REPEATS,
    patience: float = PATIENCE,
) -> Saving:
    """Time a network of this size, untrained: what it costs does not depend on its weights.

    The four take turns, so that a busy moment of the machine falls on all alike; the first round is not timed.
    """
    generator = torch.Generator().manual_seed(0)
    pixels = torch.randn(batch, 3, config.side, config.side, generator=generator)
    hidden = hidden_at_random(batch, config.patches, HIDDEN, generator)
    places = {ALL: torch.arange(config.patches).expand(batch, -1), VISIBLE: seen_places(hidden)}
    with _MEASURING:
        network = MaskedAutoencoder(config)
        optimiser = torch.optim.AdamW(network.parameters(), lr=0.0)

        def forward(seen: Tensor) -> Tensor:
            return network.decoder(network.encoder(pixels, seen), seen)

        def look(seen: Tensor) -> None:
            with torch.inference_mode():
                forward(seen)

        def learn(seen: Tensor) -> None:
            with torch.inference_mode(False), torch.enable_grad():
                loss_of(forward(seen), pixels, hidden, config).backward()
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)

        seconds = _timed({FORWARD: look, STEP: learn}, places, progress, repeats, patience)
    operations = {read: counted(config, seen.shape[1]) for read, seen in places.items()}
    return Saving(operations, seconds, batch)


def _timed(
    works: Mapping[str, Callable[[Tensor], None]],
    places: Mapping[str, Tensor],
    progress: Progress,
    repeats: int,
    patience: float,
) -> dict[str, dict[str, float]]:
    taken: dict[tuple[str, str], list[float]] = {(work, read): [] for work in works for read in places}
    began, done, total = time.perf_counter(), 0, (1 + repeats) * len(taken)
    for turn in range(1 + repeats):
        for work, read in taken:
            started = time.perf_counter()
            works[work](places[read])
            taken[work, read].append(time.perf_counter() - started)
            done += 1
            progress(done, total)
        if turn and time.perf_counter() - began > patience:
            break
    return {work: {read: statistics.median(taken[work, read][1:]) for read in places} for work in works}
