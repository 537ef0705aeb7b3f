"""The figure of a station: covered before the answer, filled in at the same place after it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dashboard.lessons import player, station_figure
from dashboard.lessons.figure_content import MASKED_PATCH, AttentionMap, attention_map, picture
from dashboard.lessons.form import Question, lessons
from dashboard.lessons.readings import ask
from dashboard.lessons.readings.answers import QUARTERS, Amount, Choice
from dashboard.theme import LIGHT, Look
from tests.dashboard.test_lessons import STATIONS, name_of
from tests.pages.conftest import visit  # noqa: F401  (a fixture)

LOOK = Look(LIGHT)
MAP = AttentionMap(
    np.array([[1, 0, 0], [0.5, 0.5, 0], [0.1, 0.7, 0.2]], np.float32), ("a", " b", " c"), ("a", " b", " c"), 2
)


def sent(app) -> list[tuple[str, str]]:
    """All elements of a page as they are sent to the browser, with the kind of each, in order."""
    elements = []

    def walk(node) -> None:
        if (message := getattr(node, "proto", None)) is not None:
            elements.append((getattr(node, "type", ""), str(message)))
        for child in getattr(node, "children", {}).values():
            walk(child)

    walk(app._tree)
    return elements


def figures_of(app) -> list[dict]:
    """The figures of a page as Plotly gets them."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def turned_round(answer):
    """Another answer with the same choices: their values in the opposite order, or another number."""
    if isinstance(answer, Amount):
        return replace(answer, value=3 * answer.value + 1)
    return replace(answer, values=dict(zip(answer.values, reversed(answer.values.values()), strict=True)))


@pytest.mark.parametrize("station", STATIONS, ids=name_of)
def test_what_is_sent_before_the_answer_does_not_depend_on_it(visit, monkeypatch, station):  # noqa: F811
    lesson, number = station
    at = lesson.stations[number]
    place = {"lesson": lesson.name, "station": str(number + 1)}
    visit(at.page.folder, **place)  # what is computed leaves the place of a spinner, and what is cached does not
    app = visit(at.page.folder, **place)
    before, answer = sent(app), ask(at.question)
    assert len(figures_of(app)) == 1, "The figure stands there before the answer."
    assert not app.dataframe
    sent_text = " ".join(text for _, text in before)
    assert "Notice" not in sent_text
    if isinstance(answer, Choice):
        values = {answer.with_unit(value) for value in answer.values.values()}
        assert not {value for value in values if value in sent_text}, "A value is sent."
    monkeypatch.setattr(player, "ask", lambda _: turned_round(answer))
    assert sent(visit(at.page.folder, **place)) == before


def test_the_row_of_a_map_that_is_asked_for_holds_the_answer_and_is_not_sent_before_it():
    questions = [lesson.stations[number].question for lesson, number in STATIONS]
    maps = [(question, head_map) for question in questions if (head_map := attention_map(question)) is not None]
    assert len(maps) >= 8
    for question, head_map in maps:
        row = head_map.weights[head_map.row]
        assert head_map.keys[int(row.argmax())].strip() == ask(question).best.partition(" (")[0]
        assert row.sum() == pytest.approx(1, abs=1e-3)
        covered = head_map.covered()
        assert np.isnan(covered.weights[head_map.row]).all()
        others = np.arange(len(row := head_map.weights[:, 0])) != head_map.row
        assert np.array_equal(covered.weights[others], head_map.weights[others])
        drawn = station_figure.asked_row(covered, look=LOOK)
        assert np.isnan(np.asarray(drawn.data[0].z)[head_map.row]).all()


def test_a_covered_row_has_a_sign_for_every_key_and_an_open_one_its_shares():
    covered = station_figure.asked_row(MAP.covered(), look=LOOK)
    assert [note.text for note in covered.layout.annotations] == ["?"] * 3
    drawn = station_figure.asked_row(MAP, look=LOOK)
    assert [note.text for note in drawn.layout.annotations] == ["10", "70", "20"]
    assert {note.y for note in drawn.layout.annotations} == {2}


def test_covered_bars_are_equal_and_open_ones_as_long_as_their_values():
    covered = station_figure.bars(["cat", "<b>"], None, [], look=LOOK)
    assert set(covered.data[0].x) == {1.0}
    assert set(covered.data[0].text) == {"?"}
    assert covered.layout.yaxis.ticktext == ("cat", "&lt;b&gt;")
    drawn = station_figure.bars(["cat", "dog"], [0.7, -0.1], ["70%", "-10%"], own=1, look=LOOK)
    assert list(drawn.data[0].x) == [0.7, -0.1]
    assert list(drawn.data[0].text) == ["70%", "-10%"]
    assert [width > 0 for width in drawn.data[0].marker.line.width] == [False, True], "The guess is outlined."
    assert drawn.layout.xaxis.range[0] < -0.1
    assert drawn.layout.xaxis.range[1] > 0.7
    assert all(np.isfinite(station_figure.bars(["x"], [float("nan")], ["nan"], look=LOOK).layout.xaxis.range))


def test_the_quarters_of_a_picture_have_signs_and_then_their_shares():
    pixels = np.zeros((4, 6, 3), np.uint8)
    covered = station_figure.quartered(pixels, None, look=LOOK)
    assert [note.text for note in covered.layout.annotations] == ["?"] * len(QUARTERS)
    drawn = station_figure.quartered(pixels, [0.1, 0.2, 0.3, 0.4], look=LOOK)
    assert [note.text for note in drawn.layout.annotations] == ["10.0%", "20.0%", "30.0%", "40.0%"]
    upper_left, *_, lower_right = drawn.layout.annotations
    assert (upper_left.x, upper_left.y, lower_right.x, lower_right.y) == (1.5, 1.0, 4.5, 3.0)


def test_the_order_of_choices_does_not_tell_the_answer():
    assert station_figure.labels_of(Choice({"window": 0.5, "door": 0.3, "House": 0.1})) == ["door", "House", "window"]
    assert station_figure.labels_of(Choice({"the": 0.1, "cat": 0.7, "sat": 0.2})) == ["the", "cat", "sat"]
    assert station_figure.labels_of(Amount(3.0)) == []


def test_a_question_about_a_picture_has_that_picture():
    (question,) = [
        station.question
        for lesson in lessons().values()
        for station in lesson.stations
        if station.question.reading == "nearest_filling"
    ]
    pixels = picture(question)
    assert pixels is not None
    share = (pixels == MASKED_PATCH).all(axis=-1).mean()
    assert share == pytest.approx(0.75, abs=0.02), "Three patches in four are grey."
    scene = Question("?", "hidden_word_of_scene", {"scene": "0-0~star.red.large.plain.20.20", "text": "[MASK]"}, "red")
    pixels = picture(scene)
    assert pixels is not None
    assert max(pixels.shape[:2]) >= 240
    assert picture(Question("?", "tokens_of", {"text": "To be"}, "2")) is None


@pytest.mark.parametrize(
    ("guess", "number"), [("67", 67.0), ("1,000", 1000.0), ("x", None), ("nan", None), (None, None)]
)
def test_a_guess_is_a_bar_only_if_it_is_a_finite_number(guess, number):
    assert station_figure._number(guess) == number
