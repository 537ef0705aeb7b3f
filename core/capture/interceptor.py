"""Where attention is seen: between a model and the functions of torch that it calls, in this thread only."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import torch
import torch.nn.functional as F
from numpy import broadcast_shapes  # torch's own imports a computer algebra system, for seconds
from torch import Tensor
from torch.overrides import TorchFunctionMode, redispatch_function

from .after_softmax import Draft, follow, of_features
from .call import ModuleRun
from .lineage import PRODUCTS, Lineage
from .paths import Caller, callers, sequence_in
from .plain import uncompiled
from .product import Product, is_causal, read_flex, read_product
from .provenance import Kind, Traced, kind_of
from .refusals import is_known, refuse_nested, refuse_products
from .softmax_axes import folded_heads, four_axes, looks_over, mixes_values
from .watcher import Sight, Watcher
from .write_out import edit_softmax, replace_product, replaced_weights, write_out

FLEX = "FlexAttentionHOP"  # by its name: its module imports a computer algebra system, for seconds
SOFTMAXES = {F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax}

# Half of all calls only ask a tensor for its shape or type: they make no tensor.
ANSWERS = {torch.Size, torch.dtype, torch.device, int, float, bool}

_thread = threading.local()


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Let a watcher see, and edit, the attention of this thread.

    Blocks inside one another share one interceptor: so every record shows the weights that the model really used,
    whichever block was opened first. Edits of one head are made in the order in which their blocks were opened.
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
    """Leaves each function of torch as it is, and does more only where it is attention.

    While such a mode is active, torch.nn's attention modules do not take the C++ fast path that would hide it.
    """

    def __init__(self, watcher: Watcher):
        self.watchers = [watcher]
        self._lineage = Lineage()
        self._drafts: dict[int, Draft] = {}
        self._contexts: list[tuple[Draft, Tensor]] = []  # products with values of a softmax that compared nothing
        self._heads_inside: int | None = None
        self._masks: list[Tensor] = []  # those of the records that are open
        self._runs: dict[int, tuple[tuple, dict, ModuleRun]] = {}  # the latest of each module, by its identity

    def watch(self, watcher: Watcher) -> None:
        """Let another watcher see the same; its model may be another one."""
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
            if type(result) in ANSWERS:
                return result
            if self._drafts or self._contexts:
                result = self._follow(func, args, kwargs, result)
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
        if named["query"].is_nested:
            sight = Sight(self.watchers, calling, named["query"].shape[1])
            refuse_nested(sight)
            return func(*args, **kwargs)
        product = read_product(*args, **kwargs, packed_groups=_packed_groups(calling, named["query"]))
        sight = Sight(self.watchers, calling, product.shape[1])
        if not sight.places or is_known(sight, named["query"]):
            return func(*args, **kwargs)
        pair = named["query"], named["key"]
        output, is_own = self._mixed(sight, product, pair, calling, lambda: func(*args, **kwargs))
        if is_own:
            return output
        batch = broadcast_shapes(*(named[name].shape[:-3] for name in ("query", "key", "value")))
        return output.reshape(*batch, *named["query"].shape[-3:-1], -1)

    def _flex(self, func: Callable, args, kwargs) -> tuple:
        """torch's flex_attention, run in its plain form: what it makes of the scores is a bias, as a mask is."""
        calling = callers()
        sight = Sight(self.watchers, calling, args[0].shape[1])
        if not sight.places or is_known(sight, args[0]):
            return func(*args, **kwargs)
        own, *others = func(*args, **kwargs)
        output, _ = self._mixed(sight, read_flex(*args[:6]), args[:2], calling, lambda: own)
        return (output, *others)

    def _mixed(
        self,
        sight: Sight,
        product: Product,
        pair: tuple[Tensor, Tensor],
        calling: list[Caller],
        run: Callable[[], Tensor],
    ) -> tuple[Tensor, bool]:
        """The output of a fused call that is seen, and whether it is the call's own: else it has four axes.

        `pair` is query and key as the call got them; `run` makes the call, and is left out where no head is left to it.
        """

        @cache
        def traced() -> Traced:
            return self._trace(lambda: self._lineage.of_pair(*pair, calling))

        @cache
        def kind() -> Kind:
            return kind_of(traced(), traced().kind is None and product.is_shaped_causal, calling)

        heads, written, others = sight.written_heads, None, []
        if heads:
            written, mixed = write_out(product, sight, kind)
            others.append((heads, mixed))
        if sight.replaced:
            others.append(replace_product(product, sight))
        left = sight.heads - sum(len(own) for own, _ in others)
        output = run() if left else None

        own_run = self._run_of(calling, product.shape[2])
        rows = self._rows(traced(), own_run, product.shape) if self._lineage.chooses else None
        sight.note(own_run)
        if sight.records:
            if sight.replaced:
                written = replaced_weights(product, sight).beside(written)
            sight.record(
                kind=kind(),
                product=product.kept(self._masks),
                written=written,
                run=own_run,
                over="token" if kind() == "cross" else looks_over(calling, product.shape, product.value),
                rows=rows,
            )
        if output is None or others:
            return _joined(None if output is None else output.reshape(*product.shape[:3], -1), others), False
        return output, True

    def _trace(self, trail: Callable[[], Traced]) -> Traced:
        """What the lineage says; weights and buffers of the watched models are no activations."""
        if not self._lineage.constants:
            models = [watcher.paths.model for watcher in self.watchers]
            tensors = (tensor for model in models for tensor in (*model.parameters(), *model.buffers()))
            self._lineage.constants = {id(tensor) for tensor in tensors}
        return trail()

    def _rows(self, traced: Traced, run: ModuleRun | None, shape: Sequence[int]) -> Tensor | None:
        """The positions of the queries, if the module chose some of its tokens for each head."""
        batch, heads, queries, _ = shape
        rows = traced.rows
        if rows is None or run is None or rows.numel() != batch * heads * queries or queries > run.tokens:
            return None
        rows = rows.reshape(batch, heads, queries)
        all_in_order = torch.arange(queries, device=rows.device).expand_as(rows)
        run.chosen = queries < run.tokens or not torch.equal(rows, all_in_order)
        return rows if run.chosen else None

    def _softmax(self, func: Callable, args, kwargs) -> Tensor:
        """A softmax over the last of three or more axes may be attention: make its edits and remember it."""
        weights = func(*args, **kwargs)
        dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
        if weights.ndim < 3 or dim not in (-1, weights.ndim - 1) or weights.is_nested:
            self._lose(f"a softmax over axis {dim} of a tensor with {weights.ndim} axes")
            return weights
        calling = callers()
        scores = args[0] if args else kwargs["input"]

        @cache
        def traced() -> Traced:
            return self._trace(lambda: self._lineage.of_scores(scores, calling))

        chosen = traced().rows if self._lineage.chooses else None
        heads = self._heads_inside or folded_heads(calling, weights, chosen)
        split = four_axes(weights, heads)
        sight = Sight(self.watchers, calling, split.shape[1])
        if not sight.places or is_known(sight, scores):
            return weights
        refuse_products(sight)

        @cache
        def kind() -> Kind:
            return kind_of(traced(), traced().kind is None and is_causal(split[0, 0] > 0), calling)

        if sight.written_heads:
            split = edit_softmax(split, four_axes(scores, heads), sight, kind)
            weights = split.reshape(weights.shape)
        module = calling[0].module
        self._drafts = {name: draft for name, draft in self._drafts.items() if draft.module is module}
        self._contexts = [pair for pair in self._contexts if pair[0].module is module]
        draft = Draft(weights, split, weights, sight, kind, traced(), calling)
        self._drafts[id(weights)] = draft
        sight.lose("a softmax, and nothing that was done with it was a product with values")
        return weights

    def _run_of(self, calling: list[Caller], rows: int) -> ModuleRun | None:
        """The run of a module in which a map of so many rows was made; None where it reads no sequence."""
        found = sequence_in(calling[:1])
        if found is None:
            return None
        caller, sequence = found
        latest = self._runs.get(id(caller.module))
        # What it was called with is held, so that another call cannot have the same.
        if latest is None or latest[0] is not caller.args or latest[1] is not caller.kwargs:
            latest = caller.args, caller.kwargs, ModuleRun(sequence.shape[1])
            self._runs[id(caller.module)] = latest
        run = latest[2]
        run.maps, run.rows, run.most = run.maps + 1, run.rows + rows, max(run.most, rows)
        return run

    def _follow(self, func: Callable, args, kwargs, result: object) -> object:
        """A softmax that is multiplied with values was attention; one that stays in its places may yet be."""
        operands = [operand for operand in args if isinstance(operand, Tensor)]
        for place, operand in enumerate(operands):
            draft = self._drafts.get(id(operand))
            if draft is None:
                continue
            if func in PRODUCTS:
                self._drafts = {name: other for name, other in self._drafts.items() if other.sight is not draft.sight}
                if mixes_values(func, args, place, len(operands)):
                    self._finish(draft, operands[-1 if place + 1 < len(operands) else 0], result)
                else:
                    draft.sight.lose(f"a softmax, then {func.__name__}, which does not sum over its last axis")
            elif (next_draft := follow(draft, func, args, kwargs, result)) is not None:
                result = next_draft.tensor
                self._drafts[id(result)] = next_draft
            return result
        if func in PRODUCTS and self._contexts:
            self._withdraw(operands)
        return result

    def _finish(self, draft: Draft, value: Tensor, result: object) -> None:
        """It was attention, unless the softmax shares out features: its "values" are then keys times values."""
        if not draft.traced.compared and self._lineage.is_a_product(value, draft.traced.entered):
            draft.sight.refuse(of_features)
            return
        run = self._run_of(draft.calling, draft.weights.shape[2])
        rows = self._rows(draft.traced, run, draft.weights.shape)
        draft.finish(value, run, rows)
        if not draft.traced.compared and isinstance(result, Tensor):
            self._contexts.append((draft, result))

    def _withdraw(self, operands: list[Tensor]) -> None:
        """Keys shared out over tokens and multiplied with values, then with queries: linear attention, not maps."""
        for operand in operands:
            for draft, context in list(self._contexts):
                if self._lineage.is_view(operand, context):
                    draft.sight.refuse(of_features)
                    self._contexts.remove((draft, context))

    def _lose(self, what: str) -> None:
        """Remember what was seen of a softmax that cannot be attention, for the sentence that names the module."""
        calling = callers()
        for watcher in self.watchers:
            if (path := watcher.paths.path(calling)) is not None:
                watcher.lost.setdefault(path, what)


def _joined(fused: Tensor | None, parts: list[tuple[list[int], Tensor]]) -> Tensor:
    """The output of all heads: the parts, each with the numbers of its heads, and the fused rest, if there is one."""
    heads = torch.tensor([head for own, _ in parts for head in own], device=parts[0][1].device)
    together = torch.cat([part for _, part in parts], dim=1)
    return together[:, heads.argsort()] if fused is None else fused.index_copy(1, heads, together)


def _packed_groups(calling: list[Caller], query: Tensor) -> int:
    """transformers lays the query heads of a group along the query axis when a grouped-query model has one query."""
    module = calling[0].module if calling else None
    groups = getattr(module, "num_key_value_groups", 1)
    if not (groups > 1 and query.ndim == 4 and query.shape[2] == groups):
        return 1
    config = getattr(module, "config", None)
    layers = getattr(config, "per_layer_config", None)  # where layers differ, the whole has no number of heads to read
    own = layers[module.layer_idx] if module and layers else config
    return groups if query.shape[1] * groups == getattr(own, "num_attention_heads", None) else 1
