"""Attention of all heads in one view: choose, hover and pin in the browser; ask the server only above a size."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.view import Layer, PatchSequence, Scene, Sequence, TextSequence
from core.view.codec import whole_number
from core.view.packing import overview_of, pack
from core.view.scripts import BROWSER
from core.view.view_request import ViewRequest
from dashboard.address import parameter
from dashboard.components.kit import Component, component_value, selection_callback

__all__ = ["Choice", "Layer", "PatchSequence", "Scene", "Sequence", "TextSequence", "attention_view"]

Scale = Literal["linear", "log", "row"]
View = Literal["map", "lines", "text", "picture"]

_show = Component(BROWSER / "attention_view" / "view.js")


@dataclass(frozen=True)
class Choice:
    """The head and the pinned token that the server knows of.

    The browser reports head and token only above the size at which it must ask for a head, or if `attention_view` was
    called with `tell=True`.
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

    `view`, `scale` and `token` apply before the visitor chooses (by default the map, 0 to 1, the last query; the
    picture and each row's own maximum where the keys are patches). `silenced` heads, (layer, head), are
    marked; `on_silence(layer, head)` is called, before the page runs again, when the visitor asks to silence the head
    in view. `address`: keep layer, head, token, view, scale and special tokens in the address bar, for one view of a
    page only. `tell`: report each chosen head and pinned token to the server, which reruns the page. `apart` is the
    address of a page that takes a head apart; the view links to it with layer, head and token added.
    """
    addressed = {name: parameter(name, whole_number) for name in ("layer", "head", "token")} if address else {}
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
        "apart": apart,
    }

    silence_callback = selection_callback(
        lambda message: message and ViewRequest.from_message(message).layer_and_head(scene), on_silence
    )
    _show(key, pack(scene, request) | {"options": options}, chosen=None, silence=silence_callback)
    return Choice(layer, head, _pinned(scene, layer, request.have, chosen.get("token")))


def _pinned(scene: Scene, layer: int, have: str, text: object) -> int | None:
    """The pinned token; None if it was pinned in another scene, or does not exist."""
    token = whole_number(text)
    is_own = have in ("", overview_of(scene)["digest"])
    return token if token is not None and token < scene.shape(layer)[0] and is_own else None
