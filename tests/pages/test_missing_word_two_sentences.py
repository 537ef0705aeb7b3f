"""Missing word / Two sentences: the section, its address, and the claims of its sentences."""

from functools import partial

import pytest
import torch

from core.cloze.pairs import Crossing
from pages.language.missing_word import words
from pages.language.missing_word.compute_two_sentences import SegmentLengths
from pages.language.missing_word.two_sentences import about_crossing, about_following, about_segments
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, prose, told
from tests.pages.tiny_bert_books import tiny_bert_books  # noqa: F401

PAGE = "language/missing_word"

pytestmark = pytest.mark.usefixtures("tiny_bert_books")
open_section = partial(dict, show="Two sentences")


def test_the_section_is_alive_at_once(visit):
    app = visit(PAGE, **open_section())
    assert not app.warning
    assert app.text_input(key="first").value == words.FIRST_SENTENCE
    assert "The model says that the second sentence" in prose(app)
    assert "looks across most" in prose(app)
    assert "segment vectors are" in prose(app)


def test_a_link_holds_both_sentences_and_the_head(visit):
    app = visit(PAGE, **open_section(first="One two.", second="Three four.", layer="1", head="2", across="separators"))
    assert (app.number_input(key="layer").value, app.number_input(key="head").value) == (1, 2)
    assert app.segmented_control(key="across").value == "separators"
    assert app.text_input(key="second").value == "Three four."


def test_sentences_are_swapped_and_taken_from_the_examples(visit):
    app = visit(PAGE, **open_section(first="One.", second="Two."))
    (turn,) = [button for button in app.button if button.label == "Other first"]
    check(turn.click().run())
    assert (app.text_input(key="first").value, app.text_input(key="second").value) == ("Two.", "One.")
    (other,) = [button for button in app.button if button.label == "One that does not"]
    check(other.click().run())
    assert app.text_input(key="second").value == words.FOLLOWS_NOT


@pytest.mark.parametrize("second", ["", "  "])
def test_an_empty_sentence_is_one_sentence(visit, second):
    app = visit(PAGE, **open_section())
    check(app.text_input(key="second").set_value(second).run())
    assert "There is no text here yet" in told(app)


def test_sentences_that_are_too_long_together_are_told_with_numbers(visit):
    app = visit(PAGE, **open_section(second="The old man sat by the fire. " * 40))
    assert "at most 128 at once" in told(app)


@pytest.mark.parametrize("second", ["😀", "مرحبا بالعالم", "<b>x</b> **y** $z$", "[SEP] [MASK]"])
def test_odd_sentences_are_read_like_any_other(visit, second):
    assert not visit(PAGE, **open_section(second=second)).warning


@pytest.mark.usefixtures("at_home")
def test_a_model_without_the_second_task_still_shows_its_heads(visit, tmp_path):
    folder = str(save_text_model("bert", tmp_path / "bert"))
    app = visit(PAGE, **open_section(model=folder, first="The quick fox.", second="The dog."))
    assert "puts nothing between two sentences" in told(app)


def test_what_changes_the_verdict_most_is_named():
    said = about_following({"as": 0.9, "turned": 0.7, "other": 0.2})
    assert "**follows**: 90.0% that it does" in said
    assert "“other” changes it most: to 20.0%" in said
    assert "**does not follow**: 10.0%" in about_following({"as": 0.1})
    assert "Nothing that was tried here" in about_following({"as": 0.9, "turned": 0.905})


def test_segments_are_told_by_their_distance():
    assert "0.50 apart" in about_segments(SegmentLengths(1.0, 1.0, 0.5, 2.0))
    assert "**25%**" in about_segments(SegmentLengths(1.0, 1.0, 0.5, 2.0))
    assert "has no segment vectors" in about_segments(None)


def test_the_head_that_looks_across_most_is_named_with_what_even_attention_would_give():
    other = torch.tensor([[0.1, 0.2, float("nan")], [0.5, 0.3, 0.0]])
    said = about_crossing(Crossing(other, torch.full((2, 3), 0.25), torch.zeros(2, 3), even=0.25))
    assert "**Layer 1, head 0** looks across most: a word gives 50%" in said
    assert "Even attention would give 25%; **2 of 5** heads give more" in said
    assert "most attention crosses in layer 1 (27%), least in layer 0 (15%)" in said
    assert "Separators get 25%" in said
