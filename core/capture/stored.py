"""A record as a file: what every call kept, without the model that ran, as safetensors with a table of its calls."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor

from ..errors import CaptureError
from .call import AttentionCall, ModuleRun, Written
from .product import Product
from .versions import once

FORM = "attention-atlas-record-1"  # of the file; one that says otherwise is another file
_PARTS = ("query", "key", "value")


def save_calls(
    calls: tuple[AttentionCall, ...],
    path: str | Path,
    tokens: tuple[str | tuple[str, ...], ...] | None = None,
    present: Bool[Tensor, "batch token"] | None = None,
) -> None:
    """Write calls into a file, with the labels of what was read, and which of it is no padding.

    Masks that several calls share, and expanded axes, are written once.
    """
    tensors: dict[str, Tensor] = {}
    masks: dict[int, str] = {}
    table = [_describe(number, call, tensors, masks) for number, call in enumerate(calls)]
    if present is not None:
        tensors["present"] = _own(present)
    told = {"form": FORM, "calls": json.dumps(table), "tokens": json.dumps(tokens)}
    _library().save_file(tensors, path, metadata=told)


def load_calls(path: str | Path) -> tuple[list[AttentionCall], Any, Bool[Tensor, "batch token"] | None]:
    """The calls of such a file, and labels and padding if it has some; tensors stay on the disk until somebody looks.

    Raises CaptureError for a file that holds no record.
    """
    library = _library()
    try:
        with library.safe_open(path, framework="pt") as file:
            said = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no dictionary
        if said.get("form") != FORM:
            raise ValueError("another form")
        calls = [_read(call, tensors) for call in json.loads(said["calls"])]
        return calls, json.loads(said["tokens"]), tensors.get("present")
    except FileNotFoundError as error:
        raise CaptureError(f"There is no file '{path}'.") from error
    except Exception as error:  # whatever a library does with a broken file
        raise CaptureError(f"'{path}' holds no record of attention: such a file is made by record.save.") from error


def _describe(number: int, call: AttentionCall, tensors: dict[str, Tensor], masks: dict[int, str]) -> dict[str, Any]:
    """What a call is, for the table; its tensors are added to the others, each with the call's number in its name."""
    call.check_unchanged()
    told: dict[str, Any] = {"number": number, "path": call.path, "kind": call.kind, "over": call.over}
    if call.run is not None:
        told["run"] = asdict(call.run)
    kept: dict[str, Tensor | None] = {"sink": call.sink, "seen_value": call.seen_value, "rows": call.rows}
    if (product := call.product) is not None:
        told |= {"is_causal": product.is_causal, "scale": product.scale, "dropout": product.dropout}
        kept |= {part: getattr(product, part) for part in _PARTS}
        if product.mask is not None:
            told["mask"] = masks.setdefault(id(product.mask), f"mask.{len(masks)}")
            told["mask_shape"] = list(product.mask.shape)
            tensors[told["mask"]] = _own(once(product.mask))
    if (written := call.written) is not None:
        told["heads"] = list(written.heads)
        kept |= {"weights": written.weights, "blind": written.blind}
    tensors |= {f"{number}.{name}": _own(tensor) for name, tensor in kept.items() if tensor is not None}
    return told


def _read(told: dict[str, Any], tensors: dict[str, Tensor]) -> AttentionCall:
    names = (*_PARTS, "weights", "blind", "sink", "seen_value", "rows")
    own = {name: tensors.get(f"{told['number']}.{name}") for name in names}
    product = written = None
    if own["query"] is not None:
        mask = tensors[told["mask"]].expand(told["mask_shape"]) if "mask" in told else None
        parts: dict[str, Any] = {part: own[part] for part in _PARTS}
        product = Product(**parts, mask=mask, is_causal=told["is_causal"], scale=told["scale"], dropout=told["dropout"])
    if own["weights"] is not None:
        written = Written(tuple(told["heads"]), own["weights"], own["blind"])
    run = ModuleRun(**told["run"]) if "run" in told else None
    return AttentionCall(
        told["path"],
        told["kind"],
        product,
        written,
        own["seen_value"],
        over=told["over"],
        sink=own["sink"],
        run=run,
        rows=own["rows"],
    )


def _own(tensor: Tensor) -> Tensor:
    """A copy of its own: the format knows no views."""
    return torch.empty_like(tensor, memory_format=torch.contiguous_format).copy_(tensor.detach())


def _library() -> Any:
    try:
        import safetensors
        import safetensors.torch
    except ImportError as error:
        raise CaptureError("A record is written and read as safetensors: install the package safetensors.") from error

    class Library:
        safe_open = staticmethod(safetensors.safe_open)
        save_file = staticmethod(safetensors.torch.save_file)

    return Library
