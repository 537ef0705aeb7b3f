"""Which block, head and window of a model a section shows: each section of the page keeps its own choice."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.vision.windows import WindowLayer
from dashboard import controls


@dataclass(frozen=True)
class Chosen:
    """A block, by its number among all, and what is known of its windows."""

    number: int
    layer: WindowLayer

    @property
    def name(self) -> str:
        """How sentences speak of it."""
        return f"block {self.layer.block} of stage {self.layer.stage}"


def block(layers: Sequence[WindowLayer], *, key: str, first: tuple[int, int] = (0, 1)) -> Chosen:
    """Controls for stage and block."""
    stages = sorted({layer.stage for layer in layers})
    stage = controls.number("Stage", len(stages), key=f"{key}_stage", first=first[0])
    inside = [number for number, layer in enumerate(layers) if layer.stage == stages[stage]]
    place = controls.number("Block", len(inside), key=f"{key}_block", first=first[1])
    return Chosen(inside[place], layers[inside[place]])


def place_of(layer: WindowLayer, number: int) -> str:
    """A place of the grid as sentences name it."""
    if number < 0:
        return "padding"
    return f"{number // layer.columns}, {number % layer.columns}"
