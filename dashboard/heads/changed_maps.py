"""A head that was left to speak, before and after others were silenced: what it looked at, looks at, and what moved."""

import numpy as np
import pandas as pd
import streamlit as st

from core.capture import AttentionCall
from core.text import Tokens
from dashboard import charts, layout
from dashboard.figures.heat import heat
from dashboard.runs import Head, Watched, WatchedText

LARGEST_DRAWN = 256  # cells on a side: more than a third of a window shows
LARGEST_TABLE = 64  # tokens on a side, whose cells can be taken away
READABLE = 24  # labels on an axis
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
    maps = [_map(watched.record.calls[layer], head) for watched in (before, after)]
    labels = _labels(before, before.record.calls[layer])
    change = maps[1] - maps[0]
    most = max(float(np.abs(change).max()), 0.01)
    # A patch shares its attention among so many that on the scale from 0 to 1 nothing would be seen.
    top = 1.0 if isinstance(before, WatchedText) else float(max(drawn.max() for drawn in maps))
    first, second, third = st.columns(3)
    with first:
        _figure("before", maps[0], (0.0, top), labels, place)
    with second:
        _figure("after", maps[1], (0.0, top), labels, place)
    with third:
        _figure("difference", change, (-most, most), labels, place, table=_cells(*maps))


def _figure(
    name: str,
    values: np.ndarray,
    limits: tuple[float, float],
    labels: list[str] | None,
    place: Head,
    table: pd.DataFrame | None = None,
) -> None:
    layer, head = place
    figure = heat(
        values,
        palette=layout.palette(),
        x=f"{name}: from {limits[0]:.2g} to {limits[1]:.2g}".replace("-", "−"),
        y="looks",
        rows=labels,
        columns=labels,
        limits=limits,
        tell="%{y} at %{x}: %{z:.3f}",
        height=360,
        size=charts.letters() - 2,
    )
    figure.update_traces(showscale=False)  # three scales would take a third of the window
    figure.update_xaxes(tickangle=90)
    alt = f"Layer {layer}, head {head}: attention, {name}"
    charts.chart(figure, name=f"{name}-{layer}-{head}", alt=alt, table=table)


def _cells(before: np.ndarray, after: np.ndarray) -> pd.DataFrame | None:
    """One row a cell, with the places of query and key; None where there are too many for a file in the page."""
    if max(before.shape) > LARGEST_TABLE:
        return None
    query, key = (places.ravel() for places in np.indices(before.shape))
    return pd.DataFrame({"query": query, "key": key, "before": before.ravel(), "after": after.ravel()})


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
    """The tokens, where all of them can be written along an axis."""
    names = watched.model.sequences_of(call, watched.run)  # type: ignore[arg-type]  # model and run are of one kind
    sequence = watched.run.sequences[names[0]] if names and names[0] == names[1] else None
    if not isinstance(sequence, Tokens) or len(sequence) > READABLE:
        return None
    return [layout.readable(label) for label in sequence.labels]
