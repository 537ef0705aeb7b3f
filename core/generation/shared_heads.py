"""The size of the key-value cache, with shared keys and values and with sliding windows.

Multi-head attention keeps keys and values for every head (Vaswani et al. 2017), multi-query attention once for all
(Shazeer 2019), grouped-query attention once for each group of heads (Ainslie et al. 2023). A sliding window of w tokens
keeps the newest w of them (Beltagy et al. 2020, section 3.1; Jiang et al. 2023, section 2, "rolling buffer").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import torch

from .reader import Reader

Sharing = Literal["multi-head", "grouped-query", "multi-query"]
VOCABULARY = 64  # of the random models: nothing here depends on it


@dataclass(frozen=True)
class CacheShape:
    """The sizes that determine the size of a cache. Raises ValueError for impossible numbers."""

    layers: int
    heads: int  # of queries
    key_heads: int  # of keys and values
    head_dim: int  # channels of a head
    window: int = 0  # tokens of the sliding window, the token itself included; 0: all

    def __post_init__(self):
        for name in ("layers", "heads", "key_heads", "head_dim"):
            if getattr(self, name) < 1:
                raise ValueError(f"A cache needs at least 1 for '{name}', not {getattr(self, name)}.")
        if self.heads % self.key_heads:
            raise ValueError(f"{self.heads} heads of queries cannot share {self.key_heads} of keys equally.")
        if self.window < 0:
            raise ValueError(f"A window has at least 0 tokens (0: none), not {self.window}.")

    @property
    def sharing(self) -> Sharing:
        """How heads of queries share keys and values."""
        if self.key_heads == self.heads:
            return "multi-head"
        return "multi-query" if self.key_heads == 1 else "grouped-query"

    def cached_tokens(self, tokens: int) -> int:
        """The number of cached tokens in each layer, of a text of `tokens` tokens."""
        return min(tokens, self.window) if self.window else tokens


def cache_bytes(shape: CacheShape, tokens: int, size: int) -> int:
    """By formula: 2 L g k min(n, w) numbers of `size` bytes; keys and values, layers, heads, channels, tokens."""
    return 2 * shape.layers * shape.key_heads * shape.head_dim * shape.cached_tokens(tokens) * size


def measure_cache_bytes(shape: CacheShape, lengths: Sequence[int]) -> tuple[int, ...]:
    """The bytes that a random model of transformers caches after each of `lengths` tokens, in ascending order.

    It runs in single precision with the library's default cache, and the storage of all keys and values is counted. The
    last token of each length is read alone, as in generation, so that a window moves by one.
    """
    reader = Reader(_random_model(shape, max(lengths)), max(lengths))
    sizes = []
    for before, length in pairwise((0, *lengths)):
        tokens = [place % VOCABULARY for place in range(before, length)]
        if len(tokens) > 1:
            reader.read(tokens[:-1])
        reader.read(tokens[-1:])
        sizes.append(reader.bytes)
    return tuple(sizes)


def _random_model(shape: CacheShape, longest: int) -> torch.nn.Module:
    """A random Mistral model, which is a Llama with a sliding window, of these sizes."""
    import transformers

    config = transformers.MistralConfig(
        vocab_size=VOCABULARY,
        hidden_size=shape.heads * shape.head_dim,
        intermediate_size=shape.head_dim,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_heads,
        head_dim=shape.head_dim,
        sliding_window=shape.window or None,
        max_position_embeddings=longest,
    )
    return transformers.MistralForCausalLM(config).eval()
