"""Lessons: their form, what is read off the models, and every station of every lesson played."""

import inspect
import json
import math
import re
import time
from dataclasses import replace

import pytest
import torch

from core import zoo
from core.capture import record_attention
from core.errors import AtlasError, InputError
from core.heads import jobs
from core.probing.masked_words import one_sided_context
from core.results import dalle_results
from dashboard import contents
from dashboard.cache import memo
from dashboard.cache.upload import Digest
from dashboard.lessons import form, player, station_figure
from dashboard.lessons.figure_content import attention_map
from dashboard.lessons.form import Question, lessons, read
from dashboard.lessons.readings import READINGS, Amount, Choice, ask, bounds
from dashboard.lessons.readings.answers import QUARTERS, quarters, unique_labels
from tests.pages.conftest import check, message_text, prose, visit  # noqa: F401  (a fixture)
from tests.pages.session import controls_of, follow, session

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


def test_statements_that_a_lesson_says_hold_in_drawings_hold_in_other_pictures_clearly_less_often():
    questions = [lesson.stations[number].question for lesson, number in STATIONS]
    kinds = [question.expected for question in questions if question.reading.startswith("kind_")]
    assert kinds
    held = dalle_results.results().held["test"]
    for kind in kinds:
        drawn, others = held["1"][kind], held[dalle_results.CHANCE][kind]
        assert drawn.share - others.share > 2 * math.hypot(drawn.error, others.error), kind


@pytest.mark.parametrize("station", STATIONS, ids=name_of)
def test_the_answer_of_a_station_is_what_the_model_says_today(station):
    lesson, number = station
    question = lesson.stations[number].question
    answer = ask(question)
    assert answer.best == question.expected
    if isinstance(answer, Choice):
        ranked = sorted(answer.values.values(), reverse=not answer.least)
        assert len(ranked) >= 2, "There is nothing to choose."
        assert ranked[0] != ranked[1] or answer.is_right(question.expected)


@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.name)
def test_what_is_written_below_a_question_names_every_number_and_has_it(lesson):
    for at in lesson.stations:
        answer = ask(at.question)
        assert player.is_as_written(answer, at.question.expected), at.title
        assert written_numbers(at.after) == [], at.title
        for text in (at.before, at.question.text, at.after):
            assert set(form.placeholders(text)) <= set(answer.words), at.title
            assert "{{" not in player.filled(text, answer), at.title
        assert not any("nan" in answer.words[name] for name in form.placeholders(at.after)), at.title


def written_numbers(text):
    """What stands in a text as a number, and not as the name of one: digits, and words for counts and shares."""
    return re.findall(
        rf"\d+|\b(?:{COUNTS})\b", form.fill(text, dict.fromkeys(form.placeholders(text), "")), re.IGNORECASE
    )


COUNTS = (
    "three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|thousand|half|halves|third|quarters|twice|double|"
    "per cent|percent"
)


def test_the_test_of_numbers_can_fail():
    assert written_numbers("It gives 2.7 of ten, {{head 2}} twice.") == ["2", "7", "ten", "twice"]


@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.name)
def test_what_is_written_for_one_answer_is_not_said_of_another(lesson):
    for at in lesson.stations:
        answer = ask(at.question)
        other = (
            replace(answer, value=answer.value + 1)
            if isinstance(answer, Amount)
            else replace(answer, values={**answer.values, "quite another": (-1 if answer.least else 1) * 1e9})
        )
        assert player.explained(at, answer) == player.filled(at.after, answer)
        explanation = player.explained(at, other)
        assert "is left out" in explanation
        assert not any(sentence in explanation for sentence in at.after.split(". ") if len(sentence) > 20)


def test_a_number_that_a_reading_does_not_have_gets_a_sentence():
    answer = Choice({"dog": 0.5}, extra={"even": "10%"})
    with pytest.raises(
        InputError, match="names “evn”, and its reading measures no such thing; it has dog, even, answer"
    ):
        form.fill("It gives {{evn}}.", answer.words)
    assert "measures no such thing" in player.filled("It gives {{evn}}.", answer)
    assert player.filled("{{ dog }} of {{answer}}", answer) == "50\\.0% of dog"
    assert player.filled(r"$\frac{a}{b}$", answer) == r"$\frac{a}{b}$"


def test_a_choice_of_a_few_still_names_the_numbers_of_the_others():
    few = Choice({"cat": 0.5, "dog": 0.3, "man": 0.2}, extra={"even": "33%"}).among(("cat", "dog"))
    assert few.words == {"cat": "50.0%", "dog": "30.0%", "man": "20.0%", "even": "33%", "answer": "cat"}


HEADS = {
    ("first-twenty-minutes", 0): ((5, 2), "finds_again"),
    ("first-twenty-minutes", 1): ((3, 2), "attends_to"),
    ("inside-one-head", 3): ((5, 2), "finds_again"),
    ("gpt-and-bert", 2): ((5, 2), "head_that_finds"),
}


def test_a_head_that_a_lesson_names_by_a_job_does_it_and_not_its_control():
    gpt = zoo.load_text("gpt-books")
    sentences = [
        sentence for sentence in re.split(r"(?<=[.!?])\s+", one_sided_context.page()) if len(sentence.split()) >= 8
    ]
    before, again = jobs.previous_tokens(gpt, sentences), jobs.repeated_words(gpt)
    for (name, number), (head, reading) in HEADS.items():
        question = lessons()[name].stations[number].question
        assert question.reading == reading
        assert (question.arguments["layer"], question.arguments.get("head", head[1])) == head
        assert (before if reading == "attends_to" else again).of(head).holds
    text = " ".join(station.after for lesson in lessons().values() for station in lesson.stations)
    assert len(re.findall(r"induction head|previous-token head", text)) == 2, "A head is named by a job: test it here."


def test_the_word_of_the_previous_token_head_is_one_for_which_it_looks_there():
    question = lessons()["first-twenty-minutes"].stations[1].question
    answer = READINGS["attends_to"](**question.arguments)
    words = question.arguments["text"].split()
    assert answer.best == words[question.arguments["token"] - 1]
    gpt = zoo.load_text("gpt-books")
    with record_attention(gpt.network) as record:
        gpt.run(gpt.encode(question.arguments["text"]))
    weights = record.calls[3].weights(2)
    means = [float(weights.diagonal(-gap).mean()) for gap in range(len(weights))]
    assert max(range(len(means)), key=means.__getitem__) == 1
    assert answer.words["before"] == f"{means[1]:.0%}"


def title_of(page):
    return page.question if page is contents.HOME else page.name


@pytest.mark.parametrize("station", STATIONS, ids=name_of)
def test_a_station_shows_its_page_and_the_answer(visit, station):  # noqa: F811
    lesson, number = station
    at = lesson.stations[number]
    place = {"lesson": lesson.name, "station": str(number + 1)}
    app = visit(at.page.folder, **at.choices, **place, answer=at.question.expected)
    assert not app.warning, message_text(app)
    assert app.title[0].value == title_of(at.page)
    assert "The answer given was" in prose(app)
    assert_filled_in(app, at.question)
    explanation = player.explained(at, ask(at.question))
    assert explanation.split("\n")[0][:40] in " ".join(element.value for element in app.markdown)
    if section := at.choices.get("show"):
        assert app.session_state.show == section


def assert_filled_in(app, question: Question) -> None:
    """It is the first figure, as before the answer, and now holds the answer's number."""
    chart, answer = app.get("plotly_chart")[0], ask(question)
    assert station_figure.NAME in chart.proto.id
    figure = json.loads(chart.proto.spec)
    texts = [note["text"] for note in figure["layout"].get("annotations", [])]
    texts += [text for trace in figure["data"] for text in trace.get("text", [])]
    assert station_figure.HIDDEN not in texts
    if attention_map(question) is None:
        assert (
            answer.with_unit() if isinstance(answer, Amount) else answer.with_unit(answer.values[answer.best])
        ) in texts
    else:
        assert f"{100 * answer.values[answer.best]:.0f}" in texts


@pytest.mark.parametrize("name", lessons())
def test_a_student_who_walks_a_lesson_finds_on_each_station_what_its_link_opens(visit, name):  # noqa: F811
    lesson, app = lessons()[name], session()
    # What the student has chosen before must not come along.
    follow(app, contents.TEXT, text="I walked in the rain.", model="bert-books", layer="1", head="1", token="3")
    follow(app, contents.IMAGE, picture="astronaut")
    check(app.run())
    first = lesson.stations[0]
    follow(app, first.page, lesson=name, station="1")
    for number, station in enumerate(lesson.stations):
        assert station.title in titles_of(app), number
        answer_as_a_student(app, station.question)
        assert not app.warning, (station.title, message_text(app))
        assert app.title[0].value == title_of(station.page)
        assert "You said" in prose(app), station.title
        assert "check_circle" in prose(app), station.title
        place = {"lesson": name, "station": str(number + 1), "answer": station.question.expected}
        fresh = visit(station.page.folder, **station.choices, **place)
        assert controls_of(app) == controls_of(fresh), station.title
        assert {key: str(controls_of(app)[key]) for key in ("text", "show") if key in station.choices} == {
            key: value for key, value in station.choices.items() if key in ("text", "show")
        }
        assert len(app.get("plotly_chart")) == len(fresh.get("plotly_chart"))
        assert [head.value for head in app.subheader] == [head.value for head in fresh.subheader]
        if number + 1 < len(lesson.stations):
            check(app.button(key="station-on").click().run())


def titles_of(app) -> set[str]:
    """The headings of a page, as they are read; a station's title is one."""
    return {element.value.replace("\\", "") for element in app.subheader}


def answer_as_a_student(app, question: Question) -> None:
    """Choose the expected answer and go on to the page."""
    answer = ask(question)
    if not isinstance(answer, Choice):
        app.number_input(key=player.NUMBER).set_value(float(question.expected))
    elif len(answer.values) > player.MOST_PILLS:
        app.selectbox(key=player.CHOICE).set_value(question.expected)
    else:
        next(group for group in app.get("button_group") if group.key == player.CHOICE).set_value(question.expected)
    check(app.run())
    check(next(button for button in app.button if button.label == "Answer and see").click().run())


def test_every_page_is_a_station_of_a_lesson():
    station_pages = {station.page for lesson in lessons().values() for station in lesson.stations}
    assert set(contents.pages()) - station_pages <= NO_SUBJECT


def test_the_guide_for_teachers_names_every_reading():
    guide = (contents.ROOT / "docs" / "writing-a-lesson.md").read_text(encoding="utf-8")
    assert {name for name in READINGS if f"`{name}(" not in guide} == set()


def test_there_are_eight_lessons_besides_the_first_path_which_has_six_to_eight_stations():
    assert len(lessons()) == 9
    assert 6 <= len(lessons()[form.TOUR].stations) <= 8


def test_a_question_comes_before_the_page(visit):  # noqa: F811
    app = visit("explore/text", lesson="inside-one-head", station="1")
    assert "Nobody looks ahead" in titles_of(app)
    assert not app.text_area, "The page is shown before anybody has answered."
    assert [button.label for button in app.button if button.label == "Answer and see"]
    assert app.button(key="station-back").disabled
    app.button(key="station-on").click().run()
    assert app.query_params["station"] == "2"
    assert "A head with a habit" in titles_of(app)
    app.button(key="station-leave").click().run()
    assert "lesson" not in app.query_params
    assert app.text_area


@pytest.mark.parametrize(("name", "station"), [("none", "1"), ("inside-one-head", "0"), ("inside-one-head", "99999")])
def test_a_lesson_or_station_that_is_none_gets_one_sentence(visit, name, station):  # noqa: F811
    app = visit("explore/text", lesson=name, station=station)
    assert len(app.warning) == 1
    assert "There is no lesson" in message_text(app) or "has the stations 1 to 6" in message_text(app)


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
    ("before", "after", "message"),
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
def test_what_leaves_the_form_gets_a_sentence_with_its_line(before, after, message):
    assert before in LESSON
    with pytest.raises(InputError, match=message):
        read(LESSON.replace(before, after, 1), name="own")


@pytest.mark.parametrize(
    ("reading", "arguments", "message"),
    [
        ("nothing", {}, "There is no reading “nothing”"),
        ("next_token", {}, "cannot be asked like this"),
        ("attends_to", {"text": "The cat", "layer": 99, "head": 0}, "no head 0 in layer 99"),
        ("comes_from", {"text": "The cat sleeps.", "word": "chien"}, "is not a token in it"),
        ("hidden_word", {"text": "Nothing is hidden here."}, r"with one \[MASK\] in it"),
        ("attends_to", {"text": "The cat", "layer": 0, "head": 0, "token": 99}, "has no answer to .*token=99"),
        ("best_beyond", {"length": 10**9}, "has no answer to length="),
        ("kind_that_holds", {"split": "nothing"}, "has no answer to split="),
        ("heads_to_spare", {"model": "nobody"}, "has no answer to model="),
        ("bytes_saved", {"number_format": "int3"}, "is not a number format here"),
        ("share_of_score", {"scores": "high"}, "`scores` holds 1 to 64 scores"),
        ("nearest_variant", {"text": "The cat", "layer": 0, "head": 0, "size": 250_000}, "`size` is a whole number"),
        ("heads_to_spare", {"model": "bert-tasks"}, "cannot be told from none"),
        ("class_of", {"picture": "../secret"}, "."),
        ("farthest_head", {"book": "../secret", "tokens": 64}, "There is no book"),
        (
            "far_links_lead_to",
            {"book": "The Time Machine", "tokens": 64, "layer": 0, "head": 99},
            "no head 99 in layer",
        ),
        ("loss_beyond", {"book": "The Time Machine", "tokens": 64, "length": 64}, "shorter than the text"),
    ],
)
def test_a_reading_that_cannot_be_asked_gets_a_sentence(reading, arguments, message):
    with pytest.raises(AtlasError, match=message):
        ask(Question("?", reading, arguments, "x"))


HOSTILE = (
    None,
    True,
    "",
    "x" * 5_000_000,
    b"x",
    -(10**9),
    10**30,
    10**5000,
    1.5,
    -1e308,
    float("inf"),
    float("nan"),
    1j,
    (),
    ("x",) * 10_000,
    [["x"]],
    [float("nan")],
    {"a": 1},
    {1, 2},
)


def test_every_argument_of_every_reading_has_a_bound():
    names = {name for reading in READINGS.values() for name in inspect.signature(reading).parameters}
    assert names == set(bounds.BOUNDS)


@pytest.mark.parametrize("reading", sorted(READINGS))
def test_whatever_a_reading_is_asked_it_answers_or_refuses_in_a_sentence_at_once(reading):
    valid_arguments = {
        "at": "itself", "book": "The Time Machine", "distance": 50, "head": 0, "heads": 6, "layer": 0, "layers": 6,
        "length": 64, "line": "To be or not", "model": "", "number_format": "int8", "options": ("a", "b"),
        "picture": "cat", "pictures": 50000, "scene": "x", "scores": (1, 2), "text": "To be", "tokens": 64,
        "width": 288, "window": 2, "word": "be",
    }  # fmt: skip
    parameters = inspect.signature(READINGS[reading]).parameters
    usual = {name: valid_arguments[name] for name, of in parameters.items() if of.default is inspect.Parameter.empty}
    refused = 0
    started = time.process_time()
    for name in parameters:
        for value in HOSTILE:
            if bounds.BOUNDS[name].holds(value):  # short texts that name nothing
                continue
            with pytest.raises(AtlasError) as error:
                ask(Question("?", reading, {**usual, name: value}, "x"))
            assert len(str(error.value)) < 300
            assert f"`{name}`" in str(error.value)
            refused += 1
    assert refused >= 10 * len(parameters)
    assert time.process_time() - started < 5, "Refusing computes nothing."


def test_the_largest_size_of_an_approximation_is_soon_computed():
    started = time.process_time()
    READINGS["nearest_variant"](text="The cat sat down.", layer=3, head=2, size=bounds.BOUNDS["size"].most)
    assert time.process_time() - started < 5


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
    answer = READINGS["attends_to"](text=text, layer=3, head=2, token=5)
    assert list(answer.values.values()) == pytest.approx(row[row > 0].tolist())
    assert sum(answer.values.values()) == pytest.approx(1, abs=1e-5)


def test_the_next_token_is_the_model_s_own():
    model = zoo.load_text("gpt-books")
    text = "He opened the door and looked out of the"
    best = model.predictions(model.run(model.encode(text)))[0]
    answer = READINGS["next_token"](text=text)
    assert answer.best == best.label.strip()
    assert answer.values[answer.best] == pytest.approx(best.probability, abs=1e-6)


def test_the_share_of_a_score_is_the_softmax():
    answer = READINGS["share_of_score"](scores=(2, 1, 0))
    assert answer.value == pytest.approx(100 * math.exp(2) / (math.exp(2) + math.e + 1))


def test_the_quarters_of_a_map_share_what_it_holds():
    weights = torch.zeros(4, 4)
    weights[0, 3] = 2.0
    assert quarters(weights).values == dict(zip(QUARTERS, (0, 1, 0, 0), strict=True))
    middle = torch.zeros(3, 3)
    middle[1, 1] = 1.0
    assert quarters(middle).values == dict.fromkeys(QUARTERS, 0.25)


def test_equal_labels_are_unique_labels():
    assert unique_labels(["the", " cat", " the", " the"]) == ["the", "cat", "the (2)", "the (3)"]


@pytest.mark.parametrize(
    ("guess", "right"), [("67", True), ("64", True), ("60", False), ("1,000", False), ("x", False)]
)
def test_a_guessed_number_is_right_if_it_is_near(guess, right):
    assert Amount(66.5, "%", within=0.05).is_right(guess) is right


def test_what_is_said_to_a_guess_names_both():
    answer = Choice({"cat": 0.7, "dog": 0.3})
    assert (
        player.result_sentence(answer, "dog")
        == ":material/arrow_forward: You said dog; the model says **cat** (70\\.0%)."
    )
    assert "check_circle" in player.result_sentence(answer, "cat")
    assert "You said" not in player.result_sentence(answer, player.NO_GUESS)
    assert "The answer given was dog" in player.result_sentence(answer, "dog", is_own=False)
    assert "<b>" not in player.result_sentence(answer, "<b>x").replace("\\<b\\>", "")


def test_a_lesson_of_one_s_own_is_found_by_its_digest_while_it_is_kept():
    upload = memo.store_upload(LESSON.encode())
    assert player.find(upload.identity).title == "Titles"
    with pytest.raises(InputError, match="kept for an hour"):
        player.find(Digest("0" * 32))
    with pytest.raises(InputError, match="UTF-8"):
        player.read_upload(memo.store_upload(b"\xff\xfe\x00"))


def test_a_host_s_own_folder_adds_lessons(tmp_path, monkeypatch):
    (tmp_path / "3-ours.md").write_text(LESSON, encoding="utf-8")
    monkeypatch.setenv(form.SETTING, str(tmp_path))
    lessons.forget()
    try:
        assert list(lessons())[-1] == "ours"
    finally:
        monkeypatch.undo()
        lessons.forget()
