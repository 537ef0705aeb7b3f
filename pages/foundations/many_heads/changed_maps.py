"""A head that was left to speak, before and after others were silenced: what it looked at, looks at, and what moved."""

import numpy as np
import streamlit as st

from core.capture import AttentionCall
from core.text import Tokens
from dashboard import layout
from dashboard.components.cell_map import cell_map
from dashboard.watched import Head, Watched, WatchedText

LARGEST_DRAWN = 256  # cells on a side: more than a third of a window shows
HEIGHT = 360  # pixels
SOME = 0.0005  # of the attention: less is not told from nothing
MOST = "the one that changed most"


def show(before: Watched, after: Watched, moved: np.ndarray) -> None:
    """Three maps of one head; `moved` (layer, head) says how much each head's attention has changed."""
    st.subheader("What changed in the heads that still speak", anchor=False)
    place = _choose(moved)
    if place is None:
        st.markdown("Nothing: no other head looks at anything new. Silence is heard only in later layers.")
        return
    layer, head = place
    told = (
        f"{moved[place]:.1%} of its attention has moved."
        if moved[place] >= SOME
        else "it looks where it looked before."
    )
    st.markdown(f"**Layer {layer}, head {head}**: {told}")
    _show_maps(before, after, place)


def _show_maps(before: Watched, after: Watched, place: Head) -> None:
    """Before, after and their difference, side by side."""
    layer, head = place
    first, second = (_map(watched.record.calls[layer], head) for watched in (before, after))
    labels = _labels(before, before.record.calls[layer])
    # A patch shares its attention among so many that on the scale from 0 to 1 nothing would be seen.
    top = 1.0 if isinstance(before, WatchedText) else float(max(first.max(), second.max()))
    change = second - first
    most = max(float(np.abs(change).max()), 0.01)
    shown = (
        ("Before", first, (0.0, top), "{row} gave {value} to {column}"),
        ("After", second, (0.0, top), "{row} gives {value} to {column}"),
        ("Difference", change, (-most, most), "{row} to {column}: {value}"),
    )
    for column, (title, values, limits, tell) in zip(st.columns(3, gap="medium"), shown, strict=True):
        with column:
            st.markdown(f"**{title}**")
            cell_map(
                values,
                key=f"changed-{title.lower()}",
                x="key",
                y="query",
                tell=tell,
                rows=labels,
                columns=labels,
                limits=limits,
                alt=f"Layer {layer}, head {head}: attention, {title.lower()}",
                name=f"{title.lower()}-layer-{layer}-head-{head}",
                height=HEIGHT,
            )


def _choose(moved: np.ndarray) -> Head | None:
    """The head to look at: the one that changed most, unless the visitor wants another; None if none changed."""
    heads = [(int(layer), int(head)) for layer, head in np.argwhere(np.isfinite(moved))]
    heads.sort(key=lambda place: -moved[place])
    names = {f"{layer}.{head}": (layer, head) for layer, head in heads}
    options = [MOST, *names]
    name = st.selectbox("Head (layer.head), most changed first", options, key="changed", bind="query-params", width=300)
    if name != MOST:
        return names[name]
    return heads[0] if heads and moved[heads[0]] >= SOME else None


def _map(call: AttentionCall, head: int) -> np.ndarray:
    """The whole map, or block means of a larger one."""
    if max(call.query_length, call.key_length) > LARGEST_DRAWN:
        return call.overview(head=head, size=LARGEST_DRAWN).numpy()
    return call.weights(head=head).numpy()


def _labels(watched: Watched, call: AttentionCall) -> list[str] | None:
    """The tokens; None where a cell is a block of them, or no token but a patch."""
    names = watched.model.sequences_of(call, watched.run)  # type: ignore[arg-type]  # model and run are of one kind
    sequence = watched.run.sequences[names[0]] if names and names[0] == names[1] else None
    if not isinstance(sequence, Tokens) or len(sequence) > LARGEST_DRAWN:
        return None
    return [layout.readable(label) for label in sequence.labels]
