"""One attention call of a model: the weights of all heads, computed when they are read."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..errors import CaptureError
from .module_runs import ModuleRun
from .overview import Reduce, block_width, pool_map
from .product import Positions, Product, allowed, last_allowed
from .product_weights import ProductWeights, count_at_once
from .provenance import Kind
from .versions import version
from .written_weights import WrittenWeights

Over = Literal["token", "channel"]
Selection = int | slice | Sequence[int] | None

LARGE_MAP = 2**28  # bytes of weights above which a warning is given


@dataclass(frozen=True, eq=False, repr=False)
class AttentionCall:
    """The attention weights of one call of one attention module.

    `kind` is "self" where queries and keys come from one sequence, "cross" where they come from two, and "unknown"
    where neither the operations that made them, nor a causal mask, nor the model's configuration tells: equal lengths
    do not. A fused call stores its `product` (query, key, value, mask, scale) and no weights; a call recorded from its
    softmax stores the `written` weights of all heads, and its values (`recorded_value`) if they were found.

    Weights are those that were multiplied with the values, but before dropout: each row sums to 1, unless the model
    masks weights after its softmax, where a row sums to what the mask leaves. A query whose mask allows no key has NaN
    weights: the softmax over no keys is undefined. `over` says what rows and columns are: "channel" where they are
    channels, as in XCiT (El-Nouby et al. 2021, section 3.2). `sink` is the weight of an attention sink, which has no
    key and no value (GPT-OSS): with it, each row sums to 1. `rows` are the positions of the queries, where the module
    selected some of them for each head (ProbSparse attention).
    """

    path: str
    kind: Kind
    product: Product | None
    written: WrittenWeights | None
    recorded_value: Float[Tensor, "batch head key _"] | None = None
    over: Over = "token"
    sink: Float[Tensor, "batch head query"] | None = None
    run: ModuleRun | None = None
    rows: Int[Tensor, "batch head query"] | None = None
    _product_weights: ProductWeights | None = field(init=False)
    _versions: tuple[int, ...] = field(init=False)

    def __post_init__(self):
        product_weights = None if self.product is None else ProductWeights(self.product)
        object.__setattr__(self, "_product_weights", product_weights)
        object.__setattr__(self, "_versions", self._versions_now)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy is made from. Raises CaptureError after a change in place, of which the copy would not know."""
        self.check_unchanged()
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The copy's own tensors are unchanged from here on."""
        self.__dict__.update(state)
        object.__setattr__(self, "_versions", self._versions_now)

    def __repr__(self) -> str:
        batch, heads, queries, keys = self.shape
        source = "fused" if self.product else "by its softmax"
        changed = self._versions_now != self._versions
        causal = ", changed in place since" if changed else ", causal" if self.causal else ""
        over = "" if self.over == "token" else f", over {self.over}s"
        pieces = f", {self.partial[0]} of {self.partial[1]} rows" if self.partial else ""
        kind = "self or cross unknown" if self.kind == "unknown" else self.kind
        return f"{self.path}: {kind}{causal}{over}{pieces}, {batch} x {heads} heads x {queries} x {keys}, {source}"

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Sizes of the weights: batch, head, query, key."""
        batch, heads, queries, keys = (self.product or self._all_written).shape
        return batch, heads, queries, keys

    @property
    def batch_size(self) -> int:
        """The number of inputs computed together; the windows of Swin count as inputs."""
        return self.shape[0]

    @property
    def heads(self) -> int:
        """The number of query heads; grouped-query models have fewer key heads."""
        return self.shape[1]

    @property
    def query_length(self) -> int:
        """The number of queries."""
        return self.shape[2]

    @property
    def key_length(self) -> int:
        """The number of keys."""
        return self.shape[3]

    @property
    def partial(self) -> tuple[int, int] | None:
        """(rows of this map, tokens of the sequence) where the module computes attention in pieces; else None."""
        if self.run is None or not self.run.in_pieces or self.kind == "cross":
            return None
        return self.query_length, self.run.tokens

    @property
    def query(self) -> Float[Tensor, "batch head query head_dim"] | None:
        """The queries as the fused call received them; None when the call was recorded from its softmax."""
        self.check_unchanged()
        return None if self.product is None else self.product.query

    @property
    def key(self) -> Float[Tensor, "batch head key head_dim"] | None:
        """The keys, repeated for each query head that shares them; None when the call was recorded from its softmax."""
        self.check_unchanged()
        return None if self.product is None else self._for_each_head(self.product.key)

    @property
    def value(self) -> Float[Tensor, "batch head key _"] | None:
        """The values, repeated for each query head that shares them; None where they were not found."""
        self.check_unchanged()
        return self._for_each_head(self.product.value) if self.product else self.recorded_value

    @property
    def scale(self) -> float | None:
        """The factor of the products of query and key; None when the call was recorded from its softmax."""
        return None if self.product is None else self.product.scale

    @property
    def causal(self) -> bool:
        """Whether no query may attend to a later key, also where keys come from a cache.

        False for cross attention, or where `kind` is unknown. Read off the mask (or the written weights) of the first
        input's first head. With a cache the last key that a query may attend to is its own, one later than that of the
        query before; so a static cache may have room for keys to come. A single query is the newest token if its
        module received no other token: else it is a query that pools a sequence, as a class token does.
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
        permitted = allowed(bias)[0, 0]
        if not cached:
            return not permitted.triu(1).any().item()
        last = last_allowed(permitted[permitted.any(-1)])
        return bool((last.diff() == 1).all())

    def weights(
        self, head: int | None = None, item: int | None = None, queries: Selection = None, keys: Selection = None
    ) -> Float[Tensor, "*leading query key"]:
        """The attention weights, exact in float32; each row sums to 1 over ALL keys.

        Where the model masks its weights after the softmax, or has an attention sink, a row sums to less: `row_sums`
        has the sums, `rows_sum_to_one` says whether all of them are 1.

        With a `head`: its map (query, key) for input `item`, by default 0. Without one: all heads of an item
        (head, query, key) or of all items (batch, head, query, key), with a warning where that is large. `queries` and
        `keys` (a slice, a position, positions) select a tile, which costs only its own area once the normaliser of its
        rows is known.
        """
        if head is None:
            return self._weights_of_all(item, queries, keys)
        item = 0 if item is None else item
        self._check_choice(head, item)
        rows, columns = (
            self._checked_positions(queries, self.query_length),
            self._checked_positions(keys, self.key_length),
        )
        if (written := self._written(head, item)) is not None:
            return written[rows][:, columns].float()
        return self._require_product("scores").tile(head, item, rows, None if keys is None else columns)

    def _weights_of_all(
        self, item: int | None, queries: Selection, keys: Selection
    ) -> Float[Tensor, "*leading query key"]:
        items = range(self.batch_size) if item is None else [item]
        if (size := 4 * len(items) * self.heads * self.query_length * self.key_length) > LARGE_MAP and queries is None:
            warnings.warn(
                f"All weights of '{self.path}' take {size / 1e9:.1f} GB: weights(head, item) gives one map of them, "
                "overview() shows it whole.",
                stacklevel=3,
            )
        columns = self._checked_positions(keys, self.key_length)
        weights = torch.stack(
            [torch.cat(list(self.weights_by_heads(number, queries)))[..., columns] for number in items]
        )
        return weights if item is None else weights[0]

    def weights_by_heads(self, item: int = 0, queries: Selection = None) -> Iterator[Float[Tensor, "head query key"]]:
        """The weights of all heads in their order, in groups that fit into memory: faster than one by one."""
        self._check_choice(0, item)
        rows = self._checked_positions(queries, self.query_length)
        query_count = len(range(self.query_length)[rows]) if isinstance(rows, slice) else len(rows)
        heads_at_once = count_at_once(query_count * self.key_length)
        for first in range(0, self.heads, heads_at_once):
            group = range(self.heads)[first : first + heads_at_once]
            if self.written is not None:
                yield torch.stack([self.weights(head, item, queries) for head in group])
            else:
                yield self._require_product("weights").of_heads(group, item, rows)

    def row_sums(
        self, head: int | None = None, item: int | None = None, queries: Selection = None
    ) -> Float[Tensor, "*leading query"]:
        """The sum of each row's weights over all keys.

        1 for a softmax over the keys; less where an attention sink or a mask after the softmax took a part; 0 where
        every weight of a row is masked; NaN for a query whose mask allows no key. `head`, `item` and `queries` select
        as in `weights`, and the axes are those of `weights` without the keys.
        """
        if head is not None:
            return self.weights(head, item, queries).sum(-1)
        items = range(self.batch_size) if item is None else [item]
        sums = [torch.cat([weights.sum(-1) for weights in self.weights_by_heads(number, queries)]) for number in items]
        return torch.stack(sums) if item is None else sums[0]

    @property
    def rows_sum_to_one(self) -> bool:
        """Whether each row is a distribution over its keys: no weight below 0, and a sum of 1.

        True for every fused call without edits, whose rows come from a softmax; else read off the written weights.
        Rows of queries whose mask allows no key (NaN) are not counted.
        """
        self.check_unchanged()
        return self.written is None or self.written.rows_sum_to_one

    @property
    def has_negative_weights(self) -> bool:
        """Whether some weight is below 0, as an edit or a fill after the softmax can make it."""
        self.check_unchanged()
        return self.written is not None and self.written.has_negative

    def check_not_negative(self) -> None:
        """Raise CaptureError if a weight is below 0: a view's colour scale begins at 0."""
        if self.has_negative_weights:
            raise CaptureError(
                f"'{self.path}' has attention weights below 0, which are no shares: call.weights() has the numbers, "
                "and no view of shares can show them."
            )

    def scores(
        self, head: int = 0, item: int = 0, queries: Selection = None, keys: Selection = None
    ) -> Float[Tensor, "query key"]:
        """The scaled products of query and key, before mask, softmax and edits."""
        self._check_choice(head, item)
        rows, columns = (
            self._checked_positions(queries, self.query_length),
            self._checked_positions(keys, self.key_length),
        )
        product = self._require_product("scores").product
        return product.scores(slice(item, item + 1), [head], rows, columns)[0, 0].float()

    def output(self, head: int = 0, item: int = 0) -> Float[Tensor, "query _"]:
        """The output of one head: its weights times its values, before the output projection."""
        self._check_choice(head, item)
        values = self.product.value if self.product else self.recorded_value
        if values is None:
            raise CaptureError(f"The values of '{self.path}' could not be seen, so its output cannot be shown.")
        value = values[item, head * values.shape[1] // self.heads].float()  # several heads may share one
        return torch.cat([chunk @ value[: chunk.shape[1]] for chunk in self._chunks(head, item)])

    @property
    def log_normaliser(self) -> Float[Tensor, "batch head query"]:
        """logsumexp of each row's masked scores, before edits: a weight is exp(score - log_normaliser)."""
        product_weights = self._require_product("log_normaliser")
        batch, heads, _, _ = self.shape
        rows = [product_weights.normaliser(head, item) for item in range(batch) for head in range(heads)]
        return torch.stack(rows).unflatten(0, (batch, heads))

    def overview(self, head: int = 0, item: int = 0, size: int = 512, reduce: Reduce = "mean") -> Float[Tensor, "_ _"]:
        """The map in at most size x size cells, each the exact mean or maximum of its block of weights.

        A block is ceil(length / size) tokens wide; the last one may be smaller.
        """
        self._check_choice(head, item)
        if size < 1:
            raise CaptureError(f"An overview needs at least 1 cell, not {size}.")
        chunks = self._chunks(head, item, block_width(self.key_length, size))
        return pool_map(chunks, self.query_length, self.key_length, size, reduce)

    def _chunks(self, head: int, item: int, block: int = 1) -> Iterator[Float[Tensor, "_ _"]]:
        """The map of one head, some rows at a time; keys that none of them may attend to can be missing at its end."""
        if (written := self._written(head, item)) is not None:
            return (rows.float() for rows in written.split(count_at_once(self.key_length)))
        return self._require_product("scores").chunks(head, item, block)

    def _written(self, head: int, item: int) -> Float[Tensor, "query key"] | None:
        return None if self.written is None else self.written.map_of(head, item)

    @property
    def _all_written(self) -> Float[Tensor, "batch head query key"]:
        assert self.written is not None, "A call without a product has its weights written."
        return self.written.weights

    def _for_each_head(self, tensor: Float[Tensor, "batch _ key _"]) -> Float[Tensor, "batch head key _"]:
        group_size = self.heads // tensor.shape[1]
        return tensor if group_size == 1 else tensor.repeat_interleave(group_size, dim=1)

    @property
    def _versions_now(self) -> tuple[int, ...]:
        """How often the memory of each recorded tensor was written in place (see `versions.version`)."""
        product, written = self.product, self.written
        parts = (product.query, product.key, product.value, product.mask) if product else ()
        own = (written.weights,) if written else ()
        return tuple(version(part) for part in (*parts, *own, self.recorded_value, self.sink) if part is not None)

    def check_unchanged(self) -> None:
        """Raise CaptureError if a recorded tensor was written in place after its attention ran."""
        if self._versions_now != self._versions:
            raise CaptureError(
                f"What '{self.path}' read was changed in place after its attention ran, so its record no longer holds: "
                "record under torch.inference_mode(), where everything is copied, or read it before the change."
            )

    def _require_product(self, missing: str) -> ProductWeights:
        self.check_unchanged()
        if self._product_weights is None:
            raise CaptureError(
                f"'{self.path}' does not call scaled_dot_product_attention: it was seen through its softmax, which "
                f"shows its weights but not its {missing}."
            )
        return self._product_weights

    def _check_choice(self, head: int, item: int) -> None:
        self.check_unchanged()
        for name, number, count in (("head", head, self.heads), ("item", item, self.batch_size)):
            if isinstance(number, bool) or not isinstance(number, Integral):
                raise CaptureError(f"A {name} is a whole number, not {number!r}.")
            if not 0 <= number < count:
                raise CaptureError(f"'{self.path}' has no {name} {number}: they are numbered 0 to {count - 1}.")

    def _checked_positions(self, selection: Selection, length: int) -> Positions:
        if selection is None or isinstance(selection, slice):
            return selection or slice(None)
        positions = torch.as_tensor(selection, dtype=torch.long).reshape(-1)
        if ((positions < 0) | (positions >= length)).any():
            raise CaptureError(f"'{self.path}' has the positions 0 to {length - 1} here, not {selection}.")
        return positions
