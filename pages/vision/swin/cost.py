"""What one attention block costs as the picture grows: in windows and over the whole grid, counted and measured."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.vision.window_cost import PIXELS, BlockSizes, Timing, global_cost, window_cost
from core.vision.windows import WindowLayer
from dashboard import theme
from dashboard.output import charts, measured_costs
from dashboard.recordings.watched import WatchedImage
from dashboard.theme import HUES
from pages.vision.swin import compute
from pages.vision.swin.figures import window_costs
from pages.vision.swin.prose import PAGE

SECTION = PAGE.section("Reach and cost")
WINDOWS, GRID, RATIO = "In windows", "Over the whole grid", "Whole grid / windows"
_HUES = {WINDOWS: HUES[0], GRID: HUES[1], RATIO: HUES[2]}


@dataclass(frozen=True)
class Costs:
    """The sizes of the block, the side of the shown picture in pixels, and what was measured, if anything."""

    sizes: BlockSizes
    pixels: int
    timings: tuple[Timing, ...] = ()

    def counted(self, pixels: int) -> tuple[int, int]:
        """Multiply-adds in windows and over the whole grid, of a square picture."""
        side, width = self.sizes.grid(pixels), self.sizes.width
        return window_cost(side, side, width, self.sizes.window), global_cost(side, side, width)


def show(watched: WatchedImage, layer: WindowLayer) -> Costs:
    """The figures and the button; what they show. `layer` is the model's first block."""
    sizes, pixels = _sizes(watched, layer), int(watched.inputs.pixels.shape[-1])
    costs = Costs(sizes, pixels, compute.timings.peek(sizes) or ())
    st.subheader("What does it cost?", anchor=False)
    high, wide = sizes.window
    about = SECTION.text(
        "Cost of a block",
        width=sizes.width,
        heads=sizes.heads,
        patch=sizes.patch,
        high=high,
        wide=wide,
        least=PIXELS[0],
    )
    st.markdown(about, width=theme.PROSE)
    measured_costs.offer(
        lambda progress: compute.timings.refresh(sizes, progress), again=bool(costs.timings), unit="rounds"
    )
    counted = np.array([costs.counted(side) for side in PIXELS], dtype=float)
    measured = {timing.pixels: (timing.window, timing.full_grid) for timing in costs.timings}
    seconds = np.array([measured.get(side, (np.nan, np.nan)) for side in PIXELS])
    growth, ratio = st.columns(2, gap="medium")
    with growth:
        lines, points = (
            {WINDOWS: table[:, 0], GRID: table[:, 1]} for table in (counted / counted[0, 0], seconds / seconds[0, 0])
        )
        _chart(
            costs, lines, points, name="swin-cost", y=f"cost / windows at {PIXELS[0]} px", alt="The cost of one block"
        )
    with ratio:
        lines, points = ({RATIO: table[:, 1] / table[:, 0]} for table in (counted, seconds))
        _chart(
            costs, lines, points, name="swin-ratio", y="whole grid / windows", alt="How many times the whole grid costs"
        )
    return costs


def about_cost(costs: Costs) -> tuple[str, ...]:
    """How many times dearer the whole grid is, counted and measured."""
    (windows, full_grid), double = costs.counted(costs.pixels), costs.counted(2 * costs.pixels)
    ratio = full_grid / windows
    beside = f"costs **{ratio:.{1 if ratio >= 1.05 else 2}f} times** as many multiply-adds as one in windows"
    if full_grid == windows:
        beside = "costs **as many** multiply-adds as one in windows: one window fills it"
    sentence = (
        f"At {costs.pixels} × {costs.pixels} pixels a block over the whole grid {beside}. With twice the side, "
        f"windows cost {double[0] / windows:.1f} times as many as before, the whole grid "
        f"{double[1] / full_grid:.1f} times."
    )
    if not costs.timings:
        return (sentence,)
    last = costs.timings[-1]
    windows, full_grid = costs.counted(last.pixels)
    return (
        sentence,
        f"Measured here at {last.pixels} pixels: {1e3 * last.window:.3g} ms in windows, {1e3 * last.full_grid:.3g} ms "
        f"over the whole grid, **{last.full_grid / last.window:.1f} times** as long; counted, it is "
        f"{full_grid / windows:.1f} times.",
    )


def numbers_of(costs: Costs) -> dict[str, object]:
    """The numbers of equations 1 and 2 for the shown picture."""
    (windows, full_grid), (high, wide) = costs.counted(costs.pixels), costs.sizes.window
    return {
        "side": costs.sizes.grid(costs.pixels),
        "width": costs.sizes.width,
        "window": f"{high}^2" if high == wide else rf"({high} \cdot {wide})",
        "global_cost": full_grid,
        "window_cost": windows,
    }


def _sizes(watched: WatchedImage, layer: WindowLayer) -> BlockSizes:
    call, pixels = watched.record.calls[0], int(watched.inputs.pixels.shape[-1])
    attention = watched.model.network.get_submodule(layer.path)
    width = next((int(getattr(attention, name)) for name in ("dim", "all_head_size") if hasattr(attention, name)), 0)
    if not width:
        assert call.value is not None
        width = call.heads * call.value.shape[-1]
    return BlockSizes(width, call.heads, layer.window, -(-pixels // layer.columns))


def _chart(
    costs: Costs, lines: dict[str, np.ndarray], points: dict[str, np.ndarray], *, name: str, y: str, alt: str
) -> None:
    measured = points if costs.timings else {}
    table = {f"{label}, counted": values for label, values in lines.items()}
    table |= {f"{label}, measured": values for label, values in measured.items()}
    summary = "; ".join(f"{label} {values[0]:,.3g} to {values[-1]:,.3g}" for label, values in lines.items())
    charts.chart(
        partial(window_costs, PIXELS, lines, measured, hues=_HUES, look=theme.look(), y=y, picture_side=costs.pixels),
        name=name,
        alt=f"{alt} for pictures of {PIXELS[0]} to {PIXELS[-1]} pixels, counted: {summary}",
        table=pd.DataFrame({"pixels": PIXELS, **table}),
    )
