"""Measure the variants of `bert-tasks` on held-out texts, beside baselines; write weights and card."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch

from core.models.bert_tasks import TAGS, TasksBERT
from core.models.stored_weights import load_weights
from core.probing.fine_tuning import frequent_tags
from core.probing.fine_tuning.frequent_tags import FrequentTags
from core.results.result_files import error_of
from core.zoo.embedded import save_text
from training.bert_tasks.data import Example, TaggedSentence, TaskData, batch_of
from training.common.card import save_card, table
from training.common.sst2 import capital
from training.common.stored import as_stored

BATCH_SIZE = 32  # texts


def measure(network: TasksBERT, data: TaskData, file: Path, *, eight_bits: bool) -> dict[str, Any]:
    """Write the weights to a file, and measure those that stand there; of 8 bits those in half precision too.

    A word without a token of its own, or of a sentence that is too long, counts as wrong.
    """
    half_precision = accuracies(as_stored(network, file, eight_bits=False), data)
    if not eight_bits:
        return half_precision
    return accuracies(as_stored(network, file, eight_bits=True), data) | {"half_precision": half_precision}


def accuracies(network: TasksBERT, data: TaskData) -> dict[str, Any]:
    """The shares of tags and of sentiments that are right, on the test parts."""
    right = right_tags(network, data.test)
    cases = Counter(tag for sentence in data.test for tag in sentence.tags)
    predictions = {way: predicted_sentiments(network, texts, data) for way, texts in ways(data.test_phrases).items()}
    return {
        "tags": round(right.total() / cases.total(), 4),
        "by_tag": {tag: round(right[tag] / cases[tag], 4) for tag in TAGS if cases[tag]},
        "verdicts": right_share(predictions["typed"], data.test_sentiments),
        "verdicts_capital": right_share(predictions["capital"], data.test_sentiments),
    }


def ways(texts: Sequence[str]) -> dict[str, list[str]]:
    """The texts unchanged ("typed"), and with a capital first letter ("capital")."""
    return {"typed": list(texts), "capital": [capital(text) for text in texts]}


@torch.inference_mode()
def right_tags(network: TasksBERT, sentences: Sequence[TaggedSentence]) -> Counter[str]:
    """The number of words of each tag that are tagged right."""
    right: Counter[str] = Counter()
    examples = [sentence.example for sentence in sentences if sentence.example and sentence.example.places]
    for part in in_parts(examples):
        batch = batch_of(part)
        assert batch.tags is not None
        predictions = network(batch.ids, batch.padding)[0].argmax(dim=-1)
        right.update(TAGS[number] for number in batch.tags[predictions == batch.tags].tolist())
    return right


@torch.inference_mode()
def predicted_sentiments(network: TasksBERT, texts: Sequence[str], data: TaskData) -> list[int]:
    """The predicted sentiment of each text, 0 or 1."""
    examples, predictions = data.encode_phrases(texts), list[int]()
    for part in in_parts(examples):
        batch = batch_of(part)
        predictions += network(batch.ids, batch.padding)[1].argmax(dim=-1).tolist()
    return predictions


def in_parts(examples: Sequence[Example]) -> list[list[Example]]:
    """The examples in parts of BATCH_SIZE."""
    return [list(examples[start : start + BATCH_SIZE]) for start in range(0, len(examples), BATCH_SIZE)]


def right_share(predictions: Sequence[int], sentiments: Sequence[int]) -> float:
    """The share of right predictions."""
    return round(sum(map(int.__eq__, predictions, sentiments)) / len(sentiments), 4)


# Baselines.


def by_frequency(train: Sequence[TaggedSentence], test: Sequence[TaggedSentence]) -> tuple[FrequentTags, dict]:
    """Count the most frequent tag of each word in `train`, and measure it on `test` as a prediction.

    Unknown words get the most frequent tag of all words.
    """
    tags = frequent_tags.count(pair for sentence in train for pair in zip(sentence.words, sentence.tags, strict=True))
    right, cases, unknown = Counter[str](), Counter[str](), 0
    for sentence in test:
        for word, tag in zip(sentence.words, sentence.tags, strict=True):
            cases[tag] += 1
            right[tag] += tags.tag(word) == tag
            unknown += word not in tags.by_word
    by_tag = {tag: round(right[tag] / cases[tag], 4) for tag in TAGS if cases[tag]}
    results = {
        "tags": round(right.total() / cases.total(), 4),
        "by_tag": by_tag,
        "cases": {tag: cases[tag] for tag in by_tag},
        "unknown": round(unknown / cases.total(), 4),
    }
    return tags, results


class NaiveBayes:
    """Multinomial naive Bayes on words and pairs of neighbours, with add-one smoothing (Manning et al. 2008, 13.2)."""

    def __init__(self, texts: Sequence[str], sentiments: Sequence[int]):
        self.counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        for text, prediction in zip(texts, sentiments, strict=True):
            self.counts[prediction].update(features(text))
        self.shares = [math.log(sentiments.count(prediction) / len(sentiments)) for prediction in (0, 1)]
        self.different = len(self.counts[0] | self.counts[1])

    def prediction(self, text: str) -> int:
        """The more probable sentiment, 0 or 1."""
        scores = [
            share
            + sum(math.log((counts[feature] + 1) / (counts.total() + self.different)) for feature in features(text))
            for counts, share in zip(self.counts, self.shares, strict=True)
        ]
        return int(scores[1] > scores[0])


def features(text: str) -> list[str]:
    """The words and punctuation marks of a text in lower case, and the pairs of neighbours."""
    words = re.findall(r"[\w'’-]+|[^\w\s]", text.lower())
    return [*words, *(f"{first} {second}" for first, second in pairwise(words))]


def report(name: str, data: TaskData, run: Path, variants: Sequence[str], folder: Path) -> None:
    """Write weights/<name>/ from the results of each variant that was trained."""
    results_by_variant = {
        variant: read_results(run / variant) for variant in variants if (run / variant / "results.json").exists()
    }
    tag_counts, frequency = by_frequency(data.train, data.test)
    bayes = NaiveBayes(data.phrases, data.sentiments)
    majority = max((0, 1), key=data.sentiments.count)
    network = load_weights(lambda: TasksBERT(data.pretrained.config), run / "tuned" / "model.safetensors")
    save_text(network, data.start.tokenizer, folder, eight_bits=True)
    frequent_tags.save(tag_counts, folder)
    results = {
        "seed": results_by_variant["tuned"]["plan"]["seed"],
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "variants": results_by_variant,
        "most_frequent_tag": frequency,
        "majority": right_share([majority] * len(data.test_sentiments), data.test_sentiments),
        "naive_bayes": right_share([bayes.prediction(text) for text in data.test_phrases], data.test_sentiments),
        "words": sum(frequency["cases"].values()),
        "sentences": len(data.test_sentiments),
        "learned_words": sum(len(sentence.words) for sentence in data.train),
        "learned_sentences": len(data.train),
        "learned_phrases": len(data.phrases),
        "unread": unread(data.test),
        "weights_stored_in": "8 bits",
    }
    save_card(folder, CARD, results, texts_of(results) | {"name": name})


def texts_of(results: Mapping[str, Any]) -> dict[str, str]:
    """The tables and texts of the card."""
    return {
        "results_table": results_table(results),
        "tags_table": tags_table(results),
        "runs": runs_text(results["variants"]),
        "seen": str(frequent_tags.MIN_COUNT),
        "error": f"{error_of(results['variants']['tuned']['verdicts'], results['sentences']):.1%}",
    }


def read_results(folder: Path) -> dict[str, Any]:
    """Read the results that the training of a variant has written."""
    return json.loads((folder / "results.json").read_text())


def unread(sentences: Sequence[TaggedSentence]) -> int:
    """The number of words without a token of their own, or in sentences that are too long."""
    return sum(
        len(sentence.words) - (len(sentence.example.places) if sentence.example else 0) for sentence in sentences
    )


NAMES = {
    "tuned": "**fine-tuned**",
    "frozen": "the same heads on the body of `bert-books` as it is",
    "scratch": "the same network from random weights, the same steps",
}


def results_table(results: Mapping[str, Any]) -> str:
    """The table of the card that compares the variants."""
    variants = results["variants"]
    tuned = NAMES["tuned"]
    networks = {tuned: variants["tuned"], f"{tuned}, in half precision": variants["tuned"]["half_precision"]}
    networks |= {NAMES[name]: accuracies for name, accuracies in variants.items()}
    rows = [
        [
            name,
            f"{accuracies['tags']:.1%}",
            f"{accuracies['verdicts']:.1%}",
            f"{accuracies['verdicts_capital']:.1%}",
        ]
        for name, accuracies in networks.items()
    ]
    rows += [
        ["most frequent tag of the word", f"{results['most_frequent_tag']['tags']:.1%}", "", ""],
        ["naive Bayes, words and pairs of words", "", f"{results['naive_bayes']:.1%}", ""],
        ["the more frequent verdict", "", f"{results['majority']:.1%}", ""],
    ]
    return table(["", "tags right", "verdicts right", "with a capital first letter"], rows)


def tags_table(results: Mapping[str, Any]) -> str:
    """The table of the card with the accuracy of each tag."""
    tuned, frequent = results["variants"]["tuned"]["by_tag"], results["most_frequent_tag"]
    rows = [
        [tag, f"{cases:,}", f"{tuned[tag]:.1%}", f"{frequent['by_tag'][tag]:.1%}"]
        for tag, cases in frequent["cases"].items()
    ]
    return table(["tag", "words", "fine-tuned", "most frequent tag"], rows)


def runs_text(results_by_variant: Mapping[str, Any]) -> str:
    """Steps, learning rate and minutes of each variant, as a text."""
    return "; ".join(
        f"{NAMES[name].strip('*')}: {run['plan']['steps']:,} steps, learning rate {run['plan']['learning_rate']}, "
        f"{run['seconds'] / 60:.0f} minutes"
        for name, run in results_by_variant.items()
    )


CARD = """# {name}

`bert-books` fine-tuned for two tasks at once (`core/models/bert_tasks.py`, {parameters:,} parameters): a part of speech
for every word, read off its first piece, and whether a text praises or blames, read off [CLS] (Devlin et al. 2018,
sections 4.1 and 5.3). One body serves both heads. It was pre-trained on books of the nineteenth century only.

## Data and licence
Tags: UD_English-EWT, 17 universal tags (Nivre et al. 2020; Silveira et al. 2014; annotations CC BY-SA 4.0),
{learned_words:,} words of {learned_sentences:,} sentences of its train part; tried on the {words:,} words of test.
Verdicts: SST-2 (Socher et al. 2013) as in GLUE, {learned_phrases:,} phrases; tried on the {sentences} sentences of
GLUE's dev part, since GLUE keeps the labels of test. SST is distributed for research and names no licence. Neither data
set is part of the project. `frequent_tags.json` holds the most frequent tag of each word that was seen {seen} times or
more in UD's train part, with its counts: CC BY-SA 4.0. The weights are released under the project's licence.

SST-2 comes in lower case and cut into words of the Penn Treebank ("ca n't", "`` good ''"). Visitors type otherwise, so
the texts were put together again ("can't", "“good”"; `restore` in `training/common/sst2.py`), a capital "I" with them,
and half of the phrases to learn from got a capital first letter. Nothing else is in upper case, names neither. The
{sentences} sentences are measured as they were put together, and once more with a capital first letter.

## Held-out results
{results_table}

Of words that were never seen ({most_frequent_tag[unknown]:.1%} of those in test) the baseline says the most frequent
tag of all. {unread} words that the model cannot tag (their sentence is longer than its context, or a piece holds two
words) count as wrong. Naive Bayes was counted on the same {learned_phrases:,} phrases.

{tags_table}

The weights are stored in 8 bits, and "fine-tuned" was measured so. The other two networks are not kept; they were
measured in half precision. The standard error of a share of the {sentences} verdicts is {error}.

## How it was made
`make train-bert-tasks DATA=...` (`python -m training.bert_tasks.train`), seed {seed}. Batches of the two tasks take
turns, at most {variants[tuned][batch]:,} tokens each, padding included; Muon and AdamW, warm-up over 100
steps and a fall to 0 over the last 60 %, weight decay 0.1, bfloat16 autocast. {runs}; on {hardware}, shared
with other work. torch {torch}.
"""
