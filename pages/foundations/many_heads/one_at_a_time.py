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
from pages.foundations.many_heads import compute
from pages.foundations.many_heads.head_in_view import head_name, layer_names

ROW, RANKED = 36, 380  # pixels: some ten heads are seen, the others by scrolling
CHEAP = 0.02  # nats: a loss that few would notice


def show(watched: Watched, trial: Trial, silenced: tuple[Head, ...], *, on_click: Callable[[int, int], None]) -> None:
    """The costs of all heads if they are known, else the button that measures them."""
    st.subheader("Silence one at a time", anchor=False)
    known = compute.known_costs(watched)
    if len(known) < len(trial.heads):
        _offer(watched, len(trial.heads), len(known))
        return
    if layout.is_presented():
        _show_map(watched, known, silenced, on_click)
        return
    map_side, table_side = st.columns([4, 3], gap="large")
    with map_side:
        _show_map(watched, known, silenced, on_click)
        st.caption("Above 0: on this input the loss rises without the head. Below 0: it falls.")
    with table_side:
        table = costs_frame(layer_names(watched), trial.whole, known)
        digits = {name: st.column_config.NumberColumn(format="%.4f") for name in table.columns[2:]}
        st.dataframe(table, hide_index=True, height=min(RANKED, ROW * (len(table) + 1)), column_config=digits)
        st.caption("Cost: how much the loss rises without the head. Loss: what it is then, in nats.")
        charts.download_table(table, "cost-of-each-head")


def noticed(costs: dict[Head, float], count: int) -> tuple[str, ...]:
    """What silencing each of `count` heads alone told, in nats, if every head was tried."""
    if len(costs) < count:
        return ("Silence one at a time, above, and this place will say what each head costs.",)
    dearest, cheapest = max(costs, key=costs.__getitem__), min(costs, key=costs.__getitem__)
    cheap = sum(abs(cost) < CHEAP for cost in costs.values())
    sentences = [
        f"**{cheap} of {count} heads** change the loss by less than {CHEAP} nats when they are silenced alone."
    ]
    if costs[dearest] >= CHEAP:
        sentences.append(f"**{head_name(dearest)}** costs most: the loss rises by {costs[dearest]:.2f} nats.")
    if costs[cheapest] <= -CHEAP:
        sentences.append(
            f"Without **{head_name(cheapest).lower()}** the loss *falls*, by {-costs[cheapest]:.2f} nats: one input is "
            "not enough to call a head useless, or harmful."
        )
    return tuple(sentences)


def _offer(watched: Watched, count: int, known: int) -> None:
    if not layout.is_presented():
        st.markdown(
            f"Run the model {count} times, each time without another head, and rank the heads by what they cost."
        )
    begun = f" ({known} of them already measured)" if known else ""
    label = f"Silence each of the {count} heads{begun}"
    waiting.offer(label, partial(compute.measure_costs, watched), unit="heads", key="cost-of-each")


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
        rows=layer_names(watched),
        limits=(-largest, largest),
        marked=silenced,
        mark="silenced",
        on_click=on_click,
        alt=f"What each head costs when it is silenced alone: most is layer {dearest[0]}, head {dearest[1]} with "
        f"{known[dearest]:.2f} nats",
        name="costs",
    )


def costs_frame(layers: list[str], whole: float, known: dict[Head, float]) -> pd.DataFrame:
    """One row a head, the dearest first: what the loss is without it (`whole`: with all heads), and what it costs."""
    ranked = sorted(known.items(), key=lambda item: -item[1])
    return pd.DataFrame(
        {
            "layer": [layers[layer] for (layer, _), _ in ranked],
            "head": [head for (_, head), _ in ranked],
            "cost, nats": [round(cost, 4) for _, cost in ranked],
            "cost, bits": [round(cost / log(2), 4) for _, cost in ranked],
            "loss": [round(whole + cost, 4) for _, cost in ranked],
        }
    )
