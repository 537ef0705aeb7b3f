"""What one call of the fused kernel computes, written out: softmax(query keyᵀ · scale + mask).

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

from .versions import copied, lasting, once

# A key whose mask lies 80 or more below the best of its row is forbidden: e^-80 leaves nothing of it in float32.
# Libraries forbid with -inf, with the lowest finite number, or with -100 (Swin) on top of a position bias.
FORBIDDEN = 80.0

# Indices of one axis: a slice, or the positions themselves.
Positions = slice | Tensor


@dataclass(frozen=True, eq=False)
class Product:
    """The tensors of one fused call; keys and values may have fewer heads than queries (grouped-query)."""

    query: Float[Tensor, "batch head query each"]
    key: Float[Tensor, "batch _ key each"]
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
        """Scaled scores before mask and softmax, in float32 at least, of the chosen part only."""
        query = self._of_heads(self.query, items, heads)[..., queries, :]
        key = self._of_heads(self.key, items, heads)[..., keys, :]
        with torch.autocast(query.device.type, enabled=False):
            return (_precise(query) * self.scale) @ _precise(key).mT

    def biases(
        self,
        items: slice = slice(None),
        heads: Sequence[int] | None = None,
        queries: Positions = slice(None),
        keys: Positions = slice(None),
    ) -> Float[Tensor, "#batch #head query key"] | None:
        """What the mask adds to the scores of the same part (-inf where it forbids); None without a mask."""
        bias = None
        if self.mask is not None:
            bias = _added(self._of_heads(self.mask, items, heads)[..., queries, :][..., keys])
        if self.is_causal:
            row, column = self._numbers(2)[queries], self._numbers(3)[keys]
            causal = _added(column <= row[:, None])
            bias = causal[None, None] if bias is None else bias + causal
        return bias

    def masked_scores(
        self, items: slice, heads: Sequence[int], queries: Positions = slice(None), keys: Positions = slice(None)
    ) -> Float[Tensor, "batch head query key"]:
        """What the softmax sees of one part; made for large parts, outside any graph."""
        scores = self.scores(items, heads, queries, keys)
        if self.mask is not None:
            scores += _added(self._of_heads(self.mask, items, heads)[..., queries, :][..., keys])
        if self.is_causal:
            row, column = self._numbers(2)[queries], self._numbers(3)[keys]
            # The keys that all these queries may see need no look; in a slice they come first.
            seen = int((column <= row.min()).sum()) if isinstance(keys, slice) and len(row) else 0
            scores[..., seen:].masked_fill_(column[seen:] > row[:, None], -math.inf)
        return scores

    @property
    def looks_back(self) -> bool | None:
        """True: every query sees itself and all keys before; False: all keys; None: some other mask or a bias."""
        if self.mask is None:
            return self.is_causal
        bias = self.biases()
        assert bias is not None
        permitted = allowed(bias)
        if bias[permitted].any():
            return None
        if permitted.all():
            return False
        causal = self._numbers(3) <= self._numbers(2)[:, None]
        return True if self.shape[2] == self.shape[3] and (permitted == causal).all() else None

    @property
    def is_shaped_causal(self) -> bool:
        """Whether the mask of the first input's first head lets each query look at one key more than the one before."""
        if self.mask is None:
            return self.is_causal and self.shape[2] > 1
        bias = self.biases(slice(1), [0])
        assert bias is not None
        return is_causal(allowed(bias)[0, 0])

    def parts(self, heads: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value of these heads, the query so that scores are to be divided by sqrt(each)."""
        query, key, value = (self._of_heads(part, slice(None), heads) for part in (self.query, self.key, self.value))
        factor = self.scale * query.shape[-1] ** 0.5
        # Products of a root and its inverse may miss 1 by a rounding error: then nothing is to be done.
        return (query if abs(factor - 1) < 1e-9 else query * factor), key, value

    def of(self, heads: Sequence[int]) -> "Product":
        """The product of these query heads alone, each with a key and a value of its own."""
        query, key, value = (self._of_heads(part, slice(None), heads) for part in (self.query, self.key, self.value))
        mask = None if self.mask is None else self._of_heads(self.mask, slice(None), heads)
        return replace(self, query=query, key=key, value=value, mask=mask)

    def mix(self, weights: Float[Tensor, "batch head query key"]) -> Float[Tensor, "batch head query _"]:
        """The output under the given weights; dropout as the call asked for."""
        value = self._of_heads(self.value, slice(None), None)
        weights = torch.dropout(weights, self.dropout, train=self.dropout > 0)
        with torch.autocast(value.device.type, enabled=False):
            return (weights @ _precise(value)).to(value.dtype)

    def kept(self, masks: list[Tensor]) -> "Product":
        """The same, outside any graph and fit to be kept: no small view holds a large tensor, and what belongs to a
        cache is copied (see `lasting`).

        Equal masks are kept once (T5 builds one for each layer): `masks` are those of earlier calls, and grow.
        """
        views = self.query, self.key, self.value
        query, key, value = (_compact(view, views) for view in views)
        mask = None
        if self.mask is not None:
            mask = next((known for known in masks if _same(known, self.mask)), None)
            if mask is None:
                mask = _compact(self.mask, [self.mask])
                masks.append(mask)
        return replace(self, query=query, key=key, value=value, mask=mask)

    def _numbers(self, axis: int) -> Int[Tensor, " _"]:
        return torch.arange(self.shape[axis], device=self.query.device)

    def _of_heads(self, tensor: Tensor, items: slice, heads: Sequence[int] | None) -> Tensor:
        """The part that belongs to these query heads; several query heads may share one key head."""
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
    """Which keys a query may look at, given what its mask adds to the scores; none where all are -inf or NaN.

    A row in which every key has the lowest finite number allows all of them: the softmax shares it out evenly.
    """
    best = bias.amax(-1, keepdim=True)
    return (bias >= best - FORBIDDEN) & best.isfinite()


def is_causal(looks: Bool[Tensor, "query key"]) -> bool:
    """Whether each of several queries may look at one key more than the one before it, the last at itself or more."""
    queries, keys = looks.shape
    looks = looks[looks.any(-1)]
    if len(looks) < 2 or queries > keys:
        return False
    last = last_allowed(looks)
    return bool((last.diff() == 1).all()) and (queries < keys or int(last[-1]) == keys - 1)


def last_allowed(looks: Bool[Tensor, "*leading query key"]) -> Int[Tensor, "*leading query"]:
    """The last key that each query may look at; the last of all where it may look at none."""
    return looks.shape[-1] - 1 - looks.flip(-1).int().argmax(-1)


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
    """The arguments of a fused call, brought to four axes.

    More leading axes are one batch, fewer are one head or one input. `packed_groups`: how many query heads
    were laid along the query axis because there is a single query token.
    """
    axes, lead = query.ndim, query.shape[:-3]
    if not lead == key.shape[:-3] == value.shape[:-3]:
        lead = torch.Size(broadcast_shapes(lead, key.shape[:-3], value.shape[:-3]))

    def four(tensor: Tensor) -> Tensor:
        if tensor.ndim < axes:
            tensor = tensor[(None,) * (axes - tensor.ndim)]
        if axes == 4 and tensor.shape[:1] == lead:
            return tensor
        if axes < 4:
            return tensor[None, None] if axes == 2 else tensor[:, None]
        return tensor.expand(*lead, *tensor.shape[-3:]).flatten(0, -4)

    query, key, value = four(query), four(key), four(value)
    mask = None if attn_mask is None else four(attn_mask)
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
    """The arguments of torch's flex_attention: what its functions make of the scores, as a bias written out.

    `score_mod(score, batch, head, query, key)` gives another score, the last of `block_mask` whether a query may look
    at a key (Dong et al. 2024, section 3.1). The bias takes the place of the mask: O(query x key) memory for each head.
    """
    plain = Product(query, key, value, None, False, float(scale), 0.0)
    axes = [torch.arange(size, device=query.device) for size in plain.shape]
    scores = plain.scores()
    changed, looks = score_mod, block_mask[-1]
    for place in (3, 2, 1, 0):
        own = tuple(0 if axis == place else None for axis in range(4))
        changed, looks = torch.vmap(changed, (0, *own)), torch.vmap(looks, own)
    bias = (changed(scores, *axes) - scores).masked_fill(~looks(*axes), -math.inf)
    return replace(plain, mask=bias)


def _added(mask: Tensor) -> Tensor:
    """A mask as numbers to add to the scores."""
    if mask.dtype == torch.bool:
        return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -math.inf)
    return _precise(mask)


def _precise(tensor: Tensor) -> Tensor:
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def _compact(view: Tensor, together: Sequence[Tensor]) -> Tensor:
    """Fit to be kept: a copy, if its storage holds much that none of these views needs, or may be written again."""
    storage = view.untyped_storage()
    needed = sum(
        once(other).numel() * other.element_size()
        for other in together
        if other.untyped_storage().data_ptr() == storage.data_ptr()
    )
    return lasting(view) if storage.nbytes() <= 1.5 * needed else copied(view.detach())


def _same(mask: Tensor, other: Tensor) -> bool:
    """Whether two masks say the same of every key; a copy may lie otherwise in memory than what it was made of."""
    one, two = once(mask), once(other)
    if (mask.shape, mask.dtype, one.shape) != (other.shape, other.dtype, two.shape):
        return False
    return (one.data_ptr(), one.stride()) == (two.data_ptr(), two.stride()) or torch.equal(one, two)
