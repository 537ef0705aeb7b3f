"""Recorded tensors whose memory a model may write to later: which are copied, and how the others are checked."""

import torch
from torch import Tensor


def unexpanded(view: Tensor) -> Tensor:
    """The view with each expanded axis (stride 0) reduced to size 1."""
    return view[tuple(slice(1) if stride == 0 else slice(None) for stride in view.stride())]


def compact_copy(view: Tensor) -> Tensor:
    """A copy with its own memory; expanded axes stay expanded."""
    return unexpanded(view).clone().expand(view.shape)


def stable_tensor(tensor: Tensor) -> Tensor:
    """The detached tensor, or a copy of it where its memory may be overwritten.

    torch counts how often memory was written in place (`Tensor._version`). A count above zero at the time of the
    attention means a buffer, such as a cache of fixed size, which the next step fills further: it is copied. In
    inference mode torch counts nothing, so everything is copied. Other tensors are not copied; their count is compared
    when they are read.
    """
    tensor = tensor.detach()
    return compact_copy(tensor) if torch.is_inference_mode_enabled() or version(tensor) else tensor


def version(tensor: Tensor) -> int:
    """How often the tensor's memory was written in place; 0 for a tensor of inference mode, which has no count."""
    return 0 if tensor.is_inference() else tensor._version
