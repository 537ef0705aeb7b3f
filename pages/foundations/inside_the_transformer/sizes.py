"""Sizes: parameters, work and memory of each part of the running model, by formula and by count."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.sizes import PARTS, PRECISIONS, Shape, count_parameters, crossing, flops, parameters, shape_of
from dashboard import charts, layout
from dashboard.numbers import amount
from pages.foundations.inside_the_transformer import famous_sizes, own_sizes, sizes_in_length
from pages.foundations.inside_the_transformer import words_sizes as said
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.compute_sizes import counted_flops
from pages.foundations.inside_the_transformer.figures_shares import share_bars
from pages.foundations.inside_the_transformer.sizes_noticed import noticed

LENGTHS = [2**power for power in range(4, 18)]
PART = 190  # pixels: the longest name of a part


def show(walk: Walk) -> tuple[str, ...]:
    """The whole section, for text, pictures and pairs of texts; returns what to notice."""
    shape = shape_of(walk.network)
    n, precision = _choices()
    with layout.waiting_place():
        worked = counted_flops(walk.identity, walk.network, walk.walked.run)
    lengths = [len(labels) for labels in walk.labels.values()]
    source, target = lengths[0], lengths[-1]
    table = bill(shape, source, count_parameters(walk.network), worked, target=target)
    _parts(table, source, known=shape is not None)
    if shape is not None:
        _shares(shape, table, source, n)
        if not layout.is_presented():
            _formulas(shape, source, target)
        sizes_in_length.show(shape, n, precision)
    famous_sizes.show()
    own_sizes.show(precision)
    return noticed(shape, table, source)


def _choices() -> tuple[int, str]:
    with layout.control_bar():
        n = st.select_slider(
            "Tokens in view", LENGTHS, 1024, key="length", bind="query-params", width=300, help=said.TOKENS_HELP
        )
        precision = st.segmented_control(
            "Precision", list(PRECISIONS), default="fp16", key="precision", bind="query-params", required=True
        )
    return n, precision


def bill(
    shape: Shape | None, n: int, counted: Mapping[str, int], worked: Mapping[str, int], *, target: int = 0
) -> pd.DataFrame:
    """One row a part, in the order of PARTS, those that are empty left out; without a shape only what was counted."""
    known = {each.part: each.value for each in parameters(shape)} if shape else {}
    work = {each.part: each.value for each in flops(shape, n, target)} if shape else {}
    parts = [part for part in PARTS if any(of.get(part) for of in (counted, worked, known, work))]
    columns: dict[str, list] = {"part": parts}
    for title, formula, count in (("parameters", known, counted), ("FLOPs", work, worked)):
        if shape:
            columns[f"{title}, formula"] = [formula.get(part, 0) for part in parts]
        columns[f"{title}, count"] = [count.get(part, 0) for part in parts]
        columns[f"{title}, share"] = [count.get(part, 0) / (sum(count.values()) or 1) for part in parts]
    return pd.DataFrame(columns)


def _parts(table: pd.DataFrame, n: int, *, known: bool) -> None:
    st.subheader("Part by part", anchor=False)
    if not layout.is_presented():
        st.markdown(said.PARTS.format(tokens=n) if known else said.NO_FORMULA, width=layout.PROSE)
    sums = {name: "all" if name == "part" else table[name].sum() for name in table}
    shown = pd.concat([table, pd.DataFrame([sums])], ignore_index=True)
    kinds = {"part": st.column_config.TextColumn(width=PART)}
    kinds |= {name: st.column_config.NumberColumn(format="percent") for name in table if name.endswith("share")}
    # Long numbers with a prefix, as they are read; the file to download holds every digit.
    spoken = {
        name: amount if name.startswith("FLOPs") else "{:,}"
        for name in table
        if name != "part" and not name.endswith("share")
    }
    st.dataframe(shown.style.format(spoken), hide_index=True, column_config=kinds, height="content")
    if not layout.is_presented():
        charts.download_table(shown, "sizes")
        st.caption(said.UNCOUNTED, width=layout.PROSE)


def _shares(shape: Shape, table: pd.DataFrame, n: int, length: int) -> None:
    parts = list(table["part"])
    later = {each.part: each.value for each in flops(shape, length, length)}
    shares = {
        "parameters": list(table["parameters, share"]),
        f"FLOPs for your {n} tokens": list(table["FLOPs, share"]),
        f"FLOPs for {length:,} tokens": [later.get(part, 0) / sum(later.values()) for part in parts],
    }
    charts.chart(
        share_bars(parts, shares, look=layout.look()),
        name="shares",
        alt="The share of each part in the parameters, and in the work for two lengths of text",
        table=pd.DataFrame({"part": parts, **shares}),
    )


def _formulas(shape: Shape, n: int, target: int) -> None:
    with st.expander("The formulas, with this model's numbers"):
        for title, lines in (("Parameters", parameters(shape)), ("FLOPs for your input", flops(shape, n, target))):
            rows = [f"| {title} | formula | with numbers | |", "|:--|:--|:--|--:|"]
            rows += [f"| {each.part} | ${each.formula}$ | ${each.filled}$ | {each.value:,} |" for each in lines]
            st.markdown("\n".join(rows))
        st.markdown(
            "*L* layers (*M* of a decoder beside an encoder), *d* width, *h* heads of *k* channels (*g* of keys and "
            "values), *f* channels inside the MLP, *V* vocabulary, *n* tokens (*m* in the target). The square "
            rf"overtakes the MLP at $n = {shape.matrices}\,d f / (2\,h k)$ = {crossing(shape):,.0f}."
        )
