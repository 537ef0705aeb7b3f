"""A soft look-up is softmax by hand, attention of the eight steps, and at temperature 0 the look-up of a dictionary."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention.soft_lookup import soft_lookup
from core.attention.worked_examples import CLASSIC, SENTENCE

NUMBERS = st.floats(-8, 8, width=32)
ENTRIES = st.integers(1, 5).flatmap(
    lambda count: st.tuples(
        arrays(np.float64, 3, elements=NUMBERS),
        arrays(np.float64, (count, 3), elements=NUMBERS),
        arrays(np.float64, (count, 2), elements=NUMBERS),
    )
)


@settings(max_examples=40)
@given(ENTRIES, st.floats(0.05, 10))
def test_shares_and_answer_are_those_of_softmax_written_in_numpy(entries, temperature):
    query, key, value = entries
    lookup = soft_lookup(*map(torch.from_numpy, entries), temperature=temperature)
    scores = np.array([sum(a * b for a, b in zip(query, row, strict=True)) for row in key])
    exponentials = np.exp((scores - scores.max()) / temperature)
    shares = exponentials / exponentials.sum()
    np.testing.assert_allclose(lookup.scores, scores, atol=1e-9)
    np.testing.assert_allclose(lookup.shares, shares, atol=1e-9)
    np.testing.assert_allclose(lookup.answer, shares @ value, atol=1e-9)


@settings(max_examples=40)
@given(ENTRIES)
def test_temperature_0_is_a_hard_look_up_whose_ties_share_evenly(entries):
    _, _, value = entries
    lookup = soft_lookup(*map(torch.from_numpy, entries), temperature=0.0)
    best = list(lookup.best)
    assert float(lookup.scores.max()) == float(lookup.scores[best].max())
    expected = np.zeros(len(value))
    expected[best] = 1 / len(best)
    np.testing.assert_allclose(lookup.shares, expected)
    np.testing.assert_allclose(lookup.answer, value[best].mean(axis=0), atol=1e-12)


@settings(max_examples=40)
@given(ENTRIES)
def test_a_falling_temperature_comes_to_the_hard_look_up(entries):
    hard = soft_lookup(*map(torch.from_numpy, entries), temperature=0.0)
    others = np.delete(hard.scores.numpy(), hard.best)
    gap = float(hard.scores.max()) - (others.max() if others.size else -math.inf)
    exact_ties = hard.scores[list(hard.best)].unique().numel() == 1
    if gap > 1e-3 and exact_ties:
        soft = soft_lookup(*map(torch.from_numpy, entries), temperature=1e-3 * min(gap, 1))
        np.testing.assert_allclose(soft.shares, hard.shares, atol=1e-9)
    tiny = soft_lookup(*map(torch.from_numpy, entries), temperature=5e-324)
    assert tiny.shares.isfinite().all()


def test_a_dictionary_with_an_equal_key_answers_as_a_dictionary_of_python():
    entries = {(1.0, 0.0): 7.0, (0.0, 1.0): 5.0, (-1.0, 0.0): 3.0}
    keys, values = torch.tensor(list(entries)), torch.tensor(list(entries.values()))[:, None]
    for key, value in entries.items():
        assert float(soft_lookup(torch.tensor(key), keys, values, temperature=0.0).answer) == value


def test_two_keys_at_the_same_angle_tie_although_their_products_differ_by_rounding():
    half = math.sqrt(0.5)
    query, keys = torch.tensor([half, half + 1e-9], dtype=torch.float64), torch.eye(2, dtype=torch.float64)
    lookup = soft_lookup(query, keys, torch.tensor([[4.0], [10.0]], dtype=torch.float64), temperature=0.0)
    assert lookup.best == (0, 1)
    assert lookup.shares.tolist() == [0.5, 0.5]
    assert lookup.answer.tolist() == [7.0]


@pytest.mark.parametrize(("example", "head"), [(SENTENCE, 0), (SENTENCE, 1), (CLASSIC, 0)])
def test_at_the_root_of_head_dim_it_is_the_attention_of_the_eight_steps(example, head):
    steps = {symbol: array for step in example.steps() for symbol, array in step.arrays.items()}
    if "Q" not in steps:
        steps |= {name: example.matrices[name][None] for name in "QKV"}
    query, key, value = (steps[name][head] for name in "QKV")
    for place, row in enumerate(query):
        lookup = soft_lookup(row, key, value, temperature=math.sqrt(key.shape[1]))
        torch.testing.assert_close(lookup.shares, steps["A"][head, place])
        torch.testing.assert_close(lookup.answer, steps["H"][head, place])


@pytest.mark.parametrize("temperature", [-1.0, -1e-9, math.nan])
def test_a_temperature_below_0_is_refused(temperature):
    with pytest.raises(ValueError, match="0 or more"):
        soft_lookup(torch.ones(2), torch.eye(2), torch.eye(2), temperature=temperature)


def test_no_entries_and_no_finite_scores_are_refused():
    with pytest.raises(ValueError, match="without entries"):
        soft_lookup(torch.ones(2), torch.ones(0, 2), torch.ones(0, 1), temperature=1.0)
    with pytest.raises(ValueError, match="not finite"):
        soft_lookup(torch.tensor([math.inf, 1]), torch.eye(2), torch.eye(2), temperature=1.0)
