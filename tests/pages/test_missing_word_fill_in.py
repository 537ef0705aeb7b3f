"""Missing word / Fill in: the section itself, its address, and the claims of its sentences."""

import math

import numpy as np
import pytest
import torch

from core.probing.masked_words.masked_places import HidingCurve, MaskedToken, PseudoLikelihood
from core.probing.masked_words.queries import Answers
from core.probing.masked_words.words import Word, words_of
from core.text import Tokens
from pages.language.missing_word import hidden_words, inputs
from pages.language.missing_word.fill_in import cost_table, more_table
from pages.language.missing_word.fill_in_sentences import about_cost, about_guesses, about_looks, about_more
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, message_text, prose
from tests.pages.tiny_bert_books import tiny_bert_books  # noqa: F401

PAGE = "language/missing_word"

pytestmark = pytest.mark.usefixtures("tiny_bert_books")


def tokens_of(*labels: str, special: tuple[int, ...] = ()) -> Tokens:
    marks = tuple(place in special for place in range(len(labels)))
    return Tokens(tuple(range(len(labels))), labels, marks, tuple(None if m else n for n, m in enumerate(marks)))


def gap(rank: int, probability: float, place: int = 1) -> MaskedToken:
    """A hidden token 0 of this rank among four, with this probability."""
    others = torch.full((4,), 0.0)
    others[1:rank] = probability + 0.01
    others[0] = probability
    return MaskedToken(place, 0, others)


def test_the_section_is_alive_at_once_with_a_word_hidden(visit):
    app = visit(PAGE)
    assert app.title[0].value == "Masked words (BERT)"
    assert not app.warning
    assert "What stands behind the mask?" in prose(app)
    assert "pseudo-perplexity of the text is" in prose(app)
    assert "The masked word is" in prose(app)
    assert "words; when all" in prose(app)


def test_a_link_says_which_words_are_hidden(visit):
    app = visit(PAGE, text="One two three four five.", hide="1.3")
    assert "of 2 masked tokens**" in prose(app)
    assert [option[:2] for option in app.segmented_control(key="gap").options] == ["1.", "2."]
    assert not app.warning


def test_nothing_hidden_leaves_the_text_and_its_costs(visit):
    app = visit(PAGE, hide="none")
    assert "Click a word to mask it" in prose(app)
    assert "What stands behind the mask?" not in prose(app)


def test_hidden_words_that_the_text_does_not_have_are_left_out_and_that_is_said(visit):
    app = visit(PAGE, text="One two three.", hide="1.77.x")
    assert "2 of the masked words in the address are not among the 4 words" in message_text(app)
    assert "The masked word is" in prose(app)


@pytest.mark.parametrize(
    "text", ["a", "😀😀 🇫🇷", "مرحبا بالعالم", "猫と犬がいる", "<b>x</b> **y** $z$", "The [MASK] sat.", "\n.\n"]
)
def test_odd_texts_are_read_like_any_other(visit, text):
    app = visit(PAGE, text=text)
    assert not app.exception
    assert not app.warning


def test_a_long_text_is_cut_and_that_is_said(visit):
    app = visit(PAGE, text="The old man sat by the fire. " * 60, draw="1")
    assert "it reads the first 126 of" in message_text(app)


def test_an_empty_text_gets_one_sentence(visit):
    app = visit(PAGE, text="   ")
    assert "There is no text here yet" in message_text(app)
    check(app.text_area(key="text").set_value("Now there is one.").run())
    assert not app.warning


def test_an_example_replaces_the_text_and_what_was_hidden(visit):
    app = visit(PAGE, hide="0")
    check(app.button_group(key="text_example").set_value("Only the end tells").run())
    assert app.text_area(key="text").value == inputs.EXAMPLES["Only the end tells"]
    assert "hide" not in app.query_params


def test_a_gpt_is_refused_in_a_sentence(visit):
    app = visit(PAGE, model="gpt-books")
    assert "does not fill gaps" in message_text(app)


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_named_masked_model_fills_gaps(visit, kind, tmp_path):
    folder = str(save_text_model(kind, tmp_path / kind))
    app = visit(PAGE, model=folder, text="The quick brown fox.", hide="1")
    assert not app.warning
    assert ("The masked word is" in prose(app)) or ("masked tokens**" in prose(app))  # of a word of several pieces


def test_the_projector_s_view_has_no_prose(visit):
    app = visit(PAGE, present="1")
    assert not any("Try this" in heading.value for heading in app.subheader)


def test_addresses_are_read_back_and_what_is_none_is_counted():
    assert hidden_words.decode(hidden_words.encode({7, 3}), 8) == (frozenset({3, 7}), 0)
    assert hidden_words.encode(()) == "none"
    assert hidden_words.decode("none", 8) == (frozenset(), 0)
    assert hidden_words.decode("3.8.-1.²", 8) == (frozenset({3}), 3)


def test_the_first_hidden_word_has_letters_and_stands_in_the_second_half():
    text = words_of(tokens_of("One", " two", " three", " elephants", " !"))
    assert hidden_words.first_hidden(text) == {3}
    assert hidden_words.first_hidden(words_of(tokens_of("!"))) == frozenset()


def test_one_gap_is_told_by_its_rank_and_probability():
    assert "first prediction, with a probability of **40.0%**" in about_guesses([gap(1, 0.4)])
    assert "3rd prediction, with a probability of **10.0%**" in about_guesses([gap(3, 0.1)])
    assert "less than 0.1%" in about_guesses([gap(2, 1e-6)])


def test_several_gaps_are_counted_and_their_probabilities_averaged_geometrically():
    sentence = about_guesses([gap(1, 0.4), gap(2, 0.1), MaskedToken(5, None, torch.ones(4) / 4)])
    assert "first prediction is right for **1 of 2 masked tokens**" in sentence
    assert f"{math.sqrt(0.04):.1%}" in sentence
    assert "Click a word" in about_guesses([])


def test_what_a_gap_looks_at_adds_up_to_all_of_its_attention():
    tokens = tokens_of("[CLS]", "a", "b", "c", "[SEP]", special=(0, 4))
    looks = {"0.0": np.array([0.1, 0.2, 0.3, 0.4, 0.0]), "1.1": np.array([0.3, 0.0, 0.1, 0.2, 0.4])}
    sentence = about_looks(looks, 2, tokens)
    assert "gives 10% of its attention to tokens before it, 30% to tokens after it, 20% to itself and 40%" in sentence
    assert "**layer 0, head 0**, it gives 40% to “c”" in sentence


def test_the_only_token_of_a_text_has_no_link_to_tell_of():
    tokens = tokens_of("[CLS]", "a", "[SEP]", special=(0, 2))
    sentence = about_looks({"0.0": np.array([0.2, 0.5, 0.3])}, 1, tokens)
    assert "50% to itself and 50% to special tokens" in sentence
    assert "strongest" not in sentence


def scored(*nats: float) -> PseudoLikelihood:
    return PseudoLikelihood(
        tuple(Word(n, f" w{n}", (n + 1,)) for n in range(len(nats))), torch.tensor([math.nan, *nats, math.nan])
    )


def test_the_cost_of_a_text_names_the_word_with_the_largest_share():
    two = math.log(2)
    sentence = about_cost(scored(1 * two, 5 * two, 2 * two))
    assert f"pseudo-perplexity of the text is **{2 ** (8 / 3):.1f}**" in sentence
    assert "each of its 3 tokens, masked alone, costs 2.7 bits on average" in sentence
    assert "“w1” costs most: 5.0 bits, 62% of the whole text" in sentence
    table = cost_table(scored(1 * two, 5 * two, 2 * two))
    assert table["bits"].tolist() == pytest.approx([1, 5, 2])
    assert table["share"].sum() == pytest.approx(1)


def test_no_word_costs_most_where_two_cost_as_much_or_there_is_only_one():
    assert "“w0” and “w2” cost most, 2.0 bits each" in about_cost(scored(*(math.log(2) * bits for bits in (2, 1, 2))))
    assert "costs most" not in about_cost(scored(1.0))


def test_hiding_more_is_told_by_its_first_and_last_point():
    def answers(*ranks: int) -> Answers:
        places = torch.tensor(ranks, dtype=torch.long)
        return Answers(torch.full((len(ranks),), 0.5).log(), places, places)

    curve = HidingCurve(4, (1, 4), (answers(1, 1, 2, 1), answers(1, 3, 2, 9)))
    assert "right for **3 of 4** words; when all 4 are masked at once, that falls to 1 of 4." in about_more(curve)
    assert "too few" in about_more(curve)
    many = HidingCurve(12, (1, 12), (answers(*[1] * 12), answers(*[1] * 6, *[2] * 6)))
    assert about_more(many).endswith("falls to 6 of 12.")
    same = HidingCurve(4, (1, 4), (answers(1, 2), answers(2, 1)))
    assert about_more(same).endswith("that stays.")
    assert "No word" in about_more(HidingCurve(2, (1, 2), (answers(), answers())))
    assert more_table(curve)["right"].tolist() == [0.75, 0.25]
    assert more_table(curve)["probability"].tolist() == pytest.approx([0.5, 0.5])
