"""Sizes: parameters, work and memory of each part of the running model, by formula and by count."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from core.costs import PARTS, PRECISIONS, Shape, count_parameters, crossing, flops, parameters, shape_of, total
from core.costs.bill import CROSS, SCORES
from core.published import model_sizes
from dashboard import theme
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import amount
from dashboard.output import charts
from dashboard.output.comparisons import join_names
from dashboard.output.data_table import data_table
from pages.foundations.inside_the_transformer import compute, inputs, longer_and_larger
from pages.foundations.inside_the_transformer.figures import share_bars
from pages.foundations.inside_the_transformer.prose import PAGE

SECTION = PAGE.section("Sizes")
LENGTHS = [2**power for power in range(4, 18)]
PART = 190  # pixels: the longest name of a part


def show() -> None:
    """How large each part is, and how much it works: for texts, pictures and pairs of texts."""
    walk = inputs.walked_through()
    shape = shape_of(walk.network)
    with layout.waiting_place():
        worked = compute.counted_flops(walk)
    lengths = [len(labels) for labels in walk.labels.values()]
    source, target = lengths[0], lengths[-1]
    table = bill(shape, source, count_parameters(walk.network), worked, target=target)
    _parts(table, source, known=shape is not None)
    n, precision = _choices()
    if shape is not None:
        _shares(shape, table, source, n)
        if not theme.is_presented():
            _formulas(shape, source, target)
        longer_and_larger.show_growth(shape, n, precision)
    longer_and_larger.show_famous()
    longer_and_larger.show_own(precision)
    layout.notes(SECTION, notice=noticed(shape, table, lengths))


def _choices() -> tuple[int, str]:
    with layout.control_bar():
        n = st.select_slider(
            "Tokens in view",
            LENGTHS,
            1024,
            key="length",
            bind="query-params",
            width=300,
            help=SECTION.text("Tokens in view"),
        )
        precision = controls.choice("Precision", PRECISIONS, key="precision", first="fp16")
    return n, precision


def bill(
    shape: Shape | None, n: int, counted: Mapping[str, int], worked: Mapping[str, int], *, target: int = 0
) -> pd.DataFrame:
    """One row a part, in the order of PARTS, those that are empty left out; without a shape only what was counted."""
    known = {line.part: line.value for line in parameters(shape)} if shape else {}
    work = {line.part: line.value for line in flops(shape, n, target)} if shape else {}
    parts = [part for part in PARTS if any(of.get(part) for of in (counted, worked, known, work))]
    columns: dict[str, list] = {"part": parts}
    for title, formula, count in (("parameters", known, counted), ("FLOPs", work, worked)):
        if shape:
            columns[f"{title}, formula"] = [formula.get(part, 0) for part in parts]
        columns[f"{title}, count"] = [count.get(part, 0) for part in parts]
        columns[f"{title}, share"] = [count.get(part, 0) / (sum(count.values()) or 1) for part in parts]
    return pd.DataFrame(columns)


def _parts(table: pd.DataFrame, n: int, *, known: bool) -> None:
    sums = {name: "all" if name == "part" else table[name].sum() for name in table}
    with_sums = pd.concat([table, pd.DataFrame([sums])], ignore_index=True)
    kinds = {"part": st.column_config.TextColumn(width=PART)}
    # Long numbers with a prefix, as they are read; the file to download holds every digit.
    spoken = {
        name: "{:.1%}" if name.endswith("share") else amount if name.startswith("FLOPs") else "{:,}"
        for name in table
        if name != "part"
    }
    data_table(with_sums.style.format(spoken), hide_index=True, column_config=kinds, height="content")
    layout.place_notice()
    charts.download_table(with_sums, "sizes")
    layout.prose(SECTION.text("Formula and count", tokens=n) if known else SECTION.text("Count without a formula"))
    st.caption(SECTION.text("Uncounted operations"), width=theme.PROSE)


def _shares(shape: Shape, table: pd.DataFrame, n: int, length: int) -> None:
    parts = list(table["part"])
    later = {line.part: line.value for line in flops(shape, length, length)}
    shares = {
        "parameters": list(table["parameters, share"]),
        f"FLOPs for your {n} tokens": list(table["FLOPs, share"]),
        f"FLOPs for {length:,} tokens": [later.get(part, 0) / sum(later.values()) for part in parts],
    }
    charts.chart(
        partial(share_bars, parts, shares, look=theme.look()),
        name="shares",
        alt="The share of each part in the parameters, and in the work for two lengths of text",
        table=pd.DataFrame({"part": parts, **shares}),
    )


def _formulas(shape: Shape, n: int, target: int) -> None:
    with st.expander("The formulas, with this model's numbers"):
        for title, lines in (("Parameters", parameters(shape)), ("FLOPs for your input", flops(shape, n, target))):
            rows = [f"| {title} | formula | with numbers | |", "|:--|:--|:--|--:|"]
            rows += [f"| {line.part} | ${line.formula}$ | ${line.filled}$ | {line.value:,} |" for line in lines]
            st.markdown("\n".join(rows))
        st.markdown(SECTION.text("Symbols", matrices=shape.matrices, tokens=crossing(shape)))


def noticed(shape: Shape | None, table: pd.DataFrame, lengths: list[int]) -> tuple[str, ...]:
    """Sentences about the table of parts, the crossing for inputs of these lengths, and the famous models."""
    largest = _largest(table)
    differences = {model.model: abs(total(model.shape) / model.published - 1) for model in model_sizes()}
    far = max(differences, key=differences.__getitem__)
    famous = (
        f"The same formula matches {len(differences)} published sizes within {differences[far]:.2%}; {far} differs "
        "most."
    )
    return (largest, famous) if shape is None else (largest, _agreement(table), _square(shape, table, lengths), famous)


def _largest(table: pd.DataFrame) -> str:
    """Which part has most parameters, where one has any."""
    counts = table["parameters, count"]
    if not len(counts) or not counts.max():
        return "No part of this model has parameters."
    first = table[counts == counts.max()]
    return (
        f"**{join_names(first['part'].tolist())}** {'have' if len(first) > 1 else 'has'} the most parameters: "
        f"{first['parameters, share'].iloc[0]:.0%} of all{' each' if len(first) > 1 else ''}."
    )


def _agreement(table: pd.DataFrame) -> str:
    wrong = [
        row["part"]
        for _, row in table.iterrows()
        if any(row[f"{title}, formula"] != row[f"{title}, count"] for title in ("parameters", "FLOPs"))
    ]
    if wrong:
        return f"Formula and count differ in {', '.join(wrong)}: the formula does not cover something in this model."
    return (
        f"Formula and count agree exactly in all {len(table)} parts: {table['parameters, count'].sum():,} parameters, "
        f"{table['FLOPs, count'].sum():,} FLOPs."
    )


def _square(shape: Shape, table: pd.DataFrame, lengths: list[int]) -> str:
    shares, meeting = dict(zip(table["part"], table["FLOPs, share"], strict=True)), crossing(shape)
    yours = " and ".join(map(str, dict.fromkeys(lengths)))
    places = {"below" if n < meeting else "above" if n > meeting else "exactly at" for n in lengths}
    place = places.pop() if len(places) == 1 else "on both sides of"
    across = f"; cross-attention, its scores included, needs {shares[CROSS]:.1%} more" if CROSS in shares else ""
    return (
        f"Attention scores and weighted sums cost as much as the MLP at **{meeting:,.0f} tokens**. Your input of "
        f"{yours} tokens is {place} that: scores and weighted sums need {shares.get(SCORES, 0):.1%} of the "
        f"FLOPs{across}."
    )
