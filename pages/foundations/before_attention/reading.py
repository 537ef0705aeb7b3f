"""A line, read by five models: what each of them felt of it, and what it expects next."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from core.errors import InputError
from core.memory.gradient_reach import reach
from core.models.character import Alphabet, CharacterModel
from core.text import read_text

LONGEST = 128  # characters, as many as the models read at once in training
EXPECTED = 3  # characters that are shown of what a model expects


@dataclass(frozen=True)
class Reading:
    """What came of a line; by the names of the models."""

    line: str
    unknown: str  # characters of the line that the models do not know, each once
    norms: Mapping[str, np.ndarray]  # of the gradient of each character, first to last
    expected: Mapping[str, tuple[tuple[str, float], ...]]  # the likeliest next characters with their probabilities


def read_line(alphabet: Alphabet, models: Mapping[str, CharacterModel], raw: str) -> Reading:
    """Let every model read the line; InputError if there is none, or if it is too long."""
    line = " ".join(read_text(raw).split("\t"))
    if len(line) > LONGEST:
        raise InputError(
            f"This line has {len(line):,} characters, and the models here read at most {LONGEST} at once. "
            "Choose a part of it."
        )
    characters = alphabet.encode(line)[None]
    norms, expected = {}, {}
    for name, model in models.items():
        norms[name] = reach(model, characters)[0].numpy()
        with torch.inference_mode():
            likeliest = model(characters)[0, -1].softmax(dim=-1).topk(EXPECTED)
        labels = map(alphabet.label, likeliest.indices.tolist())
        expected[name] = tuple(zip(labels, likeliest.values.tolist(), strict=True))
    return Reading(line, alphabet.unknown(line), norms, expected)
