"""Recorded tensors that a model writes into later: which are copied at once, and how the others are checked."""

import torch
from torch import Tensor


def once(view: Tensor) -> Tensor:
    """What is really there of a view: one of each expanded axis."""
    return view[tuple(slice(1) if stride == 0 else slice(None) for stride in view.stride())]


def copied(view: Tensor) -> Tensor:
    """A copy with memory of its own; an expanded axis stays expanded."""
    return once(view).clone().expand(view.shape)


def lasting(tensor: Tensor) -> Tensor:
    """The tensor, outside any graph, or a copy of it where its memory may be written again without notice.

    torch counts how often memory was written in place (`Tensor._version`). A count above zero at the time of the
    attention means a buffer that somebody fills, such as a cache of fixed size, which the next step fills further: it
    is copied. In inference mode torch counts nothing, so everything is copied. All else is kept without a copy, and
    the count is compared when it is read.
    """
    tensor = tensor.detach()
    return copied(tensor) if torch.is_inference_mode_enabled() or version(tensor) else tensor


def version(tensor: Tensor) -> int:
    """How often the tensor's memory was written in place; 0 for a tensor of inference mode, where nothing counts it."""
    return 0 if tensor.is_inference() else tensor._version
