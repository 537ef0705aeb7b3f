"""Work that visitors wait for: measured when they ask, or done anyhow; its progress, a way out, costs as figures."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.costs import Cost
from core.progress import Progress
from dashboard import charts, layout
from dashboard.figures.curves import curves

PATIENCE = 1.0  # seconds without a word


def offer(measure: Callable[[Progress], None], *, again: bool, unit: str = "passes") -> None:
    """A button that starts `measure`; its progress in so many `unit`, a way to stop it, then the page anew."""
    if not st.button("Measure again" if again else "Measure on this machine", icon=":material/timer:"):
        return
    bar = st.progress(0.0, "Waiting for a free place …")
    # A click on it stops this run of the page at the next report of progress, and with it the measurement.
    st.button("Cancel")

    def report(done: int, total: int) -> None:
        bar.progress(done / total, f"{done} of {total} {unit}")

    measure(report)
    st.rerun()


@contextmanager
def patiently(words: str, *, unit: str, instead: tuple[str, Callable[[], None]] | None = None) -> Iterator[Progress]:
    """What a computation that nobody asked for by a button reports to: below `words`, a bar once it takes long.

    `instead`: what a visitor may choose rather than wait, and what is called then.
    """
    began, bars = time.monotonic(), list[DeltaGenerator]()

    def report(done: int, total: int) -> None:
        if not bars and time.monotonic() - began < PATIENCE:
            return
        said = f"{done:,} of {total:,} {unit}"
        if bars:
            bars[0].progress(done / total, said)
            return
        with place.container():
            bars.append(st.progress(done / total, said))
            if instead is not None:
                label, give_up = instead
                # A click stops this run of the page at the next report of progress.
                st.button(label, on_click=give_up)

    with layout.waiting_place(), st.spinner(words):
        place = st.empty()
        yield report
        place.empty()


def time_and_memory(costs: Sequence[Cost], *, hues: Mapping[str, str], name: str, what: str) -> None:
    """Time and memory of one pass against the number of tokens, beside one another, for all that `hues` names.

    `name` begins the names of files, `what` says in the plural what was measured.
    """
    quantities = (
        ("time", "milliseconds", [1e3 * cost.seconds for cost in costs]),
        ("memory", "megabytes", [cost.bytes / 1e6 for cost in costs]),
    )
    for column, (quantity, unit, values) in zip(st.columns(2, gap="medium"), quantities, strict=True):
        with column:
            _figure(quantity, unit, costs, values, hues=hues, name=f"{name}-{quantity}", what=what)


def _figure(
    quantity: str,
    unit: str,
    costs: Sequence[Cost],
    values: Sequence[float],
    *,
    hues: Mapping[str, str],
    name: str,
    what: str,
) -> None:
    rows = pd.DataFrame({what: [cost.name for cost in costs], "n": [cost.tokens for cost in costs], quantity: values})
    wide = rows.pivot(index="n", columns=what, values=quantity)
    lengths = wide.index.to_list()
    figure = curves(
        lengths,
        {each: np.array(wide[each]) for each in hues},
        palette=layout.palette(),
        x="n, tokens",
        y=f"{quantity} of one pass ({unit})",
        tell=f"%{{fullData.name}}, n = %{{x:,}}: %{{y:.3g}} {unit}",
        hues=hues,
        marks=True,
        x_log=True,
        y_log=True,
        size=charts.letters(),
        height=560 if layout.is_presented() else 440,
    )
    figure.update_xaxes(tickvals=lengths, ticktext=[f"{n:,}" for n in lengths])
    charts.chart(
        figure,
        name=name,
        share=0.5,
        alt=f"The {quantity} of one pass of each of the {what} against the number of tokens, both scales logarithmic",
        table=rows.rename(columns={quantity: f"{quantity} ({unit})"}),
    )
