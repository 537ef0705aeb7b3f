"""Sentiment / Faithful?: what its sentences, tables and figures claim, worked out another way."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.attribution.agreement import Agreement, agreement
from core.attribution.token_deletion import FaithfulWords
from core.results.faithfulness_results import MEASURES, RANDOM, Faithful, Mean, Measured, RankAgreement
from dashboard.theme import LIGHT, Look
from pages.language.sentiment import faithful_sentences as sentences
from pages.language.sentiment.compute_faithful import Curves
from pages.language.sentiment.faithful_measured import agreed_table, areas_table, rows_of
from pages.language.sentiment.figures_faithful import Gain, gains

TITLES = {"attention": "attention", "gradient": "gradient × input", "occlusion": "occlusion"}
HUES = {"Attention": "#000", "Gradient × input": "#111", "Occlusion": "#222"}
PAIR = st.tuples(st.floats(0, 1), st.floats(0, 1))
FOUND = st.dictionaries(st.sampled_from(list(TITLES)), PAIR, min_size=1)


def curve_of(pair):
    """Curves over 0, 40 and 100 %, both from 0.9 down to 0.1 or back, with these values in the middle."""
    shares = torch.tensor([0.0, 0.4, 1.0])
    return FaithfulWords(shares, torch.tensor([0.9, pair[0], 0.1]), torch.tensor([0.1, pair[1], 0.9]), (1, 1, 1, 1, 1))


def curves_of(pairs, draws):
    return Curves({name: curve_of(pair) for name, pair in pairs.items()}, tuple(map(curve_of, draws)))


def area(first, middle, last):
    return 0.4 * (first + middle) / 2 + 0.6 * (middle + last) / 2


DRAWS = st.lists(PAIR, min_size=1, max_size=5)


@given(FOUND, DRAWS)
def test_the_most_faithful_has_the_smallest_area_under_deletion_and_the_largest_under_insertion(pairs, draws):
    text = sentences.about_best(curves_of(pairs, draws), TITLES)
    expected = [
        min(area(0.9, pair[0], 0.1) for pair in pairs.values()),
        np.mean([area(0.9, pair[0], 0.1) for pair in draws]),
        max(area(0.1, pair[1], 0.9) for pair in pairs.values()),
        np.mean([area(0.1, pair[1], 0.9) for pair in draws]),
    ]
    assert [float(number) for number in re.findall(r"\d\.\d{3}", text)] == pytest.approx(expected, abs=6e-4)
    deletion = text[: text.index("by deletion")]
    first = min(pairs, key=lambda name: pairs[name][0])
    ahead = min(draw[0] for draw in draws) - pairs[first][0]
    if abs(ahead) < 1e-4:
        return
    assert ("no** explanation" in deletion) == (ahead < 0)  # some random order does as well
    if ahead > 0:
        # Areas that differ by 0.005 at most count as equal: the middle height has the weight 0.5.
        near = {name for name, pair in pairs.items() if 0.5 * (pair[0] - pairs[first][0]) < 0.0049}
        far = {name for name, pair in pairs.items() if 0.5 * (pair[0] - pairs[first][0]) > 0.0051}
        assert all(TITLES[name] in deletion for name in near)
        assert not any(f"**{TITLES[name]}**" in deletion for name in far)
        assert ("as faithful as one another" in deletion) or len(near) < 2


@given(FOUND, DRAWS, st.sampled_from(["deletion", "insertion"]))
def test_each_explanation_is_sure_or_unsure_or_no_better_than_chance(pairs, draws, side):
    text = sentences.about_chance(curves_of(pairs, draws), TITLES, side)
    parts = {"sure": "", "unsure": "", "none": ""}
    for part in text.removeprefix(f"By {side}, ").removesuffix(".").split("; "):
        kind = "sure" if "all" in part and "random orders" in part else "unsure" if "not all" in part else "none"
        parts[kind] = part
    place, sign = (0, -1) if side == "deletion" else (1, 1)
    levels = [sign * pair[place] for pair in draws]
    for name, pair in pairs.items():
        own = sign * pair[place]
        close = min(*(abs(own - level) for level in levels), abs(own - np.mean(levels)), 1) < 1e-4
        if close:
            continue
        kind = "sure" if own > max(levels) else "unsure" if own > np.mean(levels) else "none"
        assert TITLES[name] in parts[kind]
        if kind == "unsure":
            assert f"{TITLES[name]} ({sum(level > own for level in levels)} of {len(levels)} do as well)" in text


@pytest.mark.parametrize(
    ("full_probability", "nothing", "phrase"),
    [
        (0.98, 0.5, "All curves begin and end there"),
        (0.6, 0.58, "about as sure"),
        (0.6, 0.62, "about as sure"),
        (0.6, 0.7, "surer without the words"),
    ],
)
def test_where_the_curves_begin_and_end_is_said(full_probability, nothing, phrase):
    shares, heights = torch.tensor([0.0, 1.0]), torch.tensor([full_probability, nothing])
    curve = FaithfulWords(shares, heights, heights.flip(0), (1,) * 5)
    sentence = sentences.about_ends(Curves({}, (curve,)), "positive")
    assert (
        f"gives positive {full_probability:.1%} for the whole text, and {nothing:.1%} for a text with no word"
        in sentence
    )
    assert phrase in sentence


INTERVAL = st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=3, unique=True).map(sorted)


def measured_of(intervals):
    """Gains (low, mean, high) of each explanation, the same for all measures."""
    methods = {
        name: dict.fromkeys(MEASURES, Measured(Mean(0.5, 0.4, 0.6), Mean(mean, low, high), 0.75))
        for name, (low, mean, high) in intervals.items()
    }
    chance = {RANDOM: dict.fromkeys(MEASURES, Measured(Mean(0.7, 0.6, 0.8), None, None))}
    return Faithful("english-rnn", methods | chance, 500)


@given(st.dictionaries(st.sampled_from(list(TITLES)), INTERVAL, min_size=1), st.sampled_from(["deletion", "insertion"]))
def test_over_many_reviews_what_is_within_the_noise_is_called_so(intervals, side):
    text = sentences.about_measured(measured_of(intervals), TITLES, side)
    best = max(intervals, key=lambda name: intervals[name][1])
    assert text.startswith("Over 500 held-out reviews ")
    low, mean, high = intervals[best]
    if low <= 0:
        assert f"no explanation is surely better than random orders by {side}" in text
    else:
        assert f"**{TITLES[best]}** gains most by {side}: its area is {mean:.3f}" in text
        assert f"interval {low:.3f} to {high:.3f}) {'smaller' if side == 'deletion' else 'larger'}" in text
        others = sorted((name for name in intervals if name != best), key=lambda name: -intervals[name][1])
        if others:
            apart = low > intervals[others[0]][2]
            assert ("do not overlap" in text) == apart
            assert ("by them alone neither" in text) == (not apart)
    worse = [TITLES[name] for name, (_, _, top) in intervals.items() if top < 0]
    last = next((part for part in text.split(". ") if "worse than chance" in part), "")
    assert all(title in last.lower() for title in worse)
    assert bool(worse) == bool(last)
    unsure = [TITLES[name] for name, (down, _, top) in intervals.items() if down <= 0 <= top]
    if low > 0:
        part = next((part for part in text.split(". ") if "cannot be told from chance" in part), "")
        assert all(title in part.lower() for title in unsure)
        assert bool(unsure) == bool(part)


SCORES = st.lists(st.floats(-1, 1, width=16), min_size=30, max_size=30)


@given(st.lists(SCORES, min_size=3, max_size=3))
def test_the_pair_that_agrees_most_and_the_one_that_agrees_least_are_named(values):
    scores = dict(zip(TITLES, map(torch.tensor, values), strict=True))
    text = sentences.about_agreement(agreement(scores), TITLES).lower()
    taus = {}
    for first, second in (("attention", "gradient"), ("attention", "occlusion"), ("gradient", "occlusion")):
        one, other = scores[first], scores[second]
        signs = [torch.sign(vector[:, None] - vector[None]) for vector in (one, other)]
        length = signs[0].square().sum().sqrt() * signs[1].square().sum().sqrt()
        if length:
            taus[first, second] = ((signs[0] * signs[1]).sum() / length).item()
    if not taus:
        assert "no two explanations rank" in text
        return
    less = [value for value in taus.values() if value <= 0.995]
    assert ("rank the words the same" in text) == (len(less) < len(taus))
    numbers = [float(number.replace("−", "-")) for number in re.findall(r"(?:is |\()(−?\d\.\d\d)", text)]
    assert numbers == pytest.approx([max(less), min(less)][: len(less)] if less else [], abs=6e-3)
    within = sum(abs(value) <= 0.252 for value in taus.values())
    if all(abs(abs(value) - 0.252) > 0.004 for value in taus.values()):
        assert (f"{within} of {len(taus)} pair" in text) if within else ("no pair is" in text)


def test_two_explanations_or_words_are_needed_to_compare():
    one = agreement({"attention": torch.arange(5.0)})
    assert "no two explanations" in sentences.about_agreement(one, TITLES)
    assert sentences.about_first(one, TITLES) == ""
    single = agreement({"attention": torch.ones(1), "gradient": torch.ones(1)})
    assert "no two explanations" in sentences.about_agreement(single, TITLES)


def test_shared_first_words_stand_beside_chance():
    shared = np.array([[1.0, 0.5, 0.25], [0.5, 1.0, 0.75], [0.25, 0.75, 1.0]])
    text = sentences.about_first(Agreement(tuple(TITLES), np.eye(3), shared, 40, 4), TITLES)
    assert "Of their first 4 words, gradient × input and occlusion share 75%" in text
    assert "share 10% on average" in text
    assert "the most of all pairs" in text
    tied = np.where(shared == 0.5, 0.75, shared)
    assert "as do 1 other pairs" in sentences.about_first(Agreement(tuple(TITLES), np.eye(3), tied, 40, 4), TITLES)
    assert sentences.about_first(Agreement(tuple(TITLES), np.eye(3), shared, 4, 4), TITLES) == ""  # all words are first


@given(st.integers(0, 9), st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_what_the_model_says_without_words_is_compared_with_the_whole(count, before, after, keep):
    now = "positive" if after >= 0.5 else "negative"
    text = sentences.about_taken("positive", count, 9, before, after, keep=keep, now=now)
    assert text.startswith(f"{'From' if keep else 'Without'} the {count} most important of 9 words")
    assert f"**{after:.1%}**" in text
    assert ("is now **negative**" in text) == (after < 0.5)
    if abs(after - before) > 1e-3:
        assert (f"less than from the whole text ({before:.1%})" in text) == (after < before)


def agreed_of(values):
    pairs = (("attention", "gradient"), ("attention", "occlusion"), ("gradient", "occlusion"))
    return [
        RankAgreement(*pair, measure, "verdict", Mean(value, value - 0.1, value + 0.1))
        for pair, value in zip(pairs, values, strict=True)
        for measure in ("tau", "shared")
    ]


@given(st.lists(st.floats(-0.8, 0.8), min_size=3, max_size=3, unique=True))
def test_over_many_reviews_the_most_and_the_least_alike_are_told_with_their_intervals(values):
    agreements = agreed_of(values)
    text = sentences.about_agreed(agreements, TITLES)
    numbers = [float(number.replace("−", "-")) for number in re.findall(r"−?\d\.\d\d", text)]
    high, low = max(values), min(values)
    assert numbers == pytest.approx([high, high - 0.1, high + 0.1, low, low - 0.1, low + 0.1], abs=6e-3)
    assert ("intervals overlap" in text) == (high - 0.1 <= low + 0.1)
    table = agreed_table(agreements)
    assert table["τ"].tolist() == values
    assert table["shared first words, to"].tolist() == pytest.approx([value + 0.1 for value in values])


def test_nothing_is_told_of_what_nobody_measured():
    assert sentences.about_agreed([], TITLES) == ""


def test_the_table_has_a_row_for_each_explanation_and_one_for_chance():
    curves = curves_of({"attention": (0.5, 0.6), "occlusion": (0.1, 0.8)}, [(0.4, 0.5), (0.6, 0.5)])
    table = areas_table(curves, measured_of({"attention": (0.1, 0.2, 0.3)}))
    assert table["explanation"].tolist() == ["Attention", "Occlusion", "at random"]
    assert table["comprehensiveness"].tolist() == pytest.approx([0.4, 0.8, 0.4])
    assert table["sufficiency"].tolist() == pytest.approx([0.3, 0.1, 0.4])
    assert table["random orders as good, deletion"].tolist()[:2] == [1, 0]
    assert table["deletion, mean of 500"].dropna().tolist() == [0.5, 0.7]


def test_rows_of_the_figure_hold_this_review_and_the_mean_of_many():
    curves = curves_of({"attention": (0.5, 0.6), "occlusion": (0.1, 0.8)}, [(0.4, 0.5), (0.6, 0.5)])
    first, second = rows_of(curves, measured_of({"attention": (0.1, 0.2, 0.3)}), HUES)
    assert first.in_review == pytest.approx((0, 0.05), abs=1e-6)
    assert second.in_review == pytest.approx((0.2, 0.15), abs=1e-6)
    assert first.over == ((0.2, 0.1, 0.3),) * 2
    assert second.over is None


def test_marks_stand_in_the_row_of_their_name_with_the_interval_and_zero_is_drawn():
    rows = [Gain("a", "#000", (0.1, -0.2), ((0.2, 0.1, 0.4), (0.3, 0.2, 0.5))), Gain("b", "#111", (0.0, 0.3), None)]
    figure = gains(rows, ("first", "second"), look=Look(LIGHT))
    assert [(trace.x[0], trace.y[0], trace.xaxis) for trace in figure.data] == [
        (0.2, 0, "x"),
        (0.1, 0, "x"),
        (0.0, 1, "x"),
        (0.3, 0, "x2"),
        (-0.2, 0, "x2"),
        (0.3, 1, "x2"),
    ]
    assert figure.data[0].error_x.array[0] == pytest.approx(0.2)
    assert figure.data[0].error_x.arrayminus[0] == pytest.approx(0.1)
    assert [shape.x0 for shape in figure.layout.shapes] == [0, 0]
    assert figure.layout.xaxis.range[0] < -0.2
    assert figure.layout.xaxis2.range[1] > 0.5


def test_explanations_that_rank_all_words_the_same_are_told_apart_from_those_that_are_most_alike():
    one, other = torch.arange(30.0), torch.cat([torch.arange(15.0), torch.arange(30.0, 15.0, -1)])
    comparison = agreement({"attention": one, "gradient": one**2, "occlusion": other})
    text = sentences.about_agreement(comparison, TITLES)
    assert text.startswith(
        "Attention and gradient × input rank the words the same, or nearly so; **attention** and **occlusion**"
    )
    assert sentences.about_agreement(agreement({"attention": one, "gradient": one}), TITLES).count("τ is") == 0
