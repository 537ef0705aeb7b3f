"""Processors that train models: how fast their makers say they are."""

from pathlib import Path

from ..scaling import Device
from .table import FOLDER, SOURCE, Columns, Number, Words, read_table

_COLUMNS: Columns = (
    Words("device"),
    Number("tflops", high=1e5, required=True, open=True),
    Number("memory_gb", high=1e5, required=True, open=True),
    Words("precision"),
    SOURCE,
)


def devices(file: Path = FOLDER / "devices.csv") -> tuple[Device, ...]:
    """The devices in `file`, in its order, at their peak in half precision; ValueError where a row is wrong."""
    return tuple(
        Device(of["device"], 1e12 * of["tflops"], 1e9 * of["memory_gb"], f"{of['source']} ({of['precision']})")
        for of in (row.cells for row in read_table(file, _COLUMNS, unique=("device",)))
    )
