"""Attention is a function of sets until it is given positions or a mask."""

import pytest
import torch

from core.order.permutation import ModelParts, compare, shuffle, split_gpt, split_vit
from tests.core.tiny_models import tiny_gpt

TOKENS = torch.tensor([3, 14, 15, 9, 26, 5, 3, 58])


def gpt() -> ModelParts:
    return split_gpt(tiny_gpt().requires_grad_(False), TOKENS)


def vit():
    from timm.models.vision_transformer import VisionTransformer

    torch.manual_seed(0)
    model = VisionTransformer(img_size=16, patch_size=4, embed_dim=32, depth=2, num_heads=4, dynamic_img_size=True)
    return model.eval().requires_grad_(False)


def pixels():
    return torch.randn(1, 3, 16, 16, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("part", ["attention", "blocks", "whole"])
def test_without_positions_and_mask_a_shuffle_only_shuffles_the_results(part):
    for taken in (gpt(), split_vit(vit(), pixels())):
        order = shuffle(len(taken.content), 7, fixed=taken.fixed)
        function = taken.all_layers if part == "whole" else getattr(taken, part)[0]
        result = compare(function, taken.content, order)
        assert result.largest < 1e-5
        assert result.before.std() > 1e-3  # there is something to shuffle


@pytest.mark.parametrize("part", ["attention", "blocks", "whole"])
@pytest.mark.parametrize("order_source", ["positions", "mask"])
def test_positions_or_a_mask_tell_the_order(part, order_source):
    for taken in (gpt(), split_vit(vit(), pixels())):
        order = shuffle(len(taken.content), 7, fixed=taken.fixed)
        function = taken.all_layers if part == "whole" else getattr(taken, part)[0]
        options = {"positions": taken.positions} if order_source == "positions" else {"causal": True}
        unchanged = compare(function, taken.content, order)
        assert compare(function, taken.content, order, **options).largest > 1000 * unchanged.largest


def test_equal_tokens_get_equal_results_without_positions():
    result = compare(gpt().all_layers, gpt().content, shuffle(len(TOKENS), 0))
    assert torch.allclose(result.before[0], result.before[6], atol=1e-6)  # the token 3 stands at both places


def test_the_parts_with_positions_and_mask_are_the_model_itself():
    model, taken = tiny_gpt().requires_grad_(False), gpt()
    x = taken.all_layers(taken.content + taken.positions, causal=True)
    logits = torch.nn.functional.linear(model.norm(x), model.token_embedding.weight)
    assert torch.allclose(logits, model(TOKENS[None])[0], atol=1e-5)


def test_the_parts_of_a_vision_transformer_with_positions_are_the_model_itself():
    model, taken = vit(), split_vit(vit(), pixels())
    x = taken.all_layers(taken.content + taken.positions, causal=False)
    assert torch.allclose(model.norm(x), model.forward_features(pixels())[0], atol=1e-5)
    assert taken.fixed == 1


def test_a_shuffle_is_seeded_keeps_what_is_fixed_and_moves_something():
    assert torch.equal(shuffle(9, 3), shuffle(9, 3))
    assert not torch.equal(shuffle(9, 3), shuffle(9, 4))
    for seed in range(20):
        order = shuffle(3, seed, fixed=1)
        assert order.tolist() == [0, 2, 1]
        assert shuffle(6, seed).sort().values.tolist() == list(range(6))
    assert shuffle(1, 0).tolist() == [0]
    assert shuffle(2, 0, fixed=1).tolist() == [0, 1]
