"""Accuracy on little data, drawn: every network is a mark, and no name lies on another."""

from dashboard.theme import LIGHT, Look
from pages.scale.scaling_comparison.figures_small_data import Learner, against_pictures, against_size

NET = Learner("Net", "convolutional", 6e4, {5_000: 40.0, 50_000: 60.0})
VIT = Learner("ViT", "transformer", 1e6, {5_000: 30.0, 50_000: 70.0})
TWIN = Learner("Net", "convolutional", 6e4, {50_000: 60.5})


def test_each_network_is_a_line_over_the_pictures():
    lines = {
        trace.name: (list(trace.x), list(trace.y)) for trace in against_pictures([NET, VIT], look=Look(LIGHT)).data
    }
    assert lines == {"Net": ([5_000, 50_000], [40.0, 60.0]), "ViT": ([5_000, 50_000], [30.0, 70.0])}


def test_the_accuracy_with_the_most_pictures_stands_against_the_size_and_hovering_tells_the_source():
    figure = against_size([NET, VIT], [(TWIN, "a lecture")], look=Look(LIGHT))
    marks = {trace.name: (list(trace.x), list(trace.y)) for trace in figure.data}
    assert marks["convolutional, ours"] == ([6e4], [60.0])
    assert marks["transformer, ours"] == ([1e6], [70.0])
    lecture = next(trace for trace in figure.data if trace.name == "convolutional, lecture")
    assert list(lecture.customdata) == ["Net: a lecture"]


def test_two_networks_at_almost_the_same_place_do_not_have_their_names_at_the_same_side():
    figure = against_size([NET, VIT], [(TWIN, "a lecture")], look=Look(LIGHT))
    sides = {trace.name: trace.textposition[0] for trace in figure.data if trace.text[0] == "Net"}
    assert len(set(sides.values())) == len(sides)
