"""Where attention is seen: between a model and the functions of torch that it calls, in this thread only."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from numpy import broadcast_shapes  # torch's own imports a computer algebra system, for seconds
from torch import Tensor
from torch.overrides import TorchFunctionMode, redispatch_function

from ..errors import CaptureError
from .lineage import PRODUCTS, Lineage
from .paths import Caller, callers
from .product import read_product
from .watcher import Sight, Watcher
from .write_out import Draft, edit_softmax, replace_product, replaced_weights, write_out

SOFTMAXES = {F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax}

# Half of all calls only ask a tensor for its shape or type: they make no tensor.
ANSWERS = {torch.Size, torch.dtype, torch.device, int, float, bool}

# What may happen to a softmax before it is multiplied with values and still leave its weights in their places.
COATS = {
    *("dropout", "to", "type", "type_as", "float", "half", "bfloat16", "contiguous", "clone", "nan_to_num"),
    *("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "expand", "masked_fill", "masked_fill_"),
}

_thread = threading.local()


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Let a watcher see, and edit, the attention of this thread.

    Blocks inside one another share one seam: so every record shows the weights that the model really used,
    whichever block was opened first. Edits of one head are made in the order in which their blocks were opened.
    """
    seam = getattr(_thread, "seam", None)
    if seam is not None:
        seam.watchers.append(watcher)
        try:
            yield
        finally:
            seam.watchers.remove(watcher)
        return
    _thread.seam = Seam(watcher)
    try:
        with _thread.seam:
            yield
    finally:
        _thread.seam = None


class Seam(TorchFunctionMode):
    """Leaves each function of torch as it is, and does more only where it is attention.

    While such a mode is active, torch.nn's attention modules do not take the C++ fast path that would hide it.
    """

    def __init__(self, watcher: Watcher):
        self.watchers = [watcher]
        self._lineage = Lineage()
        self._drafts: dict[int, Draft] = {}
        self._heads_inside: int | None = None
        self._masks: list[Tensor] = []  # those of the records that are open

    def __torch_function__(self, func: Callable, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is F.multi_head_attention_forward:
            return self._step_inside(func, types, args, kwargs)
        if func is F.scaled_dot_product_attention:
            result = self._fused(func, args, kwargs)
        elif func in SOFTMAXES:
            result = self._softmax(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
            if type(result) in ANSWERS:
                return result
            if self._drafts:
                self._follow(func, args, result)
        if parameters := self._lineage.note(func, args, kwargs, result):
            for watcher in self.watchers:
                watcher.used.update(parameters)
        return result

    def _step_inside(self, func: Callable, types, args, kwargs):
        """torch.nn's own attention is Python that calls the functions we look for: watch it while it runs."""
        outer, self._heads_inside = self._heads_inside, kwargs.get("num_heads", (*args, *[None] * 5)[4])
        try:
            with self:
                return redispatch_function(func, types, args, kwargs)
        finally:
            self._heads_inside = outer

    def _fused(self, func: Callable, args, kwargs) -> Tensor:
        calling, named = callers(), dict(zip(("query", "key", "value"), args, strict=False)) | kwargs
        product = read_product(*args, **kwargs, packed_groups=_packed_groups(calling, named["query"]))
        sight = Sight(self.watchers, calling, product.shape[1])
        if not sight.places:
            return func(*args, **kwargs)

        heads, written, others = sight.written_heads, None, []
        if heads:
            written, mixed = write_out(product, sight)
            others.append((heads, mixed))
        if sight.replaced:
            others.append(replace_product(product, sight))
        left = sight.heads - sum(len(own) for own, _ in others)
        if left:
            output = func(*args, **kwargs)
        if others:
            mixed = _joined(output.reshape(*product.shape[:3], -1) if left else None, others)
            batch = broadcast_shapes(*(named[name].shape[:-3] for name in ("query", "key", "value")))
            output = mixed.reshape(*batch, *named["query"].shape[-3:-1], -1)

        sight.note()
        if sight.records:
            if sight.replaced:
                written = replaced_weights(product, sight).beside(written)
            one = self._lineage.one_sequence(named["query"], named["key"], calling)
            sight.record(kind="self" if one else "cross", product=product.kept(self._masks), written=written)
        return output

    def _softmax(self, func: Callable, args, kwargs) -> Tensor:
        """A softmax over the last of three or more axes may be attention: make its edits and remember it."""
        weights = func(*args, **kwargs)
        dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
        if weights.ndim < 3 or dim not in (-1, weights.ndim - 1):
            return weights
        calling, split = callers(), self._four_axes(weights)
        sight = Sight(self.watchers, calling, split.shape[1])
        if not sight.places:
            return weights
        if sight.replaced:
            raise CaptureError(
                f"'{sight.places[0][1]}' does not call scaled_dot_product_attention: its weights can be edited, but "
                "its product cannot be replaced."
            )
        scores = args[0] if args else kwargs["input"]
        if sight.written_heads:
            split = edit_softmax(split, self._four_axes(scores), sight)
            weights = split.reshape(weights.shape)
        one = sight.records and self._lineage.one_sequence_in_scores(scores, calling)
        module = calling[0].module
        self._drafts = {name: draft for name, draft in self._drafts.items() if draft.module is module}
        self._drafts[id(weights)] = Draft(weights, split, sight, "self" if one else "cross", module)
        return weights

    def _four_axes(self, weights: Tensor) -> Tensor:
        """(batch, head, query, key); torch.nn lays the heads along the batch, others with three axes have one."""
        if weights.ndim > 3:
            return weights.flatten(0, -4)
        return weights.unflatten(0, (-1, self._heads_inside)) if self._heads_inside else weights.unsqueeze(1)

    def _follow(self, func: Callable, args, result) -> None:
        """A softmax that is multiplied with values was attention; one that only changes its coat may yet be."""
        operands = [operand for operand in args if isinstance(operand, Tensor)]
        for place, operand in enumerate(operands):
            draft = self._drafts.get(id(operand))
            if draft is None:
                continue
            if func in PRODUCTS:
                self._drafts = {name: other for name, other in self._drafts.items() if other.sight is not draft.sight}
                draft.finish(operands[1] if place == 0 else None)
            elif getattr(func, "__name__", "") in COATS and isinstance(result, Tensor):
                self._drafts[id(result)] = draft.in_coat(result)
            return


def _joined(fused: Tensor | None, parts: list[tuple[list[int], Tensor]]) -> Tensor:
    """The output of all heads: the parts, each with the numbers of its heads, and the fused rest, if there is one."""
    heads = torch.tensor([head for own, _ in parts for head in own], device=parts[0][1].device)
    together = torch.cat([part for _, part in parts], dim=1)
    return together[:, heads.argsort()] if fused is None else fused.index_copy(1, heads, together)


def _packed_groups(calling: list[Caller], query: Tensor) -> int:
    """transformers lays the query heads of a group along the query axis when a grouped-query model has one query."""
    module = calling[0].module if calling else None
    groups = getattr(module, "num_key_value_groups", 1)
    heads = getattr(getattr(module, "config", None), "num_attention_heads", None)
    packed = groups > 1 and query.ndim == 4 and query.shape[1] * groups == heads and query.shape[2] == groups
    return groups if packed else 1
