"""How many bytes of keys and values a model keeps, when heads share them and when it looks back only so far.

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
class KeptHeads:
    """What the size of a cache depends on; ValueError where a number cannot be."""

    layers: int
    heads: int  # of queries
    key_heads: int  # of keys and values
    each: int  # channels of a head
    window: int = 0  # tokens that are looked back on, the token itself included; 0: all

    def __post_init__(self):
        for name in ("layers", "heads", "key_heads", "each"):
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

    def kept(self, tokens: int) -> int:
        """How many of so many tokens are kept in each layer."""
        return min(tokens, self.window) if self.window else tokens


def bytes_kept(of: KeptHeads, tokens: int, size: int) -> int:
    """By formula: 2 L g k min(n, w) numbers of `size` bytes; keys and values, layers, heads, channels, tokens."""
    return 2 * of.layers * of.key_heads * of.each * of.kept(tokens) * size


def bytes_counted(of: KeptHeads, lengths: Sequence[int]) -> tuple[int, ...]:
    """By count: what a small random model of transformers really holds after so many tokens, in ascending order.

    It runs, in single precision, with the cache that the library gives it, and all memory behind its keys and values is
    counted. The last token of each length is read alone, as in writing: a window moves on by one.
    """
    reader = Reader(_random_model(of, max(lengths)), max(lengths))
    counted = []
    for before, length in pairwise((0, *lengths)):
        tokens = [place % VOCABULARY for place in range(before, length)]
        if len(tokens) > 1:
            reader.read(tokens[:-1])
        reader.read(tokens[-1:])
        counted.append(reader.bytes)
    return tuple(counted)


def _random_model(of: KeptHeads, longest: int) -> torch.nn.Module:
    """Mistral's architecture, which is Llama's with a window, in these sizes."""
    import transformers

    config = transformers.MistralConfig(
        vocab_size=VOCABULARY,
        hidden_size=of.heads * of.each,
        intermediate_size=of.each,
        num_hidden_layers=of.layers,
        num_attention_heads=of.heads,
        num_key_value_heads=of.key_heads,
        head_dim=of.each,
        sliding_window=of.window or None,
        max_position_embeddings=longest,
    )
    return transformers.MistralForCausalLM(config).eval()
