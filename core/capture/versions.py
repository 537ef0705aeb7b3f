"""Recorded tensors that are written in place later: which are copied at once, and how a change of the others is noticed."""

from collections.abc import Iterable

import torch
from torch import Tensor

from ..errors import CaptureError


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
    `check_versions` compares the count when it is read.
    """
    tensor = tensor.detach()
    return copied(tensor) if torch.is_inference_mode_enabled() or version(tensor) else tensor


def version(tensor: Tensor) -> int:
    """How often the tensor's memory was written in place; 0 for a tensor of inference mode, where nothing counts it."""
    return 0 if tensor.is_inference() else tensor._version


def check_versions(path: str, tensors: Iterable[Tensor], versions: Iterable[int]) -> None:
    """Raise CaptureError if the memory of a recorded tensor was written in place since it was recorded."""
    if any(version(tensor) != before for tensor, before in zip(tensors, versions, strict=True)):
        raise CaptureError(
            f"What '{path}' read was changed in place after its attention ran, so its record no longer holds: record "
            "under torch.inference_mode(), where everything is copied, or read it before the change."
        )
