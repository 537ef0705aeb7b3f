import pytest
import torch

from core.capture import record_attention
from core.models.gpt import GPT, GPTConfig
from core.models.gpt_steps import layer_inputs

TOKENS = torch.tensor([5, 1, 7, 7, 2, 30, 0])


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocabulary=32, context=16, width=24, layers=3, heads=4)).eval()
    for parameter in model.parameters():  # also the biases, which start at 0
        torch.nn.init.normal_(parameter, std=0.2)
    return model


@pytest.mark.parametrize("layer", [0, 2])
def test_the_steps_equal_what_was_recorded_while_the_model_ran(model, layer):
    with record_attention(model) as record, torch.inference_mode():
        model(TOKENS[None])
    call = record[f"blocks.{layer}.attention"]
    steps = {step.name: step for step in layer_inputs(model, TOKENS, layer).steps()}
    for symbol, recorded in {"Q": call.query, "K": call.key, "V": call.value}.items():
        torch.testing.assert_close(steps["project"].arrays[symbol], recorded[0], rtol=0, atol=1e-5)
    for head in range(call.heads):
        weights = steps["normalise"].arrays["A"][head]
        torch.testing.assert_close(weights, call.weights(head=head), rtol=0, atol=1e-5)


@pytest.mark.parametrize("layer", [0, 2])
def test_the_last_step_equals_the_output_of_the_attention_module(model, layer):
    outputs = []
    module = model.blocks[layer].attention
    hook = module.register_forward_hook(lambda _module, _inputs, output: outputs.append(output[0]))
    with torch.inference_mode():
        model(TOKENS[None])
    hook.remove()
    made = layer_inputs(model, TOKENS, layer).steps()[-1].arrays["Y"]
    torch.testing.assert_close(made, outputs[0], rtol=0, atol=1e-5)


def test_options_change_the_steps_and_not_the_model(model):
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    inputs = layer_inputs(model, TOKENS, 1)
    open_weights = inputs.steps(causal=False, scale=False)[4].arrays["A"]
    assert (open_weights[:, 0, 1:] > 0).all()
    assert (inputs.steps()[4].arrays["A"][:, 0, 1:] == 0).all()
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name])
