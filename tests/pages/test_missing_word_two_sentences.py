"""Missing word / Two sentences: the section, its address, and the claims of its sentences."""

from functools import partial

import pytest
import torch

from core.errors import ModelError
from core.paths import PROJECT
from core.probing.masked_words.sentence_pairs import Crossing
from core.results.next_sentence_results import NextSentence, next_sentence
from pages.language.missing_word.compute_two_sentences import FIRST_SENTENCE, FOLLOWS_NOT, UNRELATED, SegmentLengths
from pages.language.missing_word.pair_sentences import (
    about_crossing,
    about_following,
    about_inputs,
    about_measured,
    about_segments,
)
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, message_text, prose
from tests.pages.tiny_bert_books import tiny_bert_books  # noqa: F401

PAGE = "language/missing_word"

pytestmark = pytest.mark.usefixtures("tiny_bert_books")
open_section = partial(dict, show="Two sentences")


def test_the_section_is_alive_at_once(visit):
    app = visit(PAGE, **open_section())
    assert not app.warning
    assert app.text_input(key="first").value == FIRST_SENTENCE
    assert f"{len(UNRELATED)} unrelated" in prose(app) or f"of {len(UNRELATED)}** unrelated" in prose(app)
    assert "has not been measured here" in prose(app)  # of a network with random weights
    assert "uniform attention" in prose(app)
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
    assert app.text_input(key="second").value == FOLLOWS_NOT


@pytest.mark.parametrize("second", ["", "  "])
def test_an_empty_sentence_is_one_sentence(visit, second):
    app = visit(PAGE, **open_section())
    check(app.text_input(key="second").set_value(second).run())
    assert "There is no text here yet" in message_text(app)


def test_sentences_that_are_too_long_together_are_told_with_numbers(visit):
    app = visit(PAGE, **open_section(second="The old man sat by the fire. " * 40))
    assert "at most 128 at once" in message_text(app)


@pytest.mark.parametrize("second", ["😀", "مرحبا بالعالم", "<b>x</b> **y** $z$", "[SEP] [MASK]"])
def test_odd_sentences_are_read_like_any_other(visit, second):
    assert not visit(PAGE, **open_section(second=second)).warning


@pytest.mark.usefixtures("at_home")
def test_a_model_without_the_second_task_still_shows_its_heads(visit, tmp_path):
    folder = str(save_text_model("bert", tmp_path / "bert"))
    app = visit(PAGE, **open_section(model=folder, first="The quick fox.", second="The dog."))
    assert "puts nothing between two sentences" in message_text(app)


def test_a_probability_is_weighed_by_what_unrelated_sentences_get():
    others = [number / 100 for number in range(45, 57)]  # 45 % to 56 %
    assert "**The second sentence fits best**" in about_following(0.9, others)
    assert "**Any unrelated sentence fits better**" in about_following(0.1, others)
    assert "**6 of 12** unrelated" in about_following(0.512, others)  # 51 to 56, with a point of margin
    assert "**1 of 12** unrelated" in about_following(0.565, others)  # ahead of 56 %, but within a point
    assert "no room" in about_following(0.9, [0.1])


def test_the_input_that_changes_most_is_named_if_it_changes_anything():
    assert "“turned” changes it most: from 90.0% to 20.0%" in about_inputs({"as": 0.9, "same": 0.7, "turned": 0.2})
    assert "changes it most" not in about_inputs({"as": 0.9, "turned": 0.905})
    assert about_inputs({"as": 0.9}) == ""


@pytest.mark.parametrize(
    ("accuracy", "pairs", "verdict"),
    [
        (0.5526, 1008, "a little better than a coin"),
        (0.5526, 100, "no better than a coin"),  # the same share of fewer pairs
        (0.5, 1008, "no better than a coin"),
        (0.4, 1008, "worse than a coin"),
        (0.9, 1008, "better than a coin"),
    ],
)
def test_a_head_is_better_than_chance_only_beyond_two_standard_errors(accuracy, pairs, verdict):
    sentence = about_measured(NextSentence(accuracy, pairs))
    assert f"**{verdict}**" in sentence
    assert f"{accuracy:.1%}" in sentence


def test_of_the_bert_that_comes_with_the_atlas_the_accuracy_stands_beside_the_answer():
    measured = next_sentence(PROJECT / "weights" / "bert-books")
    assert measured == NextSentence(0.5506, 1008)
    assert next_sentence(PROJECT / "weights" / "nothing-here") is None


def test_a_damaged_accuracy_is_an_error_that_names_the_file(tmp_path):
    (tmp_path / "results.json").write_text('{"next_sentence": {"accuracy": 1.5, "pairs": 3}}')
    with pytest.raises(ModelError, match=r"results\.json"):
        next_sentence(tmp_path)


def test_segments_are_told_by_their_distance():
    assert "0.50 apart" in about_segments(SegmentLengths(1.0, 1.0, 0.5, 2.0))
    assert "**25%**" in about_segments(SegmentLengths(1.0, 1.0, 0.5, 2.0))
    assert "has no segment vectors" in about_segments(None)
    assert "nothing to compare" in about_segments(SegmentLengths(1.0, 1.0, 0.5, 0.0))


def crossing(other, even=0.25):
    other = torch.tensor(other)
    return Crossing(other, torch.full_like(other, 0.25), torch.zeros_like(other), even=even)


def test_the_head_that_looks_across_most_is_named_with_what_even_attention_would_give():
    sentence = about_crossing(crossing([[0.1, 0.2, float("nan")], [0.5, 0.3, 0.0]]))
    assert "**Layer 1, head 0** attends to the other sentence most: a word gives 50%" in sentence
    assert "uniform attention would give 25%. **2 of 5** heads" in sentence
    assert "most attention goes to the other sentence in layer 1 (27%), least in layer 0 (15%)" in sentence
    assert "Separators get 25%" in sentence


def test_no_head_looks_across_where_none_gives_more_than_even_attention():
    assert "keeps to its own" in about_crossing(crossing([[0.1, 0.2]]))
    assert "No head attends to the other sentence more" in about_crossing(crossing([[0.255, 0.2]]))
    assert "On average" not in about_crossing(crossing([[0.1, 0.5]]))  # a single layer
    assert "All layers give about as much" in about_crossing(crossing([[0.5, 0.3], [0.305, 0.5]]))
    assert "No head of this model" in about_crossing(crossing([[float("nan")]]))
