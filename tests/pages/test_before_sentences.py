"""What is said about the five models is true of the numbers it is said about."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from core.costs.complexity import WAYS, Sizes
from core.costs.layer_costs import LAYERS
from core.costs.one_pass import Cost
from core.models.character import BODIES
from dashboard.theme import LIGHT, Look
from pages.foundations.before_attention.compute import TITLES, Answers
from pages.foundations.before_attention.copies import about_copy, join_names, longest_copied
from pages.foundations.before_attention.figures import LAYER_HUES, MODEL_HUES, way_curves
from pages.foundations.before_attention.five_models import about_models
from pages.foundations.before_attention.reach import about_reach
from pages.foundations.before_attention.ways import SLIDERS, about_measured, about_ways, table

DISTANCE = np.arange(128.0)


def curves(length: int = 128) -> dict[str, np.ndarray]:
    lines = {
        "RNN": 0.5 ** (DISTANCE / 2),
        "LSTM": 0.5 ** (DISTANCE / 8),
        "GRU": 0.5 ** (DISTANCE / 4),
        "Convolution": np.where(DISTANCE < 25, 0.9**DISTANCE, 0.0),
        "Self-attention": np.where(DISTANCE == 0, 1.0, 0.02),
    }
    return {title: values[:length] for title, values in lines.items()}


def test_every_model_and_every_layer_has_a_name_and_a_hue_of_its_own():
    assert list(TITLES) == list(BODIES)
    assert len(set(MODEL_HUES.values())) == len(BODIES)
    assert set(LAYER_HUES) == set(LAYERS)


def test_half_lives_are_those_of_the_curves():
    sentence = about_reach(curves(), own=False, window=25)[0]
    assert "RNN every **2.0 characters**, LSTM every **8.0 characters**, GRU every **4.0 characters**" in sentence


@pytest.mark.parametrize(
    ("norms", "clause"),
    [
        (np.ones(128), "LSTM **never** (it does not fall)"),
        (np.eye(128)[0], "LSTM **at once** (nothing before the last character is felt)"),
    ],
)
def test_what_does_not_fall_or_is_not_felt_has_no_half_life(norms, clause):
    assert clause in about_reach(curves() | {"LSTM": norms}, own=False, window=25)[0]


def test_the_edge_of_the_convolution_is_counted():
    sentence = about_reach(curves(), own=True, window=25)[1]
    assert "reaches the convolution is **24 characters** before the last one" in sentence
    assert "exactly 25" in sentence


@pytest.mark.parametrize("length", [12, 20, 25])
def test_a_line_within_the_window_has_no_edge_yet(length):
    sentence = about_reach(curves(length), own=True, window=25)[1]
    assert f"The convolution's window of 25 characters covers all {length} of this line" in sentence


def test_what_is_left_far_away_is_told_for_each_model_and_the_strongest_named():
    sentence = about_reach(curves(), own=False, window=25)[2]
    assert (
        "is left on average: RNN 3\u00a0×\u00a010⁻⁸, GRU 2\u00a0×\u00a010⁻⁴, LSTM 1.3%, Self-attention 2.0%" in sentence
    )
    assert "**Self-attention**" in sentence


@pytest.mark.parametrize("length", [1, 2, 11])
def test_a_short_line_is_said_to_be_short(length):
    (sentence,) = about_reach(curves(length), own=True, window=25)
    assert f"A line of {length} characters is too short" in sentence


def answers(**digits: str) -> Answers:
    return Answers("", "48203", {name: np.eye(10)[[int(digit) for digit in answer]] for name, answer in digits.items()})


def accuracies(**of: list[float]) -> pd.DataFrame:
    """At the distances 5, 10, 15 ...: 1 everywhere for models that are not named."""
    count = len(next(iter(of.values()), [1.0, 1.0]))
    columns = {title: of.get(name, [1.0] * count) for name, title in TITLES.items()}
    return pd.DataFrame(columns, index=range(5, 5 * count + 1, 5))


@settings(deadline=None, max_examples=50)
@given(some.lists(some.floats(0, 1), min_size=1, max_size=6))
def test_the_longest_distance_copied_is_the_last_before_the_first_failure(shares):
    reached = 0
    for place, share in enumerate(shares):
        if share <= 0.5:
            break
        reached = 5 * (place + 1)
    assert longest_copied(accuracies(rnn=shares)["RNN"]) == reached


def test_who_answered_best_is_counted_digit_by_digit():
    replies = answers(rnn="48000", lstm="48203", gru="11111", convolution="99999", self_attention="48203")
    assert [replies.right(name) for name in replies.probabilities] == [3, 5, 0, 0, 5]
    assert replies.answer("rnn") == "48000"
    first, last, question = about_copy(accuracies(rnn=[1.0, 0.1], convolution=[0.9, 0.3]), replies)
    assert "RNN **5**, LSTM **10**" in first
    assert last == (
        "At distance 10 self-attention repeats 100% of the digits, the convolution 30%; guessing would give 10%."
    )
    assert "LSTM and Self-attention got the most digits right: 5 of 5" in question


def test_nobody_is_best_where_nobody_is_right():
    wrong = answers(**dict.fromkeys(TITLES, "11111"))
    assert about_copy(accuracies(), wrong)[-1] == "In the question shown, no model got a single digit right."


def test_only_a_model_that_fails_alike_at_all_distances_is_said_to_have_learned_nothing():
    replies = answers(**dict.fromkeys(TITLES, "48203"))
    sentences = about_copy(accuracies(rnn=[0.18, 0.2], lstm=[0.4, 0.1], convolution=[0.1, 0.1]), replies)[1:4]
    assert sentences[0].startswith("RNN repeats 18% to 20% of the digits, whatever the distance")
    assert "Bengio" in sentences[0]
    assert sentences[1].startswith("LSTM repeats 40% of the digits at the shortest distance, and 10% to 40%")
    assert sentences[2].startswith("Convolution repeats 10% to 10% of the digits, whatever the distance")
    assert "recurrent" not in sentences[2]


def test_names_are_listed_as_in_a_sentence():
    assert [join_names(list("ABC"[:count])) for count in (1, 2, 3)] == ["A", "A and B", "A, B and C"]


@pytest.mark.parametrize(
    ("n", "d", "comparison"),
    [
        (64, 512, "recurrence needs **8 times** as many operations as self-attention"),
        (4096, 512, "self-attention needs **8 times** as many operations as recurrence"),
        (512, 512, "self-attention and recurrence need the same number of operations"),
    ],
)
def test_attention_and_recurrence_are_compared_the_right_way_round(n, d, comparison):
    sentence = about_ways(Sizes(n, d, 5, 16))[0]
    assert comparison in sentence
    assert f"meet at n = d = {d}" in sentence


@settings(deadline=None, max_examples=50)
@given(*(some.sampled_from(choices) for _, _, choices, _ in SLIDERS))
def test_steps_are_those_of_the_table_for_all_that_can_be_chosen(n, d, k, r):
    steps = about_ways(Sizes(n, d, k, r))[1]
    dilated = next(power for power in range(20) if k**power >= n)
    assert f"**{n:,}** steps through a recurrent layer, {math.ceil(n / k):,} layers of convolution" in steps
    assert f"{dilated:,} if they are dilated, and 1 through self-attention" in steps


def test_growth_is_that_of_the_last_doubling():
    costs = [
        Cost("LSTM", tokens, seconds, 5, size)
        for tokens, seconds, size in ((512, 1.0, 10), (1024, 3.0, 20), (2048, 6.0, 90))
    ]
    assert about_measured(costs)[0].endswith("these factors: LSTM **2.0** and **4.5**.")
    # A layer that no time was left for is not spoken of, and nothing is where there is nothing to compare.
    assert about_measured([*costs, Cost("Slow", 1024, 9.0, 5, 9)]) == about_measured(costs)
    assert about_measured(costs[:1]) == about_measured([]) == ()


def test_the_table_has_the_smallest_number_of_each_column_in_bold():
    cells = table(Sizes(n=1000, d=512, k=10, r=100))
    assert cells.loc["Restricted self-attention", "operations"] == "$O(r\\,n\\,d)$\u2003**5.12\u00a0×\u00a010⁷**"
    assert cells.loc["Self-attention", "operations"] == "$O(n^2\\,d)$\u20035.12\u00a0×\u00a010⁸"
    assert cells.loc["Recurrent", "sequential steps"] == "$O(n)$\u20031,000"
    assert cells.loc["Self-attention", "path length"] == "$O(1)$\u2003**1**"
    assert cells.loc["Dilated convolution", "path length"] == "$O(\\log_k n)$\u20033"


def test_ways_that_cost_the_same_are_drawn_as_one_line():
    tokens, sizes = [16, 32, 64], Sizes(16, 32, 5, 8)
    counted = {key: np.ones(3) if way.sequential.formula == "O(1)" else np.arange(3.0) for key, way in WAYS.items()}
    figure = way_curves(tokens, counted, sizes, y="sequential steps", crossing=False, look=Look(LIGHT))
    assert [trace.name for trace in figure.data] == [
        "Self-attention, convolution, dilated convolution, restricted self-attention",
        "Recurrent",
    ]


def test_the_best_and_the_fastest_are_found():
    facts = pd.DataFrame(
        {
            "model": ["A", "B", "C"],
            "bits per character": [2.5, 2.0, 3.0],
            "seconds per epoch": [30.0, 60.0, 10.0],
            "copies up to": [100, 20, 0],
        }
    )
    best, fast, far = about_models(facts, characters=64)
    assert "**B** predicts Shakespeare best, with 2.00" in best
    assert "C needs 3.00" in best
    assert "64 characters would need 6.00" in best
    assert "**C** trains fastest, with 10 seconds per epoch; B needs 60: 6.0 times" in fast
    assert far == "**A** copied digits over the longest distance: 100 characters."
    assert about_models(facts.assign(**{"copies up to": 0}), 64)[2].startswith("No model")


def facts(bits, seconds):
    return pd.DataFrame(
        {"model": list("ABC"), "bits per character": bits, "seconds per epoch": seconds, "copies up to": [1, 1, 1]}
    )


def test_models_that_predict_alike_are_named_together():
    best, fast, _ = about_models(facts([2.171, 2.174, 2.5], [10.0, 10.0, 10.4]), 64)
    assert "**A and B** predict Shakespeare best, with 2.17" in best
    assert "C needs 2.50" in best
    assert fast == "All models train about as fast, with 10 seconds per epoch."
    best, fast, _ = about_models(facts([2.17, 2.17, 2.171], [0.0, 5.0, 10.0]), 64)
    assert best.startswith("All models predict Shakespeare about as well, with 2.17")
    assert "inf" not in fast
    reversed_, _, _ = about_models(facts([2.5, 2.3, 2.1], [1.0, 2.0, 3.0]), 64)
    assert "**C** predicts" in reversed_


def test_where_every_model_answers_alike_none_is_best():
    alike = answers(**dict.fromkeys(TITLES, "48000"))
    assert about_copy(accuracies(), alike)[-1] == "In the question shown, every model got 3 of 5 digits right."


def test_a_model_that_learned_a_part_is_not_said_to_have_hardly_learned():
    replies = answers(**dict.fromkeys(TITLES, "48203"))
    sentence = about_copy(accuracies(rnn=[0.45, 0.42]), replies)[1]
    assert "hardly learned" not in sentence
    assert "never repeats more than half" in sentence


def test_equal_or_missing_gradients_have_no_winner():
    lines = curves()
    both = lines | {"LSTM": np.where(DISTANCE == 0, 1.0, 0.0195)}
    assert "Most is left in: **LSTM and Self-attention**." in about_reach(both, own=False, window=25)[2]
    nothing = dict.fromkeys(lines, np.eye(128)[0])
    sentences = about_reach(nothing, own=True, window=25)
    assert "No model has any left." in sentences[2]
    empty = lines | {"Convolution": np.zeros(128)}
    assert "no character reaches the convolution" in about_reach(empty, own=True, window=25)[1]


def test_growth_from_nothing_is_not_spoken_of():
    costs = [Cost("Free", tokens, 0.0, 5, 0) for tokens in (512, 1024)]
    assert about_measured(costs) == ()
