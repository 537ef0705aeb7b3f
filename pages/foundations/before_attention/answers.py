"""One question of the copy task, put to five models: how likely each of them holds every digit."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from core.memory import copy_task
from core.models.character import CharacterModel


@dataclass(frozen=True)
class Answers:
    """A question, the digits that were to be remembered, and what the models say; by the names of the models."""

    question: str
    digits: str
    probabilities: Mapping[str, np.ndarray]  # (place, digit): the probability of each digit at each question mark

    def given(self, name: str) -> str:
        """The five digits that a model answers: at each question mark the likeliest."""
        return "".join(copy_task.DIGITS[digit] for digit in self.probabilities[name].argmax(axis=1))

    def right(self, name: str) -> int:
        """How many of them are right."""
        return sum(given == digit for given, digit in zip(self.given(name), self.digits, strict=True))


@torch.inference_mode()
def ask(models: Mapping[str, CharacterModel], digits: str, distance: int, draw: int) -> Answers:
    """Pose the question with the letters of this draw; InputError if it is no question."""
    question = copy_task.pose(digits, distance, torch.Generator().manual_seed(draw))
    characters = copy_task.ALPHABET.encode(question)[None]
    numbers = copy_task.ALPHABET.encode(copy_task.DIGITS)
    probabilities = {
        name: model(characters)[0, -copy_task.REMEMBERED :].softmax(dim=-1)[:, numbers].numpy()
        for name, model in models.items()
    }
    return Answers(question, digits, probabilities)
