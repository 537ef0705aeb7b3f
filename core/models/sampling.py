"""A text that a GPT of ours writes by itself: drawn token by token from what it expects.

Keys and values of the tokens before are kept, so that a step costs one token; the result is that of running the whole
text anew at every step.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from core.errors import InputError
from core.models.gpt import GPT
from core.models.gpt_rotary import RotaryGPT
from core.order.positions import frequencies, turned
from core.progress import Progress

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
    reader = Reader(network, tokens)
    written = [first]
    while len(written) < tokens:
        best = reader.read(written[-1]).topk(min(LIKELY, network.config.vocabulary))
        drawn = torch.multinomial(best.values.softmax(dim=-1), 1, generator=generator)
        written.append(int(best.indices[drawn]))
        if progress:
            progress(len(written), tokens)
    return tuple(written)


class Reader:
    """Reads one token after the other and says what it expects next."""

    def __init__(self, network: GPT | RotaryGPT, tokens: int):
        self._network: Any = network  # whose blocks torch calls modules of any kind
        self._place, size = 0, network.config
        shape = (2, size.layers, 1, size.heads, tokens, size.width // size.heads)
        self._kept = torch.zeros(shape)  # keys and values of each layer

    def read(self, token: int) -> Float[Tensor, " vocabulary"]:
        """The logits after this token."""
        network, place = self._network, torch.tensor([self._place])
        x = network.token_embedding(torch.tensor([[token]]))
        if isinstance(network, GPT):
            x = x + network.position_embedding(place)
        self._place += 1
        for layer, block in enumerate(network.blocks):
            x = x + self._attend(layer, block.attention, block.attention_norm(x), place)
            x = x + block.mlp(block.mlp_norm(x))
        return F.linear(network.norm(x), network.token_embedding.weight)[0, 0]

    def _attend(self, layer: int, attention: Any, x: Tensor, place: Tensor) -> Tensor:
        query, key, value = (attention._split(part) for part in attention.qkv(x).chunk(3, dim=-1))
        if isinstance(self._network, RotaryGPT):
            # Up to the length of its training no extension changes the speeds.
            speeds = frequencies(query.shape[-1])
            query, key = turned(query, place, speeds), turned(key, place, speeds)
        self._kept[0, layer, :, :, place] = key
        self._kept[1, layer, :, :, place] = value
        keys, values = self._kept[:, layer, :, :, : self._place]
        return attention.out(F.scaled_dot_product_attention(query, keys, values).transpose(1, 2).flatten(start_dim=2))
