"""What a figure must be so that Plotly takes a copy of it for the same: its own rules, read in what is sent."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from dashboard.charts import drawn_once
from dashboard.figures.heat import heat
from dashboard.theme import LIGHT, Look


def sent(figure: go.Figure) -> dict:
    return json.loads(figure.to_json())


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_numbers_are_spelt_out_and_stay_the_same(kind):
    values = np.array([3, 1, 2], dtype=kind)
    marker = {"size": values, "color": values}
    (trace,) = sent(drawn_once(go.Figure(go.Scatter(x=values, y=values, customdata=values, marker=marker))))["data"]
    for spelt in (trace["x"], trace["y"], trace["customdata"], *trace["marker"].values()):
        assert spelt == [3, 1, 2]


def test_without_it_the_same_numbers_would_be_bytes():
    assert "bdata" in sent(go.Figure(go.Scatter(y=np.array([3.0, 1.0]))))["data"][0]["y"]


def test_a_missing_number_stays_missing():
    (trace,) = sent(drawn_once(go.Figure(go.Scatter(y=np.array([1.0, np.nan])))))["data"]
    assert trace["y"] == [1.0, None]


def test_names_lists_and_maps_are_left_alone():
    values = np.array([[0.25, 0.75]], dtype=np.float32)
    (trace,) = drawn_once(heat(values, look=Look(LIGHT), x="", y="")).data
    np.testing.assert_array_equal(trace.z, values)
    (trace,) = sent(drawn_once(go.Figure(go.Bar(x=["a", "b"], y=[1, 2]))))["data"]
    assert (trace["x"], trace["y"]) == (["a", "b"], [1, 2])


def test_a_figure_has_a_revision_and_no_template():
    layout = sent(drawn_once(go.Figure(go.Scatter(y=[1, 2]))))["layout"]
    assert layout == {"datarevision": 1}
