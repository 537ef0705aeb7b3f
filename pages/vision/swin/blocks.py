"""Which block a section shows (each keeps its own choice), and how sentences name blocks, places and shares."""

from collections.abc import Sequence

from streamlit.delta_generator import DeltaGenerator

from core.vision.windows import WindowLayer
from dashboard.inputs import controls, photograph
from dashboard.inputs.photograph import Photograph

# How queries and keys are compared, in LaTeX: by their products or, in SwinV2, by their cosines.
CONTENT = {False: r"\tfrac{QK^{\top}}{\sqrt{d}}", True: r"\tau \cos(Q, K)"}


def choose_photograph(settings: DeltaGenerator) -> Photograph:
    """The photograph, in the control bar; the model and its patches in the menu: few visitors have another Swin."""
    return photograph.choose_in_bar(photograph.WINDOWED, models_in=settings, patches_in=settings)


def choose_block(layers: Sequence[WindowLayer], *, key: str) -> int:
    """Controls for stage and block; the number of the block among all. At first block 1, the first that is shifted."""
    stages = sorted({layer.stage for layer in layers})
    stage = stages[controls.number("Stage", len(stages), key=f"{key}_stage")]
    inside = [number for number, layer in enumerate(layers) if layer.stage == stage]
    return inside[controls.number("Block", len(inside), key=f"{key}_block", first=1)]


def name_of(layer: WindowLayer) -> str:
    """A block as sentences speak of it."""
    return f"block {layer.block} of stage {layer.stage}"


def place_of(layer: WindowLayer, place: int) -> str:
    """A place of the grid (row * columns + column, or below 0) as "row, column"."""
    return f"{place // layer.columns}, {place % layer.columns}" if place >= 0 else "padding"


def counted(number: int, name: str) -> str:
    """A number of things: "1 row", "2 rows", "−3 rows"."""
    return f"{number:,} {name}{'' if abs(number) == 1 else 's'}".replace("-", "−")


def percent(share: float) -> str:
    """Whole percents, two digits where it is less than ten of them; a true minus."""
    return (f"{share:.0%}" if abs(share) >= 0.0995 or not share else f"{100 * share:.2g}%").replace("-", "−")
