"""Deletion and insertion by words, on models whose answer is known."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.attribution.deletion_curves import order_by_score, random_mean, random_orders
from core.attribution.token_deletion import BINS, counts_for, first_words, measure, replace_words, without_words

NOTHING = 0


def linear(weights):
    """A classifier whose "probability" is the sum of what its tokens are worth; nothing is worth 0."""
    worth = torch.tensor([0.0, *weights], dtype=torch.float64)
    return lambda rows: worth[rows].sum(dim=-1)


def text_of(weights):
    """A text whose token n is worth weights[n], each token a word."""
    return torch.arange(1, len(weights) + 1), [(place,) for place in range(len(weights))]


WORTHS = st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=40)


@given(WORTHS, st.integers(1, 12))
def test_the_order_of_a_perfect_explanation_has_the_curve_of_closed_form(weights, steps):
    ids, words = text_of(weights)
    curve = measure(linear(weights), ids, words, {"": order_by_score(torch.tensor(weights))}, NOTHING, steps)[""]
    falling = sorted(weights, reverse=True)
    for share, left, put in zip(curve.shares.tolist(), curve.deletion.tolist(), curve.insertion.tolist(), strict=True):
        count = round(share * len(weights))
        assert left == pytest.approx(sum(falling[count:]), abs=1e-5)
        assert put == pytest.approx(sum(falling[:count]), abs=1e-5)
    lost = [sum(falling[: math.ceil(share * len(weights))]) for share in (0.01, 0.05, 0.1, 0.2, 0.5)]
    assert curve.comprehensiveness == pytest.approx(sum(lost) / 5, abs=1e-5)
    assert curve.sufficiency == pytest.approx(sum(sum(weights) - loss for loss in lost) / 5, abs=1e-5)


@given(WORTHS, st.integers(0, 99))
def test_no_order_beats_a_perfect_explanation(weights, seed):
    ids, words = text_of(weights)
    orders = {"perfect": order_by_score(torch.tensor(weights))}
    orders |= {str(draw): order for draw, order in enumerate(random_orders(len(weights), 3, seed=seed))}
    curves = measure(linear(weights), ids, words, orders, NOTHING, 10)
    assert min(curve.deletion_area for curve in curves.values()) >= curves["perfect"].deletion_area - 1e-5
    assert max(curve.insertion_area for curve in curves.values()) <= curves["perfect"].insertion_area + 1e-5
    assert max(curve.comprehensiveness for curve in curves.values()) <= curves["perfect"].comprehensiveness + 1e-5
    assert min(curve.sufficiency for curve in curves.values()) >= curves["perfect"].sufficiency - 1e-5


def network():
    """A network in which places and neighbours matter."""
    torch.manual_seed(3)
    layers = torch.nn.Sequential(torch.nn.Embedding(30, 6), torch.nn.Flatten(), torch.nn.Linear(6 * 14, 1))
    return lambda rows: layers(rows)[:, 0].sigmoid().detach()


WORDS = [(1, 2), (3,), (4, 5, 6), (7,), (8,), (9, 10, 11), (12,)]  # tokens 0 and 13 are special
IDS = torch.arange(10, 24)


def test_deletion_of_nothing_changes_nothing():
    classify, ids = network(), IDS
    curves = measure(classify, ids, WORDS, {"a": torch.arange(7), "b": torch.arange(6, -1, -1)}, NOTHING, 7)
    for curve in curves.values():
        assert curve.deletion[0] == curve.insertion[-1]
        assert curve.deletion[0].item() == pytest.approx(classify(ids[None]).item(), abs=1e-6)
    assert torch.equal(without_words(ids, WORDS, [], NOTHING), ids)


def test_curves_of_all_orders_begin_and_end_at_the_same_points():
    classify = network()
    orders = {str(draw): order for draw, order in enumerate(random_orders(7, 5))}
    curves = list(measure(classify, IDS, WORDS, orders, NOTHING, 4).values())
    empty = torch.tensor([10, *[NOTHING] * 12, 23])
    assert torch.equal(replace_words(IDS, WORDS, NOTHING), empty)
    for curve in curves:
        assert curve.deletion[-1] == curve.insertion[0] == curves[0].insertion[0]
        assert curve.deletion[0] == curve.insertion[-1] == curves[0].deletion[0]
        assert curve.deletion[-1].item() == pytest.approx(classify(empty[None]).item(), abs=1e-6)
        assert curve.deletion[0].item() == pytest.approx(classify(IDS[None]).item(), abs=1e-6)
    middle = random_mean(curves)
    assert middle.comprehensiveness == pytest.approx(sum(curve.comprehensiveness for curve in curves) / 5, abs=1e-6)
    assert middle.insertion_area == pytest.approx(sum(curve.insertion_area for curve in curves) / 5, abs=1e-6)


def test_curves_are_those_of_texts_made_one_word_at_a_time():
    classify, order = network(), torch.tensor([4, 0, 6, 2, 5, 1, 3])
    curve = measure(classify, IDS, WORDS, {"": order}, NOTHING, 7)[""]
    left, put = IDS.tolist(), [10, *[NOTHING] * 12, 23]
    for step in range(8):
        assert curve.deletion[step].item() == pytest.approx(classify(torch.tensor([left])).item(), abs=1e-6)
        assert curve.insertion[step].item() == pytest.approx(classify(torch.tensor([put])).item(), abs=1e-6)
        if step < 7:
            for place in WORDS[order[step]]:
                left[place], put[place] = NOTHING, place + 10


def test_a_word_of_several_tokens_goes_as_a_whole_and_special_tokens_stay():
    gone = first_words(torch.tensor([2, 0, 1, 3, 4, 5, 6]), [0, 1, 2, 7], WORDS, 14)
    assert [row.nonzero().flatten().tolist() for row in gone] == [[], [4, 5, 6], [1, 2, 4, 5, 6], list(range(1, 13))]
    assert without_words(IDS, WORDS, [2], NOTHING).tolist() == [10, 11, 12, 13, 0, 0, 0, 17, 18, 19, 20, 21, 22, 23]


@given(st.integers(1, 1000), st.integers(1, 20))
def test_the_points_of_a_curve_are_equal_steps_and_the_bins(words, steps):
    counts = counts_for(words, steps)
    assert counts == sorted(set(counts))
    assert (counts[0], counts[-1]) == (0, words)
    assert {max(1, math.ceil(share * words)) for share in BINS} <= set(counts)
    equal = [word for word in range(words + 1) if any(abs(word - words * n / steps) <= 0.5 for n in range(steps + 1))]
    assert set(counts) <= {*equal, *(math.ceil(share * words) for share in BINS)}


def test_rows_are_read_in_parts_and_the_ends_once():
    sizes, heard = [], []

    def classify(rows):
        sizes.append(len(rows))
        return rows.float().mean(dim=-1)

    ids, words = text_of([0.0] * 40)
    orders = {str(draw): order for draw, order in enumerate(random_orders(40, 3))}
    measure(classify, ids, words, orders, NOTHING, 4, batch_size=8, progress=lambda *both: heard.append(both))
    inner = len({1, 2, 4, 8, 20, 10, 30})
    assert sum(sizes) == 2 + 3 * 2 * inner
    assert max(sizes) <= 8
    assert heard == [(8 * number, sum(sizes)) for number in range(len(sizes))]
