"""The reach of a place through windows, shifts and merging, beside dense matrices and the network's own gradients."""

from dataclasses import replace

import pytest
import torch
from timm.models.swin_transformer import SwinTransformer
from timm.models.swin_transformer_v2 import SwinTransformerV2
from timm.models.vision_transformer import VisionTransformer

from core.attribution.aggregation import rollout, with_residual
from core.capture import record_attention
from core.errors import CaptureError
from core.vision.window_rollout import (
    blocks_of,
    reach_by_block,
    reach_limit_by_block,
    rollout_by_block,
    rollout_spread_by_block,
    share_needed,
    spread_by_block,
    spread_limit_by_block,
    token_over,
)
from core.vision.windows import window_weights, windows_of

SMALL = {"patch_size": 4, "window_size": 4, "embed_dim": 8, "depths": (2, 2), "num_heads": (2, 2), "num_classes": 3}
KINDS = {
    "swin": (SwinTransformer, 64, {}),
    "padded": (SwinTransformer, 52, {}),  # grids of 13 x 13 and 7 x 7
    "one window": (SwinTransformer, 32, {"always_partition": True}),
    "second": (SwinTransformerV2, 64, {}),
    "second, padded": (SwinTransformerV2, 52, {}),
}


def made(kind: str):
    family, side, more = KINDS[kind]
    torch.manual_seed(0)
    network = family(img_size=side, **SMALL, **more).eval().requires_grad_(False)
    for name, weight in network.named_parameters():  # far from even, so that nothing agrees by being flat
        if "qkv" in name or "bias_table" in name:
            torch.nn.init.normal_(weight, std=0.7)
        elif "norm" in name and name.endswith("weight"):  # SwinV2's blocks begin as if they were not there
            torch.nn.init.ones_(weight)
    pixels = torch.randn(1, 3, side, side, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode(), record_attention(network) as record:
        network(pixels)
    layers = windows_of(network, record, (side, side))
    return network, pixels, record, layers


@pytest.fixture(scope="module", params=KINDS)
def swin(request):
    return made(request.param)


def dense(record, layers, head=None):
    """Each block as one matrix of all places by all places, 0.5 A + 0.5 I, the last row and column for padding."""
    matrices = []
    for layer, call in zip(layers, record.calls, strict=True):
        count = layer.rows * layer.columns
        matrix = torch.zeros(count + 1, count + 1, dtype=torch.float64)
        heads = range(call.heads) if head is None else [head]
        for window, places in enumerate(layer.places.tolist()):
            mean = sum(call.weights(head_number, window).double() for head_number in heads) / len(heads)
            at = torch.tensor(places)  # -1 is the last row and column
            matrix.index_put_((at[:, None], at[None, :]), mean / 2, accumulate=True)
        matrix[count] = 0.0  # what padding looks at is thrown away
        matrix[:count, :count] += torch.eye(count) / 2
        matrix[count, count] = 1.0
        matrices.append(matrix)
    return matrices


def merging(upper, lower):
    """Which places of the grid below each place is made of: a quarter each, of padding where the grid is odd."""
    matrix = torch.zeros(upper.rows * upper.columns + 1, lower.rows * lower.columns + 1, dtype=torch.float64)
    for row in range(upper.rows):
        for column in range(upper.columns):
            for below in (2 * row, 2 * row + 1):
                for beside in (2 * column, 2 * column + 1):
                    real = below < lower.rows and beside < lower.columns
                    matrix[row * upper.columns + column, below * lower.columns + beside if real else -1] += 0.25
    matrix[-1, -1] = 1.0
    return matrix


def products(record, layers, head=None):
    """After each block, the whole product down to the input."""
    partial_products, product = [], None
    for number, (layer, matrix) in enumerate(zip(layers, dense(record, layers, head), strict=True)):
        if number and layer.rows != layers[number - 1].rows:
            matrix = matrix @ merging(layer, layers[number - 1])
        product = matrix if product is None else matrix @ product
        partial_products.append(product)
    return partial_products


@pytest.mark.parametrize("head", [None, 1])
def test_the_reach_is_a_row_of_the_dense_product_of_all_blocks(swin, head):
    _, _, record, layers = swin
    blocks = blocks_of(layers, record, head)
    grown = reach_by_block(blocks, 5, 2)
    for number, product in enumerate(products(record, layers, head)):
        row = product[token_over(blocks, number, 5, 2)]
        torch.testing.assert_close(grown[number].flatten().double(), row[:-1], atol=1e-6, rtol=1e-5)
        assert row.sum() == pytest.approx(1, abs=1e-6)


def test_the_spread_is_a_column_of_the_same_products(swin):
    _, _, record, layers = swin
    maps = spread_by_block(blocks_of(layers, record), 4, 3)
    for layer, product, spread in zip(layers, products(record, layers), maps, strict=True):
        assert spread.shape == (layer.rows, layer.columns)
        column = product[:-1, 4 * layers[0].columns + 3]
        torch.testing.assert_close(spread.flatten().double(), column, atol=1e-6, rtol=1e-5)


def test_the_limit_is_where_the_networks_own_gradient_is_not_zero(swin):
    network, pixels, record, layers = swin
    grown = reach_limit_by_block(blocks_of(layers, record), 6, 1)
    outputs = []
    blocks = [block for stage in network.layers for block in stage.blocks]
    hooks = [block.register_forward_hook(lambda *taken: outputs.append(taken[2])) for block in blocks]
    followed = pixels.clone().requires_grad_()
    with torch.enable_grad():
        network(followed)
    for hook in hooks:
        hook.remove()
    for number, (output, limit) in enumerate(zip(outputs, grown, strict=True)):
        factor = layers[0].rows // layers[number].rows if layers[number].stage == 0 else 2
        vector = output[0, 6 // factor, 1 // factor]
        weighting = torch.randn(vector.shape, generator=torch.Generator().manual_seed(2))
        (gradient,) = torch.autograd.grad((vector * weighting).sum(), followed, retain_graph=True)
        felt = gradient[0].abs().sum(0).unfold(0, 4, 4).unfold(1, 4, 4).sum((-1, -2)) > 1e-25
        assert torch.equal(felt, limit), number


def test_nothing_arrives_from_beyond_the_limit(swin):
    _, _, record, layers = swin
    blocks = blocks_of(layers, record)
    reach, limit = reach_by_block(blocks, 0, 7), reach_limit_by_block(blocks, 0, 7)
    assert reach[~limit].sum() < 1e-30  # the mask of -100 leaves a trace too small for any number that is shown
    assert (limit.sum((-1, -2)).diff() >= 0).all()


def test_a_patch_comes_to_the_places_that_it_can_have_reached(swin):
    _, _, record, layers = swin
    blocks = blocks_of(layers, record)
    middle, last = blocks[0].rows // 2, (blocks[0].rows - 1, blocks[0].columns - 1)
    limits = spread_limit_by_block(blocks, middle, 1)
    for row, column in ((0, 0), (middle, 1), last):
        back = reach_limit_by_block(blocks, row, column)
        for number, limit in enumerate(limits):
            assert limit.flatten()[token_over(blocks, number, row, column)] == back[number, middle, 1]


def test_a_shift_lets_a_place_see_beyond_its_window():
    _, _, record, layers = made("swin")
    limit = reach_limit_by_block(blocks_of(layers, record), 0, 3)
    assert limit[0].nonzero().amax(0).tolist() == [3, 3]
    assert limit[1].nonzero().amax(0).tolist() == [3, 7]


def test_padding_takes_a_part_that_is_missing_from_the_sum():
    for kind, lost in (("swin", False), ("padded", True)):
        _, _, record, layers = made(kind)
        last = reach_by_block(blocks_of(layers, record), layers[0].rows - 1, layers[0].columns - 1)[-1]
        assert (float(last.sum()) < 0.99) == lost


def test_a_query_that_sees_nothing_keeps_itself():
    _, _, record, layers = made("swin")
    blind = [replace(block, weights=torch.zeros_like(block.weights)) for block in blocks_of(layers, record)[:2]]
    assert reach_by_block(blind, 2, 2)[-1, 2, 2] == 1


def test_window_weights_are_those_of_the_calls(swin):
    _, _, record, _ = swin
    for call in record.calls:
        expected = torch.stack([call.weights(1, item) for item in range(call.batch_size)])
        torch.testing.assert_close(window_weights(call, 1), expected)
    with pytest.raises(CaptureError, match="no head 2"):
        window_weights(record.calls[0], 2)


@pytest.mark.parametrize("head", [None, 1])
def test_the_rollout_of_one_token_is_a_row_or_a_column_of_the_rollout_of_all(head):
    torch.manual_seed(0)
    network = VisionTransformer(img_size=32, patch_size=8, embed_dim=16, depth=3, num_heads=2).eval()
    with torch.inference_mode(), record_attention(network) as record:
        network(torch.randn(1, 3, 32, 32))
    heads = range(2) if head is None else [head]
    maps = torch.stack(
        [torch.stack([call.weights(head_number) for head_number in heads]).mean(0) for call in record.calls]
    )
    rolled = rollout(with_residual(maps))
    torch.testing.assert_close(rollout_by_block(record.calls, 4, head), rolled[:, 4])
    torch.testing.assert_close(rollout_spread_by_block(record.calls, 4, head), rolled[:, :, 4])


def test_the_share_needed_is_that_of_the_largest_patches():
    assert share_needed(torch.tensor([[0.5, 0.3], [0.15, 0.05]]), 0.8) == 0.5
    assert share_needed(torch.full((2, 2), 0.25), 0.8) == 1.0
    assert share_needed(torch.full((2, 2), 0.25), 0.75) == 0.75
