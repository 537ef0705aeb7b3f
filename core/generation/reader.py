"""Any causal language model with its key-value cache: our own cache, or that of transformers."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..models.gpt import GPT
from ..models.gpt_rotary import RotaryGPT
from ..models.key_value_cache import cache_for, longest_cached


class Reader:
    """Reads a text from left to right, any number of tokens at once, and returns the logits after each."""

    def __init__(self, network: nn.Module, longest: int):
        """An empty cache for at most `longest` tokens."""
        self.length, self._network = 0, network
        self._is_own_gpt = isinstance(network, GPT | RotaryGPT)
        self._cache: Any = cache_for(network, longest) if self._is_own_gpt else _cache_of_transformers(network)

    @torch.inference_mode()
    def read(self, tokens: Sequence[int]) -> Float[Tensor, "token vocabulary"]:
        """The logits after each of these tokens, which continue the text that was read before."""
        numbers, network = torch.tensor([list(tokens)]), self._network
        self.length += len(tokens)
        if self._is_own_gpt:
            return network(numbers, self._cache)[0]
        return network(input_ids=numbers, past_key_values=self._cache, use_cache=True).logits[0]

    @property
    def bytes(self) -> int:
        """The bytes of the cached keys and values."""
        return self._cache.bytes if self._is_own_gpt else transformers_cache_bytes(self._cache)


def transformers_cache_bytes(cache: Any) -> int:
    """The bytes of the storage of a transformers cache, including unused parts."""
    parts = [part for layer in cache.layers if layer.is_initialized for part in (layer.keys, layer.values)]
    memory = {part.untyped_storage().data_ptr(): part.untyped_storage().nbytes() for part in parts}
    return sum(memory.values())


def steps_within(network: nn.Module, context: int) -> int:
    """How many of `context` tokens a network can read step by step with the same result as in one pass."""
    return min(context, longest_cached(network)) if isinstance(network, GPT | RotaryGPT) else context


def _cache_of_transformers(network: Any) -> Any:
    from transformers import DynamicCache  # half a second to import

    return DynamicCache(config=network.config)
