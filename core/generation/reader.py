"""Any causal language model, read in portions: ours with our cache, one of transformers with its own."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..models.gpt import GPT
from ..models.gpt_rotary import RotaryGPT
from ..models.key_value_cache import cache_for, stepwise


class Reader:
    """Reads a text from left to right, as many tokens at once as one likes, and says what comes after each."""

    def __init__(self, network: nn.Module, longest: int):
        """Nothing is read yet; `longest` tokens will be at most."""
        self.length, self._network = 0, network
        self._ours = isinstance(network, GPT | RotaryGPT)
        self._cache: Any = cache_for(network, longest) if self._ours else _cache_of_transformers(network)

    @torch.inference_mode()
    def read(self, tokens: Sequence[int]) -> Float[Tensor, "token vocabulary"]:
        """The logits after each of these tokens, which go on from those that were read before."""
        numbers, network = torch.tensor([list(tokens)]), self._network
        self.length += len(tokens)
        if self._ours:
            return network(numbers, self._cache)[0]
        return network(input_ids=numbers, past_key_values=self._cache, use_cache=True).logits[0]

    @property
    def bytes(self) -> int:
        """What the keys and values take that are kept for the next step."""
        return self._cache.bytes if self._ours else held(self._cache)


def held(cache: Any) -> int:
    """The memory behind the keys and values of a cache of transformers, also where only a part of it is used."""
    parts = [part for layer in cache.layers if layer.is_initialized for part in (layer.keys, layer.values)]
    memory = {part.untyped_storage().data_ptr(): part.untyped_storage().nbytes() for part in parts}
    return sum(memory.values())


def steps_within(network: nn.Module, context: int) -> int:
    """How many of `context` tokens a network can read step by step with the result of one full pass."""
    return min(context, stepwise(network)) if isinstance(network, GPT | RotaryGPT) else context


def _cache_of_transformers(network: Any) -> Any:
    from transformers import DynamicCache  # half a second to import

    return DynamicCache(config=network.config)
