"""Which patch matters most: hidden one after the other on demand, and drawn over the photograph."""

import numpy as np
import streamlit as st

from core.vision.hidden_patches import MAX_SQUARES, Occlusion, square_side
from dashboard import typeset
from dashboard.cache import waiting
from dashboard.components.patch_picker import patch_picker
from dashboard.frame import layout
from dashboard.inputs import hidden_patches
from dashboard.inputs.photograph import Photograph
from dashboard.number_format import compare, points
from pages.vision.vision_transformer.compute import hide_each
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Change it")
HARDLY = 5e-4  # of probability: a smaller change counts as none
FAINT = 0.02  # of probability: where nothing loses more, the map stays pale


def show(chosen: Photograph, hidden: frozenset[int], target: int) -> Occlusion | None:
    """The map for a class, or the button that measures it."""
    st.subheader("Which patch matters most?", anchor=False)
    occlusion = hide_each.peek(chosen, target)
    if occlusion is None:
        _offer(chosen, target)
        return None
    drawn, text_column = st.columns([1.2, 1], gap="large")
    with drawn:
        _map(chosen, hidden, occlusion)
    with text_column:
        name = typeset.plain(chosen.model.classes[target])
        st.markdown(f"**{name}** has {occlusion.probability:.1%} with everything in view.")
        st.markdown("\n".join(list_strongest(occlusion)))
        layout.caption(SECTION.text("Patches without a loss"))
    return occlusion


def _offer(chosen: Photograph, target: int) -> None:
    grid = chosen.prepared.patches
    side = square_side(grid)
    count = -(-grid.rows // side) * -(-grid.columns // side)
    what = "each patch" if side == 1 else f"each square of {side} × {side} patches"
    name = typeset.plain(chosen.model.classes[target])
    layout.prose(SECTION.text("Occlusion", what=what, count=count, target=name))
    if side > 1:
        layout.caption(
            f"There are {grid.rows * grid.columns:,} patches; at most {MAX_SQUARES} squares are hidden one by one."
        )
    waiting.offer(
        f"Hide each of the {count}",
        lambda progress: hide_each(chosen, target, progress=progress),
        unit="patches" if side == 1 else "squares",
        key="change-occlude",
    )


def _map(chosen: Photograph, hidden: frozenset[int], occlusion: Occlusion) -> None:
    grid, name, (rows, columns) = (
        chosen.prepared.patches,
        chosen.model.classes[occlusion.target],
        occlusion.losses.shape,
    )

    def switch(row: int, column: int) -> None:
        square = occlusion.patches((row, column), grid)
        hidden_patches.to_address(hidden - square if square <= hidden else hidden | square, grid)

    # The picture without its colours, and paler: what is laid over it keeps its own.
    grey = chosen.prepared.photograph @ np.array([0.299, 0.587, 0.114])
    largest = max(FAINT, float(occlusion.losses.abs().max()))
    low = -largest if float(occlusion.losses.min()) < 0 else 0.0
    fills_grid = rows * occlusion.side == grid.rows and columns * occlusion.side == grid.columns
    patch_picker(
        np.repeat((96 + 0.62 * grey).clip(0, 255).astype(np.uint8)[..., None], 3, axis=2),
        rows=rows,
        columns=columns,
        key="change-occlusion",
        values=100 * occlusion.losses.numpy(),
        limits=(100 * low, 100 * largest),
        tell="row {row}, column {column}: hidden alone, it takes {value} points from “" + name + "”",
        hint="Point at a square to read it, click to hide it." if fills_grid else "Point at a square to read it.",
        on_click=switch if fills_grid else None,
        alt=f"What “{name}” loses when each square is hidden alone, in percentage points; most at row "
        f"{occlusion.most_important[0]}, column {occlusion.most_important[1]}",
        name="vision-occlusion",
        height=400,
    )


def list_strongest(occlusion: Occlusion) -> list[str]:
    """The squares without which the class is least probable, the strongest first."""
    lines = []
    for place in occlusion.losses.flatten().argsort(descending=True)[:5].tolist():
        row, column = divmod(place, occlusion.losses.shape[1])
        loss = float(occlusion.losses[row, column])
        lines.append(f"- without row {row}, column {column}: **{occlusion.probability - loss:.1%}** ({points(-loss)})")
    return lines


def tell(occlusion: Occlusion, name: str) -> tuple[str, ...]:
    """Which square the class `name` needs most, how many come near it, and what all come to together."""
    losses, (row, column), name = occlusion.losses.flatten(), occlusion.most_important, f"**{typeset.plain(name)}**"
    most, count = float(losses.max()), len(losses)
    if compare(most, 0.0, margin=HARDLY) != "more":
        return (f"No square hidden alone takes a tenth of a point from {name}.",)
    raised, strong = int((losses < -HARDLY).sum()), int((losses >= most / 2).sum()) - 1
    raise_it = f"{raised} raise" if raised != 1 else "1 raises"
    sentences = [
        f"Hidden alone, row {row}, column {column} takes most from {name}: {points(-most)}. Of {count} squares, "
        f"{raise_it} it when hidden alone, and {strong or 'none'} of the others "
        f"{'takes' if strong < 2 else 'take'} at least half as much."
    ]
    together = float(losses.sum())
    added = f"Added up, gains against losses, all squares take {100 * together:.0f} points; {name} has "
    added += f"{100 * occlusion.probability:.0f} to lose"
    # More than there is cannot be lost by hiding all: then a square must be worth less where others are hidden, too.
    more = together > occlusion.probability + 0.005
    sentences.append(f"{added}: so what one square is worth depends on the others." if more else f"{added}.")
    return tuple(sentences)
