"""Our GPT is GPT-2: same weights, same prompt, same logits as the reference library."""

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from core.models.gpt import GPT, GPTConfig, load_gpt2


@pytest.fixture(scope="module")
def reference() -> GPT2LMHeadModel:
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=97, n_positions=24, n_embd=32, n_layer=3, n_head=4)
    model = GPT2LMHeadModel(config).eval()
    for parameter in model.parameters():  # as drawn, biases are 0 and norms 1: a test could not see them mixed up
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def test_logits_equal_those_of_the_reference_library_with_gpt2_weights(reference):
    tokens = torch.randint(0, 97, (2, 20))
    ours = load_gpt2(reference.state_dict(), heads=4)
    with torch.no_grad():
        assert torch.allclose(ours(tokens), reference(tokens).logits, atol=1e-4)


def test_checkpoints_without_the_prefix_load_too(reference):
    bare = {name.removeprefix("transformer."): tensor for name, tensor in reference.state_dict().items()}
    tokens = torch.randint(0, 97, (1, 5))
    with torch.no_grad():
        assert torch.equal(load_gpt2(bare, heads=4)(tokens), load_gpt2(reference.state_dict(), heads=4)(tokens))


def test_a_token_does_not_see_what_comes_after_it():
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocabulary=50, context=16, width=16, layers=2, heads=2)).eval()
    tokens = torch.randint(0, 50, (1, 12))
    changed = tokens.clone()
    changed[0, 8:] = (changed[0, 8:] + 1) % 50
    with torch.no_grad():
        assert torch.allclose(model(tokens)[:, :8], model(changed)[:, :8], atol=1e-6)
        assert not torch.allclose(model(tokens)[:, 8:], model(changed)[:, 8:], atol=1e-3)


def test_too_many_tokens_are_refused_with_both_numbers():
    model = GPT(GPTConfig(vocabulary=50, context=16, width=16, layers=1, heads=2))
    with pytest.raises(ValueError, match=r"17 tokens do not fit.*holds 16"):
        model(torch.zeros(1, 17, dtype=torch.long))


def test_sizes_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="5 heads cannot share 288 channels equally"):
        GPTConfig(heads=5)
    with pytest.raises(ValueError, match="at least 1 for 'layers', not 0"):
        GPTConfig(layers=0)
