"""The Pareto front, against its definition, pair by pair."""

import numpy as np
import pytest

from core.scaling.pareto import pareto_front


def by_definition(x, y, more_x, more_y):
    x, y = (x if more_x else -x), (y if more_y else -y)
    return np.array([not any((x >= a) & (y >= b) & ((x > a) | (y > b))) for a, b in zip(x, y, strict=True)], dtype=bool)


@pytest.mark.parametrize("more_x", [False, True])
@pytest.mark.parametrize("more_y", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_what_the_definition_says(more_x, more_y, seed):
    random = np.random.default_rng(seed)
    # Whole numbers: many are equal in one or in both.
    x, y = random.integers(0, 12, size=(2, 60)).astype(float)
    assert (pareto_front(x, y, more_x=more_x, more_y=more_y) == by_definition(x, y, more_x, more_y)).all()


def test_twins_stand_together():
    x, y = np.array([1.0, 1.0, 2.0]), np.array([5.0, 5.0, 4.0])
    assert pareto_front(x, y, more_x=False, more_y=True).tolist() == [True, True, False]


def test_of_nothing_nothing_is_best():
    assert len(pareto_front(np.array([]), np.array([]), more_x=False, more_y=True)) == 0
