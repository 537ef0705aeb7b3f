"""The verdict on a changed prediction is true of the probabilities, over its whole range and at its edges."""

import re

import numpy as np
import pytest

from dashboard.output.prediction_changes import HARDLY_MOVED, LOST_RATIO, WEAKER_RATIO, change_notice, percent

NAMES = ("cat", "dog", "*bold*", "d", "e", "f")


def notice(before, after) -> str:
    return change_notice(np.array(before), np.array(after), name=NAMES.__getitem__)


@pytest.mark.parametrize(
    ("before", "after", "begins"),
    [
        ([0.6, 0.3, 0.1], [0.6, 0.3, 0.1], "**Hardly matters here**: “cat” 60.0% before, 60.0% now."),
        ([0.6, 0.3, 0.1], [0.59, 0.3, 0.11], "**Hardly matters here**"),
        ([0.6, 0.3, 0.1], [0.55, 0.35, 0.1], "**“cat” stays first**: 60.0% before, 55.0% now. In all, 5% of"),
        ([0.9, 0.05, 0.05], [0.4, 0.3, 0.3], "**“cat” stays first, but weaker**: 90.0% before, 40.0% now."),
        ([0.6, 0.3, 0.1], [0.3, 0.6, 0.1], "**“cat” comes no longer first**: 60.0% before, 30.0% now. Now “dog”"),
        ([0.9, 0.1, 0.0], [0.05, 0.95, 0.0], "**Loses “cat”**: 90.0% before, 5.0% now. Now “dog” comes first (10.0%"),
        ([0.5, 0.49, 0.01], [0.495, 0.5, 0.005], "**“cat” comes no longer first**"),  # however little has moved
        ([0.6, 0.4, 0.0], [0.0001, 0.9999, 0.0], "**Loses “cat”**: 60.0% before, less than 0.1% now."),
        ([1.0], [1.0], "**Hardly matters here**"),
        ([0.4, 0.4, 0.2], [0.4, 0.4, 0.2], "**Hardly matters here**: “cat”"),  # of equals the first one
        ([0.1, 0.2, 0.7], [0.7, 0.2, 0.1], r"**“\*bold\*” comes no longer first**"),
    ],
)
def test_the_verdict_of_known_changes(before, after, begins):
    assert notice(before, after).startswith(begins)


@pytest.mark.parametrize("seed", range(60))
def test_the_verdict_of_any_change_is_what_sorting_and_counting_say(seed):
    rng = np.random.default_rng(seed)
    before, after = (rng.dirichlet(np.full(6, 10.0 ** rng.uniform(-1, 1))) for _ in range(2))
    after = before + (after - before) * rng.choice([0.01, 0.3, 1.0])
    text = notice(before, after)
    was, now = (
        sorted(range(6), key=lambda place: -before[place])[0],
        sorted(range(6), key=lambda place: -after[place])[0],
    )
    gained = sum(max(0.0, new - old) for old, new in zip(before, after, strict=True))
    assert ("Hardly matters" in text) == (was == now and gained < HARDLY_MOVED)
    assert ("Now “" in text) == (was != now)
    assert ("Loses" in text) == (was != now and after[was] / before[was] < LOST_RATIO)
    assert ("weaker" in text) == (was == now and gained >= HARDLY_MOVED and after[was] / before[was] <= WEAKER_RATIO)
    shares = re.findall(r"(less than )?([\d.]+)% (?:before|now)", text)[:2]
    for (below, share), true in zip(shares, (before[was], after[was]), strict=True):
        assert true < 0.001 if below else float(share) == pytest.approx(100 * true, abs=0.051)


def test_nothing_is_said_of_what_is_no_number():
    assert notice([0.5, 0.5], [float("nan"), 0.5]) == ""


def test_a_small_share_is_no_zero_and_nothing_is():
    assert [percent(share) for share in (0.0, 0.0001, 0.0006, 0.5)] == ["0.0%", "less than 0.1%", "0.1%", "50.0%"]
