"""The decoding rules against those of transformers, and at their extremes."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from core.errors import InputError, ModelError
from core.generation.rules import (
    FILTERS,
    Rules,
    apply,
    below_min_p,
    beyond_top_k,
    beyond_top_p,
    draw,
    penalise,
    random_number,
)

# Whole numbers among them, so that many are equal.
LOGITS = some.lists(
    some.one_of(some.integers(-4, 4).map(float), some.floats(-30, 30, width=32)), min_size=1, max_size=40
).map(lambda numbers: torch.tensor(numbers, dtype=torch.float32))
SHARE = some.one_of(some.sampled_from([0.0, 0.25, 0.5, 0.9]), some.floats(0, 0.99))


def theirs(warper, logits, read=(0,)):
    """Which tokens a warper of transformers takes away."""
    return warper(torch.tensor([list(read)]), logits[None].clone())[0] == -torch.inf


@settings(deadline=None, max_examples=60)
@given(LOGITS, some.integers(1, 60))
def test_top_k_takes_away_what_transformers_does_also_where_tokens_are_equal_or_fewer_than_k(logits, k):
    torch.testing.assert_close(beyond_top_k(logits, k), theirs(TopKLogitsWarper(k), logits))


@settings(deadline=None, max_examples=60)
@given(LOGITS, SHARE)
def test_top_p_takes_away_what_transformers_does(logits, p):
    torch.testing.assert_close(beyond_top_p(logits, p), theirs(TopPLogitsWarper(p), logits))


@settings(deadline=None, max_examples=60)
@given(LOGITS, SHARE)
def test_min_p_takes_away_what_transformers_does(logits, share):
    torch.testing.assert_close(below_min_p(logits, share), theirs(MinPLogitsWarper(share), logits))


@settings(deadline=None, max_examples=60)
@given(LOGITS, some.floats(1, 3), some.data())
def test_the_penalty_is_that_of_transformers(logits, penalty, data):
    read = data.draw(some.lists(some.integers(0, len(logits) - 1), min_size=1))
    expected = RepetitionPenaltyLogitsProcessor(penalty)(torch.tensor([read]), logits[None].clone())[0]
    torch.testing.assert_close(penalise(logits, read, penalty), expected)


@settings(deadline=None, max_examples=60)
@given(LOGITS, some.floats(0.05, 5), some.integers(0, 50), SHARE, SHARE, some.floats(1, 2), some.data())
def test_all_rules_together_give_the_probabilities_of_transformers(
    logits, temperature, top_k, top_p, min_p, penalty, data
):
    read = data.draw(some.lists(some.integers(0, len(logits) - 1), min_size=1))
    top_p = max(0.01, top_p)
    chain = LogitsProcessorList([RepetitionPenaltyLogitsProcessor(penalty), TemperatureLogitsWarper(temperature)])
    chain += [TopKLogitsWarper(top_k)] if top_k else []
    chain += [TopPLogitsWarper(top_p), MinPLogitsWarper(min_p)]
    expected = chain(torch.tensor([read]), logits[None].clone())[0]
    choice = apply(Rules(temperature, top_k, top_p, min_p, penalty), logits, read)
    torch.testing.assert_close(choice.removed_by >= 0, expected == -torch.inf)
    torch.testing.assert_close(choice.probabilities, expected.softmax(dim=-1))


@settings(deadline=None, max_examples=60)
@given(LOGITS, some.integers(0, 50), SHARE, SHARE)
def test_what_the_filters_take_and_what_is_left_is_everything(logits, top_k, top_p, min_p):
    choice = apply(Rules(1.0, top_k, top_p, min_p), logits, ())
    assert sum(map(choice.removed, FILTERS)) + choice.remaining_probability == pytest.approx(1, abs=1e-5)
    assert choice.remaining >= int((choice.probabilities > 0).sum()) >= 1
    assert float(choice.probabilities.sum()) == pytest.approx(1, abs=1e-5)


@settings(deadline=None, max_examples=60)
@given(LOGITS)
def test_rules_that_are_off_change_nothing(logits):
    choice = apply(Rules(), logits, range(len(logits)))
    torch.testing.assert_close(choice.probabilities, logits.softmax(dim=-1))
    assert choice.remaining == len(logits)
    assert [choice.removed(name) for name in FILTERS] == [0, 0, 0, 0]


@settings(deadline=None, max_examples=60)
@given(LOGITS, some.floats(0, 0.999))
def test_near_temperature_0_only_the_most_probable_are_drawn_and_at_0_the_first_of_them(logits, number):
    cold, greedy = (apply(Rules(temperature), logits, ()) for temperature in (0.01, 0.0))
    near = logits.double() / 0.01
    torch.testing.assert_close(cold.probabilities.double(), near.softmax(dim=-1), atol=1e-3, rtol=1e-3)
    assert draw(greedy.probabilities, number) == int(logits.argmax())
    assert greedy.remaining == 1
    assert greedy.removed("greedy") == pytest.approx(1 - float(logits.softmax(dim=-1).max()), abs=1e-5)


@pytest.mark.parametrize(
    ("rules", "remaining"),
    [
        (Rules(top_k=2), {0, 1}),
        (Rules(top_k=3), {0, 1, 2, 3}),  # the third and the fourth are equal
        (Rules(top_k=99), {0, 1, 2, 3, 4}),
        (Rules(top_p=0.4), {0}),
        (Rules(top_p=0.6), {0, 1}),
        (Rules(top_p=0.0), {0}),
        (Rules(min_p=0.45), {0, 1}),
        (Rules(min_p=1.0), {0}),
        (Rules(top_k=2, min_p=0.9), {0}),
    ],
)
def test_an_example_that_can_be_reckoned_by_hand(rules, remaining):
    logits = torch.tensor([0.5, 0.25, 0.1, 0.1, 0.05]).log()
    choice = apply(rules, logits, ())
    assert set(torch.nonzero(choice.removed_by < 0)[:, 0].tolist()) == remaining


@settings(deadline=None, max_examples=60)
@given(LOGITS, some.floats(0, 0.9999))
def test_a_draw_lies_where_the_number_falls_in_the_row_of_all_tokens(logits, number):
    chances = apply(Rules(top_p=0.9), logits, ()).probabilities
    token = draw(chances, number)
    order = sorted(range(len(chances)), key=lambda candidate: -float(chances[candidate]))
    before = math.fsum(float(chances[candidate]) for candidate in order[: order.index(token)])
    assert chances[token] > 0
    assert before - 1e-6 <= number <= before + float(chances[token]) + 1e-6


def test_draws_are_as_frequent_as_they_are_probable():
    chances = torch.tensor([0.1, 0.6, 0.0, 0.3])
    drawn = torch.tensor([draw(chances, random_number(7, step)) for step in range(4000)]).bincount(minlength=4) / 4000
    torch.testing.assert_close(drawn, chances, atol=0.03, rtol=0)
    assert drawn[2] == 0


def test_a_seed_throws_the_same_numbers_and_another_seed_others():
    throws = [[random_number(seed, step) for step in range(50)] for seed in (3, 3, 4)]
    assert throws[0] == throws[1]
    assert not set(throws[0]) & set(throws[2])
    assert len(set(throws[0])) == 50


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"temperature": -1.0}, "The temperature is -1, and it must be 0"),
        ({"temperature": 0.001}, "temperature is 0.001"),
        ({"temperature": math.nan}, "temperature is nan"),
        ({"top_k": -1}, "top-k is -1"),
        ({"top_p": 1.5}, "top-p is 1.5, and it must be from 0 to 1"),
        ({"min_p": -0.1}, "min-p"),
        ({"penalty": 0.0}, "repetition penalty is 0"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_an_error_with_its_bounds(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        Rules(**wrong)


@pytest.mark.parametrize("logits", [[math.nan, 1.0], [-math.inf, -math.inf]])
def test_scores_that_are_no_numbers_are_an_error_and_no_token(logits):
    with pytest.raises(ModelError, match="no numbers"):
        apply(Rules(), torch.tensor(logits), ())
