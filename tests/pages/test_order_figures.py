"""Figures of the page "Order": arrays and labels in, the right marks out."""

import numpy as np
import pytest

from dashboard.figures.mosaic import rearranged, tiles
from dashboard.theme import LIGHT, Look
from pages.foundations.order.figures import circle, strips

VECTORS = np.arange(12, dtype=np.float32).reshape(3, 4)
ORDER = [2, 0, 1]


def drawn_strips(labels=("a", "b", "c"), after=None):
    return strips(
        VECTORS,
        VECTORS[ORDER] if after is None else after,
        ORDER,
        labels=labels,
        hues=["#111111", "#222222", "#333333"],
        look=Look(LIGHT),
        titles=("one", "two", "three"),
        limit=5.0,
    )


def drawn(figure, mode):
    return [trace for trace in figure.data if trace.type == "scatter" and trace.mode == mode]


def test_a_line_leads_each_token_to_its_new_place_in_its_own_hue():
    lines = drawn(drawn_strips(), "lines")
    assert [(line.y[0], line.y[-1], line.line.color) for line in lines] == [
        (2, 0, "#333333"),
        (0, 1, "#111111"),
        (1, 2, "#222222"),
    ]


def test_the_difference_of_a_mere_shuffle_is_empty():
    *_, difference = [trace for trace in drawn_strips().data if trace.type == "heatmap"]
    assert (difference.z == 0).all()
    *_, difference = [trace for trace in drawn_strips(after=VECTORS).data if trace.type == "heatmap"]
    assert (difference.z == VECTORS - VECTORS[ORDER]).all()


def test_words_stand_beside_their_strips_in_both_orders():
    words = drawn(drawn_strips(), "text")
    assert [list(trace.text) for trace in words] == [["a", "b", "c"], ["c", "a", "b"]]
    assert list(words[1].textfont.color) == ["#333333", "#111111", "#222222"]


def test_markup_in_a_token_stays_text():
    figure = drawn_strips(labels=("<b>x</b>", "b", "c"))
    text = figure.to_json()
    assert "<b>x</b>" not in text
    assert "&lt;b&gt;" in text or "\\u003cb" not in text


def test_patches_without_names_have_lines_and_no_words():
    assert not drawn(drawn_strips(labels=None), "text")
    assert len(drawn(drawn_strips(labels=None), "lines")) == 3


def test_an_arc_goes_from_one_angle_to_the_other():
    figure = circle(
        np.array([[1.0, 0.0], [0.0, 1.0]]),
        labels=["position 0", "position 1"],
        arrows={"0": (1.0, 0.0), "1": (0.0, 1.0)},
        turn=(0.0, np.pi / 2),
        look=Look(LIGHT),
        x="cosine",
        y="sine",
    )
    arc = figure.data[-1]
    assert (arc.x[0], arc.y[0]) == pytest.approx((0.35, 0))
    assert (arc.x[-1], arc.y[-1]) == pytest.approx((0, 0.35))
    heads = [(note.x, note.y) for note in figure.layout.annotations if note.showarrow]
    assert heads == [(1.0, 0.0), (0.0, 1.0)]
    assert figure.layout.yaxis.scaleanchor == "x"


def test_small_maps_stand_at_their_places_with_a_gap_between():
    maps = np.stack([np.full((2, 3), number) for number in range(4)])
    sheet = tiles(maps, 2, 2)
    assert sheet.shape == (5, 7)
    assert (sheet[3:, 4:] == 3).all()
    assert np.isnan(sheet[2]).all()
    assert np.isnan(sheet[:, 3]).all()
    with pytest.raises(ValueError, match="4 maps do not fill a grid of 3 × 2"):
        tiles(maps, 3, 2)


def test_a_picture_rearranged_in_its_own_order_is_the_picture():
    picture = np.arange(6 * 9 * 3).reshape(6, 9, 3)
    assert (rearranged(picture, 2, 3, np.arange(6)) == picture).all()
    swapped = rearranged(picture, 2, 3, np.array([5, 1, 2, 3, 4, 0]))
    assert (swapped[:3, :3] == picture[3:, 6:]).all()
    assert (swapped[3:, 6:] == picture[:3, :3]).all()
    assert rearranged(np.zeros((7, 10, 3)), 2, 3, np.arange(6)).shape == (6, 9, 3)
