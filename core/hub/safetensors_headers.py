"""The header of a safetensors file, checked against the file before any tensor is read."""

import json
import struct
from math import prod
from pathlib import Path
from typing import Any

from ..errors import ModelError

LONGEST = 25_000_000  # bytes of a header; the format allows four times as much, and no model comes near
MOST_DIMENSIONS = 16
BYTES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 1),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 2),
    **dict.fromkeys(("U32", "I32", "F32"), 4),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 8),
}


def count_numbers(file: Path, name: str) -> int:
    """The number of parameters in a file; ModelError where its header and its length do not agree.

    The first 8 bytes are the length of the JSON header; the header has the type, shape and offsets of each tensor,
    which fill the rest of the file.
    """
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > LONGEST:
                raise ValueError
            header = json.loads(stream.read(length))
        spans = sorted(_span(tensor) for key, tensor in header.items() if key != "__metadata__")
        end = 0
        for begin, stop, _ in spans:
            if begin != end:  # a gap, or two tensors at one offset
                raise ValueError
            end = stop
        if 8 + length + end != file.stat().st_size:
            raise ValueError
        return sum(numbers for _, _, numbers in spans)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error, OSError) as error:
        raise ModelError(f"{file.name} of '{name}' is damaged or cut off. Download it again.") from error


def _span(tensor: dict[str, Any]) -> tuple[int, int, int]:
    """The begin and end of a tensor, in bytes after the header, and the number of its elements."""
    (begin, end), shape = tensor["data_offsets"], tensor["shape"]
    if len(shape) > MOST_DIMENSIONS or not all(type(size) is int and size >= 0 for size in (begin, end, *shape)):
        raise ValueError
    numbers = prod(shape)
    if end - begin != numbers * BYTES[tensor["dtype"]]:
        raise ValueError
    return begin, end, numbers
