"""How far: how many tokens back each head looks, and where the model still understands the text."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.long_context.distances import ROWS, Distances
from core.view.codec import whole_number
from dashboard import theme
from dashboard.address import parameter
from dashboard.cache import waiting
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from dashboard.figures.paper import on_paper
from dashboard.frame import layout
from dashboard.long_text.open_reading import OpenReading
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES, Look
from pages.explore.long_text import compute, inputs
from pages.explore.long_text.compute import Loss
from pages.explore.long_text.prose import PAGE

SECTION = PAGE.section("How far")
READING = "The model reads the text …"
LISTED = 12  # heads in the table
TALL = 300  # pixels


def show() -> None:
    """The mean distance of every head, the distances of one, the loss by position, and the heads in order."""
    reading = inputs.choose()
    read_to_the_end(reading)
    layer, head = choose_head(reading, lambda measured: measured.mean)
    measured = reading.distances[layer][head]
    left, right = st.columns([2, 3], gap="large")
    with left:
        _all_heads(reading, (layer, head))
    with right:
        classes = class_labels(measured.edges, len(reading.tokens))
        charts.chart(
            partial(share_bars, classes, measured.shares.numpy(), look=theme.look()),
            name="distances",
            alt=f"Share of the attention of head {head} of layer {layer} by the distance between query and key",
            table=partial(pd.DataFrame, {"distance in tokens": classes, "share": measured.shares.numpy()}),
        )
    layout.place_notice()
    parts = compute.losses(reading)
    if parts:
        layout.heading("Loss by position")
        _loss(parts)
    layout.heading("Heads by distance")
    data_table(head_table(reading).head(LISTED), hide_index=True, column_config=_columns())
    charts.download_table(partial(head_table, reading), "heads-by-distance")
    notices = (compute.farthest_notice(reading), compute.loss_notice(parts), compute.first_token_notice(reading))
    layout.notes(
        SECTION,
        notice=tuple(filter(None, notices)),
        numbers={"rows": ROWS, "layer": layer, "head": head, "mean": measured.mean, "error": measured.error},
    )


def read_to_the_end(reading: OpenReading) -> None:
    """Wait under a bar until a text is read."""
    with layout.waiting_place():
        if not reading.finished:
            with waiting.spinner(READING, unit="tokens × layers") as progress:
                reading.wait(progress)
            st.rerun()  # without the button that cancels it
        reading.wait()


def choose_head(reading: OpenReading, value: Callable[[Distances], float]) -> tuple[int, int]:
    """The head in the address; without one that of the largest value."""
    heads = compute.all_heads(reading)
    first_layer, first_head, _ = max(heads, key=lambda entry: np.nan_to_num(value(entry[2]), nan=-1.0))
    layer = parameter("layer", partial(_below, len(reading.distances)))
    layer = first_layer if layer is None else layer
    head = parameter("head", partial(_below, reading.heads[layer]))
    if head is None:
        head = first_head if layer == first_layer else 0
    return layer, head


def _below(count: int, text: str) -> int | None:
    return whole_number(text, count)


def _all_heads(reading: OpenReading, chosen: tuple[int, int]) -> None:
    values = compute.mean_distances(reading)
    cell_map(
        values,
        key="mean_distances",
        x="head",
        y="layer",
        tell="layer {row}, head {column}: {value} tokens on average",
        marked=[chosen],
        on_click=_open_head,
        alt=f"Mean distance in tokens of {np.isfinite(values).sum()} heads, from {np.nanmin(values):,.0f} to "
        f"{np.nanmax(values):,.0f}",
        name="mean-distances",
        height=theme.look().high(TALL),
    )


def _open_head(layer: int, head: int) -> None:
    st.query_params.update({"layer": str(layer), "head": str(head)})


def class_labels(edges: Sequence[int], length: int) -> list[str]:
    """The range of distances of each class: 0, 1, 2–3, 4–7 ..."""
    last = [*(edge - 1 for edge in edges[1:]), max(edges[-1], length - 1)]
    return [f"{first:,}" if first == end else f"{first:,}–{end:,}" for first, end in zip(edges, last, strict=True)]


def share_bars(classes: Sequence[str], shares: np.ndarray, *, look: Look) -> go.Figure:
    """A bar for each class of distances."""
    bars = go.Bar(
        x=list(classes),
        y=shares,
        marker={"color": HUES[0]},
        hovertemplate="%{x} tokens: %{y:.1%}<extra></extra>",
    )
    yaxis = {"tickformat": ".0%", "rangemode": "tozero"}
    xaxis = {"type": "category", "showgrid": False}
    return on_paper(
        go.Figure(bars),
        look=look,
        height=TALL,
        x="distance in tokens",
        y="share of attention",
        xaxis=xaxis,
        yaxis=yaxis,
    )


def _loss(parts: tuple[Loss, ...]) -> None:
    table = loss_table(parts)
    charts.chart(
        partial(
            curves,
            np.arange(len(parts)),
            {"bits a token": table["bits a token"].to_numpy()},
            look=theme.look(),
            x="position of the token",
            y="bits a token",
            labels=list(table["positions"]),
            marks=True,
            tell="%{y:.2f} bits a token",
            height=TALL,
        ),
        name="loss",
        alt=f"Loss by position: {parts[0].bits:.2f} bits a token at the beginning, {parts[-1].bits:.2f} at the end",
        table=table,
    )


def loss_table(parts: tuple[Loss, ...]) -> pd.DataFrame:
    """The loss by position, with its standard error."""
    return pd.DataFrame(
        {
            "positions": [f"{part.first:,}–{part.last:,}" for part in parts],
            "bits a token": [part.bits for part in parts],
            "standard error": [part.error for part in parts],
        }
    )


def head_table(reading: OpenReading) -> pd.DataFrame:
    """All heads, the one that looks farthest first."""
    heads = compute.all_heads(reading)
    beyond = far_edge(len(reading.tokens))
    return pd.DataFrame(
        {
            "layer": [layer for layer, _, _ in heads],
            "head": [head for _, head, _ in heads],
            "mean distance": [measured.mean for *_, measured in heads],
            "standard error": [measured.error for *_, measured in heads],
            f"beyond {beyond:,}": [measured.beyond(beyond) for *_, measured in heads],
            "first token": [measured.first_token for *_, measured in heads],
        }
    ).sort_values("mean distance", ascending=False, kind="stable")


def far_edge(length: int) -> int:
    """A distance from which on a link counts as far: the largest power of 2 up to a quarter of the text, at least 1."""
    return 2 ** max(0, (length // 4).bit_length() - 1)


def _columns() -> dict:
    tokens = st.column_config.NumberColumn(format="%.1f")
    return {
        "mean distance": tokens,
        "standard error": tokens,
        "first token": st.column_config.NumberColumn(format="percent"),
    }
