"""The script that measures small specialists beside fine-tuned BERTs: accuracy, errors, and the table."""

import json

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers

from core.models.sentiment import SentimentConfig, make_reviewer
from core.results.specialist_results import FILE, measured_classifiers
from core.sentiment.specialists import CONTESTANTS, FINE_TUNED, REVIEWS, SENTENCES, sentiment_logits
from core.zoo.text_models import Classifier
from training.sentiment import specialists


def tiny(kind):
    words = ["[PAD]", "[UNK]", *"abcdefgh"]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    network = make_reviewer(SentimentConfig(kind, vocabulary=len(words), width=4, state=4, heads=2))
    return Classifier(kind, kind, network, tokenizer, 6, ("negative", "positive"))


@pytest.mark.parametrize("kind", ["rnn", "cnn", "encoder"])
def test_what_is_right_in_batches_is_right_text_by_text(kind):
    torch.manual_seed(1)
    model, rng = tiny(kind), np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdefghx"), size)) for size in rng.integers(1, 9, 40)]
    labels = rng.integers(0, 2, 40).tolist()
    alone = [int(sentiment_logits(model, model.encode(text)).argmax()) for text in texts]
    right = specialists.are_right(model, texts, labels)
    assert right.tolist() == [one == label for one, label in zip(alone, labels, strict=True)]
    assert 0 < right.sum() < 40


def test_a_paired_difference_has_the_error_of_its_differences():
    one, other = torch.tensor([1, 1, 1, 0, 1, 0]).bool(), torch.tensor([1, 0, 1, 0, 0, 1]).bool()
    model = tiny("rnn")
    right = {"english-rnn": one, FINE_TUNED[REVIEWS]: other}
    small, large = specialists.rows_of(REVIEWS, dict.fromkeys(right, model), right, dict.fromkeys(right, 2.0))
    differences = np.array([0, 1, 0, 0, 1, -1])
    assert small["lead"] == pytest.approx(differences.mean(), abs=1e-4)
    assert small["lead_error"] == pytest.approx(differences.std() / np.sqrt(6), abs=1e-5)
    assert small["accuracy"] == pytest.approx(4 / 6, abs=1e-4)
    assert large["lead"] == ""


def test_what_is_written_is_read_again(tmp_path):
    model, rng = tiny("rnn"), np.random.default_rng(0)
    names = dict.fromkeys(CONTESTANTS, model)
    rows = []
    for texts in (REVIEWS, SENTENCES):
        right = {name: torch.from_numpy(rng.random(50) < 0.8) for name in CONTESTANTS}
        rows += specialists.rows_of(texts, names, right, specialists.milliseconds(names, ["a b", "c"]))
    specialists.save(tmp_path, rows)
    for texts in (REVIEWS, SENTENCES):
        read = measured_classifiers(texts, tmp_path / FILE.name)
        written = [row for row in rows if row["texts"] == texts]
        assert [(row.name, row.accuracy, row.milliseconds) for row in read] == [
            (row["model"], row["accuracy"], row["milliseconds"]) for row in written
        ]
        assert [row.name for row in read if row.lead is None] == [FINE_TUNED[texts]]
    assert json.loads((tmp_path / f"{FILE.stem}.json").read_text())["command"].startswith("python -m training")
