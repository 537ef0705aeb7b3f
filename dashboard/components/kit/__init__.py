"""Components in the browser: built from their files, mounted, and read; their scripts share core/view/browser/kit."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from core.view.scripts import BROWSER, bundle
from core.view.view_request import ViewRequest
from dashboard import theme

_PALETTES = {signed: theme.for_browser(signed=signed) for signed in (False, True)}


class Component:
    """The component in the folder of a file: view.js with all that it imports, and view.css after the kit's own styles.

    A component that is not `isolated` has only its own styles, and these apply to the entire page.
    """

    def __init__(self, file: str | Path, *, isolated: bool = True):
        folder = Path(file).parent
        styles = (*([BROWSER / "kit" / "kit.css"] if isolated else []), folder / "view.css")
        css = "\n".join(style.read_text(encoding="utf-8") for style in styles if style.exists())
        self._mount = st.components.v2.component(
            f"attention_atlas_{folder.name}", js=bundle(folder), css=css, isolate_styles=isolated
        )

    def __call__(
        self, key: str, data: Mapping, *, signed: bool = False, **callbacks: Callable[[Any], None] | None
    ) -> None:
        """Mount it with `data`, the colours (`signed` or not), and whether the page is presented.

        Each of `callbacks` is called with the value that the browser set under its name, before the page runs again.
        Streamlit keeps only values named here: None for those that are read with `component_value`.
        """

        def callback_of(name: str, callback: Callable[[Any], None] | None) -> Callable[[], None]:
            return lambda: callback(component_value(key, name)) if callback else None

        on_change: dict[str, Any] = {
            f"on_{name}_change": callback_of(name, callback) for name, callback in callbacks.items()
        }
        look = {"palettes": _PALETTES[signed], "present": theme.is_presented()}
        self._mount(key=key, data={**look, **data}, **on_change)


def component_value(key: str, name: str) -> Any:
    """The value that the browser last set under a name of the component with this key; None if it set none."""
    return (st.session_state.get(key) or {}).get(name)


def cached_digest(key: str, name: str) -> str:
    """The digest of the message that the browser has already, from the value under a name."""
    return ViewRequest.from_message(component_value(key, name)).have


def selection_callback(
    read: Callable[[Any], tuple | None], on_choose: Callable[..., None] | None
) -> Callable[[Any], None]:
    """A callback that calls `on_choose` with the place that `read` finds in a message, if there are both."""

    def hear(message: Any) -> None:
        if (place := read(message)) and on_choose:
            on_choose(*place)

    return hear


def place_of(message: object, **counts: int) -> tuple[int, ...] | None:
    """The integers in a browser's message under the names of `counts`, each from 0 to below its count; else None."""
    if not isinstance(message, Mapping):
        return None
    place: list[Any] = [message.get(name) for name in counts]
    # True is an int too, and no place.
    fits = all(
        type(number) is int and 0 <= number < count for number, count in zip(place, counts.values(), strict=True)
    )
    return tuple(place) if fits else None
