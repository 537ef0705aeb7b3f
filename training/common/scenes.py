"""Drawn scenes with true sentences about them, as the networks of words and pictures read them."""

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
    """Pictures (row, column, channel), uint8, as the networks take them."""
    stacked = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
    return (stacked.float() / 255 - MEAN) / SPREAD


def scenes_tokenizer() -> Tokenizer:
    """That of the grammar of the drawn world."""
    return words_tokenizer(vocabulary())


def told_scene(split: str, number: int) -> tuple[Scene, Sentence]:
    """A scene of a split and a true sentence about it; the next one of the split that has such a sentence."""
    held = {"train": False, "relations": True}.get(split)
    for place in count(number * 1000):  # so that two numbers never meet
        scene, dice = scene_at(split, place), Random(f"sentence {split} {place}")
        sentence = sentence_about(scene, dice, held=held)
        if sentence is not None:
            return scene, sentence
    raise AssertionError


def truths(told: Sequence[tuple[Scene, Sentence]]) -> Bool[Tensor, "batch draw"]:
    """Whether the sentence of each column is true of the scene of each row."""
    return torch.tensor([[is_true(sentence, scene) for _, sentence in told] for scene, _ in told])
