"""What a browser asks for, whatever its message or an address may hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .codec import whole_number


@dataclass(frozen=True)
class Wanted:
    """What a browser asks for: a head, one row of it to the last digit; and the overview that it has already."""

    layer: int | None = None
    head: int | None = None
    have: str = ""
    exact: int | None = None

    @classmethod
    def of(cls, message: object) -> "Wanted":
        """The wish in a browser's message or in an address, whatever else it may hold."""
        found = message if isinstance(message, Mapping) else {}
        numbers = {name: whole_number(found.get(name)) for name in ("layer", "head", "exact")}
        return cls(**numbers, have=str(found.get("have") or ""))

    def within(self, scene: Any) -> tuple[int, int]:
        """The layer and the head; those that the scene starts with where none, or none that it has, is wished."""
        layer, head = self.layer or 0, self.head or 0
        wished = (self.layer, self.head) != (None, None) and scene.has(layer, head)
        return (layer, head) if wished else scene.start
