"""Explanations of reviews over many of them: what is measured, how it is drawn together, and how it is read back."""

import csv
from itertools import combinations

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from core.attribution.token_methods import methods_of
from core.errors import ModelError
from core.models.sentiment import SentimentConfig, make_reviewer
from core.results.faithfulness_results import AGREEMENT, AREAS, MEASURES, RANDOM, agreements, faithfulness
from core.zoo import REVIEWERS, Classifier
from core.zoo.sentiment_classifiers import load_reviewer
from training.sentiment.faithfulness import ReviewResults, area_rows, bootstrap, measure_all, rank_agreement, save
from training.sentiment.train import word_tokenizer

ENGLISH = REVIEWERS["english"]
REVIEWS = ["a fine film, and a warm one", "dull, dull, dull", "what a waste of a fine cast", "warm"]


def tokenizer() -> Tokenizer:
    return word_tokenizer(REVIEWS * 2, 100)


def classifier(architecture: str) -> Classifier:
    torch.manual_seed(1)
    words = tokenizer()
    sizes = SentimentConfig(architecture, vocabulary=words.get_vocab_size(), width=8, state=6)
    return Classifier(f"english-{architecture}", "", make_reviewer(sizes), words, 64, ("negative", "positive"))


@pytest.mark.parametrize("architecture", ["rnn", "cnn", "encoder"])
def test_every_review_is_measured_by_every_explanation_and_at_random(architecture):
    model = classifier(architecture)
    results = measure_all(model, REVIEWS, batch_size=16)
    assert {name for name, _ in results.areas} == {*methods_of(model), RANDOM}
    assert {side for _, side in results.areas} == set(MEASURES)
    assert all(len(values) == len(REVIEWS) for values in (*results.areas.values(), *results.rank_agreements.values()))
    assert results.words[-1] == 1
    again = measure_all(model, REVIEWS, batch_size=3)
    assert {key: pytest.approx(values, abs=1e-5) for key, values in again.areas.items()} == results.areas


def test_what_was_measured_before_is_not_measured_again(tmp_path):
    model, file = classifier("cnn"), tmp_path / "kept" / "cnn.jsonl"
    first = measure_all(model, REVIEWS[:2], batch_size=16, file=file)
    first_lines = file.read_text(encoding="utf-8")
    every = measure_all(model, REVIEWS, batch_size=16, file=file)
    assert file.read_text(encoding="utf-8").startswith(first_lines)
    assert {key: values[:2] for key, values in every.areas.items()} == first.areas
    uninterrupted = measure_all(model, REVIEWS, batch_size=16)
    assert {key: pytest.approx(values, abs=1e-5) for key, values in uninterrupted.areas.items()} == every.areas
    assert every.words == uninterrupted.words


def found_of(values: dict[tuple[str, str], list[float]]) -> ReviewResults:
    return ReviewResults(values, {}, [3] * 4, 1.0)


def test_a_gain_is_positive_where_an_explanation_is_better_than_random_orders():
    areas = {("occlusion", side): [0.2, 0.4, 0.5, 0.1] for side in MEASURES}
    areas |= {(RANDOM, side): [0.3, 0.3, 0.6, 0.4] for side in MEASURES}
    rows = {row["measure"]: row for row in area_rows(found_of(areas), "m", "") if row["method"] == "occlusion"}
    for side, more in MEASURES.items():
        assert rows[side]["mean"] == pytest.approx(0.3)
        assert rows[side]["gain"] == pytest.approx(-0.1 if more else 0.1)
        assert rows[side]["better"] == (0.25 if more else 0.75)
        assert rows[side]["gain_low"] <= rows[side]["gain"] <= rows[side]["gain_high"]


def test_the_bootstrap_interval_is_that_of_the_normal_distribution_where_there_is_one():
    values = np.random.default_rng(3).normal(0.5, 0.2, 400)
    mean, low, high = bootstrap(values)
    error = 1.96 * values.std() / 20
    assert (mean, low, high) == pytest.approx((values.mean(), values.mean() - error, values.mean() + error), abs=3e-3)
    assert bootstrap(values) == (mean, low, high)
    assert bootstrap(np.full(5, 0.3)) == pytest.approx((0.3, 0.3, 0.3))


def test_what_is_written_is_read_back_and_other_models_stay(tmp_path):
    results = {}
    for architecture in ("rnn", "cnn", "rnn"):
        model = classifier(architecture)
        results[model.name] = measure_all(model, REVIEWS, batch_size=32)
        save(tmp_path, model.name, results[model.name], "")
    read = faithfulness(tmp_path / AREAS.name)
    assert set(read) == set(results)
    for name, one in read.items():
        for (method, side), values in results[name].areas.items():
            assert one.by_method[method][side].value.mean == pytest.approx(np.mean(values), abs=1e-5)
        assert one.reviews == 4
        assert RANDOM not in one.methods
    for name, pairs in agreements(tmp_path / AGREEMENT.name).items():
        for one in pairs:
            values = results[name].rank_agreements[one.one, one.other, one.measure, one.ranked]
            assert one.value.mean == pytest.approx(np.nanmean(values), abs=1e-5)
    assert '"english-cnn"' in (tmp_path / "sentiment_faithful.json").read_text()


NO_GAIN = dict.fromkeys(("gain", "gain_low", "gain_high", "better"), "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measure": "height"}, "height"),
        ({"mean": "two"}, "mean"),
        (NO_GAIN, "compared with chance"),
        ({"method": "other"}, "are missing"),
    ],
)
def test_a_row_that_cannot_be_right_is_named(tmp_path, change, message):
    model = classifier("cnn")
    save(tmp_path, model.name, measure_all(model, REVIEWS, batch_size=32), "")
    file = tmp_path / AREAS.name
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    rows[0] |= change
    with file.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(ModelError, match=message):
        faithfulness(file)


def test_without_the_tables_one_sentence_says_how_to_make_them(tmp_path):
    with pytest.raises(ModelError, match=r"training\.sentiment\.faithfulness"):
        faithfulness(tmp_path / "none.csv")
    with pytest.raises(ModelError, match=r"training\.sentiment\.faithfulness"):
        agreements(tmp_path / "none.csv")


def test_strength_is_the_same_whatever_the_sign():
    one = torch.tensor([0.5, -2.0, 1.0, -0.1])
    correlations = rank_agreement({"a": one, "b": one.abs()})
    assert correlations["a", "b", "tau", "strength"] == pytest.approx(1)
    assert correlations["a", "b", "tau", "verdict"] < 1


def test_the_committed_tables_hold_the_explanations_that_each_model_has():
    results, pairs = faithfulness(), agreements()
    assert {"english-rnn", "english-rnn-uniform", "english-cnn", "english-encoder"} <= set(results) <= set(ENGLISH)
    for name, one in results.items():
        assert one.methods == methods_of(load_reviewer(name))
        assert one.reviews == (24 if name == "english-bert" else 500)  # it takes a hundred times as long
        assert {(pair.one, pair.other) for pair in pairs[name]} == set(combinations(one.methods, 2))
