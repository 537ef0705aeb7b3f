"""The script that counts who is fooled: its baseline, and the table that it writes."""

import json

import numpy as np
import pytest
import torch

from core.results.behavioural_test_results import failures_by_model
from core.sentiment.behavioural_tests import count_failures, pairs_of
from training.sentiment.behavioural_tests import count_baseline, save, vars_of
from training.sentiment.train import Language, Texts


def test_a_baseline_of_words_is_fooled_by_words_that_change_places():
    pairs = [pair for pair in pairs_of("english") if "change places" in pair.test or pair.kind == "names"]
    texts = ["a wonderful superb film", "a great brilliant film", "a terrible dull film", "a bad boring film"] * 5
    learnt = Texts(texts, np.array([1, 1, 0, 0] * 5))
    counted = count_baseline(Language("english", ("negative", "positive"), learnt, learnt, learnt, 100), pairs, 1.0)
    for one in counted:
        assert one.failed == (one.pairs if one.should == "change" else 0)
        assert 0 < one.unread < 1


def test_what_is_written_is_read_again(tmp_path):
    pairs = pairs_of("spanish")
    read = torch.rand(len(pairs), 2, 3).softmax(dim=-1)
    counted = count_failures(pairs, read, ("negative", "neutral", "positive"))
    save(tmp_path, [["spanish", "spanish-cnn", *vars_of(one), "by hand"] for one in counted], 1.0)
    assert failures_by_model(tmp_path / "sentiment_fooled.csv") == {"spanish": {"spanish-cnn": counted}}
    assert json.loads((tmp_path / "sentiment_fooled.json").read_text())["command"].startswith("python -m training")


@pytest.fixture(autouse=True)
def _same_dice():
    torch.manual_seed(0)
