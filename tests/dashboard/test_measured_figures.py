"""Figures and sentences of the section "Measured" of Translation."""

import numpy as np
import pandas as pd
import pytest

from core.published import published_translators
from dashboard.figures.costs import Point, costs
from dashboard.theme import HUES, LIGHT, Look
from pages.language.translation import compute_measured as kept
from pages.language.translation import measured_notices as notices
from pages.language.translation.measured_alignment import ROWS, SIDES, head_rates, how, ways
from pages.language.translation.measured_published import FAMILY_HUES, points
from pages.language.translation.measured_quality import by_length
from tests.dashboard.measured_files import BEST, TEXTS, head_rate, write_all

PRINTED = [Point("A", "recurrent", 1e20, 39.2), Point("<b>B</b>", "transformer", 1e18, 38.1)]
OWN = [Point("Transformer", "Transformer", 5e15, 44.0), Point("Without", "Without", 2e15, 21.0)]
ALL_HUES = FAMILY_HUES | {"Transformer": HUES[2], "Without": HUES[1]}


@pytest.fixture
def measured(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "FOLDER", write_all(tmp_path))
    return tmp_path


def drawn(points=PRINTED):
    return costs(points, hues=ALL_HUES, look=Look(LIGHT), x="training FLOPs", y="BLEU")


@pytest.mark.parametrize("points", [PRINTED, OWN])
def test_every_point_lies_where_its_numbers_are_and_inside_the_figure(points):
    figure = drawn(points)
    low, high = figure.layout.xaxis.range
    for point in points:
        trace = next(t for t in figure.data if t.name == point.group)
        assert (trace.x[0], trace.y[0]) == (point.cost, point.quality)
        assert low < np.log10(point.cost) < high
    assert figure.layout.xaxis.type == "log"


def test_names_are_text_only():
    assert drawn().data[1].text[0] == "&lt;b&gt;B&lt;/b&gt;"


def test_the_names_of_close_marks_stand_on_different_sides():
    near = [Point("Left", "g", 1.0e20, 40.5), Point("Right", "g", 1.3e20, 40.4), Point("far", "g", 1e18, 38.0)]
    (trace,) = costs(near, hues={"g": HUES[0]}, look=Look(LIGHT), x="training FLOPs", y="BLEU").data
    assert trace.text == ("Left", "Right", "far")
    assert trace.textposition[0] != trace.textposition[1]


def test_a_legend_is_there_only_where_groups_hold_several_models():
    assert not drawn(OWN).layout.showlegend
    assert drawn([*PRINTED, Point("C", "recurrent", 1e21, 40.0)]).layout.showlegend


def test_within_two_powers_of_ten_every_mark_of_the_axis_says_its_power():
    axis = drawn(OWN).layout.xaxis
    marks = dict(zip(axis.tickvals, axis.ticktext, strict=True))
    assert {2e15: "2×10<sup>15</sup>", 5e15: "5×10<sup>15</sup>"}.items() <= marks.items()
    assert all(axis.range[0] <= np.log10(value) <= axis.range[1] for value in marks)
    assert drawn(PRINTED).layout.xaxis.tickvals is None


def test_rows_without_cost_or_quality_in_a_language_are_not_drawn():
    models = published_translators()
    assert len(points(models, french=True)) == 9
    assert {p.name for p in points(models, french=False)}.isdisjoint({"ByteNet", "Deep-Att + PosUnk"})


def test_every_published_family_has_a_hue():
    assert {model.family for model in published_translators()} == set(FAMILY_HUES)


@pytest.mark.usefixtures("measured")
def test_the_table_of_heads_is_read_in_order_and_the_mean_stands_last():
    rates = head_rates(kept.heads(), TEXTS[1], 1, "target")
    assert list(rates.index) == ["0", "1", "2"]
    assert list(rates.columns) == ["0", "1", "2", "3", "mean"]
    assert rates.loc[str(BEST[0]), str(BEST[1])] == head_rate(*BEST)


@pytest.mark.usefixtures("measured")
def test_every_way_is_named_with_what_was_taken():
    found = kept.alignment()
    assert list(ways(found))[2:4] == ["Transformer, layer 2, head 1", "Transformer, mean of all heads"]
    assert "Transformer: links of each French word, from the step that has read the word" in how(found)
    assert "161,227 pairs" in how(found)


@pytest.mark.usefixtures("measured")
def test_lengths_have_a_row_for_each_group_and_the_models_in_order():
    lines = by_length(kept.lengths(), "bleu")
    assert list(lines.columns) == ["Without attention", "Bahdanau's attention", "Transformer"]
    assert list(lines.index) == [4.1, 7.4, 50.2]


def test_every_step_and_side_can_be_chosen():
    assert set(ROWS.values()) == {0, 1}
    assert set(SIDES.values()) == {"target", "source", "both", "either"}


def test_heads_worse_than_the_diagonal_are_counted():
    rates = np.array([[0.9, 0.3], [0.54, 0.6]])
    (sentence,) = notices.about_heads(rates, "Hansards", 0.54)
    assert "layer 0, head 1 aligns best, with an error rate of **30%**" in sentence
    assert "**2 of 4 heads** are worse than the diagonal (54%), the worst has 90%" in sentence


def test_the_model_that_loses_most_with_length_is_found():
    lines = pd.DataFrame({"A": [20.0, 40.0, 10.0], "B": [30.0, 30.0, 24.0]}, index=[4.0, 8.0, 50.0])
    (sentence,) = notices.about_lengths(lines, "BLEU")
    assert "BLEU at 50 words" in sentence
    assert "A 10.0 (25% of its best), B 24.0 (80% of its best)" in sentence
    assert "**A** loses most, **B** least" in sentence
