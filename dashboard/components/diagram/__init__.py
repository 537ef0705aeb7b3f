"""A model as a diagram that one can walk: the stream from top to bottom, the branches that leave it and are added."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from dashboard.components.diagram.scene import KINDS, Scene, scene
from dashboard.components.kit import Component

__all__ = ["KINDS", "Scene", "diagram", "scene"]

_show = Component(__file__)


def diagram(scene: Scene, *, chosen: str, on_choose: Callable[[str], None], key: str) -> None:
    """Show a scene with one part `chosen`; `on_choose(part)` is called, before the page runs again, at a click.

    Boxes are buttons: they can be reached with Tab and the arrow keys, and chosen with Enter.
    """
    keys = {box.key for box in scene.boxes} | {chip.key for chip in scene.chips}

    def choose(part: Any) -> None:
        if part in keys:
            on_choose(part)

    _show(key, asdict(scene) | {"chosen": chosen}, picked=choose)
