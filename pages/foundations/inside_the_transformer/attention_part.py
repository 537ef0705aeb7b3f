"""Attention: who may look at whom, and who does."""

import numpy as np
import pandas as pd
import streamlit as st

from core.anatomy import Arrays, Part, kind_of_mask, mask_of
from core.capture import AttentionCall
from dashboard import charts, controls, layout
from dashboard.figures.heat import heat
from dashboard.figures.paper import escape
from pages.foundations.inside_the_transformer import maps
from pages.foundations.inside_the_transformer import words as said
from pages.foundations.inside_the_transformer.compute import Walk

MOST_NAMED = 60  # tokens on a side: beyond, numbers stand for them
ACROSS, DOWN = 10, 20  # labels that an axis has room for


def show(walk: Walk, part: Part, arrays: Arrays) -> None:
    """Mask and weights of one head; of an inner map of the attention there is nothing more to say."""
    del arrays
    call = call_of(walk, part)
    if call is None:
        return
    head = controls.number("Head", call.heads, key="head")
    mask = mask_of(call, head)
    if not layout.is_presented():
        windows = f" There are {call.batch_size} windows; this is the first." if call.batch_size > 1 else ""
        st.caption(said.MASKS[kind_of_mask(mask)] + windows)
    queries = maps.labels_of(walk, part, call.query_length)
    keys = _keys(walk, part, call)
    left, right = st.columns(2)
    with left:
        _map("May look", mask.float().numpy(), queries, keys, "inside-mask")
    with right:
        weights = np.nan_to_num(call.weights(head=head).numpy())
        _map("Looks", weights, queries, keys, "inside-weights")


def call_of(walk: Walk, part: Part) -> AttentionCall | None:
    """The recorded call of an attention part."""
    calls = [call for call in walk.walked.calls if call.path == part.path]
    return calls[min(part.turn, len(calls) - 1)] if calls else None


def _keys(walk: Walk, part: Part, call: AttentionCall) -> list[str]:
    if call.kind == "cross":
        labels = walk.labels.get("encoder", ())
        if len(labels) == call.key_length:
            return [layout.readable(label) for label in labels]
    return maps.labels_of(walk, part, call.key_length)


def _map(title: str, values: np.ndarray, queries: list[str], keys: list[str], name: str) -> None:
    named = max(len(keys), len(queries)) <= MOST_NAMED
    st.markdown(f"**{title}**")
    figure = heat(
        values,
        look=layout.look().sized(-2),
        x="looked at",
        y="",
        rows=queries if named else None,
        columns=keys if named else None,
        limits=(0.0, 1.0),
        tell="%{text}: %{z:.0%}" if named else "query %{y}, key %{x}: %{z:.0%}",
        height=380,
    )
    figure.update_traces(showscale=False)
    if named:
        # A small map has no room for all of its tokens: every second or third is written, the pointer tells each.
        for update, labels, most in ((figure.update_xaxes, keys, ACROSS), (figure.update_yaxes, queries, DOWN)):
            shown = range(0, len(labels), -(-len(labels) // most))
            update(tickvals=list(shown), ticktext=[escape(labels[place]) for place in shown])
        figure.update_traces(
            text=[[f"“{escape(query)}” looks at “{escape(key)}”" for key in keys] for query in queries]
        )
    table = pd.DataFrame(values, index=queries, columns=keys).rename_axis("query").reset_index()
    charts.chart(figure, name=name, alt=f"{title}: a cell for each query and key", table=table)
