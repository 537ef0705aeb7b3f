"""The request of a browser to the attention view."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .codec import whole_number


@dataclass(frozen=True)
class ViewRequest:
    """A head to send, a query whose row to send in float32 (`exact`), and the digest of the known overview (`have`)."""

    layer: int | None = None
    head: int | None = None
    have: str = ""
    exact: int | None = None

    @classmethod
    def from_message(cls, message: object) -> "ViewRequest":
        """The request in a browser's message or in an address; invalid or missing values become None."""
        fields = message if isinstance(message, Mapping) else {}
        numbers = {name: whole_number(fields.get(name)) for name in ("layer", "head", "exact")}
        return cls(**numbers, have=str(fields.get("have") or ""))

    def layer_and_head(self, scene: Any) -> tuple[int, int]:
        """The requested layer and head; `scene.start` where none is requested or the scene has no such head."""
        layer, head = self.layer or 0, self.head or 0
        is_requested = (self.layer, self.head) != (None, None) and scene.has(layer, head)
        return (layer, head) if is_requested else scene.start
