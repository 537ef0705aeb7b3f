"""Cached keys and values of the tokens so far, so that a further token costs only its own rows.

    cache = cache_for(network)
    network(prompt, cache)       # all tokens of a prompt at once: logits (batch, token, vocabulary)
    network(token, cache)        # then token by token, or several at once, after those in the cache

A token's key and value depend on the tokens before it and on no later one, so they never change: a causal model may
cache them (Shazeer 2019, section 2.4). Queries are used once, and not cached.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor


class LayerCache:
    """Keys and values of one layer, in the order of the tokens."""

    def __init__(self, longest: int):
        self.length, self._longest = 0, longest
        self._rows: Tensor | None = None  # (keys and values, batch, head, token, head_dim)

    def extend(
        self, key: Float[Tensor, "batch head token head_dim"], value: Float[Tensor, "batch head token head_dim"]
    ) -> tuple[Float[Tensor, "batch head key head_dim"], Float[Tensor, "batch head key head_dim"]]:
        """Append the keys and values of new tokens; returns those of all tokens so far.

        ValueError for more tokens than the cache holds.
        """
        first, last = self.length, self.length + key.shape[2]
        if last > self._longest:
            raise ValueError(f"{last} tokens do not fit: this cache holds {self._longest}.")
        if self._rows is None:  # allocated once, so that a step copies nothing but its own rows
            batch, heads, _, head_dim = key.shape
            self._rows = key.new_empty(2, batch, heads, self._longest, head_dim)
        self._rows[0, :, :, first:last], self._rows[1, :, :, first:last] = key, value
        self.length = last
        keys, values = self._rows[:, :, :, :last]
        return keys, values

    @property
    def bytes(self) -> int:
        """The size of the cached keys and values in bytes; unused memory does not count."""
        return 0 if self._rows is None else self._rows[:, :, :, : self.length].nbytes


class Cache:
    """Keys and values of all layers for one text; not to be shared by threads."""

    def __init__(self, layers: int, *, longest: int):
        """An empty cache for at most `longest` tokens; ValueError for less than 1 layer or 1 token."""
        if min(layers, longest) < 1:
            raise ValueError(f"A cache needs at least 1 layer and 1 token, not {layers} and {longest}.")
        self.layers = tuple(LayerCache(longest) for _ in range(layers))
        self.longest = longest

    @property
    def length(self) -> int:
        """The number of tokens in the cache."""
        return self.layers[0].length

    @property
    def bytes(self) -> int:
        """The size of all cached keys and values in bytes."""
        return sum(layer.bytes for layer in self.layers)

    def truncate(self, length: int) -> None:
        """Keep the first `length` tokens only; ValueError if there are fewer."""
        if not 0 <= length <= self.length:
            raise ValueError(f"{self.length} tokens have been read: 0 to {self.length} can be kept, not {length}.")
        for layer in self.layers:
            layer.length = length


def cache_for(network: Any, longest: int | None = None) -> Cache:
    """An empty cache for a GPT or RotaryGPT, for `longest` tokens or as many as `longest_cached` allows."""
    limit = longest_cached(network)
    return Cache(network.config.layers, longest=limit if longest is None else min(limit, longest))


def longest_cached(network: Any) -> int:
    """The number of tokens that a GPT or RotaryGPT reads with a cache as in one full pass.

    Beyond its training length a rotary GPT turns the keys of *all* tokens more slowly with every further token (dynamic
    scaling), so that cached keys would be wrong. Without such an extension keys never change.
    """
    fixed = getattr(network.config, "extension", "none") == "none"
    return network.config.context if fixed else network.config.trained


def causal_mask(queries: int, keys: int) -> Bool[Tensor, "query key"]:
    """The causal mask of the last `queries` of `keys` tokens: True at the keys up to the query's own token."""
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
