"""What happens to a softmax before it is multiplied with values: coats, masks, dropout, and what ends the trail."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..errors import CaptureError
from .call import ModuleRun, Written
from .paths import Caller
from .provenance import Kind, Traced
from .softmax_axes import leaves_out_the_last_key, looks_over
from .watcher import Sight

of_features = "a softmax over features: linear attention has no map of tokens"

# What leaves the weights in their places, and as large as they are.
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

    `tensor` is what the model holds now, kept so that its identity lasts; `weights` are its numbers with four axes,
    `clean` those before dropout, with the axes of `tensor`.
    """

    tensor: Tensor
    weights: Float[Tensor, "batch head query key"]
    clean: Tensor
    sight: Sight
    kind: Callable[[], Kind]
    traced: Traced
    calling: list[Caller]
    sink: Float[Tensor, "batch head query"] | None = None

    @property
    def module(self) -> nn.Module:
        """The innermost module in which the softmax was made."""
        return self.calling[0].module

    def finish(self, value: Tensor, run: ModuleRun | None, rows: Int[Tensor, "batch head query"] | None) -> None:
        """It was attention; `value` is what it was multiplied with, `rows` which queries it has."""
        weights = self.weights if self.sight.differentiable else self.weights.detach()
        batch, heads, queries, keys = weights.shape
        fits = value.ndim >= 3 and value.shape[-2] == keys and value.shape[:-2].numel() == batch * heads
        own_value = value.detach().reshape(batch, heads, keys, -1) if fits else None
        self.sight.note(run)
        if self.sight.records:
            kind, shape = self.kind(), (batch, heads, queries, keys)
            self.sight.record(
                kind=kind,
                product=None,
                written=Written(tuple(range(heads)), weights),
                seen_value=own_value,
                over="token" if kind == "cross" else looks_over(self.calling, shape, own_value),
                sink=self.sink,
                run=run,
                rows=rows,
            )


def follow(draft: Draft, func: Callable, args: tuple, kwargs: dict, result: object) -> Draft | None:
    """The draft after an operation; None where that is the end of the trail, which the sight is told of."""
    name, tensor = getattr(func, "__name__", ""), draft.tensor
    if isinstance(result, Tensor):
        if name == "dropout":
            return _dropped(draft, args, kwargs, result)
        if name in PASS_THROUGH_OPS:
            clean = result if draft.clean is tensor else _again(draft, func, args, kwargs)
            return replace(draft, tensor=result, clean=clean)
        if func is Tensor.__getitem__ and leaves_out_the_last_key(tensor, result):  # that of an attention sink
            clean = result if draft.clean is tensor else draft.clean[..., :-1]
            sink = draft.weights[..., -1].detach()
            return replace(draft, tensor=result, clean=clean, weights=clean.flatten(0, -4), sink=sink)
        dropped = draft.clean is not tensor and name in DIVISORS  # by what dropout has left of each row
        if result.shape == tensor.shape and not dropped and _is_mask(name, tensor, args, kwargs):
            return _masked(draft, func, args, kwargs, result)
    draft.sight.lose(f"a softmax, then {name or func}, and no product with values")
    return None


def _dropped(draft: Draft, args: tuple, kwargs: dict, result: Tensor) -> Draft:
    """What dropout leaves; without training it leaves all."""
    share = args[1] if len(args) > 1 else kwargs.get("p", 0.5)
    training = args[2] if len(args) > 2 else kwargs.get("training", kwargs.get("train", True))
    on = training and share > 0
    return replace(draft, tensor=result, clean=draft.clean if on or draft.clean is not draft.tensor else result)


def _masked(draft: Draft, func: Callable, args: tuple, kwargs: dict, result: Tensor) -> Draft:
    """The weights are what a mask leaves of them."""
    clean = result
    if draft.clean is not draft.tensor:
        if draft.sight.differentiable:
            raise CaptureError(
                f"'{draft.sight.places[0][1]}' masks its weights after dropout: their gradient can be followed only "
                "where there is no dropout, after model.eval()."
            )
        clean = _again(draft, func, args, kwargs)
    weights = clean if clean.shape == draft.weights.shape else clean.reshape(draft.weights.shape)
    if draft.sight.differentiable:  # what the gradient reaches is what the model goes on with
        result = clean = weights if weights is clean else weights.reshape(result.shape)
    return replace(draft, tensor=result, clean=clean, weights=weights)


def _again(draft: Draft, func: Callable, args: tuple, kwargs: dict) -> Tensor:
    """The same operation on the weights before dropout, of which the model's own tensor is left as it is."""
    clean = draft.clean.clone() if getattr(func, "__name__", "").endswith(("_", "_imul__")) else draft.clean
    return func(*(clean if argument is draft.tensor else argument for argument in args), **kwargs)


def _is_mask(name: str, tensor: Tensor, args: tuple, kwargs: dict) -> bool:
    """Whether an operation leaves out some weights, or makes what is left of each row sum to 1 again."""
    if name in FILLS:
        return True
    others = [argument for argument in (*args, *kwargs.values()) if argument is not tensor]
    if len(others) != 1:
        return False
    (other,) = others
    if name in FACTORS:
        if not isinstance(other, Tensor):
            return other == 1
        if torch._C._functorch.is_functorch_wrapped_tensor(other):
            return False
        return other.dtype == torch.bool or bool(((other == 0) | (other == 1)).all())
    if name in DIVISORS and args[0] is tensor and isinstance(other, Tensor):
        return other.ndim == tensor.ndim and other.shape[-1] == 1
    return False
