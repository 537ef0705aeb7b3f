"""What is measured of students: differences on the same questions, and how far chance may move them."""

import numpy as np
import pytest
import torch
from torch import nn

from training.shrinking import report
from training.shrinking.report import Answers, measure, standard_error


def test_the_error_of_single_questions_is_that_of_a_mean():
    values = torch.from_numpy(np.random.default_rng(0).random(50)).float()
    expected = np.std(values.numpy()) / np.sqrt(50)
    assert standard_error(values, torch.arange(50)) == pytest.approx(expected, rel=1e-5)


def test_questions_that_are_copies_of_each_other_count_once():
    values = torch.from_numpy(np.random.default_rng(1).random(40)).float()
    alone = standard_error(values, torch.arange(40))
    assert standard_error(values.repeat_interleave(3), torch.arange(40).repeat_interleave(3)) == pytest.approx(alone)


def test_the_error_of_groups_is_what_drawing_groups_again_gives():
    dice = np.random.default_rng(2)
    groups = np.repeat(np.arange(200), 5)
    values = (dice.random(1000) < np.repeat(dice.random(200), 5)).astype(np.float32)
    means = values.reshape(200, 5).mean(axis=1)
    drawn = [means[dice.integers(200, size=200)].mean() for _ in range(4000)]
    error = standard_error(torch.from_numpy(values), torch.from_numpy(groups))
    assert error == pytest.approx(np.std(drawn), rel=0.06)


def test_students_are_compared_with_their_teacher_and_with_those_left_alone(monkeypatch):
    true = torch.tensor([0, 1, 2, 3])
    predictions = {
        "whole": torch.tensor([0, 1, 9, 8]),
        "bert-half": torch.tensor([0, 7, 9, 3]),
        "bert-half-alone": torch.tensor([5, 1, 2, 6]),
    }
    monkeypatch.setattr(report, "masked_words", lambda *_: Answers(predictions, true, torch.arange(4)))
    rows = measure("bert", {name: nn.Identity() for name in predictions}, report.FOLDER, report.FOLDER)
    teacher, half, alone = rows.values()
    assert (teacher["quality"], teacher["as_teacher"], teacher["lead"], teacher["gain"]) == (0.5, 1.0, "", "")
    assert (half["quality"], half["as_teacher"], half["same_mistakes"], half["lead"]) == (0.5, 0.5, 0.5, 0.0)
    assert (half["gain"], alone["gain"], alone["same_mistakes"]) == (0.0, "", 0.0)
