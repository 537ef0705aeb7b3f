"""The bars say what they are given, and a model's token stays text."""

from dashboard.figures.predictions import prediction_bars
from dashboard.theme import DARK, LIGHT, Look


def test_each_bar_is_as_long_as_its_probability_and_says_it():
    figure = prediction_bars(["cat", "dog"], [0.75, 0.05], look=Look(LIGHT))
    (bars,) = figure.data
    assert list(bars.x) == [0.75, 0.05]
    assert list(bars.text) == ["75.0%", "5.0%"]
    assert figure.layout.xaxis.range[0] == 0
    assert not figure.layout.showlegend


def test_after_an_edit_both_runs_are_there_and_named():
    figure = prediction_bars(["cat", "dog"], [0.75, 0.05], [0.5, 0.2], look=Look(DARK))
    assert [trace.name for trace in figure.data] == ["as it is", "heads ablated"]
    assert figure.layout.showlegend


def test_labels_that_read_the_same_keep_their_own_bars():
    figure = prediction_bars(["a", "a"], [0.6, 0.3], look=Look(LIGHT))
    assert len(set(figure.data[0].y)) == 2


def test_a_long_label_is_shortened_beside_its_bar_and_whole_below_the_pointer():
    labels = ["eastern fox squirrel, Sciurus niger", "a" * 40, "tabby, tabby cat"]
    figure = prediction_bars(labels, [0.6, 0.3, 0.1], look=Look(LIGHT))
    assert figure.layout.yaxis.ticktext == ("eastern fox squirrel", "a" * 23 + "…", "tabby, tabby cat")
    assert list(figure.data[0].customdata) == labels


def test_markup_in_a_label_is_shown_as_it_is_written():
    figure = prediction_bars(["<b>bold</b>"], [1.0], look=Look(LIGHT))
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;bold&lt;/b&gt;",)
