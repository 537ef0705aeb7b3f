"""Text sampled from a GPT of ours, token by token."""

import torch

from ..errors import InputError
from ..models.gpt import GPT
from ..models.gpt_rotary import RotaryGPT
from ..models.key_value_cache import cache_for
from ..progress import Progress

TOP_K = 40  # k of top-k sampling (Fan et al. 2018)


def longest(network: GPT | RotaryGPT) -> int:
    """The most tokens that can be sampled: the context that the network was trained with."""
    return network.config.context if isinstance(network, GPT) else network.config.trained


@torch.inference_mode()
def sample(
    network: GPT | RotaryGPT, first: int, tokens: int, *, seed: int, progress: Progress | None = None
) -> tuple[int, ...]:
    """Sample `tokens` tokens, of which the first is given; deterministic in the seed.

    `progress` is called after each token, and may stop the work by an exception.
    """
    if not 1 <= tokens <= longest(network):
        raise InputError(f"This GPT can write 1 to {longest(network):,} tokens, not {tokens:,}.")
    generator = torch.Generator().manual_seed(seed)
    cache = cache_for(network, tokens)
    written = [first]
    while len(written) < tokens:
        logits = network(torch.tensor([written[-1:]]), cache)[0, -1]
        best = logits.topk(min(TOP_K, network.config.vocabulary))
        index = torch.multinomial(best.values.softmax(dim=-1), 1, generator=generator)
        written.append(int(best.indices[index]))
        if progress:
            progress(len(written), tokens)
    return tuple(written)
