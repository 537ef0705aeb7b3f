"""A line and a question, put to small models: what comes out is what the models say."""

import numpy as np
import pytest
import torch

from core.errors import InputError
from core.memory import copy_task
from core.memory.gradient_reach import reach
from core.models.character import Alphabet, CharacterModel
from pages.foundations.before_attention.answers import ask
from pages.foundations.before_attention.reading import LONGEST, read_line

SIZES = {"rnn": {"width": 8, "layers": 1}, "convolution": {"width": 8, "layers": 2, "kernel": 3}}
ALPHABET = Alphabet(" abcdefgh")


def models(vocabulary: int) -> dict[str, CharacterModel]:
    torch.manual_seed(0)
    return {kind: CharacterModel(kind, sizes, vocabulary).eval().requires_grad_(False) for kind, sizes in SIZES.items()}


def test_norms_and_expectations_are_the_models_own():
    given = models(len(ALPHABET))
    reading = read_line(ALPHABET, given, "a bad cab")
    characters = ALPHABET.encode("a bad cab")[None]
    for name, model in given.items():
        assert np.allclose(reading.norms[name], reach(model, characters)[0])
        probabilities = model(characters)[0, -1].softmax(dim=-1)
        best = int(probabilities.argmax())
        assert reading.expected[name][0] == (ALPHABET.label(best), pytest.approx(float(probabilities[best])))


def test_unknown_characters_are_named_and_read_as_one():
    given = models(len(ALPHABET))
    first, second = (read_line(ALPHABET, given, f"a {odd} bad cab") for odd in "é😀")
    assert (first.unknown, second.unknown) == ("é", "😀")
    assert np.allclose(first.norms["rnn"], second.norms["rnn"])


@pytest.mark.parametrize("line", ["", "   ", "\u0007"])
def test_an_empty_line_is_refused(line):
    with pytest.raises(InputError, match="no text here yet"):
        read_line(ALPHABET, models(len(ALPHABET)), line)


def test_a_line_that_is_too_long_is_refused_with_both_numbers():
    with pytest.raises(InputError, match=rf"{LONGEST + 1} characters.*at most {LONGEST}"):
        read_line(ALPHABET, models(len(ALPHABET)), "a" * (LONGEST + 1))


def test_answers_are_the_probabilities_of_the_digits_at_the_question_marks():
    given = models(len(copy_task.ALPHABET))
    answers = ask(given, "48203", 12, draw=3)
    assert answers.question == copy_task.pose("48203", 12, torch.Generator().manual_seed(3))
    for name, model in given.items():
        scores = model(copy_task.ALPHABET.encode(answers.question)[None])[0, 12:].softmax(dim=-1)
        for digit in range(10):
            assert np.allclose(answers.probabilities[name][:, digit], scores[:, 1 + digit])
