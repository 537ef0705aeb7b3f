"""A text that a GPT of ours writes by itself: drawn token by token from what it expects."""

import torch

from ..errors import InputError
from ..models.gpt import GPT
from ..models.gpt_rotary import RotaryGPT
from ..models.key_value_cache import cache_for
from ..progress import Progress

LIKELY = 40  # tokens that are drawn from: the most probable ones (top-k sampling, Fan et al. 2018)


def longest(network: GPT | RotaryGPT) -> int:
    """How many tokens it may write: as many as it was trained to read at once."""
    return network.config.context if isinstance(network, GPT) else network.config.trained


@torch.inference_mode()
def sample(
    network: GPT | RotaryGPT, first: int, tokens: int, *, seed: int, progress: Progress | None = None
) -> tuple[int, ...]:
    """`tokens` tokens, the first of them given; the same for the same seed.

    `progress` is called after each token, and may stop the work by an exception.
    """
    if not 1 <= tokens <= longest(network):
        raise InputError(f"This GPT can write 1 to {longest(network):,} tokens, not {tokens:,}.")
    generator = torch.Generator().manual_seed(seed)
    cache = cache_for(network, tokens)
    written = [first]
    while len(written) < tokens:
        logits = network(torch.tensor([written[-1:]]), cache)[0, -1]
        best = logits.topk(min(LIKELY, network.config.vocabulary))
        drawn = torch.multinomial(best.values.softmax(dim=-1), 1, generator=generator)
        written.append(int(best.indices[drawn]))
        if progress:
            progress(len(written), tokens)
    return tuple(written)
