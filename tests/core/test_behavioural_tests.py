"""The checklist: its pairs are what they claim to be, and failures and intervals are counted right."""

import re
from collections import Counter
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from core.errors import InputError
from core.results.behavioural_test_results import failures_by_model
from core.sentiment.behavioural_tests import (
    KINDS,
    TOLERANCE,
    Pair,
    Rate,
    are_correct,
    count_failures,
    drop_letter,
    fails,
    pairs_of,
    positivity,
    probabilities_of_text,
    read_pairs,
    segments,
    swap_letters,
    unread_words,
    wilson,
)
from core.sentiment.templates import TESTS, WORDS
from core.zoo.sentiment_classifiers import REVIEWERS, load_reviewer

LANGUAGES = tuple(WORDS)
CLASSES = ("negative", "neutral", "positive")


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_some_hundreds_of_pairs_of_every_kind_and_none_comes_twice(language):
    pairs = pairs_of(language)
    assert 300 <= len(pairs) <= 1000
    assert list(dict.fromkeys(pair.kind for pair in pairs)) == list(KINDS)
    assert len({(pair.before, pair.after) for pair in pairs}) == len(pairs)
    assert pairs == pairs_of.__wrapped__(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sentence_is_whole_and_changed_in_its_pair(language):
    for pair in pairs_of(language):
        assert pair.before != pair.after
        for text in (pair.before, pair.after):
            assert re.fullmatch(r"[A-ZÁÉÍÓÚÑ¡¿Q][^\[\]{}|~]*[.!]", text), text
            assert "  " not in text
            assert " ." not in text
            assert " ," not in text


def test_articles_fit_the_words_behind_them():
    for pair in pairs_of("english"):
        for text in (pair.before, pair.after):
            assert not re.search(r"\b[Aa] [aeiou]", text), text
            assert not re.search(r"\b[Aa]n [^aeiou]", text), text


def test_every_list_of_words_is_used_and_none_names_a_word_twice():
    for language, words in WORDS.items():
        used = set(
            re.findall(r"\{(\w+)", " ".join(template for test in TESTS[language] for template in test.templates))
        )
        assert used == set(words)
        assert all(len(set(word_list)) == len(word_list) for word_list in words.values())


def test_where_words_change_places_both_sentences_have_the_same_words():
    exchanged_pairs = [pair for pair in pairs_of("english") if "change places" in pair.test]
    assert exchanged_pairs
    for pair in exchanged_pairs:
        assert Counter(re.findall(r"\w+", pair.before)) == Counter(re.findall(r"\w+", pair.after))


def test_swapped_names_are_all_that_changes():
    for pair in (pair for language in LANGUAGES for pair in pairs_of(language) if pair.kind == "names"):
        changed = [(old, new) for old, new in segments(pair.before, pair.after) if old != new]
        assert len(changed) == 1
        assert all(text.strip()[0].isupper() for text in changed[0])


@given(st.text(alphabet="abcdéfgñ", min_size=3, max_size=12).filter(lambda word: len(set(word[1:])) > 1))
def test_a_misspelt_word_has_the_same_letters_or_one_less(word):
    if any(a != b for a, b in pairwise(word[1:])):
        assert Counter(swap_letters(word)) == Counter(word)
        assert swap_letters(word) != word
        assert swap_letters(word)[0] == word[0]
    assert len(drop_letter(word)) == len(word) - 1


TEXTS = st.text(alphabet="ab .,!é\n", max_size=40)


@given(TEXTS, TEXTS)
def test_pieces_give_both_texts_back_and_equal_texts_have_no_change(before, after):
    parts = segments(before, after)
    assert "".join(old for old, _ in parts) == before
    assert "".join(new for _, new in parts) == after
    assert all(old == new for old, new in segments(before, before))


PROBABILITIES = st.lists(st.floats(0.01, 1), min_size=3, max_size=3).map(
    lambda values: torch.tensor(values) / sum(values)
)


@given(PROBABILITIES, PROBABILITIES, st.sampled_from(["change", "stay"]))
def test_a_verdict_that_should_change_fails_where_it_stays_and_the_other_way_round(first, second, should):
    pair = Pair("negation", "", should, ("positive", "negative"), "A.", "B.")
    predictions = [max(range(3), key=lambda number: probabilities[number].item()) for probabilities in (first, second)]
    assert fails(pair, torch.stack([first, second]), CLASSES) == (
        (predictions[0] == predictions[1]) == (should == "change")
    )
    assert fails(pair, torch.stack([first, second]), ("a", "b", "c")) == fails(
        pair, torch.stack([first, second]), CLASSES
    )


@given(PROBABILITIES, PROBABILITIES, st.sampled_from(["stronger", "weaker"]), st.sampled_from(["positive", "negative"]))
def test_a_directional_test_fails_where_praise_moves_the_wrong_way(first, second, should, mood):
    pair = Pair("intensity", "", should, (mood, mood), "A.", "B.")
    read = torch.stack([first, second])
    praise = [(probabilities[2] + probabilities[1] / 2).item() for probabilities in read]  # worked out the other way
    up = (mood, should) in (("positive", "stronger"), ("negative", "weaker"))
    wrong = praise[0] - praise[1] if up else praise[1] - praise[0]
    if abs(wrong - TOLERANCE) > 1e-5:
        assert fails(pair, read, CLASSES) == (wrong > TOLERANCE)
    assert fails(pair, read, ("1 star", "2 stars", "3 stars")) is None


def test_leaning_of_two_classes_is_the_probability_of_praise_in_any_order_and_writing():
    read = torch.tensor([0.3, 0.7])
    assert positivity(read, ("NEGATIVE", "POSITIVE")) == pytest.approx(0.7)
    assert positivity(read, ("POS", "NEG")) == pytest.approx(0.3)
    assert positivity(read, ("LABEL_0", "LABEL_1")) is None
    pair = Pair("negation", "", "change", ("positive", "negative"), "A.", "B.")
    assert are_correct(pair, torch.tensor([[0.3, 0.7], [0.1, 0.9]]), ("neg", "pos")) == (True, False)


@given(st.integers(1, 3000).flatmap(lambda draws: st.tuples(st.integers(0, draws), st.just(draws))))
def test_intervals_are_those_of_scipy(counts):
    hits, draws = counts
    theirs = binomtest(hits, draws).proportion_ci(method="wilson")
    assert wilson(hits, draws) == pytest.approx((theirs.low, theirs.high), abs=1e-6)
    assert Rate(hits, draws).interval == wilson(hits, draws)


@pytest.mark.parametrize(("hits", "draws"), [(-1, 3), (4, 3), (0, 0)])
def test_what_is_no_share_has_no_interval(hits, draws):
    with pytest.raises(ValueError, match="is not a share"):
        wilson(hits, draws)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_always_says_the_same_fails_exactly_where_the_verdict_should_change(language):
    pairs = pairs_of(language)
    read = torch.tensor([0.2, 0.1, 0.7]).expand(len(pairs), 2, 3)
    for one in count_failures(pairs, read, CLASSES):
        assert one.failed == (one.pairs if one.should == "change" else 0)
    assert sum(one.pairs for one in count_failures(pairs, read, CLASSES)) == len(pairs)
    without_names = count_failures(pairs, read, ("a", "b", "c"))
    assert {one.kind for one in without_names} == set(KINDS) - {"intensity"}
    assert all(one.right is None for one in without_names)


def test_a_model_that_knows_every_answer_never_fails():
    pairs = pairs_of("english")
    rows = {"positive": [0.1, 0.9], "negative": [0.9, 0.1]}
    read = torch.tensor([[rows[mood] for mood in pair.sentiments] for pair in pairs])
    for one in count_failures(pairs, read, ("negative", "positive")):
        assert one.failed == 0
        assert one.right == 2 * one.pairs


def test_each_text_is_read_once_and_as_the_network_reads_it():
    model, pairs = load_reviewer("english-cnn"), pairs_of("english")[::40]
    heard = []
    read = read_pairs(model, pairs, lambda done, total: heard.append((done, total)))
    texts = {text for pair in pairs for text in (pair.before, pair.after)}
    assert heard == [(done, len(texts)) for done in range(len(texts))]
    ids = torch.tensor([model.tokenizer.encode(pairs[3].after).ids])
    assert torch.allclose(read[3, 1], model.network(ids)[0].softmax(dim=-1), atol=1e-6)
    with pytest.raises(InputError):
        probabilities_of_text(model, " ")


def test_unknown_words_are_counted():
    model = load_reviewer("english-cnn")
    pair = Pair("names", "", "stay", ("positive", "positive"), "A good film.", "A xqzzy film.")
    assert unread_words(model, pair) == pytest.approx(1 / 8)  # a full stop is a token, too


@pytest.mark.parametrize(("language", "network"), [("english", "cnn"), ("spanish", "rnn")])
def test_the_table_holds_what_the_networks_say_now(language, network):
    table = failures_by_model()
    assert set(REVIEWERS[language]) < set(table[language])
    model, pairs = load_reviewer(f"{language}-{network}"), pairs_of(language)
    now = count_failures(pairs, read_pairs(model, pairs), model.classes)
    expected = table[language][f"{language}-{network}"]
    assert [(one.kind, one.test, one.pairs) for one in now] == [(one.kind, one.test, one.pairs) for one in expected]
    for one, other in zip(now, expected, strict=True):  # another machine may round a doubtful verdict to the other side
        assert abs(one.failed - other.failed) <= 1
