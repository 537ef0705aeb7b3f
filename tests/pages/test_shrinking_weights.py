"""Weights on the page Shrinking: it opens, and its sentences are true of what was computed and measured."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.results.shrinking import Zeroed, measured
from pages.scale.shrinking.inputs import MODELS, SENTIMENTS, TRANSLATOR
from pages.scale.shrinking.weights import about_loss, about_matrices, about_rows, about_times, can_go, lines_of
from tests.pages.conftest import check, prose

PAGE = "scale/shrinking"


@pytest.mark.parametrize("name", MODELS)
def test_the_section_opens_by_its_address(visit, name):
    app = visit(PAGE, show="Weights", shrunk=name, weights_percent="30")
    assert "With 30% zeros one pass through full matrices takes" in prose(app).replace("**", "")
    assert len(app.get("plotly_chart")) == (2 if name == TRANSLATOR else 3)


def test_with_nothing_gone_nothing_moves_and_neurons_may_go_instead(visit):
    app = visit(PAGE, show="Weights", shrunk=SENTIMENTS, weights_percent="0")
    assert "In all, **0.0%** of the probability has moved" in prose(app)
    app = check(visit(PAGE, show="Weights", shrunk=SENTIMENTS, weights_way="whole neurons", weights_percent="90"))
    assert "In all, **0.0%**" not in prose(app)


@given(st.lists(st.floats(0.5, 9), min_size=3, max_size=3), st.integers(1, 100))
def test_times_are_shares_of_the_whole_networks(times, packed):
    full, rows, neurons = (SimpleNamespace(milliseconds=(2.0, time)) for time in times)
    sentence = about_times(SimpleNamespace(full=full, rows=rows, share=0.5, packed=packed, full_bytes=100), neurons)
    assert [f"**{time / 2:.0%}**" in sentence for time in times] == [True] * 3
    assert (f"save {(100 - packed) / 100:.0%} of the bytes" in sentence) == (packed < 100)
    more = about_times(SimpleNamespace(full=full, rows=rows, share=0.0, packed=103, full_bytes=100), neurons)
    assert "take 3% more bytes" in more
    assert "neurons" not in about_times(
        SimpleNamespace(full=full, rows=rows, share=0.5, packed=9, full_bytes=100), None
    )


def test_matrices_that_lose_alike_are_not_ranked():
    assert "loses most" not in about_matrices(SimpleNamespace(by_matrix={"a": 0.304, "b": 0.3}))
    assert "loses most" not in about_matrices(SimpleNamespace(by_matrix={"only": 0.3}))


@given(st.lists(st.integers(0, 100), min_size=2, max_size=6, unique=True))
def test_the_matrix_that_loses_most_is_named(shares):
    sentence = about_matrices(SimpleNamespace(by_matrix={f"m{share}": share / 100 for share in shares}))
    if max(shares) - min(shares) < 2:  # a point, or less by what a float can hold
        return
    assert f"`m{max(shares)}` loses most" in sentence
    assert f"`m{min(shares)}` least" in sentence


def row_of(way: str, share: float, quality: float, sparse: float | None) -> Zeroed:
    variant = f"{share} {way}" if share else "whole"
    return Zeroed("gpt-books", variant, 9, 50, 1.0, 2.0, quality, "BLEU", 400, way, share, sparse)


SHARES = [0.1, 0.2, 0.5, 0.9]


@given(st.lists(st.floats(1, 100), min_size=4, max_size=4), st.lists(st.floats(0.5, 4), min_size=4, max_size=4))
def test_as_much_can_go_as_keeps_the_quality_and_rows_are_faster_from_where_they_take_less(values, times):
    rows = (
        row_of("weights", 0.0, 50.0, 3.0),
        *(row_of("weights", *fields) for fields in zip(SHARES, values, times, strict=True)),
        *(row_of("neurons", *fields, None) for fields in zip(SHARES, values[::-1], strict=True)),
    )
    for way, qualities in (("weights", values), ("neurons", values[::-1])):
        fits = [(50 - quality) / 50 <= 0.05 for quality in qualities]
        first_bad = fits.index(False) if False in fits else 4
        assert can_go(rows, way, 0.05) == ([0.0, *SHARES][first_bad])
    assert about_loss(rows).count("before 5%") == 2
    if any(abs(time * 1.1 - 2) < 1e-9 for time in times):
        return
    from_there_on = [share for place, share in enumerate(SHARES) if max(times[place:]) * 1.1 < 2]
    expected = f"from **{from_there_on[0]:.0%}** zeros on" if from_there_on else "were not clearly faster"
    assert expected in about_rows(rows)
    along, lines = lines_of(rows)
    assert along == [0.0, *(100 * share for share in SHARES)]
    assert lines["neurons taken out"] == [50.0, *values[::-1]]


@pytest.mark.parametrize("model", MODELS.values())
def test_zeros_alone_save_bytes_and_no_time_and_neurons_save_both(model):
    baseline, *smaller = measured(Zeroed, model)
    assert baseline.is_full
    zeros, neurons = ([row for row in smaller if row.way == way] for way in ("weights", "neurons"))
    assert all(row.parameters == baseline.parameters for row in zeros)
    assert [row.bytes for row in zeros] == sorted((row.bytes for row in zeros), reverse=True)
    assert [row.parameters for row in neurons] == sorted((row.parameters for row in neurons), reverse=True)
    assert neurons[-1].time < sorted(row.time for row in zeros)[len(zeros) // 2]
