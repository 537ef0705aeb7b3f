"""Intercept the functions of torch that compute attention, in this thread only."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import torch
import torch.nn.functional as F
from numpy import broadcast_shapes  # torch's own imports a computer algebra system, for seconds
from torch import Tensor
from torch.overrides import TorchFunctionMode, redispatch_function

from .after_softmax import OVER_FEATURES, Draft, follow_operation
from .lineage import PRODUCTS, Lineage
from .module_runs import ModuleRuns
from .paths import Caller, callers
from .plain import uncompiled
from .product import Product, is_causal, read_flex, read_product
from .provenance import Kind, Traced, kind_of
from .refusals import is_recomputation, refuse_nested, refuse_products
from .softmax_axes import axis_of_rows, folded_heads, four_axes, packed_groups, sums_over_keys
from .watcher import WatchedAttention, Watcher
from .write_out import edit_softmax, merge_heads, replace_product, replaced_weights, write_out

FLEX = "FlexAttentionHOP"  # by its name: its module imports a computer algebra system, for seconds
SOFTMAXES = {F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax}

# Half of all calls only read a tensor's shape or type: they return no tensor.
NON_TENSOR_RESULTS = {torch.Size, torch.dtype, torch.device, int, float, bool}

_thread = threading.local()


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Let a watcher record and edit the attention of this thread, until the end of the with-block.

    Nested blocks share one interceptor: so every record shows the weights that the model used, whichever block was
    opened first. Edits of one head are applied in the order in which their blocks were opened.
    """
    interceptor = getattr(_thread, "interceptor", None)
    if interceptor is not None:
        interceptor.watch(watcher)
        try:
            yield
        finally:
            interceptor.watchers.remove(watcher)
        return
    _thread.interceptor = AttentionInterceptor(watcher)
    try:
        with uncompiled(watcher.paths.is_flexible), _thread.interceptor:
            yield
    finally:
        _thread.interceptor = None


class AttentionInterceptor(TorchFunctionMode):
    """Calls each function of torch unchanged, and edits and records those that are attention.

    While such a mode is active, torch.nn's attention modules do not take their C++ fast path.
    """

    def __init__(self, watcher: Watcher):
        self.watchers = [watcher]
        self._lineage = Lineage()
        self._drafts: dict[int, Draft] = {}
        self._contexts: list[tuple[Draft, Tensor]] = []  # products of values and a softmax of no query-key product
        self._heads_inside: int | None = None
        self._masks: list[Tensor] = []  # the masks of the open records
        self._runs = ModuleRuns()

    def watch(self, watcher: Watcher) -> None:
        """Add a watcher, of the same model or another one."""
        self.watchers.append(watcher)
        self._lineage.constants = ()

    def __torch_function__(self, func: Callable, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.einsum and isinstance(args[1], list | tuple):  # factors may be given as a list, too
            args = args[0], *args[1]
        result: object
        if func is F.multi_head_attention_forward:
            return self._step_inside(func, types, args, kwargs)
        if func is F.scaled_dot_product_attention:
            result = self._fused(func, args, kwargs)
        elif func in SOFTMAXES:
            result = self._softmax(func, args, kwargs)
        elif type(func).__name__ == FLEX:
            result = self._flex(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
            if type(result) in NON_TENSOR_RESULTS:
                return result
            if self._drafts or self._contexts:
                result = self._follow(func, args, kwargs, result)
        if parameters := self._lineage.remember(func, args, kwargs, result):
            for watcher in self.watchers:
                watcher.used.update(parameters)
        return result

    def _step_inside(self, func: Callable, types, args, kwargs):
        """torch.nn's own attention is Python that calls the intercepted functions: keep the mode active inside it."""
        outer, self._heads_inside = self._heads_inside, kwargs.get("num_heads", (*args, *[None] * 5)[4])
        try:
            with self:
                return redispatch_function(func, types, args, kwargs)
        finally:
            self._heads_inside = outer

    def _fused(self, func: Callable, args, kwargs) -> Tensor:
        calling, arguments = callers(), dict(zip(("query", "key", "value"), args, strict=False)) | kwargs
        if arguments["query"].is_nested:
            watched = WatchedAttention(self.watchers, calling, arguments["query"].shape[1])
            refuse_nested(watched)
            return func(*args, **kwargs)
        product = read_product(*args, **kwargs, packed_groups=packed_groups(calling, arguments["query"]))
        watched = WatchedAttention(self.watchers, calling, product.shape[1])
        if not watched.places or is_recomputation(watched, arguments["query"]):
            return func(*args, **kwargs)
        query_and_key = arguments["query"], arguments["key"]
        output, is_unchanged = self._attend(watched, product, query_and_key, calling, lambda: func(*args, **kwargs))
        if is_unchanged:
            return output
        batch = broadcast_shapes(*(arguments[name].shape[:-3] for name in ("query", "key", "value")))
        return output.reshape(*batch, *arguments["query"].shape[-3:-1], -1)

    def _flex(self, func: Callable, args, kwargs) -> tuple:
        """torch's flex_attention, uncompiled: its change of the scores is treated as a bias, like a mask."""
        calling = callers()
        watched = WatchedAttention(self.watchers, calling, args[0].shape[1])
        if not watched.places or is_recomputation(watched, args[0]):
            return func(*args, **kwargs)
        fused, *other_outputs = func(*args, **kwargs)
        output, _ = self._attend(watched, read_flex(*args[:6]), args[:2], calling, lambda: fused)
        return (output, *other_outputs)

    def _attend(
        self,
        watched: WatchedAttention,
        product: Product,
        query_and_key: tuple[Tensor, Tensor],
        calling: list[Caller],
        run_fused: Callable[[], Tensor],
    ) -> tuple[Tensor, bool]:
        """The output of a watched fused call, and whether it is the unchanged one: else it has four axes.

        `query_and_key` are the tensors of the call; `run_fused` makes the call, unless no head is computed by it.
        """

        @cache
        def traced() -> Traced:
            return self._trace(lambda: self._lineage.trace_pair(*query_and_key, calling))

        @cache
        def kind() -> Kind:
            return kind_of(traced(), traced().kind is None and product.is_shaped_causal, calling)

        heads, written, parts = watched.written_heads, None, []
        if heads:
            written, mixed = write_out(product, watched, kind)
            parts.append((heads, mixed))
        if watched.replaced:
            parts.append(replace_product(product, watched))
        fused_heads = watched.heads - sum(len(head_numbers) for head_numbers, _ in parts)
        output = run_fused() if fused_heads else None

        run, rows = self._runs.add_map(calling, product.shape[2]), None
        if run is not None and self._lineage.selects_rows:
            rows = run.note_chosen(traced().rows, product.shape)
        watched.mark_recorded(run)
        if watched.records:
            if watched.replaced:
                written = replaced_weights(product, watched).merged_with(written)
            watched.record(
                kind=kind(),
                product=product.snapshot(self._masks),
                written=written,
                run=run,
                over="token" if kind() == "cross" else axis_of_rows(calling, product.shape, product.value),
                rows=rows,
            )
        if output is None or parts:
            return merge_heads(None if output is None else output.reshape(*product.shape[:3], -1), parts), False
        return output, True

    def _trace(self, trace: Callable[[], Traced]) -> Traced:
        """Run `trace` on the lineage, which knows the parameters and buffers of the watched models as constants."""
        if not self._lineage.constants:
            models = [watcher.paths.model for watcher in self.watchers]
            tensors = (tensor for model in models for tensor in (*model.parameters(), *model.buffers()))
            self._lineage.constants = {id(tensor) for tensor in tensors}
        return trace()

    def _softmax(self, func: Callable, args, kwargs) -> Tensor:
        """Apply edits to a softmax over the last of three or more axes, and store it as a draft of attention."""
        weights = func(*args, **kwargs)
        dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
        if weights.ndim < 3 or dim not in (-1, weights.ndim - 1) or weights.is_nested:
            self._note_unused_softmax(f"a softmax over axis {dim} of a tensor with {weights.ndim} axes")
            return weights
        calling = callers()
        scores = args[0] if args else kwargs["input"]

        @cache
        def traced() -> Traced:
            return self._trace(lambda: self._lineage.trace_scores(scores, calling))

        selected_rows = traced().rows if self._lineage.selects_rows else None
        heads = self._heads_inside or folded_heads(calling, weights, selected_rows)
        split = four_axes(weights, heads)
        watched = WatchedAttention(self.watchers, calling, split.shape[1])
        if not watched.places or is_recomputation(watched, scores):
            return weights
        refuse_products(watched)

        @cache
        def kind() -> Kind:
            return kind_of(traced(), traced().kind is None and is_causal(split[0, 0] > 0), calling)

        if watched.written_heads:
            split = edit_softmax(split, four_axes(scores, heads), watched, kind)
            weights = split.reshape(weights.shape)
        module = calling[0].module
        self._drafts = {name: draft for name, draft in self._drafts.items() if draft.module is module}
        self._contexts = [context for context in self._contexts if context[0].module is module]
        draft = Draft(weights, split, weights, watched, kind, traced(), calling)
        self._drafts[id(weights)] = draft
        watched.note_unused_softmax("a softmax, and nothing that was done with it was a product with values")
        return weights

    def _follow(self, func: Callable, args, kwargs, result: object) -> object:
        """Finish a draft that is multiplied with values, and continue one after a pass-through operation."""
        operands = [operand for operand in args if isinstance(operand, Tensor)]
        for index, operand in enumerate(operands):
            draft = self._drafts.get(id(operand))
            if draft is None:
                continue
            if func in PRODUCTS:
                self._drafts = {
                    name: other for name, other in self._drafts.items() if other.watched is not draft.watched
                }
                if sums_over_keys(func, args, index, len(operands)):
                    self._finish(draft, operands[-1 if index + 1 < len(operands) else 0], result)
                else:
                    draft.watched.note_unused_softmax(
                        f"a softmax, then {func.__name__}, which does not sum over its last axis"
                    )
            elif (next_draft := follow_operation(draft, func, args, kwargs, result)) is not None:
                result = next_draft.tensor
                self._drafts[id(result)] = next_draft
            return result
        if func in PRODUCTS and self._contexts:
            self._refuse_linear_attention(operands)
        return result

    def _finish(self, draft: Draft, value: Tensor, result: object) -> None:
        """Record a draft as attention, unless its softmax is over features, as in linear attention.

        Its "values" are then products of keys and values.
        """
        if not draft.traced.compared and self._lineage.is_activation_product(value, draft.traced.arguments):
            draft.watched.refuse(OVER_FEATURES)
            return
        run = self._runs.add_map(draft.calling, draft.weights.shape[2])
        rows = None if run is None else run.note_chosen(draft.traced.rows, draft.weights.shape)
        draft.finish(value, run, rows)
        if not draft.traced.compared and isinstance(result, Tensor):
            self._contexts.append((draft, result))

    def _refuse_linear_attention(self, operands: list[Tensor]) -> None:
        """Refuse a softmax of keys whose product with values is multiplied with queries: linear attention."""
        for operand in operands:
            for draft, context in list(self._contexts):
                if self._lineage.is_view(operand, context):
                    draft.watched.refuse(OVER_FEATURES)
                    self._contexts.remove((draft, context))

    def _note_unused_softmax(self, reason: str) -> None:
        """Note why a softmax cannot be attention, for the error message that names the module."""
        calling = callers()
        for watcher in self.watchers:
            if (path := watcher.paths.path(calling)) is not None:
                watcher.unused_softmaxes.setdefault(path, reason)
