"""Distilled on the page Shrinking: it opens, and its sentences are true of what was computed and measured."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.measured.shrinking_students import Student, students
from core.shrinking.students import LAYERS, STUDENTS
from pages.scale.shrinking import words_distilled as words
from pages.scale.shrinking.distilled import about_answers, about_copied, about_heads, about_measured, source_of
from tests.pages.conftest import check

PAGE = "scale/shrinking"


@pytest.mark.parametrize("kind", words.KINDS)
def test_the_section_opens_by_its_address(visit, kind):
    app = visit(PAGE, show="Distilled", distilled_of=kind, distilled_layer="1")
    assert app.title[0].value == "What can be removed?"
    assert any("The teacher's first answer is" in each.value for each in app.markdown)
    assert len(app.get("plotly_chart")) == 3


def test_an_empty_sentence_gets_a_sentence_and_another_one_works_after_it(visit):
    app = visit(PAGE, show="Distilled")
    app.text_input(key="distilled_text").set_value(" ").run()
    assert not app.exception
    check(app.text_input(key="distilled_text").set_value("The dog slept by the door of the house.").run())
    assert any("The teacher's first answer is" in each.value for each in app.markdown)


CHANCES = st.lists(st.integers(1, 100), min_size=3, max_size=3, unique=True).map(
    lambda counts: torch.tensor(counts) / sum(counts)
)


@given(CHANCES, CHANCES, CHANCES)
def test_the_students_that_agree_are_counted(whole, half, third):
    said = {
        "teacher": SimpleNamespace(title="Teacher", probabilities=whole),
        "half": SimpleNamespace(title="Half", probabilities=half),
        "third": SimpleNamespace(title="Third", probabilities=third),
    }
    told = about_answers(SimpleNamespace(teacher="teacher", said=said, answers=("a", "b", "c")))
    best = max(range(3), key=lambda place: whole[place])
    agree = sum(max(range(3), key=lambda place: other[place]) == best for other in (half, third))
    assert f"**“{'abc'[best]}”**" in told
    assert f"**{agree} of 2** students" in told
    assert f"half {half[best]:.1%}, third {third[best]:.1%}" in told


@given(st.lists(st.lists(st.integers(0, 69), min_size=4, max_size=4, unique=True), min_size=4, max_size=4))
def test_heads_that_stayed_are_those_with_no_nearer_one(rows):
    far = [[value / 100 for value in row] for row in rows]
    stayed = len([head for head in range(4) if all(far[head][head] <= other for other in far[head])])
    assert about_heads(far).startswith(f"**{stayed} of 4**")


def test_each_layer_of_a_student_began_as_another_one_of_the_teacher():
    assert [source_of("bert-half", layer) for layer in range(3)] == [0, 2, 4]
    assert [source_of("vit-third", layer) for layer in range(2)] == [0, 3]


SHARE = st.floats(0.1, 0.9).map(lambda value: round(value, 3))


@given(SHARE, SHARE, SHARE, st.integers(1, 50))
def test_what_the_teacher_adds_is_the_difference_to_training_alone(whole, taught, alone, percent):
    rows = (
        Student("whole", 6, 100, 200, 10.0, whole, 1.0, None),
        Student("half", 3, 50, 2 * percent, percent / 10, taught, 0.5, True),
        Student("half-alone", 3, 50, 100, 5.0, alone, 0.5, False),
    )
    said = about_measured(rows)
    assert f"takes **{percent}%** of the time and **{percent}%** of the bytes" in said
    assert f"with 3 layers {100 * (taught - alone):+.1f} points" in said
    assert ("more often than its teacher" in said) == (taught > whole)
    assert "first answer in **50%** of cases, those that were left alone in 50%" in about_copied(rows)


@pytest.mark.parametrize("teacher", STUDENTS)
def test_the_table_has_the_teacher_and_each_student_with_and_without_it(teacher):
    whole, *rest = students(teacher)
    assert whole.taught is None
    assert whole.as_teacher == 1.0
    assert {(row.layers, row.taught) for row in rest} == {
        (layers, taught) for layers in LAYERS.values() for taught in (True, False)
    }
    for row in rest:
        assert row.parameters < whole.parameters
        assert row.bytes == 2 * row.parameters
