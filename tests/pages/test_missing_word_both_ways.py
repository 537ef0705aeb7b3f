"""Missing word / Both ways: two models on one sentence, and the claims of its sentences."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from core.probing.masked_words.one_sided_context import ContextGuesses
from core.probing.masked_words.queries import Answers
from core.probing.masked_words.words import Word
from core.text import Tokens
from core.zoo import Prediction
from pages.language.missing_word import compute_both_ways as compute
from pages.language.missing_word.both_ways import (
    about_guess,
    about_masks,
    about_one_side,
    about_page,
    error,
    page_table,
)
from pages.language.missing_word.compute_both_ways import Reading
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, message_text, prose
from tests.pages.tiny_bert_books import tiny_bert_books  # noqa: F401

PAGE = "language/missing_word"

pytestmark = pytest.mark.usefixtures("tiny_bert_books")
open_section = partial(dict, show="Both ways")


def test_both_models_are_asked_for_the_same_word(visit):
    app = visit(PAGE, **open_section(text="The old man sat by the fire.", word="3"))
    assert not app.warning
    text = prose(app)
    assert "“sat” has a probability of" in text
    assert "from the left** and" in text
    # 8 tokens: the GPT may look along 36 of 64 links; the BERT has two special tokens more, and no mask.
    assert "leaves **36 of 64** links open, the BERT's 100 of 100" in text
    assert "depends on **3 of 7** other words, the BERT's on **7 of 7**" in text
    assert "Hatched: the mask forbids it" in text
    assert "No mask: every token may attend to every other" in text


def test_from_the_left_nobody_can_guess_the_first_word(visit):
    app = visit(PAGE, **open_section(text="The old man sat by the fire.", word="0"))
    assert "it cannot be predicted from the left" in prose(app)
    assert "No word stands before the first one" in message_text(app)


@pytest.mark.parametrize("text", ["a", "😀", "مرحبا بالعالم", "猫と犬", "<b>x</b> **y**", "word " * 300])
def test_odd_texts_are_read_like_any_other(visit, text):
    app = visit(PAGE, **open_section(text=text))
    assert not app.exception
    assert not app.warning


def test_a_word_that_is_not_there_is_not_asked_for(visit):
    assert not visit(PAGE, **open_section(text="One two three.", word="99")).warning


@pytest.mark.usefixtures("at_home")
def test_a_named_model_with_other_pieces_stands_beside_the_gpt(visit, tmp_path):
    folder = str(save_text_model("roberta", tmp_path / "roberta"))
    app = visit(PAGE, **open_section(model=folder, text="The quick fox.", word="1"))
    assert not app.warning
    assert "“quick”" in prose(app)


def test_the_page_is_measured_when_it_is_asked_for_and_kept(visit, monkeypatch):
    monkeypatch.setattr(compute.one_sided_context, "MOST", 12)
    app = visit(PAGE, **open_section())
    assert not compute.page_guessed.peek("bert-books")
    (button,) = [button for button in app.button if "words of a page" in button.label]
    check(button.click().run())
    guesses = compute.page_guessed.peek("bert-books")
    assert len(guesses.words) == 12
    for opened in (app, visit(PAGE, **open_section())):
        assert f"for {guesses.next_left.accuracy:.0%} of 12 words from the left" in prose(opened)
        table = opened.dataframe[0].value
        assert table["first guess is right"].tolist()[:4] == pytest.approx(
            [100 * answers.accuracy for answers in (guesses.next_left, guesses.left, guesses.right, guesses.both)]
        )


def reading(open_links: np.ndarray, influence: list[float], true: float = 0.25, *, guesses: bool = True) -> Reading:
    size = len(open_links)
    tokens = Tokens(tuple(range(size)), tuple("abc"[:size]), (False,) * size, tuple(range(size)))
    words = tuple(Word(n, " abc"[n + 1], (n,)) for n in range(len(influence)))
    best = (Prediction("x", 0.5, 1),) if guesses else ()
    mean = np.where(open_links, 0.5, np.nan)
    return Reading(tokens, words, 1, mean, open_links, "none", 4, np.array(influence), best, 1, true)


def test_links_and_words_that_inform_are_counted():
    causal, full = np.tri(3, dtype=bool), np.ones((3, 3), dtype=bool)
    sentence = about_masks(reading(causal, [0.1, np.nan, 0.0]), reading(full, [0.1, np.nan, 0.2]))
    assert "leaves **6 of 9** links open, the BERT's 9 of 9" in sentence
    assert "on **1 of 2** other words, the BERT's on **2 of 2**" in sentence


def test_a_single_word_has_no_other_that_could_inform_its_guess():
    single = reading(np.ones((1, 1), dtype=bool), [np.nan])
    single = replace(single, words=single.words[:1], target=0)
    assert "of 0" not in about_masks(single, single)
    assert "single word" in about_masks(single, single)


def test_the_word_is_told_with_both_probabilities_or_without_the_left_one():
    full = np.ones((3, 3), dtype=bool)
    both = reading(full, [0.1, np.nan, 0.2], 0.5)
    assert "“b” has a probability of **25.0% from the left** and **50.0% from both sides**" in about_guess(
        reading(full, [0.1, np.nan, 0.0]), both
    )
    assert "cannot be predicted from the left" in about_guess(reading(full, [0.1, np.nan, 0.0], guesses=False), both)


def answers(*ranks: int) -> Answers:
    places = torch.tensor(ranks, dtype=torch.long)
    return Answers(torch.full((len(ranks),), 0.5).log(), places, places)


def test_the_page_is_told_with_its_shares_and_what_both_sides_alone_find():
    guesses = ContextGuesses(
        ("the", "sea", "the", "moon"),
        8,
        next_left=answers(1, 2, 2, 2),
        left=answers(1, 2, 2, 2),
        right=answers(2, 2, 2, 2),
        both=answers(1, 1, 1, 2),
        commonest=0.5,
        commonest_word="the",
    )
    sentence = about_page(guesses)
    assert "right for 25% of 4 words from the left (GPT) and for 75% from both sides" in sentence
    assert "“the” would be right for 50%" in sentence
    assert error(guesses.both) == pytest.approx((0.75 * 0.25 / 4) ** 0.5)
    assert "finds 25% from the left and 0% from the right: the difference is within" in about_one_side(guesses)
    assert "**2** words" in about_one_side(guesses)
    table = page_table(guesses, "GPT", "BERT")
    assert table["first guess is right"].tolist() == [0.25, 0.25, 0.0, 0.75, 0.5]
    assert table["perplexity"].tolist()[:4] == pytest.approx([2, 2, 2, 2])
    assert table["among the first five"].tolist()[:4] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("left", "other", "verdict"),
    [
        ((1, 4), (3, 4), "cannot be told"),  # 50 points of four words
        ((10, 100), (40, 100), "the BERT with both sides is right more often"),
        ((40, 100), (10, 100), "the GPT from the left is right more often"),
        ((20, 100), (22, 100), "cannot be told"),
        ((0, 0), (0, 0), "nothing to compare"),
    ],
)
def test_a_reader_is_better_only_beyond_two_standard_errors(left, other, verdict):
    def of(right, count):
        return answers(*[1] * right, *[2] * (count - right))

    guesses = ContextGuesses(("word",) * left[1], 8, of(*left), of(*left), of(*other), of(*other), 0.1, "the")
    assert verdict.lower() in about_page(guesses).lower()
    sentence = about_one_side(guesses)
    assert ("more from the left" in sentence) == (verdict[4:7] == "GPT")
    assert ("more from the right" in sentence) == (verdict[4:8] == "BERT")
