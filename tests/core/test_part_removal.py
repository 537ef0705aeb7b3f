"""What is predicted without a head, or a key in it: against the same model with zeros in the input of W_O."""

from copy import deepcopy

import pytest
import torch

from core.capture import record_attention
from core.errors import CaptureError
from core.heads.contributions import watch_outputs
from core.heads.part_removal import remove_parts
from core.heads.weight_explanation import explain_weight
from tests.core.test_weight_explanation import MODELS, run

PREDICTING = ("gpt", "gpt2", "llama", "bart", "t5")


def logits_of(output):
    """The logits, or in their place the last vectors of a tiny model without a head."""
    return output if isinstance(output, torch.Tensor) else output.last_hidden_state


def removal_of(name: str, layer: int, head: int, query: int, key: int):
    network, inputs = MODELS[name]()
    with torch.inference_mode(), record_attention(network) as record:
        logits = logits_of(run(network, inputs))[0]

    def read_logits(copy):
        return logits_of(run(copy, inputs))[0]

    outputs = watch_outputs(network, lambda copy: run(copy, inputs))[layer]
    explanation = explain_weight(record.calls[layer], head, query, key)
    return network, read_logits, logits, outputs, remove_parts(network, read_logits, outputs, explanation)


@pytest.mark.parametrize("name", PREDICTING)
def test_the_logits_as_they_are_are_the_models_own(name):
    network, read_logits, logits, _, removal = removal_of(name, 1, 1, 2, 1)
    torch.testing.assert_close(removal.plain, logits)
    with torch.inference_mode():
        torch.testing.assert_close(read_logits(network), logits)  # the model itself is as it was


@pytest.mark.parametrize("name", PREDICTING)
def test_without_a_head_at_a_token_is_the_model_whose_output_projection_gets_zeros_there(name):
    network, read_logits, logits, outputs, removal = removal_of(name, 1, 1, 2, 1)
    copy, size = deepcopy(network), outputs.joined.shape[-1] // outputs.call.heads
    inputs_seen = []

    def silence(_module, args):
        changed = args[0].clone()
        changed.view(*outputs.joined.shape)[0, 2, size : 2 * size] = 0
        inputs_seen.append(changed)
        return (changed,)

    copy.get_submodule(outputs.output_map.path).register_forward_pre_hook(silence)
    with torch.inference_mode():
        expected = read_logits(copy)
    assert len(inputs_seen) == 1
    torch.testing.assert_close(removal.without_head, expected, atol=1e-5, rtol=1e-4)
    assert not torch.equal(removal.without_head, logits)


def test_in_a_decoder_tokens_before_the_query_predict_the_same():
    _, _, logits, _, removal = removal_of("gpt", 0, 1, 2, 1)
    torch.testing.assert_close(removal.without_head[:2], logits[:2])
    torch.testing.assert_close(removal.without_cell[:2], logits[:2])
    assert (removal.without_cell[2] - logits[2]).abs().max() > 0


def test_a_key_that_the_mask_forbids_takes_nothing_away():
    _, _, logits, _, removal = removal_of("gpt", 0, 1, 1, 3)
    torch.testing.assert_close(removal.without_cell, logits)


def test_where_the_only_key_is_removed_the_head_is_removed():
    _, _, _, _, removal = removal_of("gpt", 0, 1, 0, 0)  # the first token attends to itself alone
    torch.testing.assert_close(removal.without_cell, removal.without_head)


def test_an_output_projection_that_runs_inside_another_module_is_refused():
    network = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).train().requires_grad_(False)
    tokens = torch.randn(1, 4, 16, generator=torch.Generator().manual_seed(0))
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    network.self_attn.dropout = 0.0
    with torch.inference_mode(), record_attention(network) as record:
        network(tokens)
    (outputs,) = watch_outputs(network, lambda copy: copy(tokens))
    explanation = explain_weight(record.calls[0], 0, 1, 1)
    with pytest.raises(CaptureError, match="0 times"):
        remove_parts(network, lambda copy: copy(tokens)[0], outputs, explanation)
