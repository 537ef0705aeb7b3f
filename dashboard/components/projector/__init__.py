"""The projector's view in the browser: the first figure of a section takes the height that is left on the screen."""

from dashboard.components.kit import Component

__all__ = ["projector"]

_show = Component(__file__)


def projector() -> None:
    """Give the first figure its room, and let its notice follow it as a caption, while the page is presented."""
    _show("projector", {})
