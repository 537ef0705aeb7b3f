"""Measure the classifiers of reviews beside baselines; write their weights and card.

The runs of training/sentiment/train.py and of training/sentiment/bert.py are read.

    python -m training.sentiment.report --data PATH
"""

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from core.models.bert import BERTConfig
from core.models.sentiment import ReviewBERT, SentimentConfig, make_reviewer
from core.results.result_files import error_of
from core.zoo.sentiment_classifiers import FOLDER, NETWORKS, load_reviewer, save_reviewer
from core.zoo.text_models import Classifier
from training.common.card import save_card, table
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB, TWEETS
from training.sentiment.train import READERS, Language, Texts, predict, word_tokenizer

# What needs no network, and how strongly it is held back (C): the best of these on the validation part is taken.
BASELINES = {
    "tfidf-logistic": ("TF-IDF and logistic regression", LogisticRegression, (0.3, 1.0, 3.0, 10.0, 30.0)),
    "tfidf-svm": ("TF-IDF and a linear support vector machine", LinearSVC, (0.03, 0.1, 0.3, 1.0, 3.0)),
}
PART = 12  # BERT reads every twelfth review in both forms: all of them take one thread an hour and a half
TITLES = NETWORKS | {name: title for name, (title, *_) in BASELINES.items()}


def main() -> None:
    """Measure the networks of `--only`, or all and the baselines; write weights, results and the card."""
    arguments = command_line().read()
    FOLDER.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"sizes": {}}
    if arguments.only:
        results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    for name, read in READERS.items():
        trained = networks_of(name, arguments.run, arguments.only)
        if arguments.only and not trained:
            continue
        language = read(arguments.data)
        rows = {network: pack(language, network, arguments.run) for network in trained}
        if arguments.only:
            results[name] |= rows
            continue
        parts = {"learnt": language.learnt, "chosen_on": language.chosen_on, "test": language.test}
        results["sizes"][name] = {part: len(texts.texts) for part, texts in parts.items()}
        word_tokenizer(language.learnt.texts, language.vocabulary).save(str(FOLDER / f"{name}.json"))
        results[name] = rows | {baseline: measure_baseline(baseline, language) for baseline in BASELINES}
    results["weights_stored_in"] = "8 bits"
    save_card(FOLDER, CARD, results, tables_of(results))


def networks_of(language: str, run: Path, only: Sequence[str] | None) -> list[str]:
    """The networks that were trained for a language, of those in `only` if it is given, in the order of NETWORKS."""
    trained = [name for name in NETWORKS if (run / f"{language}-{name}" / "run.json").exists()]
    return [name for name in trained if not only or f"{language}-{name}" in only]


def pack(language: Language, network: str, run: Path) -> dict:
    """Write the weights of a network in 8 bits; returns its accuracy, so and in half precision, and its training."""
    name = f"{language.name}-{network}"
    folder = run / name
    record = json.loads((folder / "run.json").read_text())
    settings, classes = record["settings"], len(language.classes)
    model = (
        ReviewBERT(BERTConfig(**settings), classes) if network == "bert" else make_reviewer(SentimentConfig(**settings))
    )
    model.load_state_dict(torch.load(folder / "checkpoint.pt", weights_only=True, map_location="cpu")["model"])
    save_reviewer(model, name, language.classes, FOLDER)
    half_precision = load_reviewer(name)
    save_reviewer(model, name, language.classes, FOLDER, eight_bits=True)
    stored = load_reviewer(name)
    if network == "bert":
        predictions = np.load(folder / "test.npy").argmax(axis=-1)
        measured = scores(predictions, language.test) | {"valid": record["valid"]}
        measured["part"] = measure_part(stored, half_precision, language.test)
    else:
        measured = measure(stored, language) | {"half_precision": measure(half_precision, language)}
    return measured | {
        "epochs": record["epochs"],
        "seconds_per_epoch": round(record["seconds"] / record["epochs"], 1),
        "parameters": record["parameters"],
        "hardware": record["hardware"],
        "recipe": record["recipe"],
    }


def measure(model: Classifier, language: Language) -> dict[str, float]:
    """Accuracy and macro F1 on the test part, and accuracy on the validation part."""
    return scores_of(model, language.test) | {"valid": scores_of(model, language.chosen_on)["accuracy"]}


def measure_part(stored: Classifier, half_precision: Classifier, test: Texts) -> dict[str, Any]:
    """Accuracy of both forms of a network on every PART-th text of the test part."""
    part = Texts(test.texts[::PART], test.labels[::PART])
    return {"texts": len(part.texts), **scores_of(stored, part), "half_precision": scores_of(half_precision, part)}


def scores_of(model: Classifier, texts: Texts) -> dict[str, float]:
    """Accuracy and macro F1 on texts."""
    probabilities = predict(model.network, model.tokenizer, texts.texts, model.context)
    return scores(probabilities.argmax(dim=-1).numpy(), texts)


def measure_baseline(name: str, language: Language) -> dict:
    """Accuracy of a linear classifier on TF-IDF of words and pairs of words, fitted to the same training texts."""
    _, make, strengths = BASELINES[name]
    best = None
    for strength in strengths:
        tfidf = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        classifier = make_pipeline(tfidf, make(C=strength, max_iter=3000))
        classifier.fit(language.learnt.texts, language.learnt.labels)
        validation_accuracy = classifier.score(language.chosen_on.texts, language.chosen_on.labels)
        if best is None or validation_accuracy > best[0]:
            best = validation_accuracy, strength, classifier
    assert best is not None
    validation_accuracy, strength, classifier = best
    return scores(classifier.predict(language.test.texts), language.test) | {
        "valid": round(float(validation_accuracy), 4),
        "parameters": int(sum(part.size for part in (classifier[-1].coef_, classifier[-1].intercept_))),
        "C": strength,
    }


def scores(predictions: np.ndarray, texts: Texts) -> dict[str, float]:
    """Accuracy and macro F1."""
    return {
        "accuracy": round(float(accuracy_score(texts.labels, predictions)), 4),
        "macro_f1": round(float(f1_score(texts.labels, predictions, average="macro")), 4),
    }


def tables_of(results: dict[str, Any]) -> dict[str, Any]:
    """The tables of the card, its sentences about the stored weights, and numbers of the training."""
    return {f"{name}_table": table_of(results[name]) for name in READERS} | {
        "stored": stored_text(results),
        "phrases": results["english"]["bert"]["recipe"]["phrases"],
        "longest": results["english"]["bert"]["recipe"]["longest"],
    }


def stored_text(results: dict[str, Any]) -> str:
    """For the card: which figures are those of the weights in 8 bits, and the standard errors."""
    english, spanish = (
        max(error_of(row["accuracy"], results["sizes"][name]["test"]) for row in results[name].values())
        for name in READERS
    )
    part = results["english"]["bert"]["part"]
    text = (
        "The weights of the networks are stored in 8 bits, and the small ones were measured so; beside it, what they "
        f"have in half precision. The standard error of a share is at most {english:.1%} in English and {spanish:.1%} "
        "in Spanish. The row of BERT was measured before its weights were stored. Of every twelfth review of the test "
        f"part ({part['texts']:,} reviews, standard error {error_of(part['accuracy'], part['texts']):.1%}) it gets "
        f"{part['accuracy']:.2%} right in 8 bits, and {part['half_precision']['accuracy']:.2%} in half precision."
    )
    return textwrap.fill(text, 120)


def table_of(results: dict[str, dict]) -> str:
    """The table of the card: a row for each network and baseline."""
    rows = [
        [
            TITLES[name],
            f"{row['parameters']:,}",
            f"{row['accuracy']:.2%}",
            f"{row['half_precision']['accuracy']:.2%}" if "half_precision" in row else "",
            f"{row['macro_f1']:.3f}",
            row.get("epochs", ""),
            row.get("seconds_per_epoch", ""),
        ]
        for name, row in results.items()
    ]
    return table(
        ["", "parameters", "right on test", "in half precision", "macro F1", "epochs", "seconds an epoch"], rows
    )


CARD = """# sentiment

Classifiers of film reviews in English (negative, positive) and of tweets in Spanish (negative, neutral, positive):
`core/models/sentiment.py`. The three small networks of each language have the sizes of those in
`core/published/sentiment.csv`; `rnn-uniform` is the recurrent one trained with the weights of its pooling frozen
uniform. `english-bert` is `minilm` (weights/minilm/) fine-tuned on reviews and on phrases of reviews; its token
embeddings stayed as they were, and are not stored again.

## Data and licence
English: IMDB (Maas et al. 2011), {sizes[english][learnt]:,} reviews to learn from, {sizes[english][chosen_on]:,} of
the same part to choose rates and epochs on, {sizes[english][test]:,} of the test part. Its reviews belong to their
writers; the set is distributed for research. `english-bert` also learned from {phrases:,} phrases of SST-2's training
part (Socher et al. 2013). Spanish: InterTASS 2017 as balanced by Barbieri et al. 2022,
{sizes[spanish][learnt]:,} tweets to learn from, {sizes[spanish][chosen_on]:,} to choose on, {sizes[spanish][test]:,} of
test. Neither is part of the project. A text that stands twice in a part was read once. The weights are released under
the project's licence.

## Held-out results
English:

{english_table}

Spanish:

{spanish_table}

{stored}

Every twelfth of the English test reviews and the sentences of SST-2's dev part were read by `english-encoder`,
`english-rnn`, `english-cnn`, `english-bert` and `bert-tasks` alike (`python -m training.sentiment.specialists --data
...`): accuracy, paired differences and times are in `core/results/sentiment_specialists.csv`.

The published Spanish figures (0.62 to 0.64) come from other data, of a size that their table does not name. The kind of
support vector machine that has 0.64 there is measured here, on these tweets, in the last row, and falls
much as the networks do.

## How it was made
`python -m training.sentiment.train --data ...`, `python -m training.sentiment.bert --data ...`, then
`python -m training.sentiment.report --data ...`, seed 0. Words are those that stand at least twice, at most 10,000; a
share of them is read as unknown in training (`recipe` in results.json, with rates and batches). Small networks:
AdamW, rate rising over 100 steps and falling to 0 over the last 70 %. BERT: AdamW, reviews cut after
{longest} tokens in training. Hardware of each row is in
results.json; seconds are wall-clock times on a machine shared with other work. The baselines count words and pairs of
words (TF-IDF), with the strength of their regularisation chosen on the same validation part. torch {torch}.
"""


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[IMDB, TWEETS],
        run=Path("runs/sentiment"),
        only=[f"{language}-{network}" for language in READERS for network in NETWORKS],
        helps={"run": "where the checkpoints are", "only": "measure these; the others stay as they are"},
    )


if __name__ == "__main__":
    main()
