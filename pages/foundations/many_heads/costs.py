"""Silence one head at a time: what each costs, as a map and as a table; measured when it is asked for, and kept."""

from collections.abc import Callable
from functools import partial
from math import log

import numpy as np
import pandas as pd
import streamlit as st

from core.heads.ablation import Trial
from dashboard import charts, layout, waiting
from dashboard.components.cell_map import cell_map
from dashboard.watched import Head, Watched
from pages.foundations.many_heads import chosen
from pages.foundations.many_heads import compute as runs_heads

ROW, RANKED = 36, 380  # pixels: some ten heads are seen, the others by scrolling


def show(watched: Watched, trial: Trial, silenced: tuple[Head, ...], *, on_click: Callable[[int, int], None]) -> None:
    """The costs of all heads if they are known, else the button that measures them."""
    st.subheader("Silence one at a time", anchor=False)
    known = runs_heads.known_costs(watched)
    if len(known) < len(trial.heads):
        _offer(watched, trial, len(known))
        return
    if layout.is_presented():
        _show_map(watched, known, silenced, on_click)
        return
    map_side, table_side = st.columns([4, 3], gap="large")
    with map_side:
        _show_map(watched, known, silenced, on_click)
        st.caption("Above 0: the model needs the head here. Below 0: on this input it does better without.")
    with table_side:
        table = costs_frame(watched, trial, known)
        digits = {name: st.column_config.NumberColumn(format="%.4f") for name in table.columns[2:]}
        st.dataframe(table, hide_index=True, height=min(RANKED, ROW * (len(table) + 1)), column_config=digits)
        st.caption("Cost: how much the loss rises without the head. Loss: what it is then, in nats.")
        charts.download_table(table, "cost-of-each-head")


def _offer(watched: Watched, trial: Trial, known: int) -> None:
    count = len(trial.heads)
    if not layout.is_presented():
        st.markdown(
            f"Run the model {count} times, each time without another head, and rank the heads by what they cost."
        )
    begun = f" ({known} of them already measured)" if known else ""
    waiting.offer(
        f"Silence each of the {count} heads{begun}",
        partial(runs_heads.measure_costs, watched),
        unit="heads",
        key="cost-of-each",
    )


def _show_map(
    watched: Watched, known: dict[Head, float], silenced: tuple[Head, ...], on_click: Callable[[int, int], None]
) -> None:
    calls = watched.record.calls
    values = np.full((len(calls), max(call.heads for call in calls)), np.nan, dtype=np.float32)
    for place, cost in known.items():
        values[place] = cost
    dearest = max(known, key=known.__getitem__)
    largest = float(np.nanmax(np.abs(values))) or 1.0
    cell_map(
        values,
        key="costs",
        x="head",
        y="layer",
        tell="without layer {row}, head {column} the loss changes by {value} nats",
        rows=chosen.layer_names(watched),
        limits=(-largest, largest),
        marked=silenced,
        mark="silenced",
        on_click=on_click,
        alt=f"What each head costs when it is silenced alone: most is layer {dearest[0]}, head {dearest[1]} with "
        f"{known[dearest]:.2f} nats",
        name="costs",
    )


def costs_frame(watched: Watched, trial: Trial, known: dict[Head, float]) -> pd.DataFrame:
    """One row a head, the dearest first: what the loss is without it, and what it costs."""
    names = chosen.layer_names(watched)
    ranked = sorted(known.items(), key=lambda item: -item[1])
    return pd.DataFrame(
        {
            "layer": [names[layer] for (layer, _), _ in ranked],
            "head": [head for (_, head), _ in ranked],
            "cost, nats": [round(cost, 4) for _, cost in ranked],
            "cost, bits": [round(cost / log(2), 4) for _, cost in ranked],
            "loss": [round(trial.whole + cost, 4) for _, cost in ranked],
        }
    )
