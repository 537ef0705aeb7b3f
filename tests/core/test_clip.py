"""CLIP: equal to transformers' with its weights, its loss to one written out, its attention recorded exactly."""

import pytest
import torch
import transformers
from torch.testing import assert_close

from core.capture import record_attention
from core.models.clip import CLIP, CLIPConfig, EncoderConfig, contrastive_loss, load_clip

END = 29
SMALL = CLIPConfig(
    EncoderConfig(24, 2, 4), EncoderConfig(16, 2, 2), side=32, patch=8, vocabulary=30, context=10, end=END, space=12
)


def theirs(activation: str) -> transformers.CLIPModel:
    torch.manual_seed(0)
    text = {"hidden_size": 16, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    text |= {
        "vocab_size": 30,
        "max_position_embeddings": 10,
        "eos_token_id": END,
        "bos_token_id": 28,
        "pad_token_id": 0,
    }
    vision = {"hidden_size": 24, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
    vision |= {"image_size": 32, "patch_size": 8}
    more = {"hidden_act": activation, "projection_dim": 12}
    config = transformers.CLIPConfig(text_config=text | more, vision_config=vision | more, projection_dim=12)
    return transformers.CLIPModel(config).eval()


PIXELS = torch.randn(3, 3, 32, 32, generator=torch.Generator().manual_seed(1))
IDS = torch.tensor([[28, 5, 7, 9, END, 0, 0], [28, 3, END, 0, 0, 0, 0], [28, 1, 2, 3, 4, 5, END]])


@pytest.mark.parametrize(("activation", "quick"), [("quick_gelu", True), ("gelu", False)])
@torch.no_grad()
def test_with_their_weights_it_says_what_the_reference_says(activation, quick):
    reference = theirs(activation)
    ours = load_clip(reference.state_dict(), heads=(4, 2), end=END, quick=quick)
    expected = reference(input_ids=IDS, pixel_values=PIXELS)
    assert_close(ours(PIXELS, IDS), expected.logits_per_image, rtol=1e-4, atol=1e-4)
    assert_close(ours.picture(PIXELS), expected.image_embeds, rtol=1e-4, atol=1e-5)
    assert_close(ours.text(IDS), expected.text_embeds, rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_its_attention_is_recorded_as_the_reference_computes_it():
    reference = theirs("gelu")
    reference.set_attn_implementation("eager")
    ours = load_clip(reference.state_dict(), heads=(4, 2), end=END, quick=False)
    with record_attention(ours) as record:
        ours(PIXELS[:1], IDS[:1, :5])
    expected = reference.vision_model(PIXELS[:1], output_attentions=True).attentions
    expected += reference.text_model(IDS[:1, :5], output_attentions=True).attentions
    assert len(record.calls) == 4
    for call, weights in zip(record.calls, expected, strict=True):
        for head in range(call.heads):
            assert_close(call.weights(head), weights[0, head], rtol=1e-4, atol=1e-5)


def test_weights_that_do_not_fit_are_named():
    weights = theirs("gelu").state_dict()
    del weights["visual_projection.weight"]
    with pytest.raises(ValueError, match=r"missing .*pictures\.projection\.weight"):
        load_clip(weights, heads=(4, 2), end=END)


@torch.no_grad()
def test_what_stands_behind_the_end_of_a_text_does_not_count():
    torch.manual_seed(0)
    network = CLIP(SMALL)
    other = IDS.clone()
    other[1, 3:] = torch.tensor([9, 8, END, 7])
    assert_close(network.text(other), network.text(IDS))
    assert_close(network.text(IDS).norm(dim=-1), torch.ones(3))
    assert_close(network.picture(PIXELS).norm(dim=-1), torch.ones(3))


def test_the_loss_is_the_written_out_one():
    similarities = torch.randn(4, 4, generator=torch.Generator().manual_seed(2))
    rows = [-similarities[i, i] + similarities[i].exp().sum().log() for i in range(4)]
    columns = [-similarities[i, i] + similarities[:, i].exp().sum().log() for i in range(4)]
    expected = (sum(rows) / 4 + sum(columns) / 4) / 2
    assert_close(contrastive_loss(similarities), expected)
    assert_close(contrastive_loss(similarities, torch.eye(4, dtype=torch.bool)), expected)


def test_pairs_that_are_true_as_well_are_not_told_apart():
    similarities = torch.randn(3, 3, generator=torch.Generator().manual_seed(3))
    also = torch.zeros(3, 3, dtype=torch.bool)
    also[0, 1] = True
    row = -similarities[0, 0] + (similarities[0, 0].exp() + similarities[0, 2].exp()).log()
    other_rows = [-similarities[i, i] + similarities[i].exp().sum().log() for i in (1, 2)]
    columns = [
        -similarities[i, i] + sum(similarities[j, i].exp() for j in range(3) if (j, i) != (0, 1)).log()
        for i in range(3)
    ]
    expected = ((row + sum(other_rows)) / 3 + sum(columns) / 3) / 2
    assert_close(contrastive_loss(similarities, also), expected)


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="5 heads cannot share 24"):
        EncoderConfig(24, 1, 5)
    with pytest.raises(ValueError, match="64 pixels cannot be cut into patches of 7"):
        CLIPConfig(patch=7)
