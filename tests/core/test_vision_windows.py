"""Where windows lie: against the models' own shifting, padding and cutting, and against sums written out."""

import copy
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from core.capture import AttentionCall
from core.capture.written_weights import WrittenWeights
from core.errors import ModelError
from core.vision import windows
from tests.core.tiny_models import picture, tiny_timm
from tests.core.tiny_windows import FAMILIES, Windowed, watched

EVERY = [pytest.param(windowed, id=str(windowed)) for windowed in FAMILIES]
OF_TIMM = [pytest.param(windowed, id=str(windowed)) for windowed in FAMILIES if windowed.library == "timm"]


class Keeps(nn.Module):
    """In the place of a block's attention: keeps what it is given, and hands it on."""

    def __init__(self, *, tuples):
        super().__init__()
        self.tuples = tuples

    def forward(self, x, mask=None, **_):
        self.input, self.mask = x, mask
        return (x, None) if self.tuples else x


def blocks_of(network):
    return [module for module in network.modules() if hasattr(module, "shift_size")]


def numbered(windowed):
    """For each block, what its own functions make of a grid whose values are 1, 2, 3 ... (0 where it pads)."""
    network, captured = copy.deepcopy(windowed.network()), []

    def renumber(block, args):
        shape = args[0].shape
        length = shape[1] * shape[2] if len(shape) == 4 else shape[1]
        numbers = torch.arange(1.0, length + 1).reshape(1, *shape[1:-1], 1).expand(shape)
        captured.append((shape, getattr(block, "attention", getattr(block, "attn", None))))
        return (numbers, *args[1:])

    for block in blocks_of(network):
        name = "attn" if hasattr(block, "attn") else "attention"
        setattr(block, name, Keeps(tuples=name == "attention"))
        setattr(block, "norm1" if hasattr(block, "norm1") else "layernorm_before", nn.Identity())
        block.register_forward_pre_hook(renumber)
    with torch.inference_mode():
        network(windowed.pixels)
    return captured


@pytest.mark.parametrize("windowed", EVERY)
def test_windows_are_what_the_models_own_functions_cut_out_of_a_numbered_grid(windowed):
    network = windowed.network()
    layers = windows.windows_of(network, watched(network, windowed.pixels), windowed.size)
    captured = numbered(windowed)
    assert len(layers) == len(captured) == sum(windowed.depths)
    for layer, (shape, attention) in zip(layers, captured, strict=True):
        assert math.prod(shape[1:-1]) == layer.rows * layer.columns
        if len(shape) == 4:
            assert tuple(shape[1:3]) == (layer.rows, layer.columns)
        torch.testing.assert_close(attention.input[..., 0].long() - 1, layer.places)
        allowed = torch.ones_like(layer.allowed) if attention.mask is None else attention.mask == 0
        torch.testing.assert_close(layer.allowed, allowed)
        assert layer.shifted or attention.mask is None


def test_the_shapes_that_a_picture_of_36_x_52_pixels_takes_in_three_stages():
    windowed = Windowed("timm", 1, (36, 52), depths=(2, 2, 2))
    network = windowed.network()
    layers = windows.windows_of(network, watched(network, windowed.pixels), windowed.size)
    assert [(layer.stage, layer.block) for layer in layers] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert [(layer.rows, layer.columns) for layer in layers[::2]] == [(9, 13), (5, 7), (3, 4)]
    assert [layer.merging for layer in layers] == [1, 1, 2, 2, 2, 2]
    assert [layer.shift for layer in layers] == [(0, 0), (2, 2), (0, 0), (2, 2), (0, 0), (0, 0)]
    assert [layer.windows_per_axis for layer in layers[::2]] == [(3, 4), (2, 2), (1, 1)]
    assert [layer.padded for layer in layers[::2]] == [12 * 16 - 9 * 13, 4 * 16 - 5 * 7, 0]
    assert layers[4].window == (3, 4)


def test_the_windows_of_a_model_that_was_told_another_size_follow_it():
    windowed = Windowed("timm", 1, (32, 32))
    network = windowed.network()
    network.set_input_size((48, 96))  # its windows grow with the grid: 6 x 12 places
    layers = windows.windows_of(network, watched(network, torch.randn(1, 3, 48, 96)), (48, 96))
    assert [(layer.rows, layer.columns, layer.window) for layer in layers[::2]] == [
        (12, 24, (6, 12)),
        (6, 12, (6, 12)),
    ]


def test_models_without_windows_are_refused_in_one_sentence():
    network = tiny_timm("vit")
    with pytest.raises(ModelError, match=r"^This model has no shifted windows: .* Vision transformer\.$"):
        windows.windows_of(network, watched(network, picture()[:1]), (16, 16))


def test_a_record_of_another_size_is_refused():
    windowed = Windowed("timm", 1, (44, 28), made_for=(32, 32))
    network = windowed.network()
    with pytest.raises(ModelError, match="was recorded with"):
        windows.windows_of(network, watched(network, windowed.pixels), (32, 32))


# Stitching.


def layer_of(windowed, number=1):
    network = windowed.network()
    return windows.windows_of(network, watched(network, windowed.pixels), windowed.size)[number]


def call_with(weights):
    return AttentionCall("layer", "self", None, WrittenWeights((0,), weights[:, None]))


def test_a_picture_in_which_each_window_looks_at_one_known_place():
    layer = layer_of(Windowed("timm", 1, (32, 32)))  # 8 x 8 places, windows of 4 x 4, moved by 2
    # Window by window, a place in it by its row and column on the picture; the outer windows come around the edge.
    known = [(3, 4), (4, 7), (7, 3), (1, 1)]
    weights = torch.zeros(4, 16, 16)
    for window, (row, column) in enumerate(known):
        weights[window, :, layer.find(row * 8 + column)[1]] = 1.0
    call = call_with(weights)
    # The first window holds rows 2 to 5 and columns 2 to 5; the last one the four corners of the picture.
    for window, (row, column), query in zip(range(4), known, [(2, 2), (5, 0), (0, 5), (7, 7)], strict=True):
        assert layer.find(row * 8 + column)[0] == layer.find(query[0] * 8 + query[1])[0] == window
        answer = windows.stitch_query(call, layer, 0, query[0] * 8 + query[1])
        assert answer[row, column] == 1.0
        assert answer.nansum() == 1.0
        inside = ~answer.isnan()
        rows, columns = [(row + 6) % 8 // 4 for row in range(8)], [(column + 6) % 8 // 4 for column in range(8)]
        expected = torch.tensor([[2 * down + across == window for across in columns] for down in rows])
        torch.testing.assert_close(inside, expected)
    stitched = windows.stitch_mean(call, layer, 0)
    assert sorted((stitched == 1).nonzero().tolist()) == sorted(list(place) for place in known)
    assert stitched.sum() == 4
    torch.testing.assert_close(windows.stitch_same_place(call, layer, 0, 5), stitched)


def test_padding_looks_but_neither_counts_nor_shows():
    layer = layer_of(Windowed("timm", 1, (36, 52)), number=0)  # 9 x 13 places in windows of 4 x 4: 12 x 16
    weights = torch.rand(12, 16, 16, generator=torch.Generator().manual_seed(2)).softmax(-1)
    call = call_with(weights)
    mean = windows.stitch_mean(call, layer, 0)
    # The last window holds one place of the picture, in its first position: only that one looks, at itself.
    assert mean[8, 12] == weights[11, 0, 0]
    # The window above has the rows 4 to 7 of the last column: the positions 0, 4, 8 and 12.
    torch.testing.assert_close(mean[4:8, 12], weights[7, ::4, ::4].mean(0))
    same = windows.stitch_same_place(call, layer, 0, 6)  # row 1, column 2 of each window
    assert same[8].isnan().all()
    assert same[:, 12].isnan().all()
    torch.testing.assert_close(same[4:8, 4:8], weights[5, 6].reshape(4, 4))


# Against timm's own attention, in the coordinates of the picture.


def inputs_of_blocks(network, pixels):
    """What each block's attention is computed from, on the grid: after the norm, before shift and padding."""
    network, inputs = copy.deepcopy(network), []
    for block in blocks_of(network):
        normed = getattr(block, "norm1", None) if "V2" not in type(block).__name__ else None
        before = normed if normed is not None else nn.Identity()
        block.register_forward_pre_hook(lambda _, args, before=before: inputs.append(before(args[0])[0]))
    with torch.inference_mode():
        network(pixels)
    return inputs


def reference(block, inputs, head, query):
    """The attention of one place, written out: each key by its own place on the picture. NaN where it does not look."""
    attention, (rows, columns, width) = block.attn, inputs.shape
    window, shift = block.window_size, block.shift_size
    padded = [math.ceil(side / length) * length for side, length in zip((rows, columns), window, strict=True)]
    shifted = (query[0] - shift[0]) % rows, (query[1] - shift[1]) % columns
    first = shifted[0] // window[0] * window[0], shifted[1] // window[1] * window[1]

    def around(row, column):  # what came around the edge may not be looked at from what did not
        sides = zip((row, column), padded, shift, strict=True)
        return [moved > 0 and number >= length - moved for number, length, moved in sides]

    scores, places = [], []
    for row in range(first[0], first[0] + window[0]):
        for column in range(first[1], first[1] + window[1]):
            real = row < rows and column < columns
            place = ((row + shift[0]) % rows, (column + shift[1]) % columns)
            key = inputs[place] if real else torch.zeros(width)
            distance = shifted[0] - row, shifted[1] - column
            score = score_of(attention, inputs[query], key, head, distance)
            scores.append(score - 100 * (around(*shifted) != around(row, column)))
            places.append(place if real else None)
    answer = torch.full((rows, columns), math.nan)
    for place, weight in zip(places, torch.stack(scores).softmax(0), strict=True):
        if place:
            answer[place] = weight
    return answer


def score_of(attention, query, key, head, distance):
    head_dim = len(query) // attention.num_heads
    part = slice(head * head_dim, (head + 1) * head_dim)
    down, across = distance
    if hasattr(attention, "cpb_mlp"):
        query_bias, key_bias = attention.q_bias, attention.k_bias
        q = F.linear(query, attention.qkv.weight[: len(query)], query_bias)[part]
        k = F.linear(key, attention.qkv.weight[len(query) : 2 * len(query)], key_bias)[part]
        cosine = F.normalize(q, dim=0) @ F.normalize(k, dim=0)
        window = attention.window_size
        logged = [
            math.copysign(math.log2(1 + 8 * abs(far) / max(side - 1, 1)) / 3, far)
            for far, side in zip(distance, window, strict=True)
        ]
        bias = 16 * torch.sigmoid(attention.cpb_mlp(torch.tensor(logged))[head])
        return cosine * attention.logit_scale[head, 0, 0].clamp(max=math.log(100)).exp() + bias
    weight, added = attention.qkv.weight, attention.qkv.bias
    q = (weight[: len(query)] @ query + added[: len(query)])[part]
    k = (weight[len(query) : 2 * len(query)] @ key + added[len(query) : 2 * len(query)])[part]
    rows, columns = attention.window_size
    table = attention.relative_position_bias_table.reshape(2 * rows - 1, 2 * columns - 1, -1)
    return q @ k / math.sqrt(head_dim) + table[down + rows - 1, across + columns - 1, head]


@pytest.mark.parametrize("windowed", OF_TIMM)
def test_stitched_maps_are_timms_own_attention_written_out_place_by_place(windowed):
    network = windowed.network()
    record = watched(network, windowed.pixels)
    layers = windows.windows_of(network, record, windowed.size)
    inputs = inputs_of_blocks(network, windowed.pixels)
    for number, (call, layer, block) in enumerate(zip(record.calls, layers, blocks_of(network), strict=True)):
        head = call.heads - 1
        corners = [(0, 0), (layer.rows - 1, layer.columns - 1), (0, layer.columns - 1)]
        for query in [*corners, (layer.rows // 2, layer.columns // 2), (layer.rows - 2, 1)]:
            stitched = windows.stitch_query(call, layer, head, query[0] * layer.columns + query[1])
            expected = reference(block, inputs[number], head, query)
            torch.testing.assert_close(stitched, expected, atol=1e-5, rtol=0, equal_nan=True)
