"""A small specialist on the page Shrinking: it opens, and its sentences are true of what was computed and measured."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.results.shrinking_students import Difference
from core.results.specialist_results import MeasuredClassifier, measured_classifiers
from core.sentiment.specialists import CONTESTANTS, FINE_TUNED, REVIEWS, SENTENCES, SPECIALISTS, TRAINED_ON
from core.zoo.text_models import Prediction
from pages.scale.shrinking import compute_specialist as compute
from pages.scale.shrinking import specialist_sentences as sentences
from pages.scale.shrinking.compute_specialist import TITLES, Outputs, Reading
from pages.scale.shrinking.specialist import HELD_OUT, REVIEW
from pages.scale.shrinking.specialist_limits import NOTHING, outputs_table
from tests.pages.conftest import check, prose

PAGE, SECTION = "scale/shrinking", "A small specialist"


@pytest.mark.parametrize("texts", HELD_OUT)
def test_the_section_opens_with_both_figures_and_its_tables(visit, texts):
    app = visit(PAGE, show=SECTION, specialist_set=texts)
    assert app.title[0].value == "Pruning and quantisation"
    assert len(app.get("plotly_chart")) == 2
    measured, edits, outputs = (element.value for element in app.dataframe)
    assert list(measured["network"]) == list(edits["network"]) == [TITLES[name] for name in CONTESTANTS]
    assert list(measured["parameters"]) == [row.parameters for row in measured_classifiers(HELD_OUT[texts])]
    assert len(outputs) == len(CONTESTANTS) + 4  # BERT, two students and a GPT
    assert "is right for" in prose(app)


def test_times_are_measured_when_somebody_asks(visit):
    review = "A film whose times nobody has measured before."
    app = visit(PAGE, show=SECTION, specialist_text=review)
    before = list(app.dataframe[0].value["milliseconds"])
    assert before == [row.milliseconds for row in measured_classifiers(REVIEWS)]
    app = check(app.button(key="specialist-time").click().run())
    own = compute.milliseconds.peek(review)
    assert own is not None
    assert list(app.dataframe[0].value["milliseconds"]) == [own[name] for name in CONTESTANTS]
    assert not [button for button in app.button if button.key == "specialist-time"]


def test_an_empty_review_gets_a_sentence_and_another_one_works_after_it(visit):
    app = visit(PAGE, show=SECTION)
    app.text_area(key="specialist_text").set_value(" ").run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 0
    check(app.text_area(key="specialist_text").set_value("It was dull.").run())
    assert len(app.get("plotly_chart")) == 2


@pytest.mark.parametrize("text", ["[MASK]", "...", "🙂", "[CLS] [SEP]", "$x$ **a** <b>", "good", "dull " * 600])
def test_odd_reviews_get_figures_or_one_sentence(visit, text):
    check(visit(PAGE, show=SECTION, specialist_text=text, specialist_word="99"))


def test_a_long_review_is_cut_for_some_networks_and_that_is_said(visit):
    app = visit(PAGE, show=SECTION, specialist_text="It was dull. " * 100)
    assert any("BERT tuned on phrases reads the first 126 of" in box.value for box in app.info)


# What was measured.


@pytest.mark.parametrize("texts", [REVIEWS, SENTENCES])
def test_every_network_was_measured_on_the_same_texts(texts):
    rows = {row.name: row for row in measured_classifiers(texts)}
    assert tuple(rows) == CONTESTANTS
    assert len({row.questions for row in rows.values()}) == 1
    reference = rows[FINE_TUNED[texts]]
    assert reference.lead is None
    for name, row in rows.items():
        model = compute.contestant(name)
        assert row.parameters == model.parameters
        assert row.bytes == sum(weight.numel() * weight.element_size() for weight in model.network.parameters())
        assert row.error == pytest.approx((row.accuracy * (1 - row.accuracy) / row.questions) ** 0.5, abs=1e-5)
        if row.lead is not None:
            assert row.lead.value == pytest.approx(row.accuracy - reference.accuracy, abs=2e-4)
            # At most one of the two is right where they differ, and they differ no more often than one is wrong.
            assert row.lead.error <= ((2 - row.accuracy - reference.accuracy) / row.questions) ** 0.5


SHARE = st.integers(100, 900).map(lambda value: value / 1000)
ERROR = st.integers(1, 200).map(lambda value: value / 1000)


def row(name, parameters, accuracy, lead=None, questions=1000):
    return MeasuredClassifier(name, parameters, 4 * parameters, 1.0, accuracy, 0.01, questions, lead)


@given(SHARE, SHARE, ERROR, st.integers(2, 40), st.sampled_from([REVIEWS, SENTENCES]))
def test_a_gain_is_claimed_only_beyond_two_standard_errors(accuracy, other, error, times, texts):
    rows = [
        row("english-rnn", 1000, accuracy, Difference(accuracy - other, error)),
        row("english-cnn", 3000, 0.5, Difference(0.5 - other, error)),
        row(FINE_TUNED[texts], 1000 * times, other),
    ]
    text = sentences.about_sizes(rows, texts)
    assert f"**{accuracy:.1%}**" in text
    assert f"**{other:.1%}**" in text
    assert f"**{times} times**" in text
    low, high = other - accuracy - 2 * error, other - accuracy + 2 * error
    assert ("no clear gain" in text) == (low <= 0 <= high)
    assert (" add **" in text) == (low > 0)
    assert (" cost **" in text) == (high < 0)
    assert ("learned from other texts" in text) == (texts == SENTENCES and not low <= 0 <= high)


@given(st.lists(st.tuples(SHARE, ERROR), min_size=3, max_size=3))
def test_each_small_network_is_below_within_or_above(leads):
    rows = [
        row(name, 1000, 0.5, Difference(value - 0.5, error))
        for name, (value, error) in zip(SPECIALISTS, leads, strict=True)
    ]
    text = sentences.about_others([*rows, row("english-bert", 9000, 0.5)], REVIEWS)
    parts = {
        part.partition(" MiniLM")[0].split()[1 if part.startswith("Clearly") else 0]: part for part in text.split(". ")
    }
    for name, (value, error) in zip(SPECIALISTS, leads, strict=True):
        where = "within" if abs(value - 0.5) <= 2 * error else "above" if value > 0.5 else "below"
        (part,) = [part for key, part in parts.items() if key.lower() == where]
        assert TITLES[name].lower() in part


@given(st.integers(0, 1000), st.integers(0, 1000), st.sampled_from([REVIEWS, SENTENCES]))
def test_the_other_bert_is_compared_by_counts_and_its_training_is_named(small, other, texts):
    other_name = next(name for name in FINE_TUNED.values() if name != FINE_TUNED[texts])
    rows = [row("english-rnn", 1000, small / 1000), row(other_name, 9000, other / 1000)]
    text = sentences.about_training(rows, texts, 128)
    pooled = (small + other) / 2000
    margin = 2 * (pooled * (1 - pooled) * 2 / 1000) ** 0.5
    is_clear = abs(small - other) / 1000 > margin
    assert ("within two standard errors" in text) == (not is_clear)
    assert ("less often" in text) == (is_clear and other < small)
    assert ("training part of this set" in text) == (texts in TRAINED_ON[other_name])
    assert ("128 tokens" in text) == (texts not in TRAINED_ON[other_name])


def test_times_within_a_tenth_are_as_long():
    usual = dict.fromkeys(CONTESTANTS, 10.0)
    assert "about as long" in sentences.about_times(usual | {"english-bert": 10.5}, REVIEWS, own=True)
    assert "**3.0 times**" in sentences.about_times(usual | {"english-bert": 30.0}, REVIEWS, own=True)
    assert "**30 times**" in sentences.about_times(usual | {"english-bert": 300.0}, REVIEWS, own=False)
    assert "faster" in sentences.about_times(usual | {"english-bert": 1.0}, REVIEWS, own=False)


# The visitor's review.


def reading(positive):
    return Reading(SimpleNamespace(cut=None), torch.tensor([1 - positive, positive]).log())


POSITIVES = st.lists(st.integers(1, 99).filter(lambda value: value != 50), min_size=5, max_size=5)


def by_name(values):
    return {name: reading(value / 100) for name, value in zip(CONTESTANTS, values, strict=True)}


@given(POSITIVES)
def test_the_networks_that_agree_are_counted(values):
    text = sentences.about_yours(by_name(values))
    praise = sum(value > 50 for value in values)
    label, count = ("positive", praise) if praise > 2 else ("negative", 5 - praise)
    assert f"**{label}**" in text
    assert ("all 5 networks" in text) == (count == 5)
    if count < 5:
        assert f"**{count} of 5**" in text
        missing = text.partition("not so: ")[2]
        for name, value in zip(CONTESTANTS, values, strict=True):
            assert (TITLES[name] in missing) == ((value > 50) != (label == "positive"))


@given(POSITIVES, POSITIVES)
def test_kept_predictions_and_the_largest_move_are_those_of_the_probabilities(before, after):
    text = sentences.about_order(by_name(before), by_name(after))
    same = sum((one > 50) == (other > 50) for one, other in zip(before, after, strict=True))
    assert f"**{same} of 5**" in text
    move = max(abs(one - other) for one, other in zip(before, after, strict=True))
    assert (f"by {move:.1f} points" in text) == (move > 0)
    for name, one, other in zip(CONTESTANTS, before, after, strict=True):
        assert (TITLES[name] in text.partition("stay equal for")[2]) == (one == other)
    changed = sentences.about_negation(by_name(before), by_name(after))
    assert f"**{5 - same} of 5**" in changed


def test_unknown_words_are_counted_and_written_as_text():
    unknown = dict.fromkeys(SPECIALISTS, ("<b>", "<b>", "*x*")) | dict.fromkeys(FINE_TUNED.values(), ())
    text = sentences.about_unknown(["a", "<b>", "<b>", "*x*"], unknown, 9998)
    assert "**75%** of your review (3 of 4)" in text
    assert text.count("b") == 1 + text.replace("<b>", "").replace("\\<b\\>", "").count("b")
    assert "*x*" not in text.replace("\\*x\\*", "")
    assert "in pieces" in text
    nothing = sentences.about_unknown(["a"], dict.fromkeys(CONTESTANTS, ()), 9998)
    assert "all 1 of your review" in nothing


def test_small_networks_do_not_know_an_invented_word_and_bert_does():
    text_words, unknown = compute.words("A xyzzyish film, xyzzyish!")
    assert len(text_words) == 6
    for name in SPECIALISTS:
        assert unknown[name] == ("xyzzyish", "xyzzyish")
    for name in FINE_TUNED.values():
        assert unknown[name] == ()


def test_the_outputs_of_each_network_are_those_of_its_last_layer():
    outputs = compute.outputs(REVIEW, 16)
    for name in SPECIALISTS:
        assert outputs.classes[name] == compute.contestant(name).network.classifier.out_features
    assert outputs.tags == {"bert-tasks": compute.contestant("bert-tasks").network.tags.out_features}
    assert set(outputs.masked) == {"bert-books", "bert-half", "bert-third"}
    table = outputs_table(outputs, compute.readings(REVIEW))
    few = table[table["outputs"].str.contains("classes")]
    assert len(few) == len(CONTESTANTS)
    assert set(few["masked word"]) == set(few["next word"]) == {NOTHING}


def test_a_wrong_answer_for_the_mask_is_not_called_right():
    def outputs(best):
        masked = {"bert-books": Prediction("a", 0.5, best), "bert-half": Prediction("b", 0.4, 3)}
        true = Prediction("*c*", 0.1, 7)
        classes = dict.fromkeys(CONTESTANTS, 2)
        return Outputs(classes, {}, masked, true, 4100, Prediction("d", 0.2, 1), 4000)

    assert "right with “a”" in sentences.about_outputs(outputs(7))
    wrong = sentences.about_outputs(outputs(3))
    assert "right" not in wrong
    assert "10.0%" in wrong
    assert "1 of 1 students agree" in wrong
    assert "*c*" not in wrong.replace("\\*c\\*", "")
