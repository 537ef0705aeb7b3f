"""Drawn scenes with true sentences about them, as inputs of the networks of words and pictures."""

from collections.abc import Sequence
from itertools import count
from random import Random

import numpy as np
import torch
from jaxtyping import Bool, Float
from tokenizers import Tokenizer
from torch import Tensor

from core.scenes.sentences import Sentence, vocabulary
from core.scenes.telling import sentence_about
from core.scenes.things import Scene, scene_at
from core.scenes.truth import is_true
from training.common.word_tokens import words_tokenizer

MEAN, SPREAD = 0.5, 0.25  # of values from 0 to 1, for all channels


def normalise(pictures: Sequence[np.ndarray]) -> Float[Tensor, "batch channel row column"]:
    """Pictures of uint8 (row, column, channel) with about zero mean and unit variance."""
    stacked = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
    return (stacked.float() / 255 - MEAN) / SPREAD


def scenes_tokenizer() -> Tokenizer:
    """The tokenizer of the grammar of scenes."""
    return words_tokenizer(vocabulary())


def scene_with_sentence(split: str, number: int) -> tuple[Scene, Sentence]:
    """A scene of a split and a true sentence about it; each `number` gives another scene, the same on every machine."""
    held_out = {"train": False, "relations": True}.get(split)
    for place in count(number * 1000):  # so that two numbers never meet
        scene, rng = scene_at(split, place), Random(f"sentence {split} {place}")
        sentence = sentence_about(scene, rng, held_out=held_out)
        if sentence is not None:
            return scene, sentence
    raise AssertionError


def truth_table(examples: Sequence[tuple[Scene, Sentence]]) -> Bool[Tensor, "batch draw"]:
    """Whether the sentence of each column is true of the scene of each row."""
    return torch.tensor([[is_true(sentence, scene) for _, sentence in examples] for scene, _ in examples])
