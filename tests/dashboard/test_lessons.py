"""Lessons: their form, what is read off the models, and every station of every lesson played."""

import math

import pytest
import torch

from core import zoo
from core.capture import record_attention
from core.errors import AtlasError, InputError
from dashboard import contents, kept
from dashboard.kept import Digest
from dashboard.lessons import form, player
from dashboard.lessons.form import Question, lessons, read
from dashboard.lessons.readings import READINGS, Amount, Choice, ask
from dashboard.lessons.readings.answers import QUARTERS, quarters, told_apart
from tests.pages.conftest import prose, told, visit  # noqa: F401  (a fixture)

STATIONS = [(lesson, number) for lesson in lessons().values() for number in range(len(lesson.stations))]
NO_SUBJECT = {contents.LESSONS, contents.GLOSSARY}
LESSON = """# Titles

About it.

## One

[Text](text?text=To+be&layer=1)

Before.

> What comes
> next?
>
> `next_token(text="He opened the door and looked out of the")` window
>
> - window
> - dog

After.
"""


def name_of(station) -> str:
    lesson, number = station
    return f"{lesson.name} {number + 1}"


@pytest.mark.parametrize("station", STATIONS, ids=name_of)
def test_the_answer_of_a_station_is_what_the_model_says_today(station):
    lesson, number = station
    question = lesson.stations[number].question
    answer = ask(question)
    assert answer.best == question.expected
    if isinstance(answer, Choice):
        ranked = sorted(answer.values.values(), reverse=not answer.least)
        assert len(ranked) >= 2, "There is nothing to choose."
        assert ranked[0] != ranked[1] or answer.says(question.expected)


@pytest.mark.parametrize("station", STATIONS, ids=name_of)
def test_a_station_shows_its_page_and_the_answer(visit, station):  # noqa: F811
    lesson, number = station
    at = lesson.stations[number]
    place = {"lesson": lesson.name, "station": str(number + 1)}
    app = visit(at.page.room, **at.choices, **place, answer=at.question.expected)
    assert not app.warning, told(app)
    assert app.title[0].value == at.page.question
    assert "The answer given was" in prose(app)
    assert at.after.split("\n")[0][:40] in " ".join(element.value for element in app.markdown)
    if section := at.choices.get("show"):
        assert app.session_state.show == section


def test_every_page_is_a_station_of_a_lesson():
    seen = {station.page for lesson in lessons().values() for station in lesson.stations}
    assert set(contents.pages()) - seen <= NO_SUBJECT


def test_the_guide_for_teachers_names_every_reading():
    guide = (contents.ROOT / "docs" / "writing-a-lesson.md").read_text(encoding="utf-8")
    assert {name for name in READINGS if f"`{name}(" not in guide} == set()


def test_there_are_seven_lessons_besides_the_first_path_which_has_six_to_eight_stations():
    assert len(lessons()) == 8
    assert 6 <= len(lessons()[form.TOUR].stations) <= 8


def test_a_question_comes_before_the_page(visit):  # noqa: F811
    app = visit("explore/text", lesson="inside-one-head", station="1")
    assert "Nobody looks ahead" in {element.value for element in app.header}
    assert not app.text_area, "The page is shown before anybody has answered."
    assert [button.label for button in app.button if button.label == "Answer and see"]
    assert app.button(key="station-back").disabled
    app.button(key="station-on").click().run()
    assert app.query_params["station"] == "2"
    assert "A head with a habit" in {element.value for element in app.header}
    app.button(key="station-leave").click().run()
    assert "lesson" not in app.query_params
    assert app.text_area


@pytest.mark.parametrize(("name", "station"), [("none", "1"), ("inside-one-head", "0"), ("inside-one-head", "99999")])
def test_a_lesson_or_station_that_is_none_gets_one_sentence(visit, name, station):  # noqa: F811
    app = visit("explore/text", lesson=name, station=station)
    assert len(app.warning) == 1
    assert "There is no lesson" in told(app) or "has the stations 1 to 6" in told(app)


def test_a_lesson_is_read_as_it_is_written():
    lesson = read(LESSON, name="own")
    assert (lesson.title, lesson.about) == ("Titles", "About it.")
    (station,) = lesson.stations
    assert station.page is contents.TEXT
    assert station.choices == {"text": "To be", "layer": "1"}
    assert (station.before, station.after) == ("Before.", "After.")
    assert station.question == Question(
        "What comes next?",
        "next_token",
        {"text": "He opened the door and looked out of the"},
        "window",
        ("window", "dog"),
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("# Titles", "Titles", "begins with its title"),
        ("## One", "One", "has no station"),
        ("[Text](text?text=To+be&layer=1)", "Text", "line 5: below its title a station links to its page"),
        ("(text?text", "(nowhere?text", "there is no page “nowhere”"),
        ("> What comes\n> next?\n>\n", "", "asks nothing"),
        ("After.", "> Another?\n\nAfter.", "asks one question.* this one asks 2"),
        ("`next_token(", "`next_token", "is not a reading"),
        ('`next_token(text="He', '`__import__("os").system(text="He', "is not a reading"),
        ("`next_token", "next_token", "names what answers it"),
    ],
)
def test_what_leaves_the_form_gets_a_sentence_with_its_line(before, after, said):
    assert before in LESSON
    with pytest.raises(InputError, match=said):
        read(LESSON.replace(before, after, 1), name="own")


@pytest.mark.parametrize(
    ("reading", "arguments", "said"),
    [
        ("nothing", {}, "There is no reading “nothing”"),
        ("next_token", {}, "cannot be asked like this"),
        ("looks_at", {"text": "The cat", "layer": 99, "head": 0}, "no head 0 in layer 99"),
        ("comes_from", {"text": "The cat sleeps.", "word": "chien"}, "is not a token in it"),
        ("hidden_word", {"text": "Nothing is hidden here."}, r"with one \[MASK\] in it"),
        ("looks_at", {"text": "The cat", "layer": 0, "head": 0, "token": 99}, "has no answer to .*token=99"),
        ("best_beyond", {"length": 10**9}, "has no answer to length="),
        ("kind_that_holds", {"split": "nothing"}, "has no answer to split="),
        ("heads_to_spare", {"model": "nobody"}, "has no answer to model="),
        ("bytes_saved", {"number_format": "int3"}, "is not a number format here"),
        ("share_of_score", {"scores": "high"}, "has no answer to scores="),
        ("class_of", {"picture": "../secret"}, "."),
    ],
)
def test_a_reading_that_cannot_be_asked_gets_a_sentence(reading, arguments, said):
    with pytest.raises(AtlasError, match=said):
        ask(Question("?", reading, arguments, "x"))


def test_an_option_of_which_the_model_says_nothing_gets_a_sentence():
    with pytest.raises(InputError, match="says nothing of “Perceptron”"):
        ask(Question("?", "best_translator", {}, "x", ("Perceptron",)))


def test_what_a_head_gives_is_its_row():
    text = "The dog that the boy saw was tired because it"
    model = zoo.load_text("gpt-books")
    tokens = model.encode(text)
    with record_attention(model.network) as record:
        model.run(tokens)
    row = record.calls[3].weights(2)[5]
    found = READINGS["looks_at"](text=text, layer=3, head=2, token=5)
    assert list(found.values.values()) == pytest.approx(row[row > 0].tolist())
    assert sum(found.values.values()) == pytest.approx(1, abs=1e-5)


def test_the_next_token_is_the_model_s_own():
    model = zoo.load_text("gpt-books")
    text = "He opened the door and looked out of the"
    best = model.predictions(model.run(model.encode(text)))[0]
    found = READINGS["next_token"](text=text)
    assert found.best == best.label.strip()
    assert found.values[found.best] == pytest.approx(best.probability, abs=1e-6)


def test_the_share_of_a_score_is_the_softmax():
    found = READINGS["share_of_score"](scores=(2, 1, 0))
    assert found.value == pytest.approx(100 * math.exp(2) / (math.exp(2) + math.e + 1))


def test_the_quarters_of_a_map_share_what_it_holds():
    weights = torch.zeros(4, 4)
    weights[0, 3] = 2.0
    assert quarters(weights).values == dict(zip(QUARTERS, (0, 1, 0, 0), strict=True))
    middle = torch.zeros(3, 3)
    middle[1, 1] = 1.0
    assert quarters(middle).values == dict.fromkeys(QUARTERS, 0.25)


def test_equal_labels_are_told_apart():
    assert told_apart(["the", " cat", " the", " the"]) == ["the", "cat", "the (2)", "the (3)"]


@pytest.mark.parametrize(
    ("guess", "right"), [("67", True), ("64", True), ("60", False), ("1,000", False), ("x", False)]
)
def test_a_guessed_number_is_right_if_it_is_near(guess, right):
    assert Amount(66.5, "%", within=0.05).says(guess) is right


def test_what_is_said_to_a_guess_names_both():
    answer = Choice({"cat": 0.7, "dog": 0.3})
    assert player.told(answer, "dog") == ":material/arrow_forward: You said dog; the model says **cat** (70\\.0%)."
    assert "check_circle" in player.told(answer, "cat")
    assert "You said" not in player.told(answer, player.SHOWN)
    assert "The answer given was dog" in player.told(answer, "dog", own=False)
    assert "<b>" not in player.told(answer, "<b>x").replace("\\<b\\>", "")


def test_a_lesson_of_one_s_own_is_found_by_its_digest_while_it_is_kept():
    upload = kept.hold(LESSON.encode())
    assert player.find(upload.identity).title == "Titles"
    with pytest.raises(InputError, match="kept for an hour"):
        player.find(Digest("0" * 32))
    with pytest.raises(InputError, match="UTF-8"):
        player.opened(kept.hold(b"\xff\xfe\x00"))


def test_a_host_s_own_folder_adds_lessons(tmp_path, monkeypatch):
    (tmp_path / "3-ours.md").write_text(LESSON, encoding="utf-8")
    monkeypatch.setenv(form.SETTING, str(tmp_path))
    lessons.forget()
    try:
        assert list(lessons())[-1] == "ours"
    finally:
        monkeypatch.undo()
        lessons.forget()
