"""What heads write: the sum over heads is the layer's output, whatever the family of the model."""

import pytest
import torch
from torch import nn

from core.errors import CaptureError
from core.heads.contributions import bias_of, contributions, largest_difference, output_shares, watch_outputs
from tests.core import tiny_models
from tests.core.tiny_models import HEADS, WIDTH

OF_TRANSFORMERS = ["gpt2", "bert", "distilbert", "deberta-v2", "llama", "gemma2", "opt", "t5", "bart", "vit"]
OF_TIMM = ["vit", "eva02", "dinov2", "dinov3", "swin"]


def outputs_of(model, **inputs):
    return watch_outputs(model, lambda network: network(**inputs))


def ours():
    return watch_outputs(tiny_models.tiny_gpt(), lambda network: network(tiny_models.tokens()))


def assert_adds_up(outputs, *, batch=2):
    assert outputs
    for one in outputs:
        assert one.output_map is not None, one.reason
        for item in range(batch):
            assert largest_difference(one, item).relative < 1e-5


@pytest.mark.parametrize("family", OF_TRANSFORMERS)
def test_the_heads_of_a_model_of_transformers_add_up_to_what_it_returned(family):
    outputs = outputs_of(tiny_models.tiny_transformers(family), **tiny_models.inputs_of(family))
    assert_adds_up(outputs)


@pytest.mark.parametrize("family", OF_TIMM)
def test_the_heads_of_a_model_of_timm_add_up_to_what_it_returned(family):
    side = 32 if family == "swin" else 16
    outputs = outputs_of(tiny_models.tiny_timm(family), x=tiny_models.picture(side=side))
    assert_adds_up(outputs)  # the windows of Swin are items of the batch


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("need_weights", [True, False])
def test_the_map_that_torch_keeps_inside_a_function_is_found(batch_first, need_weights):
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=batch_first).eval()
    x = torch.randn(2, 7, WIDTH) if batch_first else torch.randn(7, 2, WIDTH)
    outputs = watch_outputs(attention, lambda network: network(x, x, x, need_weights=need_weights))
    assert [one.output_map.path for one in outputs] == ["out_proj"]
    assert_adds_up(outputs)


def test_contributions_are_each_heads_output_times_its_own_rows_of_the_matrix():
    model, x = tiny_models.tiny_gpt(), tiny_models.tokens()
    first = watch_outputs(model, lambda network: network(x))[0]
    matrix = model.blocks[0].attention.out.weight.T
    for head in range(HEADS):
        rows = matrix[head * WIDTH // HEADS : (head + 1) * WIDTH // HEADS]
        torch.testing.assert_close(contributions(first, item=1)[head], first.call.output(head, 1) @ rows)
    assert torch.equal(bias_of(first), model.blocks[0].attention.out.bias)


def test_the_sum_is_what_a_hook_on_the_model_itself_sees():
    model, x, outputs = tiny_models.tiny_gpt(), tiny_models.tokens(), []
    second = watch_outputs(model, lambda network: network(x))[1]
    handle = model.blocks[1].attention.register_forward_hook(lambda *args: outputs.append(args[-1]))
    model(x)
    handle.remove()
    torch.testing.assert_close(contributions(second).sum(dim=0) + bias_of(second), outputs[0][0])


def test_chosen_tokens_are_rows_of_all():
    first = ours()[0]
    torch.testing.assert_close(contributions(first, queries=[5, 0]), contributions(first)[:, [5, 0]])


def test_where_the_matrix_is_in_which_module():
    parts = ("0.SelfAttention", "1.EncDecAttention")
    paths = {
        "gpt2": ["h.0.attn.c_proj", "h.1.attn.c_proj"],
        "bert": [f"encoder.layer.{layer}.attention.output.dense" for layer in (0, 1)],
        "t5": [
            *(f"encoder.block.{layer}.layer.0.SelfAttention.o" for layer in (0, 1)),
            *(f"decoder.block.{layer}.layer.{part}.o" for layer in (0, 1) for part in parts),
        ],
    }
    for family, expected in paths.items():
        outputs = outputs_of(tiny_models.tiny_transformers(family), **tiny_models.inputs_of(family))
        assert [one.output_map.path for one in outputs] == expected


def test_a_model_without_a_bias_adds_none():
    outputs = outputs_of(tiny_models.tiny_transformers("llama"), **tiny_models.inputs_of("llama"))
    assert not bias_of(outputs[0]).any()


class Between(nn.Module):
    """Attention whose heads go through something before W_O."""

    def __init__(self, between):
        super().__init__()
        torch.manual_seed(0)
        self.qkv, self.out, self.between = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH), between

    def forward(self, x):
        query, key, value = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        mixed = nn.functional.scaled_dot_product_attention(query, key, value)
        return self.out(self.between(mixed.transpose(1, 2).flatten(2)))


@pytest.mark.parametrize("between", [nn.LayerNorm(WIDTH), nn.Sigmoid(), nn.Hardtanh(-0.05, 0.05)])
def test_a_norm_or_a_gate_before_the_matrix_is_a_sentence_and_no_wrong_number(between):
    (one,) = outputs_of(Between(between).eval(), x=torch.randn(1, 7, WIDTH))
    assert one.output_map is None
    assert "something stands between" in one.reason
    for function in (contributions, bias_of, largest_difference, output_shares):
        with pytest.raises(CaptureError, match="not a sum over heads"):
            function(one)


def test_that_test_can_fail():
    (one,) = outputs_of(Between(nn.Identity()).eval(), x=torch.randn(1, 7, WIDTH))
    assert_adds_up((one,), batch=1)


def test_in_half_precision_the_map_is_found_too():
    model = Between(nn.Identity()).eval().bfloat16()
    (one,) = outputs_of(model, x=torch.randn(1, 7, WIDTH).bfloat16())
    assert largest_difference(one).relative < 0.05


def test_padding_that_looks_at_nothing_does_not_hide_the_matrix():
    inputs = tiny_models.inputs_of("gpt2")
    inputs["attention_mask"] = torch.ones(2, 7, dtype=torch.long)
    inputs["attention_mask"][1, :2] = 0  # on the left: the first two queries of the second text are blind
    assert_adds_up(outputs_of(tiny_models.tiny_transformers("gpt2"), **inputs))


def test_shares_sum_to_one_and_follow_the_formula():
    for one in ours():
        shares, vectors = output_shares(one), contributions(one)
        assert shares.sum().item() == pytest.approx(1, abs=1e-6)
        by_hand = [
            sum(
                vectors[head, token].norm() / sum(vectors[other, token].norm() for other in range(HEADS))
                for token in range(7)
            )
            / 7
            for head in range(HEADS)
        ]
        torch.testing.assert_close(shares, torch.stack(by_hand))


def test_a_head_with_a_matrix_of_zeros_has_no_share():
    model = tiny_models.tiny_gpt()
    with torch.no_grad():
        model.blocks[0].attention.out.weight[:, : WIDTH // HEADS] = 0
    first = watch_outputs(model, lambda network: network(tiny_models.tokens()))[0]
    assert output_shares(first)[0].item() == 0
    assert output_shares(first).sum().item() == pytest.approx(1, abs=1e-6)


def test_the_model_is_left_as_it_was():
    model = tiny_models.tiny_gpt()
    watch_outputs(model, lambda network: network(tiny_models.tokens()))
    assert not any(module._forward_hooks for module in model.modules())


def test_looking_for_the_matrix_is_not_taken_for_attention():
    first = ours()
    assert [one.call.path for one in first] == ["blocks.0.attention", "blocks.1.attention"]


def test_a_run_that_does_not_use_the_twin_is_refused():
    model = tiny_models.tiny_gpt()
    with pytest.raises(CaptureError, match="no attention could be seen"):
        watch_outputs(model, lambda _: model(tiny_models.tokens()))
