"""How bert-inference learns: pairs of a file, batches, a training that goes on, baselines that count."""

import gzip
import json

import pytest
import torch

from core.models.bert_inference import RELATIONS
from core.probing.fine_tuning.inference import COMBINATIONS
from tests.core.tiny_bert import tiny_pairs
from training.bert_inference import report as reporting
from training.bert_inference.baselines import features, logistic, majority
from training.bert_inference.data import Batches, SentencePair, Sick, encode_pairs, read_data
from training.bert_inference.report import measure, predicted_relations, right_shares
from training.bert_inference.train import learn, loss_of, network_of, plan_of
from training.common.loop import Plan

ROWS = [
    ("train", "entailment", "A man sleeps", "A man sleeps", "Un homme dort", "Un homme dort"),
    ("train", "contradiction", "A man sleeps", "No man sleeps", "Un homme dort", "Aucun homme ne dort"),
    ("train", "neutral", 'A "small" dog', "A cat is eating fish", "Un petit chien", "Un chat mange du poisson"),
    ("trial", "neutral", "A dog", "A cat", "Un chien", "Un chat"),
    ("test", "entailment", "A dog", "A dog", "Un chien", "Un chien"),
    ("test", "contradiction", "A dog eats", "A dog doesn't eat", "Un chien mange", "Un chien ne mange pas"),
]


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    return tiny_pairs(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Sick:
    folder = tmp_path_factory.mktemp("data")
    (folder / "sick_en_fr").mkdir()
    lines = ["pair\tsplit\tlabel\trelatedness\ten_a\ten_b\tfr_a\tfr_b"]
    lines += [
        f"{number}\t{split}\t{label}\t4.5\t" + "\t".join(texts) for number, (split, label, *texts) in enumerate(ROWS)
    ]
    with gzip.open(folder / "sick_en_fr" / "sick.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return read_data(folder)


def test_pairs_are_read_by_split_with_both_languages(data):
    assert (len(data.train), len(data.trial), len(data.test)) == (3, 1, 2)
    assert [RELATIONS[pair.relation] for pair in data.train] == [row[1] for row in ROWS[:3]]
    assert data.train[2].texts("en-fr") == ('A "small" dog', "Un chat mange du poisson")
    assert data.train[1].texts("fr-en") == ("Un homme dort", "No man sleeps")


def test_batches_hold_every_pair_once_an_epoch_and_depend_on_the_step_alone(start, data):
    pairs = data.train * 7
    batches, again = (Batches(pairs, start.tokenizer, size=4, seed=3) for _ in range(2))
    assert batches.per_epoch == 6
    last, _ = again.batch(11)
    rows = []
    for step in range(12):
        batch, relations = batches.batch(step)
        assert len(batch.tokens) == len(relations) <= 4
        rows += [tuple(row[~gone].tolist()) for row, gone in zip(batch.tokens, batch.padding, strict=True)]
    torch.testing.assert_close(batch.tokens, last.tokens)  # asked for in another order
    expected = sorted(tuple(ids) for ids, _ in encode_pairs(pairs, start.tokenizer, "en-en"))
    assert sorted(rows[:21]) == sorted(rows[21:]) == expected


def test_both_bodies_have_one_vocabulary_and_one_classifier(start):
    torch.manual_seed(5)
    same, other = network_of("bert-pairs", start, 2), network_of("bert-pairs", start, 2)
    assert torch.equal(same.relation.weight, other.relation.weight)
    assert torch.equal(same.bert.token_embedding.weight, start.network.bert.token_embedding.weight)


def test_the_english_body_is_that_with_which_bert_pairs_began(start):
    from core.zoo.embedded import load_embedded_text

    english = network_of("bert-books", start, 2).bert
    books = load_embedded_text("bert-books")
    pieces = start.tokenizer.get_vocab()
    for word in ("the", "man"):
        vector = books.network.bert.token_embedding.weight[books.tokenizer.token_to_id(f"Ġ{word}")]
        torch.testing.assert_close(english.token_embedding.weight[pieces[f"▁{word}"]], vector)
    assert english.config.restarts
    torch.testing.assert_close(english.blocks[3].mlp.up.weight, books.network.bert.blocks[3].mlp.up.weight)


def some_plan(batches: Batches) -> Plan:
    return plan_of(batches.per_epoch, 3, 1e-3, seed=0)


def test_a_training_learns_keeps_the_best_epoch_and_goes_on_where_it_was(start, data, tmp_path):
    batches = Batches(data.train, start.tokenizer, size=2, seed=0)
    accuracies = iter([0.5, 0.7, 0.6])
    network = network_of("bert-pairs", start, 0)
    states = []

    def trial_accuracy(trained) -> float:
        states.append({name: weight.clone() for name, weight in trained.state_dict().items()})
        return next(accuracies)

    record = learn(network, batches, some_plan(batches), tmp_path / "once", trial_accuracy)
    assert (record["epoch"], record["trial_by_epoch"]) == (2, [0.5, 0.7, 0.6])
    assert all(torch.equal(weight, states[1][name]) for name, weight in network.state_dict().items())

    accuracies = iter([0.5, 0.7, 0.6])
    interrupted = network_of("bert-pairs", start, 0)

    def stop_after_two(trained) -> float:
        value = trial_accuracy(trained)
        if value == 0.7:
            raise KeyboardInterrupt
        return value

    with pytest.raises(KeyboardInterrupt):
        learn(interrupted, batches, some_plan(batches), tmp_path / "twice", stop_after_two)
    accuracies = iter([0.7, 0.6])
    resumed = network_of("bert-pairs", start, 0)
    again = learn(resumed, batches, some_plan(batches), tmp_path / "twice", trial_accuracy)
    assert again["trial_by_epoch"] == [0.5, 0.7, 0.6]
    for name, weight in resumed.state_dict().items():
        torch.testing.assert_close(weight, network.state_dict()[name])


def test_the_loss_falls_on_pairs_that_it_has_learned(start, data):
    network = network_of("bert-pairs", start, 0)
    batch = Batches(data.train, start.tokenizer, size=3, seed=0).batch(0)
    optimiser = torch.optim.AdamW(network.parameters(), lr=3e-3)
    losses = []
    for _ in range(12):
        loss = loss_of(network, *batch)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.75 * losses[0]


def test_predictions_stand_in_the_order_of_the_pairs(start, data, monkeypatch):
    network, pairs = network_of("bert-pairs", start, 0), data.train + data.test
    encoded = encode_pairs(pairs, start.tokenizer, "en-fr")
    alone = [predicted_relations(network, [pair])[0] for pair in encoded]
    monkeypatch.setattr(reporting, "BATCH_SIZE", 2)
    assert predicted_relations(network, encoded) == alone
    right = sum(prediction == pair.relation for prediction, pair in zip(alone, pairs, strict=True))
    assert right_shares(network, start.tokenizer, pairs, ("en-fr",)) == {"en-fr": round(right / len(pairs), 4)}


def test_what_is_measured_are_the_weights_of_the_file(start, data, tmp_path):
    results = measure(
        network_of("bert-pairs", start, 0), start.tokenizer, data.test, tmp_path / "model.safetensors", eight_bits=True
    )
    assert set(results) == {"test", "half_precision"}
    assert set(results["test"]) == set(COMBINATIONS)
    assert (tmp_path / "model.safetensors").exists()


def test_the_majority_is_that_of_the_training_split(data):
    neutral, other = (SentencePair(data.test[0].first, data.test[0].second, number) for number in (1, 0))
    assert majority([neutral, neutral, other], [other, other, neutral]) == pytest.approx(1 / 3, abs=1e-4)


def test_features_count_shared_words_and_negations_of_each_language(data):
    english, french = (features(data.test[1:], name)[0] for name in ("en-en", "fr-fr"))
    # "a dog eats" and "a dog does n't eat" share "a" and "dog".
    assert english[:3] == pytest.approx([2 / 3, 2 / 5, 2 / 6])
    assert english[-3:].tolist() == [0, 1, 1]
    assert french[-3:].tolist() == [0, 1, 1]
    same = features(data.test[:1], "fr-fr")[0]
    assert same[:3].tolist() == [1, 1, 1]
    assert same[-3:].tolist() == [0, 0, 0]


def test_logistic_regression_is_fitted_in_english_and_asked_in_all_combinations(data):
    shares = logistic(data.train * 5, data.train)
    assert set(shares) == set(COMBINATIONS)
    assert shares["en-en"] == 1


def test_the_report_writes_weights_results_and_card(start, data, tmp_path):
    for body in ("bert-pairs", "bert-books"):
        folder = tmp_path / "run" / body
        network = network_of("bert-pairs", start, 0)
        plan = some_plan(Batches(data.train, start.tokenizer, size=2, seed=0))
        file = folder / "model.safetensors"
        folder.mkdir(parents=True)
        record = measure(network, start.tokenizer, data.test, file, eight_bits=body == "bert-pairs")
        record |= {
            "plan": vars(plan),
            "batch": 2,
            "epochs": 3,
            "masked": 0.1,
            "trial_by_epoch": [0.5, 0.7],
            "epoch": 2,
            "seconds": 120,
        }
        (folder / "results.json").write_text(json.dumps(record))
    reporting.report(data, start, tmp_path / "run", tmp_path / "weights")
    from core.results import bert_inference_results
    from core.zoo.embedded import load_embedded_text

    results = bert_inference_results.results(tmp_path / "weights")
    assert (results.pairs, results.learned_pairs) == (2, 3)
    card = (tmp_path / "weights" / "CARD.md").read_text()
    assert "CC BY-NC-SA 3.0" in card
    assert f"{results.bilingual['fr-en']:.1%}" in card
    (tmp_path / "weights").rename(tmp_path / "bert-inference")
    again = load_embedded_text("bert-inference", weights=tmp_path)
    assert right_shares(again.network, again.tokenizer, data.test) == results.bilingual
