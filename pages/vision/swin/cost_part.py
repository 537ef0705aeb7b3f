"""What one attention block costs as the picture grows: in windows and over the whole grid, counted and measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.vision.window_cost import PIXELS, BlockSizes, Timing, global_cost, window_cost
from core.vision.windows import WindowLayer
from dashboard import charts, layout, measuring
from dashboard.theme import HUES
from dashboard.watched import WatchedImage
from pages.vision.swin import compute_cost as swin_cost
from pages.vision.swin import words_reach as said
from pages.vision.swin.figures_window_costs import window_costs

WINDOWS, WHOLE, RATIO = "In windows", "Over the whole grid", "Whole grid / windows"
_HUES = {WINDOWS: HUES[0], WHOLE: HUES[1], RATIO: HUES[2]}


@dataclass(frozen=True)
class Costs:
    """The sizes of the block, the side of the shown picture in pixels, and what was measured, if anything."""

    sizes: BlockSizes
    pixels: int
    timings: tuple[Timing, ...] = ()

    @property
    def grid(self) -> int:
        """h = w of the shown picture."""
        return self.sizes.grid(self.pixels)

    def counted(self, pixels: int) -> tuple[int, int]:
        """Multiply-adds in windows and over the whole grid, of a square picture."""
        side = self.sizes.grid(pixels)
        whole = global_cost(side, side, self.sizes.width)
        return window_cost(side, side, self.sizes.width, self.sizes.window), whole


def show(watched: WatchedImage, layer: WindowLayer) -> Costs:
    """The figures and the button; what they show. `layer` is the model's first block."""
    costs = _costs(watched, layer)
    st.subheader("What does it cost?", anchor=False)
    if not layout.is_presented():
        high, wide = costs.sizes.window
        words = vars(costs.sizes) | {"high": high, "wide": wide, "least": PIXELS[0]}
        st.markdown(said.COST.format(**words), width=layout.PROSE)
    measuring.offer(partial(swin_cost.measure_timings, costs.sizes), again=bool(costs.timings), unit="rounds")
    growth, ratio = st.columns(2, gap="medium")
    with growth:
        _growth(costs)
    with ratio:
        _ratio(costs)
    return costs


def _costs(watched: WatchedImage, layer: WindowLayer) -> Costs:
    call = watched.record.calls[0]
    pixels = int(watched.given.pixels.shape[-1])
    each = watched.model.network.get_submodule(layer.path)
    width = next((int(getattr(each, name)) for name in ("dim", "all_head_size") if hasattr(each, name)), 0)
    if not width:
        assert call.value is not None
        width = call.heads * call.value.shape[-1]
    sizes = BlockSizes(width, call.heads, layer.window, -(-pixels // layer.columns))
    return Costs(sizes, pixels, swin_cost.timings(sizes) or ())


def _growth(costs: Costs) -> None:
    counted = np.array([costs.counted(pixels) for pixels in PIXELS], dtype=float)
    seconds = _seconds(costs.timings)
    lines = {name: counted[:, place] / counted[0, 0] for place, name in enumerate((WINDOWS, WHOLE))}
    points = {name: seconds[:, place] / seconds[0, 0] for place, name in enumerate((WINDOWS, WHOLE))}
    _chart(costs, lines, points, name="swin-cost", y=f"cost / windows at {PIXELS[0]} px", alt="The cost of one block")


def _ratio(costs: Costs) -> None:
    counted = np.array([costs.counted(pixels) for pixels in PIXELS], dtype=float)
    seconds = _seconds(costs.timings)
    lines, points = {RATIO: counted[:, 1] / counted[:, 0]}, {RATIO: seconds[:, 1] / seconds[:, 0]}
    _chart(costs, lines, points, name="swin-ratio", y="whole grid / windows", alt="How many times the whole grid costs")


def _chart(
    costs: Costs, lines: dict[str, np.ndarray], points: dict[str, np.ndarray], *, name: str, y: str, alt: str
) -> None:
    figure = window_costs(
        PIXELS,
        lines,
        points if costs.timings else {},
        hues=_HUES,
        look=layout.look(),
        y=y,
        shown=costs.pixels,
    )
    table = pd.DataFrame({"pixels": PIXELS} | {f"{each}, counted": values for each, values in lines.items()})
    if costs.timings:
        table = table.assign(**{f"{each}, measured": values for each, values in points.items()})
    told = "; ".join(f"{each} {values[0]:,.3g} to {values[-1]:,.3g}" for each, values in lines.items())
    charts.chart(
        figure,
        name=name,
        alt=f"{alt} for pictures of {PIXELS[0]} to {PIXELS[-1]} pixels, counted: {told}",
        table=table,
    )


def _seconds(timings: Sequence[Timing]) -> np.ndarray:
    """(size, way), NaN where nothing was measured."""
    found = {timing.pixels: (timing.window, timing.whole) for timing in timings}
    return np.array([found.get(pixels, (np.nan, np.nan)) for pixels in PIXELS])
