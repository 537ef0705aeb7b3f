"""Cost: time and memory against the number of tokens, with exponents and crossings."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.attention_costs import EACH, GROWING, VARIANTS, crossing, exponent
from core.costs import Cost
from dashboard import charts, layout
from dashboard.efficient import cost_notices
from dashboard.figures.curves import curves
from dashboard.runs import attention_costs
from dashboard.theme import HUES
from dashboard.words.efficient import cost as said

HUE = dict(zip(VARIANTS, HUES, strict=True))
FUSED, WRITTEN_OUT = "Exact, fused", "Exact, written out"


def show() -> None:
    """The two figures, the table of exponents, the button."""
    if not layout.is_presented():
        st.markdown(said.LEAD.format(each=EACH), width=layout.PROSE)
        st.caption(said.SETTINGS)
    costs = _costs()
    left, right = st.columns(2, gap="medium")
    with left:
        _figure("time", "milliseconds", costs, [1e3 * cost.seconds for cost in costs])
    with right:
        _figure("memory", "megabytes", costs, [cost.bytes / 1e6 for cost in costs])
    rows = table(costs)
    _table(rows)
    _ask()
    layout.notes(said.NOTES, notice=cost_notices.notice(rows), formula=cost_notices.formula)


def _costs() -> tuple[Cost, ...]:
    here = attention_costs.here()
    if here is not None:
        told = said.HERE.format(threads=torch.get_num_threads(), repeats=min(cost.repeats for cost in here))
        costs = here
    else:
        kept = attention_costs.kept()
        costs = kept.costs
        told = said.KEPT.format(
            source=kept.source, hardware=layout.plain(kept.hardware), repeats=min(cost.repeats for cost in costs)
        )
    if not layout.is_presented():
        st.caption(told)
    return costs


def _figure(name: str, unit: str, costs: Sequence[Cost], values: list[float]) -> None:
    rows = pd.DataFrame(
        {"attention": [cost.name for cost in costs], "n": [cost.tokens for cost in costs], name: values}
    )
    wide = rows.pivot(index="n", columns="attention", values=name)
    lengths = wide.index.to_list()
    figure = curves(
        lengths,
        {variant: np.array(wide[variant]) for variant in VARIANTS},
        palette=layout.palette(),
        x="n, tokens",
        y=f"{name} of one pass ({unit})",
        tell=f"%{{fullData.name}}, n = %{{x:,}}: %{{y:.3g}} {unit}",
        hues=HUE,
        marks=True,
        x_log=True,
        y_log=True,
        size=charts.letters(),
        height=560 if layout.is_presented() else 440,
    )
    figure.update_xaxes(tickvals=lengths, ticktext=[f"{n:,}" for n in lengths])
    charts.chart(
        figure,
        name=f"efficient-{name}",
        alt=f"The {name} of one pass of each kind of attention against the number of tokens, both scales logarithmic",
        table=rows.rename(columns={name: f"{name} ({unit})"}),
    )


def table(costs: Sequence[Cost]) -> pd.DataFrame:
    """One row a kind of attention: exponents of time and memory, from where on it is cheaper than the exact ones."""
    series = {
        name: [cost for cost in costs if cost.name == name] for name in dict.fromkeys(cost.name for cost in costs)
    }
    rows = []
    for name, each in series.items():
        lengths = [cost.tokens for cost in each]
        seconds = [cost.seconds for cost in each]
        rows.append(
            {
                "attention": name,
                "time grows like n^": exponent(lengths, seconds),
                "memory grows like n^": exponent(lengths, [float(max(cost.bytes, 1)) for cost in each]),
                "faster than fused from": _from(lengths, seconds, series[FUSED]) if name != FUSED else None,
                "faster than written out from": _from(lengths, seconds, series[WRITTEN_OUT])
                if name != WRITTEN_OUT
                else None,
                "longest": lengths[-1],
                "time there, ms": 1e3 * seconds[-1],
                "memory there, MB": each[-1].bytes / 1e6,
                "multiplications there": float(VARIANTS[name].multiplications(lengths[-1], EACH)),
            }
        )
    return pd.DataFrame(rows)


def _from(lengths: list[int], seconds: list[float], others: list[Cost]) -> float | None:
    return crossing(lengths, seconds, [cost.seconds for cost in others])


def _table(rows: pd.DataFrame) -> None:
    st.subheader("How fast it grows, and where the curves cross", anchor=False)
    whole = st.column_config.NumberColumn(format="%.0f tokens")
    st.dataframe(
        rows.drop(columns="longest"),
        hide_index=True,
        row_height=42 if layout.is_presented() else None,
        column_config={
            "time grows like n^": st.column_config.NumberColumn(format="%.2f"),
            "memory grows like n^": st.column_config.NumberColumn(format="%.2f"),
            "faster than fused from": whole,
            "faster than written out from": whole,
            "time there, ms": st.column_config.NumberColumn(f"ms at {rows.longest[0]:,}", format="%.1f"),
            "memory there, MB": st.column_config.NumberColumn(f"MB at {rows.longest[0]:,}", format="%.1f"),
            "multiplications there": st.column_config.NumberColumn(
                f"multiplied at {rows.longest[0]:,}", format="compact"
            ),
        },
    )
    if not layout.is_presented():
        st.caption(f"Exponents: least squares over the logarithms, from {GROWING:,} tokens on. An empty cell: never.")
        charts.download_table(rows, "efficient-costs")


def _ask() -> None:
    if layout.is_presented():
        return
    again = attention_costs.here() is not None
    if not st.button("Measure again" if again else "Measure on this machine", icon=":material/timer:"):
        return
    bar = st.progress(0.0, "Waiting for a free place …")
    # A click on it stops this run of the page at the next report of progress, and with it the measurement.
    st.button("Cancel")

    def report(done: int, total: int) -> None:
        bar.progress(done / total, f"{done} of {total} passes")

    attention_costs.measure(report)
    st.rerun()
