"""Every head of a model, coloured by a measure; a click chooses the head whose map is shown."""

import numpy as np
import pandas as pd
import streamlit as st

from core.heads.head_table import HeadTable
from dashboard import charts, layout
from dashboard.components.cell_map import cell_map
from dashboard.watched import Head, Watched
from pages.foundations.many_heads import chosen, noticed
from pages.foundations.many_heads import compute as runs_heads
from pages.foundations.many_heads import words as words_heads
from pages.foundations.many_heads.compute_contributions import LONGEST
from pages.foundations.many_heads.given import Given
from pages.foundations.many_heads.words import MEASURES, MeasureWords

ROW, RANKED = 36, 380  # pixels: some ten heads are seen, the others by scrolling


def show(given: Given) -> None:
    """The map, the head in view, the table of all heads, and what to notice."""
    watched = given.watched
    with layout.waiting_place():
        table = runs_heads.head_table(watched)
    # On a projector map and head stand side by side; otherwise what the measure means needs the place.
    above, below = st.columns(2, gap="large") if layout.is_presented() else (st.container(), st.container())
    with below:
        if not layout.is_presented():  # there the whole map shall fit the window
            st.subheader("The head in view", anchor=False)
        with layout.control_bar():
            place = chosen.inputs(watched)
        if not layout.is_presented():
            _say(table, place)
        chosen.show(watched, place)
    with above:
        name, limits = _measure(table)
        _show_map(watched, table, name, limits, place)
    if not layout.is_presented():
        _rank(watched, table, name)
    layout.notes(
        words_heads.MEASURED,
        notice=noticed.measured(watched, table),
        formula=lambda: _explain(table, name, place, watched.record.calls[place[0]].query_length),
    )


def _measure(table: HeadTable) -> tuple[str, tuple[float, float] | None]:
    """The measure that colours the map, and the values of the two ends of the scale."""
    names = {MEASURES[name].name: name for name in MEASURES if name in table.values}
    with layout.control_bar():
        name = names[st.selectbox("Measure", list(names), key="measure", bind="query-params", width=260)]
        limits = _limits(table, name)
        stretched = st.toggle(
            "Stretch the colours",
            key="stretch",
            bind="query-params",
            disabled=limits is None,
            help="Off: full colour is the largest value that is possible. On: it is the largest value in this map.",
        )
    return name, None if stretched else limits


def _show_map(watched: Watched, table: HeadTable, name: str, limits: tuple[float, float] | None, place: Head) -> None:
    measure, values = MEASURES[name], table.values[name].numpy()
    factor = 100 if measure.share else 1
    map_side, words_side = (st.container(), None) if layout.is_presented() else st.columns([3, 2], gap="large")
    with map_side:
        cell_map(
            values * factor,
            key="measures",
            x="head",
            y="layer",
            tell=f"layer {{row}}, head {{column}}: {{value}}{'%' if measure.share else ''} {measure.unit}",
            rows=chosen.layer_names(watched),
            limits=None if limits is None else (limits[0] * factor, limits[1] * factor),
            marked=[place],
            mark="in view",
            on_click=chosen.on_click(watched),
            alt=f"{measure.name} of each head, from {_value(measure, np.nanmin(values))} to "
            f"{_value(measure, np.nanmax(values))}",
            name=f"heads-{name}",
        )
    if words_side:
        with words_side:
            _say_what_it_means(table, name, watched)


def _say_what_it_means(table: HeadTable, name: str, watched: Watched) -> None:
    """What the measure is, what its ends mean, and what was measured."""
    measure = MEASURES[name]
    st.markdown(f"**{measure.name}**, in {'percent ' if measure.share else ''}{measure.unit}")
    st.latex(measure.formula)
    st.markdown(f"**High:** {measure.high}\n\n**Low:** {measure.low}")
    st.caption(f"Source: {measure.source}.")
    if table.values[name].isnan().any():
        st.caption(words_heads.NO_VALUE)
    longest = max(call.query_length for call in watched.record.calls)
    if table.rows:
        st.caption(words_heads.SAMPLED.format(rows=table.rows, all=f"{longest:,}"))
    if longest > LONGEST:
        st.caption(words_heads.NO_SHARES.format(most=LONGEST, count=longest))


def _explain(table: HeadTable, name: str, place: Head, length: int) -> None:
    """The formula once more, with the numbers of the head in view."""
    measure, (layer, head) = MEASURES[name], place
    st.markdown(f"{measure.name} of layer {layer}, head {head}:")
    value = float(table.values[name][place])
    told = r"\text{none}" if np.isnan(value) else f"{value:.3f}"
    st.latex(rf"{measure.formula} = {told}")
    st.markdown(
        f"$A_{{ij}}$ is the share that token *i* gives to token *j*; every row of *A* sums to 1. Here *n* = {length}."
    )
    if name in table.largest:
        st.markdown(f"No head can have more than {table.largest[name]:.2f} {measure.unit} on this input.")


def _limits(table: HeadTable, name: str) -> tuple[float, float] | None:
    """From 0 to the largest value that is possible, where there is one."""
    if name in table.largest:
        return 0.0, table.largest[name]
    return (0.0, 1.0) if MEASURES[name].share and name != "output_shares" else None


def _say(table: HeadTable, place: Head) -> None:
    """All measures of one head, in a line."""
    found = {name: float(table.values[name][place]) for name in MEASURES if name in table.values}
    told = [f"{MEASURES[name].name.lower()} {_value(MEASURES[name], value)}" for name, value in found.items()]
    st.caption(f"Layer {place[0]}, head {place[1]}: {', '.join(told)}.")


def _value(measure: MeasureWords, value: float) -> str:
    return "does not apply" if np.isnan(value) else measure.value(value)


def _rank(watched: Watched, table: HeadTable, name: str) -> None:
    """All measures of all heads, the largest value of the chosen measure first."""
    st.subheader("All heads", anchor=False)
    frame = heads_frame(watched, table).sort_values(_column(name), ascending=False, na_position="last")
    formats = {
        _column(key): st.column_config.NumberColumn(format="percent" if MEASURES[key].share else "%.2f")
        for key in table.values
    }
    st.dataframe(frame, hide_index=True, height=min(RANKED, ROW * (len(frame) + 1)), column_config=formats)
    charts.download_table(frame, "heads")


def heads_frame(watched: Watched, table: HeadTable) -> pd.DataFrame:
    """One row a head: layer, head, and a column for each measure."""
    names = chosen.layer_names(watched)
    rows = [
        {"layer": names[layer], "head": head}
        | {_column(name): float(table.values[name][layer, head]) for name in MEASURES if name in table.values}
        for layer, call in enumerate(watched.record.calls)
        for head in range(call.heads)
    ]
    return pd.DataFrame(rows)


def _column(name: str) -> str:
    measure = MEASURES[name]
    return measure.name if measure.share else f"{measure.name} ({measure.unit})"
