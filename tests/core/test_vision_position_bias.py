"""Position biases against what the models' own attention does with them, and the scores that they are added to."""

import math
from functools import cache

import pytest
import torch

from core.errors import ModelError
from core.vision import position_bias
from core.vision.position_bias import position_bias_of
from core.vision.window_parts import bias_share, record_window_parts
from core.vision.windows import PADDING, window_weights, windows_of
from tests.core.tiny_models import all_weights
from tests.core.tiny_windows import FAMILIES, Windowed, watched

EVERY = [pytest.param(windowed, id=str(windowed)) for windowed in FAMILIES]
FIRST, SECOND = Windowed("timm", 1, (36, 52)), Windowed("timm", 2, (36, 52))


@cache
def recorded_layers(windowed, change=None):
    network = windowed.network()
    if change:
        change(network)
    record = watched(network, windowed.pixels)
    return network, record, windows_of(network, record, windowed.size)


def without_content(network):
    """Queries and keys become zero: what is left of the scores is what was added."""
    for path, module in network.named_modules():
        for name in ("qkv", "q_proj", "query", "k_proj", "key"):
            if isinstance(part := getattr(module, name, None), torch.nn.Linear):
                for weight in part.parameters():
                    weight.zero_()
        if hasattr(module, "q_bias") and path:
            module.q_bias.zero_()


@pytest.mark.parametrize("windowed", EVERY)
def test_the_bias_is_all_that_the_models_attention_adds(windowed):
    network, record, layers = recorded_layers(windowed, without_content)
    for call, layer in zip(record.calls, layers, strict=True):
        added = position_bias_of(network, layer).matrix
        for head in range(call.heads):
            masked = added[head].expand(call.batch_size, -1, -1).masked_fill(~layer.allowed, -math.inf)
            torch.testing.assert_close(window_weights(call, head), masked.softmax(-1), atol=1e-5, rtol=0)


@pytest.mark.parametrize("windowed", EVERY)
def test_content_and_bias_and_mask_are_the_whole_score(windowed):
    network, record, layers = recorded_layers(windowed)
    parts = record_window_parts(network, windowed.pixels, layers)
    for call, layer, content in zip(record.calls, layers, parts.content, strict=True):
        scores = content + position_bias_of(network, layer).matrix
        weights = scores.masked_fill(~layer.allowed[:, None], -math.inf).softmax(-1)
        torch.testing.assert_close(weights, all_weights(call), atol=1e-5, rtol=0)


def test_fused_attention_is_handed_the_same_bias():
    def fuse(network):
        for module in network.modules():
            if hasattr(module, "fused_attn"):
                module.fused_attn = True

    network, record, layers = recorded_layers(FIRST, fuse)
    for call, layer in zip(record.calls, layers, strict=True):
        if not layer.shifted:
            torch.testing.assert_close(call.product.mask[0], position_bias_of(network, layer).matrix)


def test_the_table_is_read_by_distance_in_rows_and_columns():
    network, _, layers = recorded_layers(FIRST)
    bias = position_bias_of(network, layers[0])
    assert bias.table.shape == (2, 7, 7)
    query, key = 1 * 4 + 2, 3 * 4 + 1  # row 1, column 2; row 3, column 1
    assert bias.distance(query, key) == (-2, 1)
    assert bias.index[query, key] == (-2 + 3) * 7 + (1 + 3)
    assert bias.matrix[1, query, key] == bias.table[1, -2 + 3, 1 + 3]
    raw = network.layers[0].blocks[0].attn.relative_position_bias_table
    assert bias.matrix[1, query, key] == raw[11, 1]


def test_the_continuous_bias_follows_the_papers_formula():
    network, _, layers = recorded_layers(SECOND)
    bias = position_bias_of(network, layers[0])
    row, column = 1, 6  # distances of -2 rows and 3 columns in windows of 4 x 4
    expected = [-math.log2(1 + 8 * 2 / 3) / math.log2(8), math.log2(1 + 8 * 3 / 3) / math.log2(8)]
    torch.testing.assert_close(bias.continuous.coordinates[row, column], torch.tensor(expected))
    first, _, last = network.layers[0].blocks[0].attn.cpb_mlp
    hidden = (first.weight @ torch.tensor(expected) + first.bias).clamp(min=0)
    answer = last.weight @ hidden
    torch.testing.assert_close(bias.continuous.network_output[:, row, column], answer, atol=1e-4, rtol=0)
    torch.testing.assert_close(bias.table[:, row, column], 16 / (1 + (-answer).exp()), atol=1e-4, rtol=0)


def test_the_scale_of_cosines_is_at_most_a_hundred():
    def grow(network):
        network.layers[0].blocks[0].attn.logit_scale.copy_(torch.tensor([2.0, 9.0])[:, None, None])

    network, _, layers = recorded_layers(SECOND, grow)
    scale = position_bias_of(network, layers[0]).continuous.scale
    torch.testing.assert_close(scale, torch.tensor([math.exp(2), 100.0]))
    parts = record_window_parts(network, SECOND.pixels, layers)
    assert 50 < parts.content[0][:, 1].abs().max() <= 100.001


def test_shares_are_those_of_the_variance_of_the_scores_row_by_row():
    network, _, layers = recorded_layers(FIRST)
    layer, content = layers[1], record_window_parts(network, FIRST.pixels, layers).content[1]
    bias = position_bias_of(network, layer)
    shares = bias_share(content, bias, layer)
    rows, moved = [], []
    for window in range(content.shape[0]):
        for query in range(16):
            if layer.places[window, query] == PADDING:
                continue
            may = layer.allowed[window, query]
            scores, added = content[window, 1, query, may], bias.matrix[1, query, may]
            rows.append(torch.stack([scores - scores.mean(), added - added.mean()]))
            moved.append(((scores + added).softmax(0) - scores.softmax(0)).abs().sum() / 2)
    scores, added = torch.cat(rows, dim=1)
    total = ((scores + added) ** 2).mean()
    torch.testing.assert_close(shares.content[1], (scores**2).mean().sqrt())
    torch.testing.assert_close(shares.bias[1], (added**2).mean().sqrt())
    torch.testing.assert_close(shares.share[1], (added * (scores + added)).mean() / total)
    torch.testing.assert_close(shares.share[1] + (scores * (scores + added)).mean() / total, torch.tensor(1.0))
    torch.testing.assert_close(shares.moved[1], torch.stack(moved).mean())


def test_without_content_everything_is_place():
    network, _, layers = recorded_layers(FIRST, without_content)
    parts = record_window_parts(network, FIRST.pixels, layers)
    shares = bias_share(parts.content[0], position_bias_of(network, layers[0]), layers[0])
    torch.testing.assert_close(shares.share, torch.ones(2))
    assert shares.content.max() == 0


@pytest.mark.parametrize("windowed", EVERY)
def test_merging_is_what_the_model_does_with_four_neighbours(windowed):
    network, _, layers = recorded_layers(windowed)
    merging = record_window_parts(network, windowed.pixels, layers).merging
    stages = network.layers if windowed.library == "timm" else network.encoder.layers
    first = [layer for layer in layers if layer.block == 0]
    assert sorted(merging) == [layer.stage for layer in first if layer.merging == 2] == list(range(1, len(stages)))
    for stage, merge in merging.items():
        module = stages[stage if windowed.library == "timm" else stage - 1].downsample
        rows, columns = first[stage].rows, first[stage].columns
        assert merge.joined.shape[:2] == merge.steps[-1][1].shape[:2] == (rows, columns)
        four = merge.neighbours(rows - 1, columns - 1)
        above, left = 2 * rows - 2, 2 * columns - 2
        torch.testing.assert_close(four[1], merge.before[above + 1, left])  # below the first: column by column
        torch.testing.assert_close(merge.joined[rows - 1, columns - 1], four.flatten())
        x = four.flatten()
        for name, output in merge.steps:
            x = module.norm(x) if name == "norm" else module.reduction(x)
            torch.testing.assert_close(output[rows - 1, columns - 1], x, atol=1e-4, rtol=1e-4)
        norm_first = windowed.version == 1
        assert [name for name, _ in merge.steps] == (["norm", "linear"] if norm_first else ["linear", "norm"])


def test_the_network_is_left_as_it_was():
    network, _, layers = recorded_layers(SECOND)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    record_window_parts(network, SECOND.pixels, layers)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in network.modules())
    assert all(torch.equal(before[name], value) for name, value in network.state_dict().items())


def test_a_bias_that_is_kept_in_another_way_is_refused(monkeypatch):
    network, _, layers = recorded_layers(FIRST)
    monkeypatch.setattr(position_bias, "_has_table", lambda _: False)
    with pytest.raises(ModelError, match="is kept in a way that is not known"):
        position_bias_of(network, layers[0])
