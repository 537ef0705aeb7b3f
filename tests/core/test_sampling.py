"""Texts that a GPT writes by itself."""

import pytest
import torch

from core.errors import InputError
from core.generation.sampling import longest, sample
from core.models.gpt import GPT, GPTConfig
from core.models.gpt_rotary import RotaryGPT, RotaryGPTConfig

SIZES = {"vocabulary": 64, "width": 32, "layers": 2, "heads": 4}


def networks():
    torch.manual_seed(0)
    both = [GPT(GPTConfig(context=40, **SIZES)), RotaryGPT(RotaryGPTConfig(context=80, trained=40, **SIZES))]
    for network in both:
        torch.nn.init.normal_(network.token_embedding.weight, std=0.1)  # or it would only say the same token again
    return both


@pytest.mark.parametrize("network", networks(), ids=["learned", "rotary"])
def test_a_seed_gives_the_same_text_and_another_seed_another(network):
    texts = [sample(network, 5, 40, seed=seed) for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]
    assert all(text[0] == 5 and len(text) == 40 for text in texts)


def test_more_than_it_was_trained_to_read_is_an_error_with_the_numbers():
    network = networks()[1]
    assert longest(network) == 40
    with pytest.raises(InputError, match="1 to 40 tokens, not 41"):
        sample(network, 5, 41, seed=0)


def test_progress_counts_the_tokens_and_may_stop_the_writing():
    network, heard = networks()[0], []
    sample(network, 5, 4, seed=0, progress=lambda *done: heard.append(done))
    assert heard == [(2, 4), (3, 4), (4, 4)]

    def stop(done, total):
        raise InterruptedError(f"{done} of {total}")

    with pytest.raises(InterruptedError, match="2 of 4"):
        sample(network, 5, 4, seed=0, progress=stop)
