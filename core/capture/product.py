"""What one call of the fused kernel computes: softmax(query keyᵀ · scale + mask).

Vaswani et al. 2017, section 3.2.1, equation 1; the argument names of torch are those of
`torch.nn.functional.scaled_dot_product_attention`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from numpy import broadcast_shapes  # torch's own imports a computer algebra system, for seconds
from torch import Tensor

from .versions import compact_copy, stable_tensor, unexpanded

# A key whose mask lies 80 or more below the best of its row is forbidden: e^-80 leaves nothing of it in float32.
# Libraries forbid with -inf, with the lowest finite number, or with -100 (Swin) on top of a position bias.
FORBIDDEN = 80.0

# Indices of one axis: a slice, or the positions themselves.
Positions = slice | Tensor


@dataclass(frozen=True, eq=False)
class Product:
    """The tensors of one fused call; keys and values may have fewer heads than queries (grouped-query)."""

    query: Float[Tensor, "batch head query head_dim"]
    key: Float[Tensor, "batch _ key head_dim"]
    value: Float[Tensor, "batch _ key _"]
    mask: Tensor | None  # (batch, head, query, key), added to the scores or boolean; may be an expanded view
    is_causal: bool
    scale: float
    dropout: float

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Sizes of the weights: batch, head, query, key."""
        batch, heads, queries, _ = self.query.shape
        return batch, heads, queries, self.key.shape[2]

    def scores(
        self,
        items: slice = slice(None),
        heads: Sequence[int] | None = None,
        queries: Positions = slice(None),
        keys: Positions = slice(None),
    ) -> Float[Tensor, "batch head query key"]:
        """Scaled scores before mask and softmax, in float32 at least, of the selected inputs, heads and positions."""
        query = self._of_heads(self.query, items, heads)[..., queries, :]
        key = self._of_heads(self.key, items, heads)[..., keys, :]
        with torch.autocast(query.device.type, enabled=False):
            return (_at_least_float32(query) * self.scale) @ _at_least_float32(key).mT

    def biases(
        self,
        items: slice = slice(None),
        heads: Sequence[int] | None = None,
        queries: Positions = slice(None),
        keys: Positions = slice(None),
    ) -> Float[Tensor, "#batch #head query key"] | None:
        """The bias that the mask adds to the scores of a selection (-inf where it forbids); None without a mask."""
        bias = None
        if self.mask is not None:
            bias = _as_bias(self._of_heads(self.mask, items, heads)[..., queries, :][..., keys])
        if self.is_causal:
            row, column = self._positions(2)[queries], self._positions(3)[keys]
            causal = _as_bias(column <= row[:, None])
            bias = causal[None, None] if bias is None else bias + causal
        return bias

    def masked_scores(
        self, items: slice, heads: Sequence[int], queries: Positions = slice(None), keys: Positions = slice(None)
    ) -> Float[Tensor, "batch head query key"]:
        """The input of the softmax for a selection, computed in place: for large selections outside any graph."""
        scores = self.scores(items, heads, queries, keys)
        if self.mask is not None:
            scores += _as_bias(self._of_heads(self.mask, items, heads)[..., queries, :][..., keys])
        if self.is_causal:
            row, column = self._positions(2)[queries], self._positions(3)[keys]
            # Keys visible to all these queries need no mask; in a slice they come first.
            visible = int((column <= row.min()).sum()) if isinstance(keys, slice) and len(row) else 0
            scores[..., visible:].masked_fill_(column[visible:] > row[:, None], -math.inf)
        return scores

    @property
    def causality(self) -> bool | None:
        """True for a causal mask, False where every query attends to all keys, None for other masks or a bias."""
        if self.mask is None:
            return self.is_causal
        bias = self.biases()
        assert bias is not None
        permitted = allowed(bias)
        if bias[permitted].any():
            return None
        if permitted.all():
            return False
        causal = self._positions(3) <= self._positions(2)[:, None]
        return True if self.shape[2] == self.shape[3] and (permitted == causal).all() else None

    @property
    def is_shaped_causal(self) -> bool:
        """Whether the mask of the first input's first head allows each query one key more than the query before."""
        if self.mask is None:
            return self.is_causal and self.shape[2] > 1
        bias = self.biases(slice(1), [0])
        assert bias is not None
        return is_causal(allowed(bias)[0, 0])

    def parts(self, heads: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value of these heads, the query scaled so that scores are to be divided by sqrt(head_dim)."""
        query, key, value = (self._of_heads(part, slice(None), heads) for part in (self.query, self.key, self.value))
        factor = self.scale * query.shape[-1] ** 0.5
        # A root times its inverse may differ from 1 by a rounding error: then the query stays as it is.
        return (query if abs(factor - 1) < 1e-9 else query * factor), key, value

    def select_heads(self, heads: Sequence[int]) -> "Product":
        """The product of these query heads, with one key head and one value head for each of them."""
        query, key, value = (self._of_heads(part, slice(None), heads) for part in (self.query, self.key, self.value))
        mask = None if self.mask is None else self._of_heads(self.mask, slice(None), heads)
        return replace(self, query=query, key=key, value=value, mask=mask)

    def mix(self, weights: Float[Tensor, "batch head query key"]) -> Float[Tensor, "batch head query _"]:
        """The output for these weights: weights times values, with the dropout of the call."""
        value = self._of_heads(self.value, slice(None), None)
        weights = torch.dropout(weights, self.dropout, train=self.dropout > 0)
        with torch.autocast(value.device.type, enabled=False):
            return (weights @ _at_least_float32(value)).to(value.dtype)

    def snapshot(self, masks: list[Tensor]) -> "Product":
        """This product, detached and safe to store: no small view keeps a large tensor alive, caches are copied.

        Equal masks are stored once (T5 builds one for each layer): `masks` are those of earlier calls, and a new mask
        is appended to it. See `versions.stable_tensor` for what is copied.
        """
        views = self.query, self.key, self.value
        query, key, value = (_compact_copy(view, views) for view in views)
        mask = None
        if self.mask is not None:
            mask = next((stored for stored in masks if _equal_masks(stored, self.mask)), None)
            if mask is None:
                mask = _compact_copy(self.mask, [self.mask])
                masks.append(mask)
        return replace(self, query=query, key=key, value=value, mask=mask)

    def _positions(self, axis: int) -> Int[Tensor, " _"]:
        return torch.arange(self.shape[axis], device=self.query.device)

    def _of_heads(self, tensor: Tensor, items: slice, heads: Sequence[int] | None) -> Tensor:
        """The inputs `items` and the heads of a tensor that belong to these query heads, which may share key heads."""
        all_heads, own_heads = self.query.shape[1], tensor.shape[1]
        group = all_heads // own_heads
        if heads is None:
            heads = range(all_heads)
        if group == 1 and len(heads) == all_heads:
            return tensor[items]
        if len(heads) == 1:
            first = heads[0] // group
            return tensor[items, first : first + 1]
        return tensor[items, [head // group for head in heads]]


def allowed(bias: Float[Tensor, "... query key"]) -> Bool[Tensor, "... query key"]:
    """Which keys each query may attend to, from the bias that its mask adds; none where all are -inf or NaN.

    A row in which every key has the lowest finite number allows all of them: its softmax is uniform.
    """
    largest = bias.amax(-1, keepdim=True)
    return (bias >= largest - FORBIDDEN) & largest.isfinite()


def is_causal(permitted: Bool[Tensor, "query key"]) -> bool:
    """Whether each query may attend to one key more than the query before, and the last one at least to itself."""
    queries, keys = permitted.shape
    permitted = permitted[permitted.any(-1)]
    if len(permitted) < 2 or queries > keys:
        return False
    last = last_allowed(permitted)
    return bool((last.diff() == 1).all()) and (queries < keys or int(last[-1]) == keys - 1)


def last_allowed(permitted: Bool[Tensor, "*leading query key"]) -> Int[Tensor, "*leading query"]:
    """The last key that each query may attend to; the last of all keys where it may attend to none."""
    return permitted.shape[-1] - 1 - permitted.flip(-1).int().argmax(-1)


def read_product(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,  # noqa: ARG001, visible in the numbers of heads
    *,
    packed_groups: int = 1,
) -> Product:
    """The arguments of a fused call, reshaped to four axes.

    Further leading axes are flattened into the batch; missing ones become one head or one input. `packed_groups`: the
    number of query heads that were packed into the query axis because there is a single query token.
    """
    axes, lead = query.ndim, query.shape[:-3]
    if not lead == key.shape[:-3] == value.shape[:-3]:
        lead = torch.Size(broadcast_shapes(lead, key.shape[:-3], value.shape[:-3]))

    def to_four_axes(tensor: Tensor) -> Tensor:
        if tensor.ndim < axes:
            tensor = tensor[(None,) * (axes - tensor.ndim)]
        if axes == 4 and tensor.shape[:1] == lead:
            return tensor
        if axes < 4:
            return tensor[None, None] if axes == 2 else tensor[:, None]
        return tensor.expand(*lead, *tensor.shape[-3:]).flatten(0, -4)

    query, key, value = to_four_axes(query), to_four_axes(key), to_four_axes(value)
    mask = None if attn_mask is None else to_four_axes(attn_mask)
    if packed_groups > 1:
        query = query.reshape(query.shape[0], -1, 1, query.shape[-1])
        if mask is not None and mask.shape[1] > 1:
            mask = mask.reshape(mask.shape[0], -1, 1, mask.shape[-1])
    if mask is not None:
        mask = mask.expand(*query.shape[:3], key.shape[2])
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    return Product(query, key, value, mask, bool(is_causal), float(scale), dropout_p)


def read_flex(
    query: Tensor, key: Tensor, value: Tensor, score_mod: Callable, block_mask: tuple, scale: float
) -> Product:
    """The arguments of torch's flex_attention as a product whose mask is the bias that its functions amount to.

    `score_mod(score, batch, head, query, key)` returns the modified score, the last of `block_mask` whether a query may
    attend to a key (Dong et al. 2024, section 3.1). The bias takes O(query x key) memory for each head.
    """
    product = Product(query, key, value, None, False, float(scale), 0.0)
    axes = [torch.arange(size, device=query.device) for size in product.shape]
    scores = product.scores()
    score_of, permitted_by = score_mod, block_mask[-1]
    for axis in (3, 2, 1, 0):
        in_dims = tuple(0 if other == axis else None for other in range(4))
        score_of, permitted_by = torch.vmap(score_of, (0, *in_dims)), torch.vmap(permitted_by, in_dims)
    bias = (score_of(scores, *axes) - scores).masked_fill(~permitted_by(*axes), -math.inf)
    return replace(product, mask=bias)


def _as_bias(mask: Tensor) -> Tensor:
    """A mask as a bias to add to the scores."""
    if mask.dtype == torch.bool:
        return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -math.inf)
    return _at_least_float32(mask)


def _at_least_float32(tensor: Tensor) -> Tensor:
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def _compact_copy(view: Tensor, views: Sequence[Tensor]) -> Tensor:
    """The view, or a copy if its storage is much larger than `views` need or may be written to later."""
    storage = view.untyped_storage()
    needed = sum(
        unexpanded(other).numel() * other.element_size()
        for other in views
        if other.untyped_storage().data_ptr() == storage.data_ptr()
    )
    return stable_tensor(view) if storage.nbytes() <= 1.5 * needed else compact_copy(view.detach())


def _equal_masks(mask: Tensor, other: Tensor) -> bool:
    """Whether two masks are equal, whatever their layout in memory."""
    tensor, two = unexpanded(mask), unexpanded(other)
    if (mask.shape, mask.dtype, tensor.shape) != (other.shape, other.dtype, two.shape):
        return False
    return (tensor.data_ptr(), tensor.stride()) == (two.data_ptr(), two.stride()) or torch.equal(tensor, two)
