"""Caches that become smaller: heads that share keys and values, and windows, by formula and by count."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.costs import PRECISIONS
from core.generation.shared_heads import CacheShape, cache_bytes
from core.published import key_value_heads
from dashboard import theme
from dashboard.figures.paper import escape, on_paper
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import amount
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES, Look
from pages.language.next_word import compute_cache
from pages.language.next_word.compute_cache import LENGTHS
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Cache")
FLOAT = 4  # bytes of a number in single precision
TELL = "%{fullData.name}, %{x:,} tokens:<br>%{y:,} bytes counted, %{customdata:,} by formula<extra></extra>"
WINDOWS = [2**power for power in range(4, 10)]
FAMOUS_LENGTHS = [2**power for power in range(10, 18)]

Counts = dict[str, tuple[int, ...]]  # bytes after each of LENGTHS, by the names of the models


def show() -> tuple[dict[str, CacheShape], Counts]:
    """The small models, whose caches are counted, and the famous ones; gives what was counted."""
    layout.heading("Fewer heads of keys and values, or a window")
    st.markdown(SECTION.text("Shared heads"), width=theme.PROSE)
    window = st.select_slider("Window, tokens", WINDOWS, 128, key="cache_window", bind="query-params", width=260)
    models = compute_cache.small_models(window)
    with layout.waiting_place():
        counts = {name: compute_cache.counted(heads) for name, heads in models.items()}
    charts.chart(
        partial(bytes_against_length, models, counts, look=theme.look()),
        name="cache-bytes",
        alt="Bytes of the cache against tokens, both logarithmic: lines by formula, points by count of a running model",
        table=partial(counts_table, models, counts),
    )
    _famous()
    return models, counts


def bytes_against_length(models: Mapping[str, CacheShape], counts: Counts, *, look: Look) -> go.Figure:
    """A line for each model by the formula, a point at each length by count, both scales logarithmic."""
    figure = go.Figure()
    for hue, (name, heads) in zip(HUES, models.items(), strict=False):
        formula = [cache_bytes(heads, n, FLOAT) for n in LENGTHS]
        shared = {"x": LENGTHS, "name": escape(name), "legendgroup": name}
        figure.add_scatter(**shared, y=formula, mode="lines", line={"color": hue, "width": 2.2}, hoverinfo="skip")
        figure.add_scatter(
            **shared,
            y=counts[name],
            mode="markers",
            marker={"color": hue, "size": 9, "line": {"color": look.palette.paper, "width": 1.5}},
            customdata=formula,
            hovertemplate=TELL,
            showlegend=False,
        )
    return on_paper(
        figure,
        look=look,
        height=look.high(420),
        x="tokens",
        y="bytes of the cache",
        xaxis={"type": "log", "tickvals": LENGTHS, "ticktext": [f"{n:,}" for n in LENGTHS]},
        yaxis={"type": "log", "dtick": 1, "exponentformat": "SI"},
    )


def counts_table(models: Mapping[str, CacheShape], counts: Counts) -> pd.DataFrame:
    """One row for each model and length."""
    return pd.DataFrame(
        {
            "model": name,
            "heads": heads.heads,
            "heads of keys and values": heads.key_heads,
            "window": heads.window or "",
            "tokens": n,
            "bytes by formula": cache_bytes(heads, n, FLOAT),
            "bytes counted": count,
        }
        for name, heads in models.items()
        for n, count in zip(LENGTHS, counts[name], strict=True)
    )


def about_counts(models: Mapping[str, CacheShape], counts: Counts) -> tuple[str, ...]:
    """Whether formula and count agree, and what the ways of sharing save at the longest length."""
    pairs = [
        (cache_bytes(heads, n, FLOAT), count)
        for name, heads in models.items()
        for n, count in zip(LENGTHS, counts[name], strict=True)
    ]
    wrong = sum(formula != count for formula, count in pairs)
    agree = (
        f"Formula and count agree to the byte in all {len(pairs)} measurements of {len(models)} running models."
        if not wrong
        else f"Formula and count differ in {wrong} of {len(pairs)} measurements: this library keeps something else."
    )
    last = {name: count[-1] for name, count in counts.items()}
    largest, smallest = max(last.values()), min(last, key=last.__getitem__)
    others = ", ".join(f"{name.lower()} {amount(count)}B" for name, count in last.items())
    if last[smallest] == largest:
        return agree, f"After {LENGTHS[-1]:,} tokens all of them hold as much: {amount(largest)}B."
    return (
        agree,
        f"After {LENGTHS[-1]:,} tokens they hold: {others}. The smallest, **{smallest.lower()}**, holds "
        f"1/{largest / last[smallest]:.0f} of what the largest holds.",
    )


def _famous() -> None:
    layout.heading("The same formula on famous models")
    st.markdown(SECTION.text("Famous models"), width=theme.PROSE)
    with layout.control_bar():
        tokens = st.select_slider(
            "Tokens in the cache",
            FAMOUS_LENGTHS,
            8192,
            key="cache_tokens",
            bind="query-params",
            width=260,
            format_func="{:,}".format,
        )
        precision = controls.choice("Precision", PRECISIONS, key="cache_precision", first="fp16")
    rows = famous_rows(tokens, PRECISIONS[precision])
    charts.chart(
        partial(famous_bars, rows, look=theme.look()),
        name="cache-famous",
        alt=f"Bytes of the cache of famous models after {tokens:,} tokens, as bars",
        table=rows,
    )
    if not theme.is_presented():
        with st.expander("The numbers, and where they were published"):
            integers = {name: st.column_config.NumberColumn(format="localized") for name in rows.columns[7:10]}
            year = {"year": st.column_config.NumberColumn(format="%d")}
            data_table(rows, hide_index=True, height="content", column_config=integers | year)


def famous_rows(tokens: int = 8192, size: int = 2) -> pd.DataFrame:
    """One row a model, as published; bytes by the formula, for numbers of `size` bytes."""
    return pd.DataFrame(
        {
            "model": row.model,
            "year": row.year,
            "sharing": row.heads.sharing,
            "layers": row.heads.layers,
            "heads": row.heads.heads,
            "heads of keys and values": row.heads.key_heads,
            "window": row.heads.window,
            "bytes a token": cache_bytes(row.heads, 1, size),
            "bytes of the cache": cache_bytes(row.heads, tokens, size),
            "bytes, if no head shared": cache_bytes(row.heads, tokens, size) * row.heads.heads // row.heads.key_heads,
            "source": row.source,
        }
        for row in key_value_heads()
    )


def famous_bars(rows: pd.DataFrame, *, look: Look) -> go.Figure:
    """A bar a model, from the largest down; outlined what it would take if no head shared keys and values."""
    rows = rows.sort_values("bytes of the cache")
    names = [
        escape(model) + f"<br>{escape(sharing)}" for model, sharing in zip(rows["model"], rows["sharing"], strict=True)
    ]
    held, unshared = rows["bytes of the cache"].tolist(), rows["bytes, if no head shared"].tolist()
    figure = go.Figure()
    figure.add_bar(
        x=unshared,
        y=names,
        orientation="h",
        name="if no head shared",
        marker={"color": "rgba(0,0,0,0)", "line": {"color": look.palette.soft, "width": 1}},
        # At the end of the outline, where nothing is drawn over it.
        text=[f"{amount(value)}B" for value in held],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.3s}B if no head shared<extra></extra>",
    )
    figure.add_bar(
        x=held,
        y=names,
        orientation="h",
        name="as published",
        marker={"color": HUES[0]},
        hovertemplate="%{y}: %{x:.3s}B<extra></extra>",
    )
    return on_paper(
        figure,
        look=look,
        height=look.high(60 + 40 * len(rows)),
        x="bytes of the cache",
        barmode="overlay",
        xaxis={
            "tickformat": "~s",
            "ticksuffix": "B",
            "range": [0, 1.3 * max(unshared)],
        },  # room for the last label, on a phone too
    )


def about_famous(rows: pd.DataFrame) -> str:
    """Which famous model keeps most and which least for one token, in half precision."""
    ordered = rows.sort_values("bytes a token")
    least, most = ordered.iloc[0], ordered.iloc[-1]
    return (
        f"A token takes **{amount(most['bytes a token'])}B** of {most['model']}'s cache in half precision "
        f"({most['sharing']}) and **{amount(least['bytes a token'])}B** of {least['model']}'s ({least['sharing']})."
    )
