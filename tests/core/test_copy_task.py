"""The copy task can be solved by memory alone, and every answer is as far from its digit as is said."""

import pytest
import torch

from core.errors import InputError
from core.reach import copy_task


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("distance", [5, 6, 37, 100])
def test_from_each_digit_to_its_answer_it_is_the_same_distance(distance):
    question = copy_task.pose("48203", distance, generator())
    for place in range(copy_task.REMEMBERED):
        assert question[place] == "48203"[place]
        assert question[place + distance] == copy_task.QUESTION
    assert len(question) == distance + copy_task.REMEMBERED
    assert set(question[5:-5]) <= set(copy_task.LETTERS)


@pytest.mark.parametrize("distance", [5, 12, 100])
def test_many_questions_have_the_form_of_one(distance):
    sequences, digits = copy_task.pose_many(40, distance, generator())
    for sequence, wanted in zip(sequences.tolist(), digits.tolist(), strict=True):
        question = "".join(map(copy_task.ALPHABET.label, sequence))
        answer = "".join(map(copy_task.ALPHABET.label, wanted))
        assert question[:5] == answer
        assert set(answer) <= set(copy_task.DIGITS)
        assert set(question[5:-5]) <= set(copy_task.LETTERS)
        assert question[-5:] == "?????"
        assert len(question) == distance + 5


def test_all_digits_and_letters_come_about_equally_often():
    sequences, digits = copy_task.pose_many(2000, 25, generator())
    of_digits = torch.bincount(digits.flatten(), minlength=11)[1:]
    of_letters = torch.bincount(sequences[:, 5:-5].flatten(), minlength=37)[11:]
    assert of_digits.min() > 0.85 * of_digits.float().mean()
    assert of_letters.min() > 0.85 * of_letters.float().mean()


def test_the_same_seed_poses_the_same_question_and_another_seed_another():
    first = copy_task.pose("12345", 50, generator(1))
    assert first == copy_task.pose("12345", 50, generator(1))
    assert first != copy_task.pose("12345", 50, generator(2))


@pytest.mark.parametrize("digits", ["", "1234", "123456", "12a45", "１２３４５", "<b>x<"])
def test_anything_but_five_digits_is_refused_with_the_rule(digits):
    with pytest.raises(InputError, match="5 digits from 0 to 9"):
        copy_task.pose(digits, 20, generator())


@pytest.mark.parametrize("distance", [4, 101, -5])
def test_a_distance_out_of_range_is_refused_with_the_range(distance):
    with pytest.raises(InputError, match=f"5 to 100 characters, not {distance}"):
        copy_task.pose("12345", distance, generator())
