"""The figure of published models: names that do not collide, one colour a family, clicks that find their row."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from dashboard.figures.beside import MARK, Box, beside, boxes
from dashboard.theme import DARK, LIGHT, Look
from pages.scale.scaling_comparison.figures_explored import Axis, Line, explored

HUES = {"transformer": "#009e73", "convolutional": "#cc79a7"}


def table(count, seed=0):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": 10 ** random.uniform(5, 9, count),
            "y": random.uniform(40, 90, count),
            "family": random.choice(list(HUES), count),
            "label": [f"model {number}" for number in range(count)],
            "short": [f"m{number}" for number in range(count)],
            "tell": "accuracy: 1 %\nparameters: <b>2</b>",
        },
        index=range(100, 100 + count),
    )


@pytest.mark.parametrize("seed", range(8))
def test_names_cover_neither_one_another_nor_a_mark(seed):
    random = np.random.default_rng(seed)
    across, up = random.uniform(0.1, 0.9, (2, 14))
    names = ["x" * length for length in random.integers(3, 25, 14)]
    places = beside(across, up, names, width=700, height=400, size=11)
    marks = [Box(x - MARK, x + MARK, y - MARK, y + MARK) for x, y in zip(700 * across, 400 * (1 - up), strict=True)]
    taken = {
        row: boxes(700 * across[row], 400 * (1 - up[row]), 0.54 * 11 * len(names[row]), 11)[place]
        for row, place in enumerate(places)
        if place
    }
    assert len(taken) > 6
    for row, box in taken.items():
        assert not any(box.meets(other) for number, other in taken.items() if number != row)
        assert not any(box.meets(mark) for number, mark in enumerate(marks) if number != row)
        assert box.left >= 0
        assert box.right <= 700


def test_of_two_at_one_place_both_have_a_name():
    assert all(beside(np.array([0.5, 0.5]), np.array([0.5, 0.52]), ["GPT-1", "BERT"], width=700, height=400, size=11))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_a_click_gives_back_the_row_and_the_pointer_tells_in_text(palette):
    points = table(40)
    figure = explored(points, x=Axis("size", True, "B"), y=Axis("score"), hues=HUES, look=Look(palette), footer="a <i>")
    rows = [row for trace in figure.data for row in trace.customdata]
    assert sorted(rows) == points.index.tolist()
    for trace in figure.data:
        assert trace.marker.color == HUES[trace.name]
        assert "&lt;b&gt;2&lt;/b&gt;" in trace.hovertext[0]
        assert trace.hovertemplate.endswith("a &lt;i&gt;<extra></extra>")


def test_only_few_have_names_and_only_the_chosen_are_named_among_many():
    few = explored(table(8), x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT))
    assert any(trace.mode == "markers+text" for trace in few.data)
    many = explored(table(60), x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT), chosen=[103, 999])
    assert all(trace.mode == "markers" for trace in many.data)
    assert [note.text for note in many.layout.annotations] == ["model 3"]


def test_lines_lie_below_the_marks_and_take_no_clicks():
    line = Line("a fit", np.array([1e5, 1e9]), np.array([50.0, 80.0]), low=np.array([45, 75]), high=np.array([55, 85]))
    figure = explored(table(30), x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT), lines=[line])
    assert [trace.mode for trace in figure.data][:3] == ["lines"] * 3
    assert all(trace.hoverinfo == "skip" for trace in figure.data[:3])


def test_one_point_alone_has_a_range_around_it():
    figure = explored(table(1), x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT))
    low, high = figure.layout.xaxis.range
    assert low < np.log10(figure.data[0].x[0]) < high


@pytest.mark.parametrize("count", range(1, 7))
def test_names_of_chosen_neighbours_lie_apart_and_in_the_order_of_their_marks(count):
    points = table(60)
    points["x"] = 1e6  # all above one another
    figure = explored(
        points, x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT), chosen=points.index[:count].tolist()
    )
    # Plotly counts an annotation's offset in pixels downwards.
    heights = [note.ay for note in sorted(figure.layout.annotations, key=lambda note: -note.y)]
    assert heights == sorted(heights)
    assert all(after - before >= 26 for before, after in pairwise(heights))
