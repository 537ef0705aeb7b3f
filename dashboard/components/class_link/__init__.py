"""The bar of a class and, behind it, the window's one websocket, which outlives the pages that are shown."""

from collections.abc import Callable

from dashboard.components.kit import Component

__all__ = ["class_link"]

_show = Component(__file__)


def class_link(code: str, *, key: str, on_code: Callable[[str], None], on_left: Callable[[], None]) -> None:
    """Lead or follow the class with this code, or open one ("").

    `on_code` is called with the code of the class that was opened, `on_left` when the visitor has left or ended it.
    """
    _show(key, {"code": code}, code=lambda new_code: on_code(str(new_code)), left=lambda _: on_left())
