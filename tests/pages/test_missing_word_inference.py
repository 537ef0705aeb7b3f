"""Missing word / Inference across languages: the section, its address, bad input, and the claims of its sentences."""

import math
import re
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.bert_inference import RELATIONS
from core.probing.fine_tuning.inference import COMBINATIONS, as_read, encode, sides
from core.results.bert_inference_results import Results
from pages.language.missing_word import compute_inference, inference, inputs
from pages.language.missing_word.inference_measured import measured_table
from pages.language.missing_word.inference_sentences import (
    CLOSE,
    about_bodies,
    about_french,
    about_head,
    about_link,
    about_mixed,
    about_relation,
    about_words,
    about_worth,
)
from tests.pages.conftest import check, message_text, prose

PAGE = "language/missing_word"
open_section = partial(dict, show="Inference across languages")


def test_the_section_is_alive_at_once_and_claims_what_the_model_says(visit):
    app = visit(PAGE, **open_section())
    assert not app.warning
    assert not app.info
    languages = tuple(app.button_group(key=key).value for key in ("infer_first_in", "infer_second_in"))
    typed = app.text_input(key="infer_first").value, app.text_input(key="infer_second").value
    assert typed == (inference.FIRST.first[languages[0]], inference.FIRST.second[languages[1]])
    reading = compute_inference.read(*typed, languages)
    layer, head = divmod(int(reading.moved.argmax()), reading.moved.shape[1])
    assert (app.number_input(key="infer_layer").value, app.number_input(key="infer_head").value) == (layer, head)
    assert f"Layer {layer}, head {head} changed most of all heads" in prose(app)
    assert f"{float(reading.probabilities.max()):.1%}" in prose(app)
    results = compute_inference.results()
    for name in COMBINATIONS:
        assert f"{results.bilingual[name]:.1%}" in prose(app)


def test_a_link_holds_own_sentences_languages_head_and_the_switch(visit):
    sentences = {"infer_first": "Two girls are dancing.", "infer_second": "Nobody is dancing!"}
    languages = {"infer_first_in": "English", "infer_second_in": "English"}
    app = visit(PAGE, **open_section(**sentences, **languages, infer_layer="1", infer_head="2", infer_when="before"))
    assert app.text_input(key="infer_second").value == "Nobody is dancing!"
    reading = compute_inference.read(*sentences.values(), ("English", "English"))
    assert reading.labels[1] == "Two"
    assert f"{float(reading.probabilities.max()):.1%}" in prose(app)
    text = prose(app)
    assert "Layer 1, head 2 changed less than another head" in text
    link = about_link(reading.before[1, 2].tolist(), reading.labels, sides(reading.tokens))
    assert link.replace("\\", "") in text


def test_an_example_is_taken_by_a_click_and_follows_the_languages(visit):
    app = visit(PAGE, **open_section())
    check(app.button_group(key="infer_example").set_value("Who chases whom?").run())
    example = inference.EXAMPLES["Who chases whom?"]
    assert app.text_input(key="infer_first").value == example.first["English"]
    check(app.button_group(key="infer_first_in").set_value("French").run())
    assert app.text_input(key="infer_first").value == example.first["French"]
    check(app.text_input(key="infer_first").set_value("My own words").run())
    check(app.button_group(key="infer_first_in").set_value("English").run())
    assert app.text_input(key="infer_first").value == "My own words"


@pytest.mark.parametrize("text", ["", "  ", "."])
def test_an_empty_sentence_is_one_sentence(visit, text):
    app = visit(PAGE, **open_section(infer_first="A man"))
    check(app.text_input(key="infer_second").set_value(text).run())
    assert re.search("There is no text here yet|one of them is empty", message_text(app))


def test_sentences_that_are_too_long_together_are_one_sentence_with_the_numbers(visit):
    app = visit(PAGE, **open_section(infer_first="man " * 90, infer_second="man " * 90))
    assert re.search(r"183 tokens together; this model reads at most 128", message_text(app))


def test_characters_that_the_model_cannot_read_are_named(visit):
    app = visit(PAGE, **open_section(infer_first="A man 日本", infer_second="A man"))
    assert "日" in message_text(app)
    assert f"{compute_inference.model().tokenizer.get_vocab_size():,}" in message_text(app)


@pytest.mark.parametrize("text", ["😀", "<b>x</b> **y** $z$", "[SEP] [MASK]", "\u200b x"])
def test_odd_sentences_are_read_like_any_other(visit, text):
    assert not visit(PAGE, **open_section(infer_first=text, infer_second="x", infer_layer="99")).warning


def test_the_examples_are_readable_and_none_is_in_one_language_only():
    model = compute_inference.model()
    for example in inference.EXAMPLES.values():
        for languages in COMBINATIONS.values():
            texts = example.first[languages[0]], example.second[languages[1]]
            assert not inputs.unknown_characters(encode(model, texts, languages).ids, "".join(texts), model)
            assert tuple(map(as_read, texts, languages)) == texts


# Sentences

PROBABILITIES = st.lists(st.floats(0.001, 1), min_size=3, max_size=3).map(
    lambda parts: [part / sum(parts) for part in parts]
)
SHARES = st.dictionaries(st.sampled_from(list(COMBINATIONS)), st.floats(0.3, 0.99), min_size=4, max_size=4)


@st.composite
def some_results(draw) -> Results:
    return Results(draw(SHARES), draw(SHARES), draw(SHARES), majority=0.5687, pairs=4906, learned_pairs=4439)


@given(PROBABILITIES)
def test_a_relation_is_claimed_only_if_it_is_clearly_ahead(probabilities):
    sentence = about_relation(probabilities)
    ordered = sorted(probabilities, reverse=True)
    name = RELATIONS[probabilities.index(ordered[0])]
    assert ("cannot tell" in sentence) == (ordered[0] - ordered[1] < CLOSE)
    assert f"{ordered[0]:.1%}" in sentence
    assert name in sentence
    if "cannot tell" not in sentence:
        assert f"**{name}**" in sentence


def z_of(share: float, other: float, pairs: int, *, both: bool) -> float:
    """How many standard errors a share is above another; with `both`, of their difference."""
    if not both:
        return (share - other) / math.sqrt(share * (1 - share) / pairs)
    pooled = (share + other) / 2
    return (share - other) / math.sqrt(pooled * (1 - pooled) * 2 / pairs)


@given(some_results(), st.sampled_from(list(COMBINATIONS)))
def test_an_answer_is_worth_something_only_beyond_two_standard_errors(results, name):
    sentence = about_worth(results, COMBINATIONS[name])
    share = results.bilingual[name]
    z = z_of(share, results.majority, 4906, both=False)
    expected = "better than always" if z > 2 else "worse than always" if z < -2 else "no better than always"
    assert f"**{expected}" in sentence
    assert f"{share:.1%}" in sentence
    assert "56.9%" in sentence


@given(some_results())
def test_pairs_in_two_languages_stand_on_their_side_of_the_majority(results):
    parts = about_mixed(results).partition(": ")[2].split(";")
    for part, (name, label) in zip(
        parts, {"en-fr": "English then French", "fr-en": "French then English"}.items(), strict=True
    ):
        z = z_of(results.bilingual[name], results.majority, 4906, both=False)
        side = "better than the majority" if z > 2 else "worse than the majority" if z < -2 else "within two"
        assert f"{label} {results.bilingual[name]:.1%}, {side}" in part


@given(some_results())
def test_french_works_where_it_beats_the_majority_by_two_standard_errors(results):
    sentence = about_french(results)
    french = results.bilingual["fr-fr"]
    assert ("French works" in sentence) == (z_of(french, results.majority, 4906, both=False) > 2)
    assert f"{french:.1%}" in sentence
    assert f"{results.bilingual['en-en']:.1%}" in sentence


@pytest.mark.parametrize(("about", "field"), [(about_bodies, "english"), (about_words, "logistic")])
@pytest.mark.parametrize(("share", "kind"), [(0.6, "worse"), (0.699, "not clearly different"), (0.8, "better")])
def test_another_model_is_better_or_worse_only_beyond_the_error_of_the_difference(about, field, share, kind):
    same = dict.fromkeys(COMBINATIONS, 0.7)
    results = Results(same, same, same, majority=0.5687, pairs=4906, learned_pairs=4439)
    sentence = about(replace(results, **{field: dict.fromkeys(COMBINATIONS, share)}))
    assert re.findall(r"\*\*(worse|not clearly different|better)", sentence) == [kind]
    assert abs(z_of(share, 0.7, 4906, both=True)) < 2 or kind != "not clearly different"
    assert sentence.count(f"(70.0% and {share:.1%})") == 4


def test_nothing_is_said_of_the_english_body_where_it_was_not_measured():
    same = dict.fromkeys(COMBINATIONS, 0.7)
    assert about_bodies(Results(same, None, same, majority=0.5687, pairs=4906, learned_pairs=4439)) == ""


@pytest.mark.parametrize(
    ("before", "after", "change"), [(0.1, 0.3, "rises"), (0.3, 0.1, "falls"), (0.2, 0.205, "stays")]
)
def test_what_goes_to_the_other_sentence_rises_or_falls_by_more_than_a_point(before, after, change):
    sentence = about_head((3, 4), 0.42, before, after, is_most=False)
    assert change in sentence
    assert "**42%**" in sentence
    assert "changed most" not in sentence
    assert "changed most" in about_head((3, 4), 0.42, before, after, is_most=True)


def test_the_strongest_link_goes_from_one_sentence_to_the_other():
    labels = ("[CLS]", "a", "b", "[SEP]", "c", "[SEP]")
    weights = [[0.0] * 6 for _ in labels]
    weights[1][2], weights[0][4], weights[2][4], weights[4][1] = 0.9, 0.8, 0.3, 0.5
    of_both = ([1, 2], [4])
    assert "“c” gives 50% to “a”" in about_link(weights, labels, of_both)
    weights[4][1] = 0.2
    assert "“b” gives 30% to “c”" in about_link(weights, labels, of_both)
    weights[2][4] = weights[4][1] = 0.001
    assert "no word gives 1%" in about_link(weights, labels, of_both)
    assert "no words on both sides" in about_link(weights, labels, ([1, 2], []))


def test_the_table_holds_what_was_measured():
    results = compute_inference.results()
    table = measured_table(results)
    assert list(table["fine-tuned bert-pairs"]) == [results.bilingual[name] for name in COMBINATIONS]
    assert ("English body" in table) == (results.english is not None)
    with_english = measured_table(replace(results, english=results.logistic))
    assert list(with_english["English body"]) == [results.logistic[name] for name in COMBINATIONS]
    assert set(table["majority (neutral)"]) == {results.majority}
