"""Other weights in a pooling: what is computed apart equals the network's own run, and the search keeps its promise."""

import math

import pytest
import torch
from scipy.spatial.distance import jensenshannon
from torch.testing import assert_close

from core.errors import ModelError
from core.heads.measures import jensen_shannon
from core.models.sentiment import MeanPooling
from core.sentiment import swapped_attention
from core.zoo.sentiment_classifiers import load_reviewer
from tests.core.test_token_methods import classifier

TEXT = "A dull film with a wonderful cast, and I would not watch it again."


@pytest.fixture(scope="module")
def read():
    model = load_reviewer("english-rnn")
    tokens = model.encode(TEXT)
    return model, tokens, swapped_attention.pooling_of(model, tokens)


def test_the_networks_own_weights_give_its_own_verdict(read):
    model, tokens, pooled = read
    probabilities = model.run(tokens).logits.softmax(dim=-1)
    assert_close(pooled.probabilities(pooled.weights), probabilities)
    assert_close(swapped_attention.run_with_weights(model, tokens, pooled, pooled.weights), probabilities)


def test_the_network_really_runs_with_other_weights(read):
    model, tokens, pooled = read
    for weights in swapped_attention.permute_weights(pooled.weights, 3, seed=1):
        assert_close(swapped_attention.run_with_weights(model, tokens, pooled, weights), pooled.probabilities(weights))


def test_uniform_attention_is_the_mean(read):
    model, tokens, pooled = read
    mean = MeanPooling()(pooled.values[None])[0]
    expected = model.network.classifier(mean).softmax(dim=-1)
    assert_close(
        swapped_attention.run_with_weights(model, tokens, pooled, swapped_attention.uniform(pooled.weights)), expected
    )


def test_a_permutation_keeps_the_weights_and_moves_them(read):
    pooled = read[2]
    draws = swapped_attention.permute_weights(pooled.weights, 20, seed=0)
    assert_close(draws.sort(dim=-1).values, pooled.weights.sort().values.expand(20, -1))
    assert len({tuple(draw.tolist()) for draw in draws}) > 15


@pytest.mark.parametrize("allowed", [0.001, 0.05])
def test_the_most_different_weights_are_weights_and_keep_the_verdict(read, allowed):
    model, tokens, pooled = read
    weights = swapped_attention.most_different(pooled, allowed)
    assert_close(weights.sum(), torch.tensor(1.0))
    assert weights.min() >= 0
    before, after = (
        model.run(tokens).logits.softmax(dim=-1),
        swapped_attention.run_with_weights(model, tokens, pooled, weights),
    )
    assert float((before - after).abs().sum() / 2) <= allowed + 1e-5
    assert before.argmax() == after.argmax()
    far = jensen_shannon(weights, pooled.weights)
    draws = swapped_attention.permute_weights(pooled.weights, 200, seed=0)
    assert far > jensen_shannon(draws, pooled.weights).max()


def test_the_divergence_is_that_of_scipy():
    first, second = torch.rand(2, 7, dtype=torch.double).softmax(dim=-1)
    assert float(jensen_shannon(first, second)) == pytest.approx(jensenshannon(first, second) ** 2)
    apart = jensen_shannon(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))
    assert float(apart) == pytest.approx(math.log(2))
    assert float(jensen_shannon(first, first)) == pytest.approx(0, abs=1e-12)


def test_what_has_no_such_pooling_is_refused():
    for kind in ("cnn", "encoder", "bert"):
        model = classifier(kind)
        with pytest.raises(ModelError, match="single row of attention weights"):
            swapped_attention.pooling_of(model, model.encode("a good film"))
