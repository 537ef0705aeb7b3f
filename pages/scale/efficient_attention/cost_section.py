"""Cost: time and memory against the number of tokens, with exponents and crossings."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st
import torch

from core.costs.attention_costs import EACH, GROWING, VARIANTS, crossing, exponent
from core.costs.one_pass import Cost
from dashboard import charts, layout, measuring
from dashboard.theme import HUES
from pages.scale.efficient_attention import compute_costs as attention_costs
from pages.scale.efficient_attention import cost_formulas, cost_notices
from pages.scale.efficient_attention import words_cost as said

HUE = dict(zip(VARIANTS, HUES, strict=True))
FUSED, WRITTEN_OUT = "Exact, fused", "Exact, written out"


def show() -> None:
    """The two figures, the table of exponents, the button."""
    if not layout.is_presented():
        st.markdown(said.LEAD.format(each=EACH), width=layout.PROSE)
        st.caption(cost_formulas.settings())
    costs = _costs()
    measuring.time_and_memory(costs, hues=HUE, name="efficient", what="kinds of attention")
    rows = table(costs)
    _table(rows)
    if not layout.is_presented():
        measuring.offer(attention_costs.measure, again=attention_costs.here() is not None)
    layout.notes(said.NOTES, notice=cost_notices.notice(rows), formula=lambda: cost_formulas.formula(costs[-1].tokens))


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
