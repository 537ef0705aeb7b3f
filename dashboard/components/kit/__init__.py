"""How a component is put together from its files, mounted, and heard; its scripts share core/view/browser/kit."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from core.view.scripts import BROWSER, bundle
from core.view.wanted import Wanted
from dashboard import theme

_PALETTES = {signed: theme.for_browser(signed=signed) for signed in (False, True)}


class Component:
    """The component in the folder of a file: view.js with all that it imports, and view.css after the kit's own styles.

    One that is not `isolated` has no styles but its own, and these hold for the whole page.
    """

    def __init__(self, file: str | Path, *, isolated: bool = True):
        folder = Path(file).parent
        styles = (*([BROWSER / "kit" / "kit.css"] if isolated else []), folder / "view.css")
        css = "\n".join(style.read_text(encoding="utf-8") for style in styles if style.exists())
        self._mount = st.components.v2.component(
            f"attention_atlas_{folder.name}", js=bundle(folder), css=css, isolate_styles=isolated
        )

    def __call__(self, key: str, data: Mapping, *, signed: bool = False, **heard: Callable[[Any], None] | None) -> None:
        """Mount it with `data`; the colours, `signed` or not, and whether the page is presented go with them.

        Each of `heard` is called with what the browser said under that name, before the page runs again. Streamlit
        keeps only what has a name here: None for what is read with `said`.
        """

        def hearing(name: str, hear: Callable[[Any], None] | None) -> Callable[[], None]:
            return lambda: hear(said(key, name)) if hear else None

        callbacks: dict[str, Any] = {f"on_{name}_change": hearing(name, hear) for name, hear in heard.items()}
        look = {"palettes": _PALETTES[signed], "present": theme.is_presented()}
        self._mount(key=key, data={**look, **data}, **callbacks)


def said(key: str, name: str) -> Any:
    """What the browser said last under a name of the component with this key; None where it said nothing."""
    return (st.session_state.get(key) or {}).get(name)


def held(key: str, name: str) -> str:
    """The digest of what the browser said that it holds, in the message under a name."""
    return Wanted.of(said(key, name)).have


def choosing(read: Callable[[Any], tuple | None], on_choose: Callable[..., None] | None) -> Callable[[Any], None]:
    """What calls `on_choose` with the place that `read` finds in a message, where there are both."""

    def hear(message: Any) -> None:
        if (place := read(message)) and on_choose:
            on_choose(*place)

    return hear


def place_of(message: object, **counts: int) -> tuple[int, ...] | None:
    """The whole numbers of a browser's message by their names, each below its count; else None."""
    if not isinstance(message, Mapping):
        return None
    place: list[Any] = [message.get(name) for name in counts]
    # True is an int too, and no place.
    fits = all(type(each) is int and 0 <= each < count for each, count in zip(place, counts.values(), strict=True))
    return tuple(place) if fits else None
