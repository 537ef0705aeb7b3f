"""The five character models, what they make of a line and of a question, and what was measured of them; kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import torch

from core.costs.layer_costs import measure_layers
from core.costs.one_pass import Cost
from core.errors import InputError
from core.models.character import Alphabet, CharacterModel, load_characters
from core.models.convolution import Convolution
from core.progress import Progress, no_progress
from core.reach import copy_task
from core.reach.gradient_reach import reach
from core.results import character_results
from core.text import read_text
from dashboard.cache.memo import cached

FOLDER = character_results.FOLDER
# The five models by the names of their files.
TITLES = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU", "convolution": "Convolution", "self_attention": "Self-attention"}
LONGEST = 128  # characters of a line, as many as the models read at once in training
EXPECTED = 3  # characters that are shown of what a model expects


@dataclass(frozen=True)
class Reading:
    """What came of a line; by the names of the models."""

    line: str
    unknown: str  # characters of the line that the models do not know, each once
    norms: Mapping[str, np.ndarray]  # of the gradient of each character, first to last
    expected: Mapping[str, tuple[tuple[str, float], ...]]  # the likeliest next characters with their probabilities


@dataclass(frozen=True)
class Answers:
    """A question, the digits that were to be remembered, and what the models say; by the names of the models."""

    question: str
    digits: str
    probabilities: Mapping[str, np.ndarray]  # (place, digit): the probability of each digit at each question mark

    def answer(self, name: str) -> str:
        """The five digits that a model answers: at each question mark the likeliest."""
        return "".join(copy_task.DIGITS[digit] for digit in self.probabilities[name].argmax(axis=1))

    def right(self, name: str) -> int:
        """How many of them are right."""
        return sum(answer == digit for answer, digit in zip(self.answer(name), self.digits, strict=True))


def warm_up() -> None:
    """Load what the page shows at first: the models that read a line."""
    models("text")


@cached("Loading the models …")
def models(task: Literal["text", "copy"]) -> tuple[Alphabet, dict[str, CharacterModel]]:
    """The five models that read Shakespeare, or the five that copy digits; shared, so they are only ever read."""
    return load_characters(FOLDER / "copy" if task == "copy" else FOLDER)


def window_of_convolution() -> int:
    """How many characters the convolution that reads a line can see, the last one included."""
    body = models("text")[1]["convolution"].body
    assert isinstance(body, Convolution)
    return body.reach


@cached("Five models read …")
def read(raw: str) -> Reading:
    """What the five models make of a line; InputError if there is none, or if it is too long."""
    alphabet, readers = models("text")
    line = " ".join(read_text(raw).split("\t"))
    if len(line) > LONGEST:
        raise InputError(
            f"This line has {len(line):,} characters, and the models here read at most {LONGEST} at once. "
            "Choose a part of it."
        )
    characters = alphabet.encode(line)[None]
    norms, expected = {}, {}
    for name, model in readers.items():
        norms[name] = reach(model, characters)[0].numpy()
        with torch.inference_mode():
            likeliest = model(characters)[0, -1].softmax(dim=-1).topk(EXPECTED)
        labels = map(alphabet.label, likeliest.indices.tolist())
        expected[name] = tuple(zip(labels, likeliest.values.tolist(), strict=True))
    return Reading(line, alphabet.unknown(line), norms, expected)


@cached("Five models answer …")
@torch.inference_mode()
def ask(digits: str, distance: int, draw: int) -> Answers:
    """Pose a question of the copy task with the letters of this draw; InputError if it is no question."""
    alphabet, copiers = models("copy")
    question = copy_task.pose(digits, distance, torch.Generator().manual_seed(draw))
    characters, numbers = alphabet.encode(question)[None], alphabet.encode(copy_task.DIGITS)
    probabilities = {
        name: model(characters)[0, -copy_task.REMEMBERED :].softmax(dim=-1)[:, numbers].numpy()
        for name, model in copiers.items()
    }
    return Answers(question, digits, probabilities)


@cached(unit="passes")
def layer_costs(progress: Progress = no_progress) -> tuple[Cost, ...]:
    """Time and memory of one layer of each kind; all visitors share them, as they share the machine."""
    return measure_layers(progress)


def mean_reach() -> dict[str, np.ndarray]:
    """Of each model, by title: the mean gradient norm at each distance, relative to that of the last character."""
    table = _by_distance("reach", "norm")
    return {title: np.array(table[name] / table[name].iloc[0]) for name, title in TITLES.items()}


def accuracies() -> pd.DataFrame:
    """The share of right answers: a row for each distance that was measured, a column for each model, by title."""
    return _by_distance("copied", "accuracy").rename(columns=TITLES)[list(TITLES.values())]


def results() -> dict[str, dict[str, float]]:
    """Parameters, bits per character and seconds per epoch, by the names of the models."""
    return {name: vars(of) for name, of in character_results.results(FOLDER).items()}


@cached(computes=False)
def _by_distance(what: Literal["reach", "copied"], column: str) -> pd.DataFrame:
    """What was measured after training: a row for each distance, a column for each model."""
    rows = character_results.reach(FOLDER) if what == "reach" else character_results.copied(FOLDER)
    return pd.DataFrame(list(rows)).pivot(index="distance", columns="model", values=column)
