"""The three small classifiers of the page Sentiment: their sizes, their padding, and the attention of the first."""

import pytest
import torch
from torch.testing import assert_close

from core.capture import record_attention
from core.models.sentiment import AttentionPooling, MeanPooling, SentimentConfig, make_reviewer
from core.published import sentiment_results

SIZES = {
    "rnn": ({}, "1x bidirectional RNN"),
    "cnn": ({"width": 128}, "2x CNN 1D"),
    "encoder": ({}, "1x transformer encoder"),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_network_has_about_as_many_weights_as_the_published_one(name):
    settings, published = SIZES[name]
    network = make_reviewer(SentimentConfig(name, **settings))
    ours = sum(parameter.numel() for parameter in network.parameters())
    (theirs,) = (row for row in sentiment_results() if (row.language, row.model) == ("English", published))
    assert ours == pytest.approx(theirs.parameters, rel=0.01)


@pytest.mark.parametrize(
    "settings", [{"architecture": name} for name in SIZES] + [{"architecture": "rnn", "pooling": "mean"}]
)
def test_a_text_is_judged_alike_alone_and_beside_a_longer_one(settings):
    torch.manual_seed(0)
    network = make_reviewer(SentimentConfig(vocabulary=50, **settings)).eval()
    short, long = torch.randint(50, (1, 9)), torch.randint(50, (1, 23))
    both = torch.cat([torch.nn.functional.pad(short, (0, 14)), long])
    padding = torch.arange(23) >= torch.tensor([[9], [23]])
    together = network(both, padding)
    assert_close(together[:1], network(short))
    assert_close(together[1:], network(long))


def test_the_pooling_is_that_of_the_paper():
    torch.manual_seed(1)
    pooling, states = AttentionPooling(8, 5), torch.randn(2, 6, 8)
    fits = torch.tanh(states @ pooling.key.weight.T + pooling.key.bias) @ pooling.query
    weights = fits.exp() / fits.exp().sum(dim=1, keepdim=True)
    assert_close(pooling(states), (weights[..., None] * states).sum(dim=1))


def test_a_pooling_that_finds_all_words_alike_is_the_mean():
    torch.manual_seed(2)
    pooling, states = AttentionPooling(8, 5), torch.randn(2, 6, 8)
    padding = torch.arange(6) >= torch.tensor([[4], [6]])
    with torch.no_grad():
        pooling.query.zero_()
    assert_close(pooling(states, padding), MeanPooling()(states, padding))


def test_the_weights_of_the_pooling_are_recorded():
    torch.manual_seed(3)
    network = make_reviewer(SentimentConfig("rnn", vocabulary=50)).eval()
    with torch.inference_mode(), record_attention(network) as record:
        network(torch.randint(50, (1, 12)))
    (call,) = record.calls
    weights = call.weights(0)
    assert weights.shape == (1, 12)
    assert_close(weights.sum(dim=-1), torch.ones(1))


def test_sizes_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="at least 1 for 'vocabulary', not 0"):
        SentimentConfig("cnn", vocabulary=0)
    with pytest.raises(ValueError, match="3 heads cannot share 32"):
        SentimentConfig("encoder", heads=3)
