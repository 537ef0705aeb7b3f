"""Errors for attention that cannot be recorded or edited as it runs."""

import torch
from torch import Tensor

from ..errors import CaptureError
from .paths import checkpoint_pass
from .watcher import WatchedAttention

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


def refuse_nested(watched: WatchedAttention) -> None:
    """Raise CaptureError for watched attention between nested tensors."""
    if watched.places:
        raise CaptureError(_JAGGED.format(path=watched.places[0][1]))


def refuse_products(watched: WatchedAttention) -> None:
    """Raise CaptureError for replacements and patches, where attention is recorded from its softmax."""
    if watched.replaced or watched.patches:
        raise CaptureError(
            f"'{watched.places[0][1]}' does not call scaled_dot_product_attention: its weights can be edited, but its "
            f"product cannot be {'replaced' if watched.replaced else 'patched'}."
        )


def is_recomputation(watched: WatchedAttention, tensor: Tensor) -> bool:
    """Whether this is a recomputation under gradient checkpointing of an attention that ran before.

    Raises CaptureError for edits under gradient checkpointing, which the recomputation would not have, and for records
    of wrapper tensors of torch.func.
    """
    path = watched.places[0][1]
    pass_name = checkpoint_pass()
    if pass_name and (watched.edits or watched.replaced or watched.differentiable):
        raise CaptureError(_CHECKPOINTED.format(path=path))
    if watched.records and torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        raise CaptureError(_FUNCTIONAL.format(path=path))
    return pass_name == "again"
