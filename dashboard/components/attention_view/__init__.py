"""Attention of all heads in one view: choose, hover and pin in the browser; ask the server only above a size."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.view import Layer, PatchSequence, Scene, Sequence, TextSequence
from core.view.codec import whole_number
from core.view.packing import overview_of, pack
from core.view.scripts import BROWSER
from core.view.wanted import Wanted
from dashboard.address import parameter
from dashboard.components.kit import Component, choosing, said

__all__ = ["Choice", "Layer", "PatchSequence", "Scene", "Sequence", "TextSequence", "attention_view"]

Scale = Literal["linear", "log", "row"]
View = Literal["map", "lines", "text", "picture"]

_show = Component(BROWSER / "attention_view" / "view.js")


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
    addressed = {name: parameter(name, whole_number) for name in ("layer", "head", "token")} if address else {}
    chosen = said(key, "chosen") or addressed
    wanted = Wanted.of(chosen)
    layer, head = wanted.within(scene)
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

    heard = choosing(lambda asked: asked and Wanted.of(asked).within(scene), on_silence)
    _show(key, pack(scene, wanted) | {"options": options}, chosen=None, silence=heard)
    return Choice(layer, head, _pinned(scene, layer, wanted.have, chosen.get("token")))


def _pinned(scene: Scene, layer: int, have: str, text: object) -> int | None:
    """The pinned token, unless it was pinned in another scene."""
    token = whole_number(text)
    is_own = have in ("", overview_of(scene)["digest"])
    return token if token is not None and token < scene.shape(layer)[0] and is_own else None
