"""A drawn scene whose things can be dragged; the server draws it again when one is put down."""

from collections.abc import Callable, Mapping

from core.scenes.draw import draw
from core.scenes.things import SIDE, Scene
from core.view import codec
from dashboard.components.kit import Component, place_of, selection_callback

__all__ = ["scene_mover"]

_show = Component(__file__)
PICTURE_SIDE = 256  # pixels of the picture that is sent


def scene_mover(scene: Scene, *, key: str, on_move: Callable[[int, int, int], None]) -> None:
    """Show a scene; `on_move(thing, row, column)` is called, before the page runs again, when a thing was put down.

    Row and column are of its middle, in pixels of a scene. Things are reached with Tab and moved with the arrow keys.
    """
    things = [
        {
            "name": f"{thing.size} {thing.colour} {thing.shape}",
            "row": thing.row,
            "column": thing.column,
            "size": thing.radius,
        }
        for thing in scene.things
    ]
    data = {"picture": codec.picture_address(draw(scene, PICTURE_SIDE)), "side": SIDE, "things": things}

    def read(message: object) -> tuple[int, ...] | None:
        if not isinstance(message, Mapping):
            return None
        return place_of(message, thing=len(scene.things), row=SIDE, column=SIDE)

    _show(key, data, moved=selection_callback(read, on_move))
