"""Bars with the numbers beside them, and vectors as strips."""

import numpy as np
import torch

from dashboard.figures.score_bars import Column, score_bars
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.theme import LIGHT, Look

HUE = "#d55e00"


def test_bars_have_a_scale_for_each_column_and_write_every_number():
    columns = [
        Column("score", np.array([-3.2, 1.5, 0.25]), "%{x}"),
        Column("weight", np.array([0.125, -1e-6, np.nan]), "%{x}", percent=True, colour=HUE),
    ]
    figure = score_bars(["<b>", "b", "c"], columns, look=Look(LIGHT), marked=1)
    score, weight = figure.data
    assert score.text == ("−3.20", "1.50", "0.25")
    assert weight.text == ("12.5%", "0.0%", "")
    assert score.marker.color == (LIGHT.negative, LIGHT.map, LIGHT.map)
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;", "<b>b</b>", "c")
    assert figure.layout.xaxis.range[0] < -3.2
    assert figure.layout.xaxis.range[1] > 1.5
    assert figure.layout.xaxis2.range[0] <= 0
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]


def test_strips_share_a_scale_only_when_they_are_to_be_added_up():
    rows = [Row("a", "a", np.array([0.5, -2.0])), Row("b", "b", torch.zeros(3).numpy())]
    assert [trace.zmax for trace in vector_rows(rows, look=Look(LIGHT)).data] == [2, 1]
    together = vector_rows(rows, look=Look(LIGHT), one_scale=True)
    assert [(trace.zmin, trace.zmax) for trace in together.data] == [(-2, 2), (-2, 2)]
    assert together.data[0].z.tolist() == [[0.5, -2.0]]
    domains = [together.layout.yaxis.domain, together.layout.yaxis2.domain]
    assert domains[1][0] >= 0
    assert domains[1][1] < domains[0][0] < domains[0][1] < 1
