"""What cannot be recorded or edited as it runs, each in a sentence."""

import torch
from torch import Tensor

from ..errors import CaptureError
from .paths import checkpointing
from .watcher import Sight

_CHECKPOINTED = (
    "'{path}' runs under gradient checkpointing: in the backward pass it would run once more, without what is asked of "
    "its heads here. Switch checkpointing off, as in model.gradient_checkpointing_disable()."
)
_JAGGED = (
    "'{path}' calls attention with a nested tensor, whose inputs have each a length of their own: give the model a "
    "padded batch with its mask, as torch.nested.to_padded_tensor makes it."
)
_FUNCTIONAL = (
    "'{path}' runs inside torch.func (grad, vmap), where a tensor stands for others and cannot be kept: record a plain "
    "run of the model. Edits work there."
)


def refuse_nested(sight: Sight) -> None:
    """CaptureError for attention between nested tensors that somebody watches."""
    if sight.places:
        raise CaptureError(_JAGGED.format(path=sight.places[0][1]))


def refuse_products(sight: Sight) -> None:
    """CaptureError for what only a fused call can be asked for, where attention is seen through its softmax."""
    if sight.replaced or sight.patches:
        raise CaptureError(
            f"'{sight.places[0][1]}' does not call scaled_dot_product_attention: its weights can be edited, but its "
            f"product cannot be {'replaced' if sight.replaced else 'patched'}."
        )


def is_known(sight: Sight, tensor: Tensor) -> bool:
    """Whether this is an attention that was seen before, run again for a gradient.

    CaptureError for what would not be as it was asked for: edits that a second run does not make, and records of
    tensors that stand for others.
    """
    path = sight.places[0][1]
    when = checkpointing()
    if when and (sight.edits or sight.replaced or sight.differentiable):
        raise CaptureError(_CHECKPOINTED.format(path=path))
    if sight.records and torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        raise CaptureError(_FUNCTIONAL.format(path=path))
    return when == "again"
