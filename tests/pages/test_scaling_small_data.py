"""The section "Small data": what the tables hold is what is shown and said, and rows that were not run are absent."""

from math import sqrt

import pandas as pd
import pytest

from core.published import small_data_results
from core.results import small_data_runs
from dashboard.theme import LIGHT, Look
from pages.scale.scaling_comparison import small_data
from tests.pages.conftest import message_text, prose
from tests.pages.scaling import PAGE, has_no_number


def table(*rows):
    """Trainings: (model, family, parameters, pictures, accuracy)."""
    frame = pd.DataFrame(rows, columns=["model", "family", "parameters", "pictures", "accuracy, %"])
    return frame.assign(note="", source="a lecture", epochs=20)


NET, VIT = "convolutional", "transformer"
RUNS = table(
    ("Net", NET, 6e4, 5_000, 50.0),
    ("Net", NET, 6e4, 50_000, 60.0),
    ("ViT", VIT, 1e6, 5_000, 30.0),
    ("ViT", VIT, 1e6, 50_000, 61.0),
    ("Late", VIT, 2e6, 5_000, 20.0),
)


def test_the_page_shows_every_run_that_was_made_and_the_source_of_the_lecture(visit):
    app = visit(PAGE, show="Small data")
    (runs,) = (frame.value for frame in app.dataframe if "seconds" in frame.value)
    assert len(runs) == len(small_data_runs())
    assert "networks that learned from 50,000 pictures" in prose(app)
    assert "The lecture's trainings were different ones" in message_text(app, "caption")
    assert sorted({row.epochs for row in small_data_results()}) == [10, 20]  # as that caption says
    largest = sorted(small_data_results(), key=lambda row: row.parameters)[-2:]
    assert {row.epochs for row in largest} == {10}


def test_the_sentences_name_the_winner_at_both_ends_and_say_what_test_pictures_could_do():
    first, second, third = small_data.notice(RUNS)
    assert "Of the 3 networks that learned from 5,000 pictures, the best convolutional one, **Net** (50.0%)" in first
    assert "is 20.0 points ahead" in first
    assert "standard error" not in first
    error = 100 * sqrt((0.61 * 0.39 + 0.6 * 0.4) / 10_000)
    assert f"**Net** (60.0%), less than twice its standard error ({error:.1f} points)" in second
    assert "Of the 2 trained on both, **ViT** gains most from 5,000 to 50,000 pictures (31.0 points)" in third


def test_a_network_gains_more_than_another_only_beyond_the_error_of_the_test():
    close = RUNS.assign(**{"accuracy, %": [50.0, 60.0, 30.0, 41.0, 20.0]})  # one gains 10 points, the other 11
    assert not any("gains most" in sentence for sentence in small_data.notice(close))


@pytest.mark.parametrize("rows", [RUNS[:1], RUNS[:2], RUNS[::2], RUNS[4:], small_data.table_of(small_data_runs())])
def test_no_sentence_about_few_runs_holds_what_is_no_number(rows):
    assert not has_no_number(" ".join(small_data.notice(rows.reset_index(drop=True))))


def test_each_network_is_a_line_over_the_pictures_that_it_learned_from():
    figure = small_data.against_pictures(RUNS, look=Look(LIGHT), height=420)
    lines = {trace.name: dict(zip(trace.x, trace.y, strict=True)) for trace in figure.data}
    assert lines["Net"] == {5_000: 50.0, 50_000: 60.0}
    assert lines["ViT"] == {5_000: 30.0, 50_000: 61.0}
    assert lines["Late"][5_000] == 20.0
    assert pd.isna(lines["Late"][50_000])
    assert [trace.line.dash for trace in figure.data] == ["solid", "solid", "dash"]


def test_ours_are_filled_the_lectures_hollow_and_the_pointer_tells_its_source_and_note():
    full_data = RUNS[RUNS.pictures == 50_000]
    lecture = table(("Net", NET, 6e4, 50_000, 60.05)).assign(note="the slide is wrong")
    figure = small_data.against_size(full_data, lecture, look=Look(LIGHT), height=420)
    marks = {trace.name: trace for trace in figure.data}
    assert (list(marks["convolutional, ours"].x), list(marks["transformer, ours"].y)) == ([6e4], [61.0])
    hollow = marks["convolutional, lecture"]
    assert hollow.marker.symbol == "diamond-open"
    assert hollow.marker.line.width >= 2
    assert "20 epochs<br>a lecture<br>the slide is wrong" in hollow.hovertext[0]
    sides = [trace.textposition[0] for trace in figure.data if trace.text[0] == "Net"]
    assert len(set(sides)) == len(sides)
