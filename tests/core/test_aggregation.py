"""Maps made into one, against definitions followed by hand: all paths, all words, a maximum-flow solver."""

from itertools import pairwise, product
from math import prod

import networkx
import pytest
import torch

from core.attribution import aggregation
from core.text import Tokens
from core.tokens.words import join_words, max_between_words, word_spans

LAYERS, LENGTH = 3, 4
PAIRS = list(product(range(LENGTH), repeat=2))


def maps(*, causal: bool = False, layers: int = LAYERS, length: int = LENGTH, seed: int = 0) -> torch.Tensor:
    scores = 2 * torch.randn(layers, length, length, generator=torch.Generator().manual_seed(seed))
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1) & causal
    return scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)


@pytest.fixture(params=[False, True], ids=["all look everywhere", "causal"])
def graph(request):
    return aggregation.with_residual(maps(causal=request.param))


def worths(graph: torch.Tensor, layer: int, query: int, key: int):
    """The weights along each path from a token after a layer down to one at the input, layer by layer."""
    for between in product(range(graph.shape[1]), repeat=layer):
        route = (query, *between, key)
        yield route, [graph[layer - step, one, other].item() for step, (one, other) in enumerate(pairwise(route))]


@pytest.mark.parametrize("layer", range(LAYERS))
def test_rollout_is_the_sum_over_all_paths(graph, layer):
    for query, key in PAIRS:
        expected = sum(prod(links) for _, links in worths(graph, layer, query, key))
        assert aggregation.rollout(graph)[layer, query, key].item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("layer", range(LAYERS))
def test_the_strongest_path_is_the_largest_product_over_all_paths(graph, layer):
    for query, key in PAIRS:
        expected = max(prod(links) for _, links in worths(graph, layer, query, key))
        assert aggregation.strongest_paths(graph)[layer, query, key].item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("layer", range(LAYERS))
def test_the_widest_path_is_the_largest_bottleneck_over_all_paths(graph, layer):
    for query, key in PAIRS:
        expected = max(min(links) for _, links in worths(graph, layer, query, key))
        assert aggregation.widest_paths(graph)[layer, query, key].item() == pytest.approx(expected, rel=1e-5)


def test_the_strongest_route_is_the_path_of_that_strength(graph):
    strongest = aggregation.strongest_paths(graph)[-1]
    for query, key in PAIRS:
        if strongest[query, key] == 0:
            continue  # later tokens cannot be reached
        route = aggregation.strongest_route(graph, query, key)
        links = dict(worths(graph, LAYERS - 1, query, key))[route]
        assert prod(links) == pytest.approx(strongest[query, key].item(), rel=1e-5)


def test_strongest_path_rollout_widest_path_and_maximum_flow_are_in_the_order_that_is_claimed(graph):
    rolled, strongest, widest = (
        function(graph)[-1] for function in (aggregation.rollout, aggregation.strongest_paths, aggregation.widest_paths)
    )
    flow = torch.tensor([[maximum_flow(graph, query, key) for key in range(LENGTH)] for query in range(LENGTH)])
    slack = 1e-5
    assert (strongest <= rolled + slack).all()
    assert (strongest <= widest + slack).all()
    assert (widest <= flow + slack).all()
    assert (rolled <= flow + slack).all()
    assert (widest < flow - 0.01).any()  # a bound, not the flow itself


def maximum_flow(graph: torch.Tensor, query: int, key: int) -> float:
    """Attention flow (Abnar and Zuidema 2020): all links at once, each at most its weight."""
    network = networkx.DiGraph()
    for layer, weights in enumerate(graph):
        for (upper, lower), weight in zip(PAIRS, weights.flatten().tolist(), strict=True):
            network.add_edge((layer + 1, upper), (layer, lower), capacity=weight)
    return networkx.maximum_flow_value(network, (len(graph), query), (0, key))


def test_rows_of_the_graph_and_of_rollout_sum_to_one(graph):
    expected = torch.ones(LAYERS, LENGTH)
    torch.testing.assert_close(graph.sum(dim=-1), expected)
    torch.testing.assert_close(aggregation.rollout(graph).sum(dim=-1), expected)


def test_half_of_each_row_is_the_token_itself():
    weights = maps()
    torch.testing.assert_close(aggregation.with_residual(weights), 0.5 * weights + 0.5 * torch.eye(LENGTH))


def test_a_token_that_may_look_at_nothing_keeps_itself():
    weights = maps()
    weights[1, 2] = torch.nan
    graph = aggregation.with_residual(weights)
    assert graph[1, 2].tolist() == [0, 0, 1, 0]
    assert not aggregation.rollout(graph).isnan().any()


def test_identities_stay_identities_whatever_the_depth():
    graph = aggregation.with_residual(torch.eye(LENGTH).expand(LAYERS, -1, -1))
    for function in (aggregation.rollout, aggregation.strongest_paths, aggregation.widest_paths):
        torch.testing.assert_close(function(graph), torch.eye(LENGTH).expand(LAYERS, -1, -1))


def test_uniform_layers_have_the_rollout_of_a_closed_form():
    depth, length = 5, 8
    graph = aggregation.with_residual(torch.full((depth, length, length), 1 / length))
    # I/2 + U/2 with U² = U: what is not yet mixed is halved by every layer.
    expected = 0.5**depth * torch.eye(length) + (1 - 0.5**depth) / length
    torch.testing.assert_close(aggregation.rollout(graph)[-1], expected)


def test_no_path_leads_to_a_later_token_under_a_causal_mask():
    graph = aggregation.with_residual(maps(causal=True, length=9))
    for function in (aggregation.rollout, aggregation.strongest_paths, aggregation.widest_paths):
        assert not function(graph).triu(1).any()


def test_one_layer_that_is_not_causal_is_enough_to_look_everywhere():
    weights = maps(causal=True)
    weights[1] = maps(seed=1)[1]
    graph = aggregation.with_residual(weights)
    best = max(prod(links) for _, links in worths(graph, 2, 0, 3))
    assert aggregation.strongest_paths(graph)[2, 0, 3].item() == pytest.approx(best)


def test_progress_is_told_after_each_layer():
    reports = []
    aggregation.widest_paths(
        aggregation.with_residual(maps(layers=4)), lambda done, total: reports.append((done, total))
    )
    assert reports == [(2, 4), (3, 4), (4, 4)]


def test_means_keep_rows_that_sum_to_one_and_the_largest_does_not():
    weights = torch.stack([maps(seed=seed) for seed in range(5)], dim=1)  # (layer, head, query, key)
    mean, largest = aggregation.mean_over_heads(weights), aggregation.max_over_heads(weights)
    assert mean.shape == largest.shape == (LAYERS, LENGTH, LENGTH)
    torch.testing.assert_close(mean[0, 1, 2], weights[0, :, 1, 2].sum() / 5)
    assert largest[0, 1, 2] == max(weights[0, :, 1, 2])
    torch.testing.assert_close(aggregation.mean_over_layers(mean).sum(dim=-1), torch.ones(LENGTH))
    assert (largest.sum(dim=-1) > 1).all()


WORDS = (range(0, 1), range(1, 3), range(3, 4))  # four tokens, the two in the middle are one word


def test_a_word_gets_what_its_pieces_get_and_gives_the_mean_of_what_they_give():
    weights = maps()[0]
    joined = join_words(weights, WORDS, WORDS)
    assert joined[0, 1].item() == pytest.approx((weights[0, 1] + weights[0, 2]).item())
    assert joined[1, 0].item() == pytest.approx(((weights[1, 0] + weights[2, 0]) / 2).item())
    assert joined[1, 1].item() == pytest.approx(weights[1:3, 1:3].sum().item() / 2)
    torch.testing.assert_close(joined.sum(dim=-1), torch.ones(3))


def test_between_words_the_best_path_is_the_best_between_their_pieces():
    values = maps()
    best = max_between_words(values, WORDS, WORDS)
    for (row, queries), (column, keys) in product(enumerate(WORDS), repeat=2):
        for layer in range(LAYERS):
            pieces = values[layer, queries.start : queries.stop, keys.start : keys.stop]
            assert best[layer, row, column] == pieces.max()


def test_single_pieces_change_nothing():
    weights, alone = maps(), [range(place, place + 1) for place in range(LENGTH)]
    torch.testing.assert_close(join_words(weights, alone, alone), weights)
    assert torch.equal(max_between_words(weights, alone, alone), weights)


def test_a_row_that_is_not_a_number_stays_alone_with_it():
    weights = maps()[0]
    weights[0] = torch.nan
    joined = join_words(weights, WORDS, WORDS)
    assert joined[0].isnan().all()
    assert not joined[1:].isnan().any()


def tokens(*words: int | None) -> Tokens:
    count = len(words)
    return Tokens(tuple(range(count)), ("x",) * count, (False,) * count, words)


@pytest.mark.parametrize(
    ("words", "spans"),
    [
        ((0, 1, 1, 1, 2), [(0, 1), (1, 4), (4, 5)]),
        ((None, 0, 0, None), [(0, 1), (1, 3), (3, 4)]),  # special tokens stand alone
        ((None, None), [(0, 1), (1, 2)]),
        ((0,), [(0, 1)]),
    ],
)
def test_the_pieces_of_a_word_are_one_span(words, spans):
    assert [(span.start, span.stop) for span in word_spans(tokens(*words))] == spans
