"""Opening pictures: example photographs, and uploaded files, which become RGB or raise InputError."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .opening import DECODERS as DECODERS
    from .opening import EXAMPLES as EXAMPLES
    from .opening import LARGEST_FILE as LARGEST_FILE
    from .opening import LIMITS as LIMITS
    from .opening import Patches as Patches
    from .opening import open_example as open_example
    from .opening import open_picture as open_picture

_OF_OPENING = ("DECODERS", "EXAMPLES", "LARGEST_FILE", "LIMITS", "Patches", "open_example", "open_picture")


def __getattr__(name: str) -> Any:
    # Imported lazily: the processes that decode pictures need the decoder alone.
    if name in _OF_OPENING:
        from . import opening

        return getattr(opening, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
