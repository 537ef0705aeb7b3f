"""Silence one head at a time: what each costs, as a map to click in and as a table; measured once, and kept."""

from collections.abc import Callable
from functools import partial
from math import log

import numpy as np
import pandas as pd
import streamlit as st

from core.heads.ablation import Trial
from dashboard import theme
from dashboard.cache import waiting
from dashboard.components.cell_map import cell_map
from dashboard.output import charts
from dashboard.output.comparisons import leading
from dashboard.output.data_table import data_table
from dashboard.recordings.watched import Head, Watched
from pages.foundations.many_heads import compute
from pages.foundations.many_heads.head_in_view import head_name, layer_names, numbered, placed
from pages.foundations.many_heads.prose import PAGE

SECTION = PAGE.section("Ablated heads")
ROW, RANKED = 36, 380  # pixels: some ten heads are seen, the others by scrolling
AT_ONCE = 30  # seconds of work that is done without being asked for
TELL = "without layer {row}, head {column} the loss changes by {value} nats"
CHEAP = 0.02  # nats: a loss that few would notice
ALIKE = 0.005  # nats: losses that differ by less read the same


def costs(watched: Watched, trial: Trial) -> dict[Head, float]:
    """What each head costs alone: measured where that takes no longer than AT_ONCE or somebody had it done, else {}."""
    known = compute.known_costs(watched)
    if len(known) == len(trial.heads):
        return known
    if compute.seconds_of_one(watched) * (len(trial.heads) - len(known)) > AT_ONCE:
        return {}
    return compute.measure_costs(watched)


def noticed(costs: dict[Head, float], count: int) -> tuple[str, ...]:
    """What silencing each of `count` heads alone told, in nats, if every head was tried."""
    if not costs or len(costs) < count:
        return ("Ablate each head in turn, above: then this notice will say what each one costs.",)
    dearest, cheapest = max(costs, key=costs.__getitem__), min(costs, key=costs.__getitem__)
    cheap = sum(abs(cost) < CHEAP for cost in costs.values())
    sentences = [f"**{cheap} of {count} heads** change the loss by less than {CHEAP} nats when they are ablated alone."]
    if costs[dearest] >= CHEAP:
        others = len(leading(costs, ALIKE)) - 1
        also = f", {others} more {'heads' if others > 1 else 'head'} as much" if others else ""
        sentences.append(f"**{head_name(dearest)}** costs most{also}: the loss rises by {costs[dearest]:.2f} nats.")
    if costs[cheapest] <= -CHEAP:
        sentences.append(
            f"Without **{head_name(cheapest).lower()}** the loss *falls*, by {-costs[cheapest]:.2f} nats: one input is "
            "not enough to call a head useless, or harmful."
        )
    return tuple(sentences)


def offer(watched: Watched, trial: Trial) -> None:
    """The button that measures what takes too long to be done at once."""
    known = compute.known_costs(watched)
    begun = f" ({len(known)} of them already measured)" if known else ""
    label = f"Ablate each of the {len(trial.heads)} heads in turn{begun}"
    waiting.offer(label, partial(compute.measure_costs, watched), unit="heads", key="cost-of-each")


def show_map(
    watched: Watched, known: dict[Head, float], silenced: tuple[Head, ...], *, on_click: Callable[[int, int], None]
) -> None:
    """All heads to click, coloured by what each costs alone; pale where that is not known."""
    calls = watched.record.calls
    values = np.full((len(calls), max(call.heads for call in calls)), np.nan, dtype=np.float32)
    for layer, call in enumerate(calls):
        values[layer, : call.heads] = [known.get((layer, head), 0.0) for head in range(call.heads)]
    largest = float(np.nanmax(np.abs(values))) or 1.0
    cell_map(
        values,
        key="silence",
        x="head",
        y="layer",
        tell=TELL if known else "layer {row}, head {column}",
        rows=layer_names(watched),
        limits=(-largest, largest),
        marked=[placed(watched, head) for head in silenced],
        mark="ablated",
        on_click=on_click,
        alt=_alt(watched, known, len(silenced)),
        name="costs",
    )
    if known:
        st.caption(SECTION.text("Cost of a head"))


def _alt(watched: Watched, known: dict[Head, float], silenced: int) -> str:
    if not known:
        return f"All heads, of which {silenced} are ablated"
    dearest = max(known, key=known.__getitem__)
    layer, head = numbered(watched, dearest)
    return (
        f"What each head costs when it is ablated alone: most is layer {layer}, head {head} with {known[dearest]:.2f} "
        f"nats; {silenced} heads are ablated"
    )


def show_table(watched: Watched, trial: Trial, known: dict[Head, float]) -> None:
    """A fold with the costs of all heads in numbers; none on a projector."""
    if theme.is_presented():
        return
    with st.expander("What each head costs, in numbers"):
        table = costs_frame(layer_names(watched), trial.baseline, known)
        digits = {name: st.column_config.NumberColumn(format="%.4f") for name in table.columns[2:]}
        data_table(table, hide_index=True, height=min(RANKED, ROW * (len(table) + 1)), column_config=digits)
        st.caption(SECTION.text("Table of costs"))
        charts.download_table(table, "cost-of-each-head")


def costs_frame(layers: list[str], baseline: float, known: dict[Head, float]) -> pd.DataFrame:
    """One row a head, the dearest first: the loss without it (`baseline`: with all heads), and what it costs."""
    ranked = sorted(known.items(), key=lambda item: -item[1])
    return pd.DataFrame(
        {
            "layer": [layers[layer] for (layer, _), _ in ranked],
            "head": [head for (_, head), _ in ranked],
            "cost, nats": [round(cost, 4) for _, cost in ranked],
            "cost, bits": [round(cost / log(2), 4) for _, cost in ranked],
            "loss": [round(baseline + cost, 4) for _, cost in ranked],
        }
    )
