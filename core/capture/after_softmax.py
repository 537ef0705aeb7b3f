"""Follow a softmax through pass-through operations, masks and dropout until it is multiplied with values."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..errors import CaptureError
from .module_runs import ModuleRun
from .paths import Caller
from .provenance import Kind, Traced
from .softmax_axes import axis_of_rows, drops_last_key
from .watcher import WatchedAttention
from .written_weights import WrittenWeights

OVER_FEATURES = "a softmax over features: linear attention has no map of tokens"

# Operations that change neither the values nor the order of the weights.
PASS_THROUGH_OPS = {
    *("to", "type", "type_as", "float", "half", "bfloat16", "contiguous", "clone"),
    *("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "expand"),
}
FILLS = {"masked_fill", "masked_fill_", "nan_to_num", "nan_to_num_", "where"}
FACTORS = {"mul", "mul_", "multiply", "__mul__", "__rmul__", "__imul__"}
DIVISORS = {"div", "div_", "divide", "true_divide", "__truediv__", "__itruediv__"}


@dataclass(frozen=True, eq=False)
class Draft:
    """A softmax that is attention if it is multiplied with values.

    `tensor` is the model's latest tensor, referenced so that its id is not reused; `weights` are its values with four
    axes, `before_dropout` those before dropout, with the axes of `tensor`.
    """

    tensor: Tensor
    weights: Float[Tensor, "batch head query key"]
    before_dropout: Tensor
    watched: WatchedAttention
    kind: Callable[[], Kind]
    traced: Traced
    calling: list[Caller]
    sink: Float[Tensor, "batch head query"] | None = None

    @property
    def module(self) -> nn.Module:
        """The innermost module in which the softmax was computed."""
        return self.calling[0].module

    def finish(self, value: Tensor, run: ModuleRun | None, rows: Int[Tensor, "batch head query"] | None) -> None:
        """Record the softmax as attention; `value` is its other factor, `rows` the positions of its queries."""
        weights = self.weights if self.watched.differentiable else self.weights.detach()
        batch, heads, queries, keys = weights.shape
        fits = value.ndim >= 3 and value.shape[-2] == keys and value.shape[:-2].numel() == batch * heads
        own_value = value.detach().reshape(batch, heads, keys, -1) if fits else None
        self.watched.mark_recorded(run)
        if self.watched.records:
            kind, shape = self.kind(), (batch, heads, queries, keys)
            self.watched.record(
                kind=kind,
                product=None,
                written=WrittenWeights(tuple(range(heads)), weights),
                recorded_value=own_value,
                over="token" if kind == "cross" else axis_of_rows(self.calling, shape, own_value),
                sink=self.sink,
                run=run,
                rows=rows,
            )


def follow_operation(draft: Draft, func: Callable, args: tuple, kwargs: dict, result: object) -> Draft | None:
    """The draft after an operation; None, noted as an unused softmax, where the operation ends in no attention."""
    name, tensor = getattr(func, "__name__", ""), draft.tensor
    if isinstance(result, Tensor):
        if name == "dropout":
            return _after_dropout(draft, args, kwargs, result)
        if name in PASS_THROUGH_OPS:
            before_dropout = result if draft.before_dropout is tensor else _reapply(draft, func, args, kwargs)
            return replace(draft, tensor=result, before_dropout=before_dropout)
        if func is Tensor.__getitem__ and drops_last_key(tensor, result):  # that of an attention sink
            before_dropout = result if draft.before_dropout is tensor else draft.before_dropout[..., :-1]
            sink = draft.weights[..., -1].detach()
            return replace(
                draft, tensor=result, before_dropout=before_dropout, weights=before_dropout.flatten(0, -4), sink=sink
            )
        undoes_dropout = draft.before_dropout is not tensor and name in DIVISORS  # by each row's sum after dropout
        if result.shape == tensor.shape and not undoes_dropout and _is_mask(name, tensor, args, kwargs):
            return _after_mask(draft, func, args, kwargs, result)
    draft.watched.note_unused_softmax(f"a softmax, then {name or func}, and no product with values")
    return None


def _after_dropout(draft: Draft, args: tuple, kwargs: dict, result: Tensor) -> Draft:
    """The draft after dropout, which changes nothing outside training."""
    rate = args[1] if len(args) > 1 else kwargs.get("p", 0.5)
    training = args[2] if len(args) > 2 else kwargs.get("training", kwargs.get("train", True))
    drops_weights = training and rate > 0
    return replace(
        draft,
        tensor=result,
        before_dropout=draft.before_dropout if drops_weights or draft.before_dropout is not draft.tensor else result,
    )


def _after_mask(draft: Draft, func: Callable, args: tuple, kwargs: dict, result: Tensor) -> Draft:
    """The draft after a mask."""
    before_dropout = result
    if draft.before_dropout is not draft.tensor:
        if draft.watched.differentiable:
            raise CaptureError(
                f"'{draft.watched.places[0][1]}' masks its weights after dropout: their gradient can be followed only "
                "where there is no dropout, after model.eval()."
            )
        before_dropout = _reapply(draft, func, args, kwargs)
    weights = (
        before_dropout if before_dropout.shape == draft.weights.shape else before_dropout.reshape(draft.weights.shape)
    )
    if draft.watched.differentiable:  # the model must continue with the tensor that the gradient reaches
        result = before_dropout = weights if weights is before_dropout else weights.reshape(result.shape)
    return replace(draft, tensor=result, before_dropout=before_dropout, weights=weights)


def _reapply(draft: Draft, func: Callable, args: tuple, kwargs: dict) -> Tensor:
    """The same operation applied to a copy of the weights before dropout."""
    before_dropout = (
        draft.before_dropout.clone()
        if getattr(func, "__name__", "").endswith(("_", "_imul__"))
        else draft.before_dropout
    )
    return func(*(before_dropout if argument is draft.tensor else argument for argument in args), **kwargs)


def _is_mask(name: str, tensor: Tensor, args: tuple, kwargs: dict) -> bool:
    """Whether an operation masks some weights, or normalises each row to sum to 1 again."""
    if name in FILLS:
        return True
    other_arguments = [argument for argument in (*args, *kwargs.values()) if argument is not tensor]
    if len(other_arguments) != 1:
        return False
    (other,) = other_arguments
    if name in FACTORS:
        if not isinstance(other, Tensor):
            return other == 1
        if torch._C._functorch.is_functorch_wrapped_tensor(other):
            return False
        return other.dtype == torch.bool or bool(((other == 0) | (other == 1)).all())
    if name in DIVISORS and args[0] is tensor and isinstance(other, Tensor):
        return other.ndim == tensor.ndim and other.shape[-1] == 1
    return False
