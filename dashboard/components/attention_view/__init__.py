"""Attention of all heads in one view: choose, hover and pin in the browser; ask the server only above a size."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import streamlit as st

from dashboard import theme
from dashboard.components.attention_view.packing import Found, Wanted, pack
from dashboard.components.attention_view.scene import Layer, PatchSequence, Scene, Sequence, TextSequence
from dashboard.components.bundle import bundle

__all__ = ["Choice", "Layer", "PatchSequence", "Scene", "Sequence", "TextSequence", "attention_view"]

Scale = Literal["linear", "log", "row"]
View = Literal["map", "lines", "text", "picture"]

_FOLDER = Path(__file__).parent
_MOUNT = st.components.v2.component(
    "attention_view",
    js=bundle(_FOLDER, "main.js"),
    css="\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in ("layout.css", "parts.css")),
)


@dataclass(frozen=True)
class Choice:
    """What the server was told: the head and the pinned token.

    The browser tells the server about head and token only above the size where it must ask for a head,
    or where `attention_view` was given `tell=True`.
    """

    layer: int
    head: int
    token: int | None = None


def attention_view(
    scene: Scene,
    *,
    key: str,
    view: View | None = None,
    scale: Scale | None = None,
    token: int | None = None,
    silenced: tuple[tuple[int, int], ...] = (),
    on_silence: Callable[[int, int], None] | None = None,
    address: bool = True,
    tell: bool = False,
    apart: str | None = None,
) -> Choice:
    """Show a scene.

    `view`, `scale` and `token` are what is shown before the visitor chooses (by default the map, 0 to 1, the last
    query; the picture and each row's own maximum where the keys are patches). `silenced` heads, (layer, head), are
    marked; `on_silence(layer, head)` is called, before the page runs again, when the visitor asks to silence the head
    in view. `address`: keep layer, head, token, view, scale and special tokens in the address bar; one view of a page
    may. `tell`: tell the server each chosen head and pinned token, which reruns the page. `apart` is the address of a
    page that takes a head apart; the view links to it with layer, head and token added.
    """
    state = st.session_state.get(key) or {}
    chosen = state.get("chosen") or (_addressed() if address else {})
    message = pack(scene, _wanted(chosen))
    message["options"] = {
        "view": view,
        "scale": scale,
        "token": token,
        "silenced": [list(head) for head in silenced],
        "canSilence": on_silence is not None,
        "address": address,
        "tell": tell,
        "apart": apart,
    }
    message["palettes"] = _PALETTES

    def silence() -> None:
        asked = (st.session_state.get(key) or {}).get("silence")
        if asked and on_silence:
            head = _wanted(asked).within(scene)
            on_silence(head.layer, head.head)

    _MOUNT(key=key, data=message, on_chosen_change=_nothing, on_silence_change=silence)
    found = _wanted(chosen).within(scene)
    return Choice(found.layer, found.head, _pinned(scene, found, chosen))


_PALETTES = theme.for_browser()


def _wanted(chosen: dict) -> Wanted:
    return Wanted(
        layer=_number(chosen.get("layer")),
        head=_number(chosen.get("head")),
        have=str(chosen.get("have") or ""),
        exact=_number(chosen.get("exact")),
    )


def _addressed() -> dict:
    return {name: st.query_params.get(name) for name in ("layer", "head", "token")}


def _pinned(scene: Scene, found: Found, chosen: dict) -> int | None:
    """The pinned token, unless it was pinned in another scene."""
    token = _number(chosen.get("token"))
    queries, _ = scene.shape(found.layer)
    return token if token is not None and token < queries and found.have in ("", scene.overview["digest"]) else None


def _number(text: object) -> int | None:
    """A whole number from 0 up, or None for whatever else an address or a browser may hold."""
    text = str(text)
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def _nothing() -> None:
    """Streamlit returns only those values that have a callback."""
