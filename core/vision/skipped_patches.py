"""The cost that a masked autoencoder saves by skipping hidden patches in the encoder: counted and measured.

He et al. 2022, section 3 and table 2: an encoder that reads mask tokens costs several times as much, and learns less.
"""

import statistics
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from ..models.mae import MAEConfig, MaskedAutoencoder, loss_of, random_mask, visible_patches
from ..progress import Progress, no_progress

ALL, VISIBLE = READ = ("all patches", "visible patches only")  # what the encoder reads
FORWARD, STEP = WORK = ("forward pass", "training step")
HIDDEN, BATCH, REPEATS = 0.75, 16, 5
PATIENCE = 15.0  # seconds after which no further round is begun, on a slow or busy machine

# One measurement at a time, because simultaneous ones slow each other down.
_MEASURING = threading.Lock()


@dataclass(frozen=True)
class Saving:
    """Multiply-adds of one picture with a share `hidden` of its patches hidden, and median seconds, by what is read.

    `seconds` by work (one of WORK), then by what is read (one of READ), for a batch of `batch` pictures.
    """

    operations: Mapping[str, int]
    seconds: Mapping[str, Mapping[str, float]]
    batch: int
    hidden: float = HIDDEN

    def times(self, work: str = "") -> float:
        """The cost of reading all patches relative to the visible ones: in seconds of `work`, or in operations."""
        cost = self.seconds[work] if work else self.operations
        return cost[ALL] / cost[VISIBLE]


def count_operations(config: MAEConfig, visible: int) -> int:
    """Multiply-adds of the matrix products of one forward pass in which the encoder reads `visible` patches."""
    values = 3 * config.patch**2
    tokens, places = 1 + visible, 1 + config.patches
    encoder = visible * values * config.width + config.layers * _block(tokens, config.width)
    decoder = tokens * config.width * config.decoder_width + config.decoder_layers * _block(
        places, config.decoder_width
    )
    return encoder + decoder + config.patches * config.decoder_width * len(config.targets) * values


def _block(tokens: int, width: int) -> int:
    """Projections of query, key, value and output (4), MLP (8); scores and weighted sums of all pairs of tokens (2)."""
    return 12 * tokens * width**2 + 2 * tokens**2 * width


def measure(
    config: MAEConfig,
    progress: Progress = no_progress,
    *,
    batch: int = BATCH,
    repeats: int = REPEATS,
    patience: float = PATIENCE,
) -> Saving:
    """Time an untrained network of this size; its cost does not depend on its weights.

    The four measurements alternate, so that other load on the machine affects all; the first round is not timed.
    """
    generator = torch.Generator().manual_seed(0)
    pixels = torch.randn(batch, 3, config.side, config.side, generator=generator)
    hidden = random_mask(batch, config.patches, HIDDEN, generator)
    places = {ALL: torch.arange(config.patches).expand(batch, -1), VISIBLE: visible_patches(hidden)}
    with _MEASURING:
        network = MaskedAutoencoder(config)
        optimiser = torch.optim.AdamW(network.parameters(), lr=0.0)

        def forward(visible: Tensor) -> Tensor:
            return network.decoder(network.encoder(pixels, visible), visible)

        def run_forward(visible: Tensor) -> None:
            with torch.inference_mode():
                forward(visible)

        def run_step(visible: Tensor) -> None:
            with torch.inference_mode(False), torch.enable_grad():
                loss_of(forward(visible), pixels, hidden, config).backward()
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)

        seconds = _timed({FORWARD: run_forward, STEP: run_step}, places, progress, repeats, patience)
    operations = {read: count_operations(config, visible.shape[1]) for read, visible in places.items()}
    return Saving(operations, seconds, batch)


def _timed(
    works: Mapping[str, Callable[[Tensor], None]],
    places: Mapping[str, Tensor],
    progress: Progress,
    repeats: int,
    patience: float,
) -> dict[str, dict[str, float]]:
    durations: dict[tuple[str, str], list[float]] = {(work, read): [] for work in works for read in places}
    began, done, total = time.perf_counter(), 0, (1 + repeats) * len(durations)
    for turn in range(1 + repeats):
        for work, read in durations:
            started = time.perf_counter()
            works[work](places[read])
            durations[work, read].append(time.perf_counter() - started)
            done += 1
            progress(done, total)
        if turn and time.perf_counter() - began > patience:
            break
    return {work: {read: statistics.median(durations[work, read][1:]) for read in places} for work in works}
