"""Attention of all heads in one view: choose, hover and pin in the browser; ask the server only above a size."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from core.view import Layer, PatchSequence, Scene, Sequence, TextSequence
from core.view.codec import whole_number
from core.view.packing import overview_of, pack
from core.view.scripts import BROWSER
from core.view.view_request import ViewRequest
from dashboard.address import parameter
from dashboard.components.kit import Component, component_value, selection_callback

__all__ = ["Choice", "Layer", "PatchSequence", "Scene", "Sequence", "TextSequence", "attention_view", "close_cell"]

Scale = Literal["linear", "log", "row"]
View = Literal["map", "lines", "text", "picture"]

_show = Component(BROWSER / "attention_view" / "view.js")


@dataclass(frozen=True)
class Choice:
    """The head, the pinned token and the chosen cell (`token`, `key`) that the server knows of.

    The browser reports head and token only above the size at which it must ask for a head, or if `attention_view` was
    called with `tell=True`, and with them a cell only if it was called with `explains`.
    """

    layer: int
    head: int
    token: int | None = None
    key: int | None = None


def attention_view(
    scene: Scene,
    *,
    key: str,
    view: View | None = None,
    scale: Scale | None = None,
    token: int | None = None,
    silenced: tuple[tuple[int, int], ...] = (),
    on_silence: Callable[[int, int], None] | None = None,
    address: bool | Literal["row"] = True,
    tell: bool = False,
    explains: str | None = None,
    apart: str | None = None,
) -> Choice:
    """Show a scene.

    `view`, `scale` and `token` apply before the visitor chooses (by default the map, 0 to 1, the last query; the
    picture and each row's own maximum where the keys are patches). `silenced` heads, (layer, head), are
    marked; `on_silence(layer, head)` is called, before the page runs again, when the visitor asks to silence the head
    in view. `address`: keep layer, head, token, view, scale and special tokens in the address bar, for one view of a
    page only; with "row" all but layer and head, which the page keeps itself. `tell`: report each chosen head and
    pinned token to the server, which reruns the page. `apart` is the address of a page that takes a head apart; the
    view links to it with layer, head and token added. `explains` is the key of a container below, in which the page
    explains the weight of the cell that is chosen, by a click on the map or on a number beside it, until it calls
    `close_cell`; the address keeps the cell's key, too.
    """
    names = [*(["layer", "head"] if address is True else []), "token", *(["key"] if explains else [])]
    addressed = {name: parameter(name, whole_number) for name in names} if address else {}
    chosen = component_value(key, "chosen") or addressed
    request = ViewRequest.from_message(chosen)
    layer, head = request.layer_and_head(scene)
    options = {
        "view": view,
        "scale": scale,
        "token": token,
        "silenced": [list(head) for head in silenced],
        "canSilence": on_silence is not None,
        "canExact": True,
        "address": address,
        "tell": tell,
        "explains": explains,
        "closed": st.session_state.get(_closed(key)),
        "apart": apart,
    }

    silence_callback = selection_callback(
        lambda message: message and ViewRequest.from_message(message).layer_and_head(scene), on_silence
    )
    _show(key, pack(scene, request) | {"options": options}, chosen=None, silence=silence_callback)
    pinned = _pinned(scene, layer, request.have, chosen.get("token"))
    column = whole_number(chosen.get("key"), below=scene.shape(layer)[1])
    is_open = pinned is not None and _chosen_at(chosen) != st.session_state.get(_closed(key))
    return Choice(layer, head, pinned, column if explains and is_open else None)


def close_cell(key: str) -> None:
    """Give up the cell that was chosen in the view with this key; for a callback, before the page runs again."""
    st.session_state[_closed(key)] = _chosen_at(component_value(key, "chosen") or {})


def _chosen_at(chosen: Mapping) -> int:
    """When a cell was chosen, in the browser's milliseconds: it tells one choice from another. 0 in an address."""
    return whole_number(chosen.get("at")) or 0


def _closed(key: str) -> str:
    return f"{key}_closed"


def _pinned(scene: Scene, layer: int, have: str, text: object) -> int | None:
    """The pinned token; None if it was pinned in another scene, or does not exist."""
    token = whole_number(text)
    is_own = have in ("", overview_of(scene)["digest"])
    return token if token is not None and token < scene.shape(layer)[0] and is_own else None
