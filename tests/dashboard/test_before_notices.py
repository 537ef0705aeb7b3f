"""What is said about the five models is true of the numbers it is said about."""

import numpy as np
import pandas as pd
import pytest

from core.costs.complexity import Sizes
from core.costs.one_pass import Cost
from pages.foundations.before_attention import notices
from pages.foundations.before_attention.answers import Answers

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


def test_half_lives_are_those_of_the_curves():
    sentence = notices.about_reach(curves(), own=False, window=25)[0]
    assert "RNN every **2.0 characters**, LSTM every **8.0 characters**, GRU every **4.0 characters**" in sentence


def test_what_does_not_fall_has_no_half_life():
    lines = curves() | {"LSTM": np.ones(128)}
    assert "LSTM every **∞ characters (it does not fall)**" in notices.about_reach(lines, own=False, window=25)[0]


def test_the_edge_of_the_convolution_is_counted():
    sentence = notices.about_reach(curves(), own=True, window=25)[1]
    assert "last trace is **24 characters** before the last one" in sentence
    assert "exactly 25" in sentence


def test_a_line_within_the_window_has_no_edge_yet():
    assert (
        "All 20 characters are within the convolution's window of 25"
        in (notices.about_reach(curves(20), own=True, window=25)[1])
    )


def test_what_is_left_far_away_is_told_for_each_model_and_the_strongest_named():
    sentence = notices.about_reach(curves(), own=False, window=25)[2]
    assert (
        "50 characters away: RNN 3\u00a0×\u00a010⁻⁸, GRU 2\u00a0×\u00a010⁻⁴, LSTM 1.3%, Self-attention 2.0%" in sentence
    )
    assert "**Self-attention**" in sentence


@pytest.mark.parametrize("length", [1, 2, 11])
def test_a_short_line_is_said_to_be_short(length):
    (sentence,) = notices.about_reach(curves(length), own=True, window=25)
    assert f"A line of {length} characters is too short" in sentence


def answers(**given: str) -> Answers:
    return Answers("", "48203", {name: np.eye(10)[[int(digit) for digit in said]] for name, said in given.items()})


def test_the_longest_distance_copied_is_the_last_before_the_first_failure():
    distances = np.array([5, 10, 15, 20])
    assert notices.longest_copied(distances, np.array([0.9, 0.8, 0.6, 0.2])) == 15
    assert notices.longest_copied(distances, np.array([0.9, 0.5, 0.9, 0.9])) == 5
    assert notices.longest_copied(distances, np.array([0.1, 0.9, 0.9, 0.9])) == 0
    assert notices.longest_copied(distances, np.ones(4)) == 20


def test_who_answered_best_is_counted_digit_by_digit():
    given = answers(rnn="48000", lstm="48203", gru="11111", convolution="99999", self_attention="48203")
    assert [given.right(name) for name in given.probabilities] == [3, 5, 0, 0, 5]
    assert given.given("rnn") == "48000"
    table = {title: np.array([1.0, 0.1]) for title in curves()}
    sentences = notices.about_copy(table, np.array([5, 10]), given)
    assert "LSTM and Self-attention got most digits right: 5 of 5" in sentences[2]
    assert "RNN **5**" in sentences[0]


@pytest.mark.parametrize(
    ("n", "d", "said"),
    [
        (64, 512, "recurrence needs **8 times** as many operations as self-attention"),
        (4096, 512, "self-attention needs **8 times** as many operations as recurrence"),
        (512, 512, "self-attention and recurrence need the same number of operations"),
    ],
)
def test_attention_and_recurrence_are_compared_the_right_way_round(n, d, said):
    sentence = notices.about_ways(Sizes(n, d, 5, 16))[0]
    assert said in sentence
    assert f"they meet at n = d = {d}" in sentence or f"meet at n = d = {d}" in sentence


def test_growth_is_that_of_the_last_doubling():
    costs = tuple(
        Cost("LSTM", tokens, seconds, 5, size)
        for tokens, seconds, size in ((512, 1.0, 10), (1024, 3.0, 20), (2048, 6.0, 90))
    )
    assert notices.about_measured(costs).endswith("these factors: LSTM **2.0** and **4.5**.")


def test_the_best_and_the_fastest_are_found():
    facts = pd.DataFrame(
        {
            "model": ["A", "B", "C"],
            "bits per character": [2.5, 2.0, 3.0],
            "seconds per epoch": [30.0, 60.0, 10.0],
            "copies up to": [100, 20, 0],
        }
    )
    best, fast, far = notices.about_models(facts, characters=64)
    assert "**B** predicts Shakespeare best, with 2.00" in best
    assert "C needs 3.00" in best
    assert "64 characters would take 6.00" in best
    assert "**C** goes through the text in 10 seconds, B in 60: 6.0 times" in fast
    assert far == "The longest distance over which digits were copied is 100 characters, by **A**."
