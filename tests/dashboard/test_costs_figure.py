"""Quality against cost: points where their numbers are, names beside them."""

import numpy as np
import pytest

from dashboard.figures.costs import Point, costs
from dashboard.theme import HUES, LIGHT, Look

PRINTED = [Point("A", "recurrent", 1e20, 39.2), Point("<b>B</b>", "transformer", 1e18, 38.1)]
OWN = [Point("Transformer", "Transformer", 5e15, 44.0), Point("Without", "Without", 2e15, 21.0)]
ALL_HUES = dict(zip(("recurrent", "transformer", "Transformer", "Without"), HUES, strict=False))


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
