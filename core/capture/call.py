"""One attention call of a model: everything that its heads looked at, computed when somebody asks."""

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..errors import CaptureError
from .overview import Reduce, block_width, pool_map
from .product import Positions, Product, allowed, last_allowed
from .provenance import Kind
from .versions import lasting, version

Over = Literal["token", "channel"]
Chosen = int | slice | Sequence[int] | None

LARGE = 2**28  # bytes of weights that are worth a warning
ROUNDED = 1e-3  # a sum that differs from 1 by no more than this, or by the rounding of its number format, is 1
CHUNK = 2**20  # scores held at once while a whole map is summed up: 4 MB


@dataclass(frozen=True, eq=False)
class Written:
    """Weights that exist as a tensor: seen as a softmax, edited, or kept differentiable."""

    heads: tuple[int, ...]
    weights: Float[Tensor, "batch head query key"]
    blind: Bool[Tensor, "#batch head query 1"] | None = None  # queries that may look at nothing: zero here, NaN shown

    def kept(self) -> "Written":
        """The same, fit to be kept: what may be written again is copied, but for weights that a gradient reaches."""
        return self if self.weights.requires_grad else Written(self.heads, lasting(self.weights), self.blind)

    def beside(self, other: "Written | None") -> "Written":
        """The heads of both, ascending."""
        if other is None:
            return self
        heads = self.heads + other.heads
        order = torch.tensor(heads).argsort().tolist()
        blind = None
        if self.blind is not None or other.blind is not None:
            shares = [
                part.weights.new_zeros(*part.weights.shape[:3], 1, dtype=torch.bool)
                if part.blind is None
                else part.blind.expand(*part.weights.shape[:3], 1)
                for part in (self, other)
            ]
            blind = torch.cat(shares, dim=1)[:, order]
        weights = torch.cat([self.weights, other.weights.to(self.weights)], dim=1)[:, order]
        return Written(tuple(heads[place] for place in order), weights, blind)


@dataclass(eq=False)
class ModuleRun:
    """One run of a module that reads a sequence of `tokens`; it may make several maps, of some `rows` each.

    `chosen`: rows are those of some queries, in an order of their own (ProbSparse attention, Zhou et al. 2021).
    """

    tokens: int
    maps: int = 0
    rows: int = 0
    most: int = 0  # rows of one map
    chosen: bool = False

    @property
    def in_pieces(self) -> bool:
        """Whether no map of it has all rows in their order."""
        return self.chosen or (self.maps > 1 and self.most < self.tokens)


@dataclass(frozen=True, eq=False, repr=False)
class AttentionCall:
    """Who looked at whom in one call of one attention module.

    `kind` is "self" where queries and keys come from one sequence, "cross" where they come from two, and "unknown"
    where neither the operations that made them, nor a causal mask, nor the model's configuration tells: equal lengths
    do not. A fused call keeps its `product` (query, key, value, mask, scale) and no weights; a call seen through its
    softmax keeps the `written` weights of all heads, and its values if they could be seen.

    Weights are those that were multiplied with the values, but before dropout: each row sums to 1, unless the model
    masks weights after its softmax, where a row sums to what the mask leaves. A query that may look at nothing has NaN
    weights: the softmax of nothing is not zero. `over` says what looks at what: "channel" where each row and column is
    a channel, as in XCiT (El-Nouby et al. 2021, section 3.2). `sink` is what goes to an attention sink, which has no
    key and no value (GPT-OSS): with it, each row sums to 1. `rows` are the positions of the queries, where the module
    chose some of them for each head (ProbSparse attention).
    """

    path: str
    kind: Kind
    product: Product | None
    written: Written | None
    seen_value: Float[Tensor, "batch head key _"] | None = None
    over: Over = "token"
    sink: Float[Tensor, "batch head query"] | None = None
    run: ModuleRun | None = None
    rows: Int[Tensor, "batch head query"] | None = None
    _normalisers: dict[tuple[int, int], Tensor] = field(default_factory=dict, repr=False)
    _versions: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "_versions", self._versions_now)

    def __repr__(self) -> str:
        batch, heads, queries, keys = self.shape
        seen = "fused" if self.product else "by its softmax"
        changed = self._versions_now != self._versions
        causal = ", changed in place since" if changed else ", causal" if self.causal else ""
        over = "" if self.over == "token" else f", over {self.over}s"
        pieces = f", {self.partial[0]} of {self.partial[1]} rows" if self.partial else ""
        kind = "self or cross unknown" if self.kind == "unknown" else self.kind
        return f"{self.path}: {kind}{causal}{over}{pieces}, {batch} x {heads} heads x {queries} x {keys}, {seen}"

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Sizes of the weights: batch, head, query, key."""
        batch, heads, queries, keys = (self.product or self._all_written).shape
        return batch, heads, queries, keys

    @property
    def batch_size(self) -> int:
        """How many inputs were computed together; the windows of Swin count as inputs."""
        return self.shape[0]

    @property
    def heads(self) -> int:
        """How many query heads; grouped-query models have fewer key heads."""
        return self.shape[1]

    @property
    def query_length(self) -> int:
        """How many tokens look."""
        return self.shape[2]

    @property
    def key_length(self) -> int:
        """How many tokens are looked at."""
        return self.shape[3]

    @property
    def partial(self) -> tuple[int, int] | None:
        """The rows of this map and all that there are, where the module looks in pieces; None for a whole map."""
        if self.run is None or not self.run.in_pieces or self.kind == "cross":
            return None
        return self.query_length, self.run.tokens

    @property
    def query(self) -> Float[Tensor, "batch head query each"] | None:
        """The queries as the fused call got them; None when only the softmax was seen."""
        self.check_unchanged()
        return None if self.product is None else self.product.query

    @property
    def key(self) -> Float[Tensor, "batch head key each"] | None:
        """The keys, repeated for each query head that shares them; None when only the softmax was seen."""
        self.check_unchanged()
        return None if self.product is None else self._for_each_head(self.product.key)

    @property
    def value(self) -> Float[Tensor, "batch head key _"] | None:
        """The values, repeated for each query head that shares them; None where they could not be seen."""
        self.check_unchanged()
        return self._for_each_head(self.product.value) if self.product else self.seen_value

    @property
    def scale(self) -> float | None:
        """What the products of query and key are multiplied with; None when only the softmax was seen."""
        return None if self.product is None else self.product.scale

    @property
    def causal(self) -> bool:
        """Whether no query may look at a key later than itself, also where keys come from a cache.

        False where queries and keys are of two sequences, or `kind` is unknown. Read off the mask (or the written
        weights) of the first input's first head. With a cache the last key that a query may look at is itself, and each
        query's is one later than that of the query before; so a static cache may have room for keys to come. A single
        query is the newest token if its module was handed no other: else it is one that sums up a sequence, as a class
        token does.
        """
        if self.kind != "self":
            return False
        self.check_unchanged()
        cached = self.query_length < self.key_length
        if cached and self.query_length == 1:
            return self.run is not None and self.run.tokens == 1
        if self.product is not None and self.product.mask is None:
            return self.product.is_causal
        bias = self.product.biases(slice(1), [0]) if self.product else self._all_written[:1, :1].detach().log()
        if bias is None:
            return False
        looks = allowed(bias)[0, 0]
        if not cached:
            return not looks.triu(1).any().item()
        last = last_allowed(looks[looks.any(-1)])
        return bool((last.diff() == 1).all())

    def weights(
        self, head: int | None = None, item: int | None = None, queries: Chosen = None, keys: Chosen = None
    ) -> Float[Tensor, "*leading query key"]:
        """How much each query takes of each key, exact in float32; each row sums to 1 over ALL keys.

        Where the model masks its weights after the softmax, or has an attention sink, a row sums to what is left of
        it: `row_sums` has the sums, `rows_sum_to_one` says whether all of them are 1.

        Of one head (query, key), of input 0 if no other `item` is chosen; without a head, of all heads of an item
        (head, query, key) or of all (batch, head, query, key), with a warning where that is large. `queries` and `keys`
        (a slice, a position, positions) choose a tile, which costs only its own area once the normaliser of its rows
        is known.
        """
        if head is None:
            return self._weights_of_all(item, queries, keys)
        item = 0 if item is None else item
        self._check(head, item)
        rows, columns = self._positions(queries, self.query_length), self._positions(keys, self.key_length)
        if (written := self._written(head, item)) is not None:
            return written[rows][:, columns].float()
        if keys is None:
            return self._masked_scores(head, item, rows).softmax(-1)
        normaliser = self._normaliser_of(head, item, rows)
        return (self._masked_scores(head, item, rows, columns) - normaliser[:, None]).exp()

    def _weights_of_all(self, item: int | None, queries: Chosen, keys: Chosen) -> Float[Tensor, "*leading query key"]:
        items = range(self.batch_size) if item is None else [item]
        if (size := 4 * len(items) * self.heads * self.query_length * self.key_length) > LARGE and queries is None:
            warnings.warn(
                f"All weights of '{self.path}' take {size / 1e9:.1f} GB: weights(head, item) gives one map of them, "
                "overview() shows it whole.",
                stacklevel=3,
            )
        columns = self._positions(keys, self.key_length)
        found = torch.stack([torch.cat(list(self.weights_by_heads(each, queries)))[..., columns] for each in items])
        return found if item is None else found[0]

    def weights_by_heads(self, item: int = 0, queries: Chosen = None) -> Iterator[Float[Tensor, "head query key"]]:
        """The weights of all heads in their order, as many together as are small: much sooner than one by one."""
        self._check(0, item)
        rows = self._positions(queries, self.query_length)
        looking = len(range(self.query_length)[rows]) if isinstance(rows, slice) else len(rows)
        together = max(1, CHUNK // max(1, looking * self.key_length))
        for first in range(0, self.heads, together):
            some = range(self.heads)[first : first + together]
            if self.written is not None:
                yield torch.stack([self.weights(head, item, queries) for head in some])
            else:
                scores = self._product("weights").masked_scores(slice(item, item + 1), some, rows)
                yield scores[0].float().softmax(-1)

    def row_sums(
        self, head: int | None = None, item: int | None = None, queries: Chosen = None
    ) -> Float[Tensor, "*leading query"]:
        """What the weights of each row sum to, over all keys.

        1 for a softmax over the keys; less where an attention sink or a mask after the softmax took a part; 0 where
        nothing is left of a row; NaN for a query that may look at nothing. `head`, `item` and `queries` choose as in
        `weights`, and the axes are those of `weights` without the keys.
        """
        if head is not None:
            return self.weights(head, item, queries).sum(-1)
        items = range(self.batch_size) if item is None else [item]
        sums = [torch.cat([some.sum(-1) for some in self.weights_by_heads(number, queries)]) for number in items]
        return torch.stack(sums) if item is None else sums[0]

    @property
    def rows_sum_to_one(self) -> bool:
        """Whether each row is a distribution over its keys: no weight below 0, and a sum of 1.

        True of every fused call without edits, as a softmax makes it so; else read off the written weights. Rows of
        queries that may look at nothing (NaN) are not counted.
        """
        self.check_unchanged()
        if self.written is None:
            return True
        if self.has_negative_weights:
            return False
        rounded = max(ROUNDED, 2 * torch.finfo(self.written.weights.dtype).eps)
        differs = (self.written.weights.detach().sum(-1, dtype=torch.float32) - 1).abs() > rounded  # False for NaN
        if self.written.blind is not None:
            differs = differs & ~self.written.blind[..., 0]
        return not differs.any()

    @property
    def has_negative_weights(self) -> bool:
        """Whether some weight is below 0: no softmax makes one, but an edit or a fill after it can."""
        self.check_unchanged()
        return self.written is not None and bool((self.written.weights.detach() < 0).any())

    def check_not_negative(self) -> None:
        """Raise CaptureError if a weight is below 0: a view of shares has no place for it."""
        if self.has_negative_weights:
            raise CaptureError(
                f"'{self.path}' has attention weights below 0, which are no shares: call.weights() has the numbers, "
                "and no view of shares can show them."
            )

    def scores(
        self, head: int = 0, item: int = 0, queries: Chosen = None, keys: Chosen = None
    ) -> Float[Tensor, "query key"]:
        """The scaled products of query and key, before mask, softmax and any edit."""
        self._check(head, item)
        rows, columns = self._positions(queries, self.query_length), self._positions(keys, self.key_length)
        return self._product("scores").scores(slice(item, item + 1), [head], rows, columns)[0, 0].float()

    def output(self, head: int = 0, item: int = 0) -> Float[Tensor, "query _"]:
        """What the head hands on: its weights times its values."""
        self._check(head, item)
        values = self.product.value if self.product else self.seen_value
        if values is None:
            raise CaptureError(f"The values of '{self.path}' could not be seen, so its output cannot be shown.")
        value = values[item, head * values.shape[1] // self.heads].float()  # several heads may share one
        return torch.cat([chunk @ value[: chunk.shape[1]] for chunk in self._chunks(head, item)])

    @property
    def log_normaliser(self) -> Float[Tensor, "batch head query"]:
        """logsumexp of each row's masked scores, before any edit: a weight is exp(score - log_normaliser)."""
        self._product("log_normaliser")
        batch, heads, _, _ = self.shape
        rows = [self._normaliser(head, item) for item in range(batch) for head in range(heads)]
        return torch.stack(rows).unflatten(0, (batch, heads))

    def overview(self, head: int = 0, item: int = 0, size: int = 512, reduce: Reduce = "mean") -> Float[Tensor, "_ _"]:
        """The whole map in at most size x size cells, each the exact mean or maximum of its block of weights.

        A block is ceil(length / size) tokens wide; the last one may be smaller.
        """
        self._check(head, item)
        if size < 1:
            raise CaptureError(f"An overview needs at least 1 cell, not {size}.")
        chunks = self._chunks(head, item, block_width(self.key_length, size))
        return pool_map(chunks, self.query_length, self.key_length, size, reduce)

    def _masked_scores(self, head: int, item: int, rows: Positions, keys: Positions = slice(None)) -> Tensor:
        return self._product("scores").masked_scores(slice(item, item + 1), [head], rows, keys)[0, 0].float()

    def _normaliser(self, head: int, item: int) -> Float[Tensor, " query"]:
        if (item, head) not in self._normalisers:
            for _ in self._product_chunks(head, item, 1):
                pass  # remembered on the way
        return self._normalisers[item, head]

    def _normaliser_of(self, head: int, item: int, rows: Positions) -> Float[Tensor, " query"]:
        """Of some rows only: not worth the whole map."""
        if (item, head) in self._normalisers:
            return self._normalisers[item, head][rows]
        chosen = torch.arange(self.query_length, device=self._product("scores").query.device)[rows]
        chunks = chosen.split(self._rows_at_once)
        return torch.cat([self._masked_scores(head, item, chunk).logsumexp(-1) for chunk in chunks])

    def _chunks(self, head: int, item: int, block: int = 1) -> Iterator[Float[Tensor, "_ _"]]:
        """The whole map, some rows at a time."""
        if (written := self._written(head, item)) is not None:
            return (rows.float() for rows in written.split(self._rows_at_once))
        return self._product_chunks(head, item, block)

    def _product_chunks(self, head: int, item: int, block: int) -> Iterator[Float[Tensor, "_ _"]]:
        """Whole blocks of keys that the causal mask hides from all rows of a chunk are left out."""
        normalisers, causal = [], self._product("scores").is_causal
        for start in range(0, self.query_length, self._rows_at_once):
            stop = min(start + self._rows_at_once, self.query_length)
            reach = math.ceil(stop / block) * block if causal else self.key_length
            scores = self._masked_scores(head, item, slice(start, stop), slice(0, reach))
            weights, best = scores.softmax(-1), scores.amax(-1)
            # logsumexp without a second exponential: the best score has the weight exp(best) / sum.
            normalisers.append(torch.where(best.isneginf(), best, best - weights.amax(-1).log()))
            yield weights
        self._normalisers[item, head] = torch.cat(normalisers)

    @property
    def _rows_at_once(self) -> int:
        return max(1, CHUNK // self.key_length)

    def _written(self, head: int, item: int) -> Float[Tensor, "query key"] | None:
        if self.written is None or head not in self.written.heads:
            return None
        place, blind = self.written.heads.index(head), self.written.blind
        weights = self.written.weights[item, place].detach()
        return weights if blind is None else weights.masked_fill(blind[item, place], math.nan)

    @property
    def _all_written(self) -> Float[Tensor, "batch head query key"]:
        assert self.written is not None, "A call without a product has its weights written."
        return self.written.weights

    def _for_each_head(self, tensor: Float[Tensor, "batch _ key _"]) -> Float[Tensor, "batch head key _"]:
        shared = self.heads // tensor.shape[1]
        return tensor if shared == 1 else tensor.repeat_interleave(shared, dim=1)

    @property
    def _versions_now(self) -> tuple[int, ...]:
        """How often the memory of everything that was recorded, and that a module may have kept too, was written."""
        product, written = self.product, self.written
        parts = (product.query, product.key, product.value, product.mask) if product else ()
        own = (written.weights,) if written else ()
        return tuple(version(part) for part in (*parts, *own, self.seen_value, self.sink) if part is not None)

    def check_unchanged(self) -> None:
        """Raise CaptureError if a module wrote into what was recorded, in place and later: it is another run then."""
        if self._versions_now != self._versions:
            raise CaptureError(
                f"What '{self.path}' read was changed in place after its attention ran, so its record no longer holds: "
                "record under torch.inference_mode(), where everything is copied, or read it before the change."
            )

    def _product(self, wanted: str) -> Product:
        self.check_unchanged()
        if self.product is None:
            raise CaptureError(
                f"'{self.path}' does not call scaled_dot_product_attention: it was seen through its softmax, which "
                f"shows its weights but not its {wanted}."
            )
        return self.product

    def _check(self, head: int, item: int) -> None:
        self.check_unchanged()
        for name, chosen, count in (("head", head, self.heads), ("item", item, self.batch_size)):
            if isinstance(chosen, bool) or not isinstance(chosen, Integral):
                raise CaptureError(f"A {name} is a whole number, not {chosen!r}.")
            if not 0 <= chosen < count:
                raise CaptureError(f"'{self.path}' has no {name} {chosen}: they are numbered 0 to {count - 1}.")

    def _positions(self, chosen: Chosen, length: int) -> Positions:
        if chosen is None or isinstance(chosen, slice):
            return chosen or slice(None)
        positions = torch.as_tensor(chosen, dtype=torch.long).reshape(-1)
        if ((positions < 0) | (positions >= length)).any():
            raise CaptureError(f"'{self.path}' has the positions 0 to {length - 1} here, not {chosen}.")
        return positions
