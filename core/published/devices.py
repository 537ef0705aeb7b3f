"""Processors that train models, with the speeds that their makers state."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from ..scaling import Device
from .table import FOLDER, Text, read_table

_Size = Annotated[float, Meta(gt=0, le=1e5)]


@dataclass(frozen=True)
class _Row:
    device: Text
    tflops: _Size
    memory_gb: _Size
    precision: Text
    source: Text


def devices(file: Path = FOLDER / "devices.csv") -> tuple[Device, ...]:
    """The devices in `file`, in its order, at their peak in half precision; ValueError where a row is wrong."""
    return tuple(
        Device(row.device, 1e12 * row.tflops, 1e9 * row.memory_gb, f"{row.source} ({row.precision})")
        for row in read_table(file, _Row, unique=("device",))
    )
