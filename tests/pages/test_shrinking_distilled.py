"""Distilled on the page Shrinking: it opens, and its sentences are true of what was computed and measured."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.results.shrinking_students import Difference, Student, students
from core.shrinking.students import LAYERS, STUDENTS
from pages.scale.shrinking.distilled import TEACHERS, about_answers
from pages.scale.shrinking.distilled_heads import about_heads, source_of
from pages.scale.shrinking.distilled_measured import about_copied, about_measured
from tests.pages.conftest import check

PAGE = "scale/shrinking"


@pytest.mark.parametrize("kind", TEACHERS)
def test_the_section_opens_by_its_address(visit, kind):
    app = visit(PAGE, show="Distilled", distilled_of=kind, distilled_layer="1")
    assert app.title[0].value == "Pruning and quantisation"
    assert any("The teacher's first answer is" in markdown.value for markdown in app.markdown)
    assert len(app.get("plotly_chart")) == 3


def test_an_empty_sentence_gets_a_sentence_and_another_one_works_after_it(visit):
    app = visit(PAGE, show="Distilled")
    app.text_input(key="distilled_text").set_value(" ").run()
    assert not app.exception
    check(app.text_input(key="distilled_text").set_value("The dog slept by the door of the house.").run())
    assert any("The teacher's first answer is" in markdown.value for markdown in app.markdown)


@pytest.mark.parametrize("text", ["[MASK]", "...", "🙂", "[CLS] [SEP]", "$x$ **a** <b>"])
def test_odd_sentences_get_answers_or_one_sentence(visit, text):
    check(visit(PAGE, show="Distilled", distilled_text=text, distilled_word="99"))


CHANCES = st.lists(st.integers(1, 100), min_size=3, max_size=3, unique=True).map(
    lambda counts: torch.tensor(counts) / sum(counts)
)


@given(CHANCES, CHANCES, CHANCES)
def test_the_students_that_agree_are_counted(teacher, half, third):
    outputs = {
        "teacher": SimpleNamespace(title="Teacher", probabilities=teacher),
        "half": SimpleNamespace(title="Half", probabilities=half),
        "third": SimpleNamespace(title="Third", probabilities=third),
    }
    sentence = about_answers(SimpleNamespace(teacher="teacher", outputs=outputs, answers=("a", "b", "c")))
    best = max(range(3), key=lambda place: teacher[place])
    agree = sum(max(range(3), key=lambda place: other[place]) == best for other in (half, third))
    assert f"**“{'abc'[best]}”**" in sentence
    assert f"**{agree} of 2** students" in sentence
    assert f"half {half[best]:.1%}, third {third[best]:.1%}" in sentence


@given(st.lists(st.lists(st.integers(0, 69), min_size=4, max_size=4, unique=True), min_size=4, max_size=4))
def test_heads_that_stayed_are_those_with_no_nearer_one(rows):
    far = [[value / 100 for value in row] for row in rows]
    stayed = len([head for head in range(4) if all(far[head][head] <= other for other in far[head])])
    assert about_heads(far).startswith(f"**{stayed} of 4**")
    own = [far[head][head] for head in range(4)]
    assert ("has gone farthest" in about_heads(far)) == (max(own) > min(own))


def test_each_layer_of_a_student_began_as_another_one_of_the_teacher():
    assert [source_of("bert-half", layer) for layer in range(3)] == [0, 2, 4]
    assert [source_of("vit-third", layer) for layer in range(2)] == [0, 3]


SHARE = st.floats(0.1, 0.9).map(lambda value: round(value, 3))
ERROR = st.floats(0.001, 0.3).map(lambda value: round(value, 3))


def row(variant, layers, size, milliseconds, quality, taught, **more):
    usual = {"as_teacher": 0.5, "same_mistakes": 0.3, "questions": 100, "error": 0.01, "lead": None, "gain": None}
    return Student(variant, layers, size // 2, size, milliseconds, quality, taught=taught, **(usual | more))


@given(SHARE, SHARE, SHARE, st.integers(1, 50), ERROR, ERROR)
def test_what_the_teacher_adds_is_the_difference_to_training_alone(teacher, taught, alone, percent, error, other_error):
    lead, gain = Difference(taught - teacher, other_error), Difference(taught - alone, error)
    rows = (
        row("whole", 6, 200, 10.0, teacher, None, as_teacher=1.0, same_mistakes=1.0),
        row("half", 3, 2 * percent, percent / 10, taught, True, lead=lead, gain=gain),
        row("half-alone", 3, 100, 5.0, alone, False),
    )
    sentence = about_measured(rows)
    assert f"takes **{percent}%** of the time and **{percent}%** of the bytes" in sentence
    assert f"a difference of **{100 * (taught - teacher):+.1f}** ± {100 * other_error:.1f} points" in sentence
    assert f"with 3 layers **{100 * (taught - alone):+.1f}** ± {100 * error:.1f} points" in sentence
    assert ("more often than its teacher" in sentence) == (taught - teacher > 2 * other_error)
    below, above = (taught - alone) - 2 * error, (taught - alone) + 2 * error
    assert ("other questions might turn it around" in sentence) == (below <= 0 <= above)


@given(st.lists(st.tuples(SHARE, SHARE), min_size=4, max_size=4))
def test_answers_and_mistakes_are_those_of_the_taught_and_of_the_others(shares):
    kinds = (True, False, True, False)
    rows = tuple(
        row(str(number), 3, 100, 5.0, 0.5, kind, as_teacher=same, same_mistakes=wrong)
        for number, (kind, (same, wrong)) in enumerate(zip(kinds, shares, strict=True))
    )
    (a, wrong_a), (b, wrong_b), (c, wrong_c), (d, wrong_d) = shares
    sentence = about_copied(rows)
    assert f"in **{a:.0%} and {c:.0%}** of cases, those that were left alone in {b:.0%} and {d:.0%}." in sentence
    assert (
        f"in **{wrong_a:.0%} and {wrong_c:.0%}** of cases, the others in {wrong_b:.0%} and {wrong_d:.0%}." in sentence
    )


def test_a_pair_of_heads_stands_in_the_address_and_one_that_is_not_there_is_the_first(visit):
    app = visit(PAGE, show="Distilled", distilled_heads="2.1", distilled_layer="1")
    texts = [markdown.value for markdown in app.markdown]
    assert "**The teacher's head 1 in layer 2**" in texts
    assert "**The student's head 2 in layer 1**" in texts
    for wrong in ("9.9", "x", "1.", "²."):
        app.query_params["distilled_heads"] = wrong
        assert "**The student's head 0 in layer 1**" in [markdown.value for markdown in check(app.run()).markdown]


@pytest.mark.parametrize("teacher", STUDENTS)
def test_the_table_has_the_teacher_and_each_student_with_and_without_it(teacher):
    teacher_row, *student_rows = students(teacher)
    assert teacher_row.taught is None
    assert teacher_row.as_teacher == 1.0
    assert {(row.layers, row.taught) for row in student_rows} == {
        (layers, taught) for layers in LAYERS.values() for taught in (True, False)
    }
    for row in student_rows:
        assert row.parameters < teacher_row.parameters
        assert row.bytes == 4 * row.parameters
        assert row.lead is not None
        assert row.lead.value == pytest.approx(row.quality - teacher_row.quality, abs=2e-4)
        if row.taught:
            (alone,) = (other for other in student_rows if other.layers == row.layers and not other.taught)
            assert row.gain is not None
            assert row.gain.value == pytest.approx(row.quality - alone.quality, abs=2e-4)
        # As many right ones as can be: whoever is right where the teacher is right gives its answer.
        assert row.as_teacher <= teacher_row.quality + row.same_mistakes * (1 - teacher_row.quality) + 1e-3
