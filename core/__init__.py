"""Models and their attention: torch and numpy only, usable without the app.

In a clone this package is called `core`, once installed `attention_atlas`. It also exports the names of core.capture.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .capture import (
        AttentionCall,
        Cut,
        Only,
        Paste,
        Patch,
        Record,
        Replace,
        Temperature,
        by_layer,
        edit_attention,
        layer_numbers,
        record_attention,
    )

__all__ = [
    "AttentionCall",
    "Cut",
    "Only",
    "Paste",
    "Patch",
    "Record",
    "Replace",
    "Temperature",
    "by_layer",
    "edit_attention",
    "layer_numbers",
    "record_attention",
]


def __getattr__(name: str) -> Any:
    # Imported lazily: the processes that decode pictures have no room for torch.
    if name in __all__:
        from . import capture

        return getattr(capture, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
