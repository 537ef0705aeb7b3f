"""The map of attention over a long text in the browser: zoomed from all of the text down to one weight."""

import re
from collections.abc import Callable

from dashboard.components.kit import Component

__all__ = ["map_view"]

# "layer.head" or "layer.head.depth.query.key", as geometry.js reads and writes it
_PLACE = re.compile(r"\d{1,4}\.\d{1,4}(?:\.-?\d{1,2}\.\d{1,7}\.\d{1,7})?", re.ASCII)

_show = Component(__file__)


def map_view(
    *,
    key: str,
    base: str,
    place: str | None,
    name: str,
    height: int = 520,
    on_place: Callable[[str], None] | None = None,
) -> None:
    """Show the map of a reading whose HTTP answers lie at the path `base`; it follows the reading by itself.

    `place` is where it begins: "layer.head" for all of a head's map, or "layer.head.depth.query.key" with the tokens in
    the middle and the depth of the zoom, 2^depth tokens for a pixel (below 0 where a token is larger than a pixel).
    Anything else begins with the first head. A later `place` that the browser did not send itself moves the map there.
    `on_place(place)` is called before the page runs again, 0.6 s after the visitor has moved the map. `name` begins
    the names of files, `height` is that of the map with its axes in pixels.
    """

    def hear(message: object) -> None:
        if on_place and (valid := place_in(message)):
            on_place(valid)

    data = {"base": base, "place": place_in(place), "name": f"attention-atlas-{name}", "height": height}
    _show(key, data, place=hear)


def place_in(message: object) -> str | None:
    """The place in a message of the browser or in an address; None if there is no valid one."""
    return message if isinstance(message, str) and _PLACE.fullmatch(message) else None
