"""The arithmetic of one attention head, step by step, in the browser."""

from dashboard.components.kit import Component
from dashboard.components.step_view.scene import scene

__all__ = ["scene", "step_view"]

_show = Component(__file__)


def step_view(scene: dict, *, name: str, present: bool = False, key: str = "step-view") -> None:
    """Show a `scene`. The step and the chosen cell live in the browser and in the address (`step`, `cell`).

    `name` begins the names of downloaded files; `present` is the projector's view.
    """
    _show(key, {**scene, "name": name, "present": present})
