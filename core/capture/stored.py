"""Records as safetensors files: the tensors of every call, and a table of the calls in the metadata."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor

from ..errors import CaptureError
from .call import AttentionCall
from .module_runs import ModuleRun
from .product import Product
from .versions import unexpanded
from .written_weights import WrittenWeights

FORMAT = "attention-atlas-record-1"  # stands in the metadata of every file
_PARTS = ("query", "key", "value")


def save_calls(
    calls: tuple[AttentionCall, ...],
    path: str | Path,
    tokens: tuple[str | tuple[str, ...], ...] | None = None,
    present: Bool[Tensor, "batch token"] | None = None,
) -> None:
    """Write calls into a file, with the labels of the tokens and which of them are no padding.

    Masks that several calls share, and expanded axes, are written once.
    """
    tensors: dict[str, Tensor] = {}
    masks: dict[int, str] = {}
    table = [_describe(number, call, tensors, masks) for number, call in enumerate(calls)]
    if present is not None:
        tensors["present"] = _contiguous_copy(present)
    metadata = {"form": FORMAT, "calls": json.dumps(table), "tokens": json.dumps(tokens)}
    _library().save_file(tensors, path, metadata=metadata)


def load_calls(path: str | Path) -> tuple[list[AttentionCall], Any, Bool[Tensor, "batch token"] | None]:
    """The calls, labels and padding mask of a file (None where it has none); tensors are memory-mapped.

    Raises CaptureError for a file that holds no record.
    """
    library = _library()
    try:
        with library.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no dictionary
        if metadata.get("form") != FORMAT:
            raise ValueError("another form")
        calls = [_read(call, tensors) for call in json.loads(metadata["calls"])]
        return calls, json.loads(metadata["tokens"]), tensors.get("present")
    except FileNotFoundError as error:
        raise CaptureError(f"There is no file '{path}'.") from error
    except Exception as error:  # safetensors and json raise many kinds for a broken file
        raise CaptureError(f"'{path}' holds no record of attention: such a file is made by record.save.") from error


def _describe(number: int, call: AttentionCall, tensors: dict[str, Tensor], masks: dict[int, str]) -> dict[str, Any]:
    """The table's entry of a call; its tensors are added to `tensors`, with the call's number before their names."""
    call.check_unchanged()
    entry: dict[str, Any] = {"number": number, "path": call.path, "kind": call.kind, "over": call.over}
    if call.run is not None:
        entry["run"] = asdict(call.run)
    call_tensors: dict[str, Tensor | None] = {"sink": call.sink, "seen_value": call.recorded_value, "rows": call.rows}
    if (product := call.product) is not None:
        entry |= {"is_causal": product.is_causal, "scale": product.scale, "dropout": product.dropout}
        call_tensors |= {part: getattr(product, part) for part in _PARTS}
        if product.mask is not None:
            entry["mask"] = masks.setdefault(id(product.mask), f"mask.{len(masks)}")
            entry["mask_shape"] = list(product.mask.shape)
            tensors[entry["mask"]] = _contiguous_copy(unexpanded(product.mask))
    if (written := call.written) is not None:
        entry["heads"] = list(written.heads)
        call_tensors |= {"weights": written.weights, "blind": written.blind}
    tensors |= {
        f"{number}.{name}": _contiguous_copy(tensor) for name, tensor in call_tensors.items() if tensor is not None
    }
    return entry


def _read(entry: dict[str, Any], tensors: dict[str, Tensor]) -> AttentionCall:
    names = (*_PARTS, "weights", "blind", "sink", "seen_value", "rows")
    stored = {name: tensors.get(f"{entry['number']}.{name}") for name in names}
    product = written = None
    if stored["query"] is not None:
        mask = tensors[entry["mask"]].expand(entry["mask_shape"]) if "mask" in entry else None
        parts: dict[str, Any] = {part: stored[part] for part in _PARTS}
        product = Product(
            **parts, mask=mask, is_causal=entry["is_causal"], scale=entry["scale"], dropout=entry["dropout"]
        )
    if stored["weights"] is not None:
        written = WrittenWeights(tuple(entry["heads"]), stored["weights"], stored["blind"])
    run = ModuleRun(**entry["run"]) if "run" in entry else None
    return AttentionCall(
        entry["path"],
        entry["kind"],
        product,
        written,
        stored["seen_value"],
        over=entry["over"],
        sink=stored["sink"],
        run=run,
        rows=stored["rows"],
    )


def _contiguous_copy(tensor: Tensor) -> Tensor:
    """A contiguous copy: the format has no views."""
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
