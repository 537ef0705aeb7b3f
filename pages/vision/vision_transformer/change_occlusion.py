"""Which patch matters most: hidden one after the other on demand, and drawn over the photograph."""

from functools import partial

import streamlit as st

from core.vision.hidden_patches import MOST, Occlusion, square_side
from dashboard import layout, waiting
from dashboard.components.patch_picker import patch_picker
from pages.vision.vision_transformer import change_tools, hidden_patches
from pages.vision.vision_transformer import compute_changed as kept
from pages.vision.vision_transformer import words_change as said
from pages.vision.vision_transformer.changed import Changed

FAINT = 0.02  # of probability: where nothing loses more, the map stays pale


def show(changed: Changed) -> Occlusion | None:
    """The map for the class that the model names first, or the button that measures it."""
    st.subheader("Which patch matters most?", anchor=False)
    target = changed.before.first
    found = kept.known_occlusion(changed.before, target)
    if found is None:
        _offer(changed, target)
        return None
    _map(changed, found)
    return found


def _offer(changed: Changed, target: int) -> None:
    side = square_side(changed.grid)
    count = -(-changed.grid.rows // side) * -(-changed.grid.columns // side)
    what = "each patch" if side == 1 else f"each square of {side} × {side} patches"
    if not layout.is_presented():
        name = layout.plain(changed.label(target))
        st.markdown(said.OFFER.format(what=what, count=count, target=name), width=layout.PROSE)
        if side > 1:
            st.caption(f"There are {changed.count:,} patches; at most {MOST} squares are hidden one by one.")
    waiting.offer(
        f"Hide each of the {count}",
        partial(kept.measure_occlusion, changed.before, target),
        unit="patches" if side == 1 else "squares",
        key="change-occlude",
    )


def _map(changed: Changed, found: Occlusion) -> None:
    grid, rows, columns = changed.grid, *found.losses.shape
    name = changed.label(found.target)

    def switch(row: int, column: int) -> None:
        square = found.patches((row, column), grid)
        hidden = changed.hidden - square if square <= changed.hidden else changed.hidden | square
        hidden_patches.keep(hidden, grid)

    drawn, told = st.columns([1.2, 1], gap="large")
    with drawn:
        largest = max(FAINT, float(found.losses.abs().max()))
        low = -largest if float(found.losses.min()) < 0 else 0.0
        whole = rows * found.side == grid.rows and columns * found.side == grid.columns
        patch_picker(
            change_tools.greyed(changed.before.given.shown),
            rows=rows,
            columns=columns,
            key="change-occlusion",
            values=100 * found.losses.numpy(),
            limits=(100 * low, 100 * largest),
            tell="row {row}, column {column}: hidden alone, it takes {value} points from “" + name + "”",
            hint="Point at a square to read it, click to hide it." if whole else "Point at a square to read it.",
            on_click=switch if whole else None,
            alt=f"What “{name}” loses when each square is hidden alone, in percentage points; most at row "
            f"{found.most[0]}, column {found.most[1]}",
            name="vision-occlusion",
            height=400,
        )
    with told:
        _say(changed, found)


def _say(changed: Changed, found: Occlusion) -> None:
    """The strongest squares as a list, and what such a map does not say."""
    ranked = found.losses.flatten().argsort(descending=True)[:5].tolist()
    columns = found.losses.shape[1]
    st.markdown(f"**{layout.plain(changed.label(found.target))}** has {found.probability:.1%} with everything in view.")
    for place in ranked:
        row, column = divmod(place, columns)
        loss = float(found.losses[row, column])
        st.markdown(
            f"- without row {row}, column {column}: **{found.probability - loss:.1%}** ({points(-loss)} points)"
        )
    if not layout.is_presented():
        st.caption(said.LEARNED_NOTHING)


def points(change: float) -> str:
    """A change of probability in percentage points, with a true minus."""
    return f"{round(100 * change, 1) + 0.0:+.1f}".replace("-", "−")
