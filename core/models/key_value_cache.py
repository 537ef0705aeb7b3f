"""Keys and values of the tokens that were read, kept so that a further token costs only its own rows.

    cache = cache_for(network)
    network(prompt, cache)       # a whole prompt at once: logits (batch, token, vocabulary)
    network(token, cache)        # then token by token, or several at once: what stands there already is kept

A token's key and value depend on the tokens before it and on no later one, so they never change: a causal model may
keep them (Shazeer 2019, section 2.4). Queries are used once, and not kept.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor


class LayerCache:
    """Keys and values of one layer, in the order of the tokens."""

    def __init__(self, longest: int):
        self.length, self._longest = 0, longest
        self._kept: Tensor | None = None  # keys, then values

    def extend(
        self, key: Float[Tensor, "batch head token each"], value: Float[Tensor, "batch head token each"]
    ) -> tuple[Float[Tensor, "batch head key each"], Float[Tensor, "batch head key each"]]:
        """Keep the rows of these tokens too; gives those of all tokens so far. ValueError where no more fit."""
        first, last = self.length, self.length + key.shape[2]
        if last > self._longest:
            raise ValueError(f"{last} tokens do not fit: this cache holds {self._longest}.")
        if self._kept is None:  # the room is taken once, so that a step copies nothing but its own rows
            batch, heads, _, each = key.shape
            self._kept = key.new_empty(2, batch, heads, self._longest, each)
        self._kept[0, :, :, first:last], self._kept[1, :, :, first:last] = key, value
        self.length = last
        keys, values = self._kept[:, :, :, :last]
        return keys, values

    @property
    def bytes(self) -> int:
        """The size of the rows that are kept; room that is still empty does not count."""
        return 0 if self._kept is None else self._kept[:, :, :, : self.length].nbytes


class Cache:
    """What all layers keep of a text; one object for one text, used by one thread."""

    def __init__(self, layers: int, *, longest: int):
        """Room for `longest` tokens; ValueError where there can be none."""
        if min(layers, longest) < 1:
            raise ValueError(f"A cache needs at least 1 layer and 1 token, not {layers} and {longest}.")
        self.layers = tuple(LayerCache(longest) for _ in range(layers))
        self.longest = longest

    @property
    def length(self) -> int:
        """How many tokens have been read."""
        return self.layers[0].length

    @property
    def bytes(self) -> int:
        """The size of all keys and values that are kept."""
        return sum(layer.bytes for layer in self.layers)

    def forget(self, length: int) -> None:
        """Keep the first `length` tokens only, as if the others had never been read; ValueError if there are fewer."""
        if not 0 <= length <= self.length:
            raise ValueError(f"{self.length} tokens have been read: 0 to {self.length} can be kept, not {length}.")
        for layer in self.layers:
            layer.length = length


def cache_for(network: Any, longest: int | None = None) -> Cache:
    """An empty cache for a GPT of ours, for as many tokens as it can read step by step, or for fewer."""
    room = stepwise(network)
    return Cache(network.config.layers, longest=room if longest is None else min(room, longest))


def stepwise(network: Any) -> int:
    """How many tokens a GPT of ours can read one after the other, with the result of one full pass.

    Beyond the length of its training a rotary GPT turns the keys of *all* tokens more slowly with every token that
    comes (dynamic scaling), so that what was kept would be wrong. Without such an extension nothing ever changes.
    """
    fixed = getattr(network.config, "extension", "none") == "none"
    return network.config.context if fixed else network.config.trained


def seen_by(queries: int, keys: int) -> Bool[Tensor, "query key"]:
    """Which keys the newest `queries` tokens may look at: all up to themselves."""
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
