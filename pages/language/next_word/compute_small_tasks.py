"""The small GPTs, what they make of one problem and of several hundred; kept."""

from dataclasses import dataclass

import numpy as np
import torch

from core.models.gpt import GPT
from core.probing.small_tasks import TASKS, Links, WrittenAnswer, load_small_gpt, right_digits, strongest_links, write
from core.progress import Progress, no_progress
from dashboard.cache.memo import cached

Head = tuple[int, int]
PROBLEMS, SEED = 512, 1  # held-out problems on which everything is counted, and how they are drawn


@cached("Loading the small GPT …")
def network(name: str) -> GPT:
    """The model of one of TASKS; shared, so it is only ever read."""
    return load_small_gpt(name)


def heads_of(name: str) -> tuple[Head, ...]:
    """Every head of the model."""
    config = network(name).config
    return tuple((layer, head) for layer in range(config.layers) for head in range(config.heads))


@cached("The small GPT answers …")
def written(name: str, problem: tuple[int, ...], silenced: tuple[Head, ...]) -> WrittenAnswer:
    """What the model answers to these digits with some heads silenced, and what it read on the way."""
    return write(network(name), TASKS[name], torch.tensor(problem), silenced)


@cached("The small GPT answers several hundred problems …")
def links(name: str) -> Links:
    """Where the strongest link of each head points, over PROBLEMS held-out problems."""
    return strongest_links(network(name), TASKS[name], TASKS[name].draw(PROBLEMS, SEED))


@dataclass(frozen=True, eq=False)
class Accuracy:
    """Shares of the same problems that are answered right, all digits of them.

    With every head, without the silenced ones, and (layer, head) without each head alone.
    """

    baseline: float
    left: float
    alone: np.ndarray


def without(name: str, silenced: tuple[Head, ...]) -> Accuracy:
    """What the model can still do without some heads."""
    return Accuracy(accuracy(name, ()), accuracy(name, silenced), without_each(name))


@cached("The small GPT answers several hundred problems …")
def accuracy(name: str, silenced: tuple[Head, ...]) -> float:
    """The share of PROBLEMS held-out problems that are answered right with these heads silenced."""
    right = right_digits(network(name), TASKS[name], TASKS[name].draw(PROBLEMS, SEED), silenced)
    return float(right.all(dim=-1).float().mean())


@cached("Silencing one head after the other …", unit="heads")
def without_each(name: str, progress: Progress = no_progress) -> np.ndarray:
    """The same share without each head alone, (layer, head)."""
    heads, config = heads_of(name), network(name).config
    shares = np.zeros((config.layers, config.heads), dtype=np.float32)
    for done, head in enumerate(heads):
        progress(done, len(heads))
        shares[head] = accuracy(name, (head,))
    return shares
