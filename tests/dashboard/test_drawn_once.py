"""What a figure must be so that Plotly takes a copy of it for the same: its own rules, read in what is sent."""

import json
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dashboard.figures.heat import heat
from dashboard.output.charts import MOST_CELLS, _cached_csv, _cached_figure, _Call, without_redraw
from dashboard.theme import DARK, LIGHT, Look


def sent(figure: go.Figure) -> dict:
    return json.loads(figure.to_json())


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_numbers_are_spelt_out_and_stay_the_same(kind):
    values = np.array([3, 1, 2], dtype=kind)
    marker = {"size": values, "color": values}
    (trace,) = sent(without_redraw(go.Figure(go.Scatter(x=values, y=values, customdata=values, marker=marker))))["data"]
    for spelt in (trace["x"], trace["y"], trace["customdata"], *trace["marker"].values()):
        assert spelt == [3, 1, 2]


def test_without_it_the_same_numbers_would_be_bytes():
    assert "bdata" in sent(go.Figure(go.Scatter(y=np.array([3.0, 1.0]))))["data"][0]["y"]


def test_a_missing_number_stays_missing():
    (trace,) = sent(without_redraw(go.Figure(go.Scatter(y=np.array([1.0, np.nan])))))["data"]
    assert trace["y"] == [1.0, None]


def test_names_lists_and_maps_are_left_alone():
    values = np.array([[0.25, 0.75]], dtype=np.float32)
    (trace,) = without_redraw(heat(values, look=Look(LIGHT), x="", y="")).data
    np.testing.assert_array_equal(trace.z, values)
    (trace,) = sent(without_redraw(go.Figure(go.Bar(x=["a", "b"], y=[1, 2]))))["data"]
    assert (trace["x"], trace["y"]) == (["a", "b"], [1, 2])


def test_a_figure_has_a_revision_and_no_template():
    layout = sent(without_redraw(go.Figure(go.Scatter(y=[1, 2]))))["layout"]
    assert layout == {"datarevision": 1}


def drawing(values: np.ndarray, *, look: Look) -> go.Figure:
    CALLS.append(values)
    return heat(values, look=look, x="", y="")


CALLS: list[np.ndarray] = []


def test_what_is_drawn_with_equal_numbers_is_drawn_once():
    CALLS.clear()
    values = np.arange(6.0).reshape(2, 3)
    first, second = (_cached_figure(_Call(partial(drawing, values.copy(), look=Look(LIGHT))), False) for _ in range(2))
    assert first is second
    assert len(CALLS) == 1


@pytest.mark.parametrize(("change", "look", "clicked"), [(1e-7, LIGHT, False), (0, DARK, False), (0, LIGHT, True)])
def test_any_difference_in_what_is_drawn_makes_another_figure(change, look, clicked):
    values = np.arange(6.0).reshape(2, 3)
    plain = _cached_figure(_Call(partial(drawing, values, look=Look(LIGHT))), False)
    other = _cached_figure(_Call(partial(drawing, values + change, look=Look(look))), clicked)
    assert plain is not other


def test_a_table_is_written_once_and_only_while_it_is_small():
    few, many = (partial(pd.DataFrame, {"value": np.arange(count)}) for count in (3, MOST_CELLS + 1))
    assert _cached_csv(_Call(few)) == "value\r\n0\r\n1\r\n2\r\n"
    assert _cached_csv(_Call(many)) is None
