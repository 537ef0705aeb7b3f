"""The GPT with rotary positions: like its paper, like the library's Llama attention, and beyond its training."""

import math

import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from core.attention.positional_encodings import frequencies, ntk, yarn, yarn_sharpness
from core.capture import record_attention
from core.models.gpt_rotary import RotaryGPT, RotaryGPTConfig, rotation_speeds

TINY = RotaryGPTConfig(vocabulary=50, context=256, width=32, layers=2, heads=2, trained=32)


def tiny(**changes) -> RotaryGPT:
    torch.manual_seed(0)
    model = RotaryGPT(RotaryGPTConfig(**(vars(TINY) | changes)))
    return model.eval()


def test_scores_depend_on_distances_alone():
    torch.manual_seed(0)
    model = tiny(extension="none", layers=1)
    tokens = torch.randint(50, (1, 40))
    with record_attention(model) as record, torch.inference_mode():
        model(torch.cat([tokens[:, :1].expand(1, 5), tokens], dim=1))
        model(tokens)
    late, early = (call.query[0, 0] @ call.key[0, 0].T for call in record.calls)
    torch.testing.assert_close(late[5:, 5:], early, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("extension", ["none", "ntk", "yarn"])
def test_no_extension_changes_what_the_model_does_within_its_training(extension):
    tokens = torch.randint(50, (1, 32), generator=torch.Generator().manual_seed(1))
    plain, other = tiny(extension="none"), tiny(extension=extension)
    torch.testing.assert_close(plain(tokens), other(tokens), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("extension", ["ntk", "yarn"])
def test_an_extension_changes_longer_texts_and_stays_causal(extension):
    tokens = torch.randint(50, (1, 100), generator=torch.Generator().manual_seed(1))
    plain, other = tiny(extension="none"), tiny(extension=extension)
    assert not torch.allclose(plain(tokens), other(tokens), atol=1e-4)
    changed = tokens.clone()
    changed[0, 60:] = 3
    torch.testing.assert_close(other(tokens)[:, :60], other(changed)[:, :60])


def test_ntk_slows_the_slowest_pair_by_the_stretch_and_leaves_the_fastest():
    slowed, plain = ntk(64, 8.0), frequencies(64)
    assert slowed[0] == plain[0]
    assert (plain[-1] / slowed[-1]).item() == pytest.approx(8.0)
    with pytest.raises(ValueError, match="2 channels are too few, 4 will do"):
        ntk(2, 8.0)


def test_yarn_keeps_fast_pairs_and_slows_slow_ones_by_the_stretch():
    slowed, plain = yarn(64, 8.0, 1024), frequencies(64)
    turns = 1024 * plain / (2 * math.pi)
    torch.testing.assert_close(slowed[turns > 32], plain[turns > 32])
    torch.testing.assert_close(slowed[turns < 1], plain[turns < 1] / 8)
    between = (turns >= 1) & (turns <= 32)
    assert between.any()
    assert ((slowed <= plain) & (slowed >= plain / 8))[between].all()


def test_yarn_is_near_that_of_the_reference_library():
    # The library's ramp is linear over the pairs, the paper's over their turns: the ends are the same.
    config = LlamaConfig(
        hidden_size=64,
        num_attention_heads=1,
        rope_parameters={
            "rope_type": "yarn",
            "rope_theta": 10_000.0,
            "factor": 8.0,
            "original_max_position_embeddings": 1024,
        },
    )
    theirs, sharpness = ROPE_INIT_FUNCTIONS["yarn"](config, "cpu")
    ours = yarn(64, 8.0, 1024)
    assert sharpness == pytest.approx(yarn_sharpness(8.0))
    ends = torch.tensor([*range(6), *range(26, 32)])
    torch.testing.assert_close(ours[ends].float(), theirs[ends].float(), rtol=1e-4, atol=0)
    assert (ours / theirs).log().abs().max() < math.log(8.0)


def test_an_extension_grows_with_the_text():
    short, _ = rotation_speeds(16, 64, 32, "yarn")
    long, sharpness = rotation_speeds(16, 128, 32, "yarn")
    assert long[-1] < short[-1] < frequencies(16)[-1]
    assert sharpness == pytest.approx(0.1 * math.log(4) + 1)


def test_what_cannot_be_is_an_error_with_its_numbers():
    with pytest.raises(ValueError, match="257 tokens do not fit: this GPT's context holds 256"):
        tiny()(torch.zeros(1, 257, dtype=torch.long))
    with pytest.raises(ValueError, match="3 channels a head is odd"):
        RotaryGPTConfig(width=6, heads=2)
    with pytest.raises(ValueError, match="at least 1 for 'trained', not 0"):
        RotaryGPTConfig(trained=0)
