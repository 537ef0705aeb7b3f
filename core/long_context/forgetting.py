"""A language model whose cache forgets: every query attends only to the keys that a rule has kept at its step.

full = keep_everything(model, tokens)                                     # the control, and the exact maps
run = forget(model, tokens, HeavyHitters(), budget=256, full=full)
run.losses, run.lost, run.bytes                                           # bits, attention lost, bytes of the cache
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ..capture import Replace, edit_attention
from ..efficient import model_loss
from ..progress import Progress, no_progress
from ..text import Tokens
from ..zoo.text_models import TextModel
from .blockwise import attend
from .cache_rules import CacheRule, Dropped, Key, Query, visible
from .reading import Place, StoredLayer, places

BLOCK = 256  # queries that attend at once: to the keys that are kept when they begin, and to their own
CELLS = 256  # along an edge of a map, at most


@dataclass(frozen=True, eq=False)
class FullCache:
    """A run with all keys kept: the loss of each token but the first in bits, and what its maps are computed from."""

    losses: Float[Tensor, " _"]
    layers: tuple[StoredLayer, ...]

    @property
    def bytes(self) -> int:
        """Keys and values after the last token."""
        return sum(2 * layer.key.nbytes for layer in self.layers)

    def attention_to_first(self, count: int, *, after: int = 0) -> float:
        """The attention that the first `count` tokens get, averaged over all heads and all queries from `after` on."""
        shares = list[Tensor]()
        for layer in self.layers:
            query = layer.query[:, after:].unflatten(0, (layer.place.key_heads, -1)) * layer.place.head_dim**-0.5
            scores = query @ layer.key[:, None, :count].mT - layer.log_normaliser[:, after:].unflatten(
                0, (layer.place.key_heads, -1)
            ).unsqueeze(-1)
            future = torch.arange(count) > torch.arange(after, layer.query.shape[1])[:, None]
            shares.append(scores.masked_fill(future, -math.inf).exp().sum(-1).mean(2).flatten())
        return float(torch.cat(shares).mean())


@dataclass(frozen=True, eq=False)
class ForgetfulRun:
    """A run under a rule."""

    losses: Float[Tensor, " _"]  # of each token but the first, in bits
    dropped: tuple[Dropped, ...]  # of each layer, for each head of keys
    # The attention that each query gives, with all keys kept, to keys that the rule has dropped; of each layer.
    lost: tuple[Float[Tensor, "_ token"], ...]
    bytes: int  # keys and values after the last token

    @property
    def lost_by_head(self) -> tuple[Float[Tensor, " _"], ...]:
        """The attention lost by each head of each layer, averaged over all queries."""
        return tuple(layer.mean(1) for layer in self.lost)

    @property
    def mean_lost(self) -> float:
        """The attention lost, averaged over all queries and heads."""
        return float(torch.cat([layer.mean(1) for layer in self.lost]).mean())


@dataclass(frozen=True, eq=False)
class KeptMap:
    """The map of a head in square cells of `block` tokens; NaN in cells that hold no causal entry.

    `entries`: the share of the causal (query, key) pairs in a cell whose key is still kept. `kept_attention` and
    `lost_attention`: that of the full map on kept and on dropped keys, the sum over the keys of a cell, averaged over
    its queries.
    """

    block: int
    entries: Float[Tensor, "row column"]
    kept_attention: Float[Tensor, "row column"]
    lost_attention: Float[Tensor, "row column"]


@torch.inference_mode()
def keep_everything(model: TextModel, tokens: Tokens, progress: Progress = no_progress) -> FullCache:
    """Run a causal model with all keys, layer by layer; `progress` gets the number of layers done.

    ModelError for a model that is not causal or attends in a way of its own, InputError for fewer than two tokens.
    """
    model_loss.check(model, tokens)
    layers = list[StoredLayer]()
    attentions = places(model)

    def product(place: Place) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        def of(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            output, normaliser = attend(query, key, value, causal=True)
            layers.append(StoredLayer(place, query[0], key[0, :: place.heads // place.key_heads], normaliser[0]))
            progress(len(layers), len(attentions))
            return output

        return of

    return FullCache(_losses(model, tokens, {place.path: product(place) for place in attentions}), tuple(layers))


@torch.inference_mode()
def forget(
    model: TextModel,
    tokens: Tokens,
    rule: CacheRule,
    budget: int,
    *,
    full: FullCache,
    progress: Progress = no_progress,
) -> ForgetfulRun:
    """Run a causal model with at most `budget` keys for each head; `full` is its run with all keys over the same text.

    The rule decides from the queries and keys of its own run. `progress` gets the number of tokens done, counted once
    for each layer, and may stop the run by an exception. Raises what `keep_everything` and the rule raise.
    """
    model_loss.check(model, tokens)
    dropped, lost = list[Dropped](), list[Tensor]()
    count, total = len(tokens), len(tokens) * len(full.layers)

    def product(number: int, exact: StoredLayer) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        groups = exact.place.heads // exact.place.key_heads

        def of(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            grouped = query[0].unflatten(0, (-1, groups))
            key, value = key[0, ::groups], value[0, ::groups]
            steps = rule.dropped(
                grouped, key, budget, layer=number, report=lambda done: progress(number * count + done, total)
            )
            dropped.append(steps)
            exact_query = exact.query.unflatten(0, (-1, groups))
            kept_attention = _kept_attention(
                exact_query, exact.key, exact.log_normaliser.unflatten(0, (-1, groups)), steps
            ).flatten(0, 1)
            lost.append((1 - kept_attention).clamp(0, 1))
            progress((number + 1) * count, total)
            return attend_kept(grouped, key, value, steps).flatten(0, 1)[None]

        return of

    products = {layer.place.path: product(number, layer) for number, layer in enumerate(full.layers)}
    losses = _losses(model, tokens, products)
    return ForgetfulRun(losses, tuple(dropped), tuple(lost), _bytes(full, dropped))


def attend_kept(query: Query, key: Key, value: Key, dropped: Dropped) -> Query:
    """softmax(query keyᵀ / √head_dim) value over the visible keys of each query, exact, by blocks of queries."""
    outputs = []
    for queries, kept_positions, is_visible in _blocks(dropped):
        keys, values = (_take(tensor, kept_positions)[:, None] for tensor in (key, value))
        groups = query.shape[1]
        outputs.append(
            F.scaled_dot_product_attention(
                query[:, :, queries],
                keys.expand(-1, groups, -1, -1),
                values.expand(-1, groups, -1, -1),
                attn_mask=is_visible[:, None],
            )
        )
    return torch.cat(outputs, dim=2)


def kept_map(layer: StoredLayer, head: int, dropped: Int[Tensor, " token"], size: int = CELLS) -> KeptMap:
    """The map of a head in at most size x size cells: `layer` is of the full run, `dropped` the head's steps."""
    length = len(dropped)
    block = math.ceil(length / size)
    cells = math.ceil(length / block)
    full, keys, padding = layer.head(head), torch.arange(length), cells * block - length
    parts = list[Tensor]()
    for rows in keys.split(block * max(1, BLOCK // block)):
        weights = full.weights(rows, slice(None))
        is_visible = visible(dropped[None], rows, keys)[0]
        stack = torch.stack(
            [weights * is_visible, weights * ~is_visible, is_visible.float(), (keys <= rows[:, None]).float()]
        )
        stack = F.pad(stack, (0, padding, 0, -len(rows) % block))
        parts.append(stack.unflatten(2, (cells, block)).sum(3).unflatten(1, (-1, block)).sum(2))
    kept_attention, lost_attention, entries, pairs = torch.cat(parts, dim=1)
    queries = (length - torch.arange(cells) * block).clamp(max=block)[:, None]
    empty = pairs == 0
    return KeptMap(
        block,
        *(
            cell.masked_fill(empty, math.nan)
            for cell in (entries / pairs, kept_attention / queries, lost_attention / queries)
        ),
    )


def _blocks(dropped: Dropped):
    """Blocks of queries: their positions, the keys that any of them sees (head, key), and which one sees which."""
    length = dropped.shape[1]
    for queries in torch.arange(length).split(BLOCK):
        start, end = int(queries[0]), int(queries[-1]) + 1
        is_kept = dropped[:, :end] > start
        most = int(is_kept.sum(1).max())
        order = is_kept.byte().argsort(dim=1, descending=True, stable=True)[:, :most]
        yield queries, order, visible(dropped.gather(1, order), queries, order)


def _kept_attention(query: Query, key: Key, log_normaliser: Tensor, dropped: Dropped) -> Float[Tensor, "head _ token"]:
    """The attention that each query gives to visible keys, of an exact map with these normalisers."""
    query, sums = query * query.shape[-1] ** -0.5, []
    for queries, kept_positions, is_visible in _blocks(dropped):
        scores = query[:, :, queries] @ _take(key, kept_positions)[:, None].mT - log_normaliser[:, :, queries, None]
        sums.append(scores.masked_fill_(~is_visible[:, None], -math.inf).exp_().sum(-1))
    return torch.cat(sums, dim=2)


def _take(
    tensor: Float[Tensor, "head token head_dim"], kept_positions: Int[Tensor, "head key"]
) -> Float[Tensor, "head key head_dim"]:
    return tensor.gather(1, kept_positions[..., None].expand(-1, -1, tensor.shape[-1]))


def _bytes(full: FullCache, dropped: list[Dropped]) -> int:
    """Keys and values after the last token."""
    counts = [int((steps == steps.shape[1]).sum()) for steps in dropped]  # over all heads of keys
    return sum(
        2 * count * layer.key.shape[-1] * layer.key.element_size()
        for count, layer in zip(counts, full.layers, strict=True)
    )


def _losses(
    model: TextModel, tokens: Tokens, products: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]]
) -> Float[Tensor, " _"]:
    """Bits of each token but the first, with another product of query, key and value in each attention."""
    edits = {path: Replace(product, causal=True) for path, product in products.items()}
    with edit_attention(model.network, edits):
        return model_loss.surprises(model, tokens) / math.log(2)
