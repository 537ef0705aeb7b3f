"""A text in bytes, characters, words and tokens; and what tokenizers that do not merge can tell."""

import json
import math

import pytest

from core.tokens.pieces import UNITS, cut_text, pieces_of, unknown_of
from core.zoo import load_text
from dashboard.inputs import example_texts
from tests.core.saved_models import byte_level_tokenizer, unigram_tokenizer, wordpiece_tokenizer

SENTENCES = example_texts.examples("languages")


@pytest.mark.parametrize("language", SENTENCES)
def test_the_four_ways_hold_the_same_text(language):
    text = SENTENCES[language]
    cuts = cut_text(load_text("gpt-books").tokenizer, text)
    assert "".join(cuts.characters) == text
    assert " ".join(cuts.words) == text
    assert bytes.fromhex("".join(cuts.bytes)).decode() == text
    assert cuts.count("tokens") <= cuts.count("bytes")
    for way in UNITS:
        assert cuts.per_character(way) == pytest.approx(cuts.count(way) / len(text))


def test_at_least_eight_languages_have_a_sentence_of_their_own():
    assert len(SENTENCES) >= 8
    assert len(set(SENTENCES.values())) == len(SENTENCES)


def test_unknown_tokens_are_counted_where_a_tokenizer_has_them():
    tokenizer = wordpiece_tokenizer()
    assert unknown_of(tokenizer) == "[UNK]"
    assert cut_text(tokenizer, "the fox चित्र 猫", unknown_of(tokenizer)).unknown == sum(
        token == "[UNK]" for token in tokenizer.encode("the fox चित्र 猫", add_special_tokens=False).tokens
    )
    assert unknown_of(unigram_tokenizer()) == "<unk>"
    assert unknown_of(byte_level_tokenizer()) is None


def test_a_unigram_piece_has_the_log_probability_of_the_list():
    pieces = pieces_of(unigram_tokenizer(), "The quick fox")
    assert {piece.score for piece in pieces} <= {-3.0, -5.0}
    assert "".join(piece.label for piece in pieces).strip() == "The quick fox"


def test_a_unigram_tokenizer_takes_the_most_probable_pieces_of_all():
    tokenizer = unigram_tokenizer()
    text = "quick"
    pieces = pieces_of(tokenizer, text)
    total = sum(piece.score or 0.0 for piece in pieces)
    scores = dict(json.loads(tokenizer.to_str())["model"]["vocab"])
    marked = f"▁{text}"
    best = {0: 0.0}
    for end in range(1, len(marked) + 1):
        best[end] = max(
            (best[start] + scores[marked[start:end]] for start in range(end) if marked[start:end] in scores),
            default=-math.inf,
        )
    assert total == pytest.approx(best[len(marked)])


def test_wordpiece_pieces_have_numbers_and_no_score():
    tokenizer = wordpiece_tokenizer()
    pieces = pieces_of(tokenizer, "lazy foxes")
    assert all(piece.score is None for piece in pieces)
    assert [piece.number for piece in pieces] == tokenizer.encode("lazy foxes", add_special_tokens=False).ids
