"""Every head of a model, coloured by a measure; a click chooses the head whose map is shown."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from core.capture import by_layer, layer_numbers
from core.heads import measures
from core.heads.head_table import PERIOD, HeadTable
from core.heads.jobs import MIN_STANDARD_ERRORS, Jobs
from dashboard import glossary, theme
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.number_format import span
from dashboard.output import charts
from dashboard.output.comparisons import join_names, leading
from dashboard.output.data_table import data_table
from dashboard.recordings import layer_outputs, notices, picture_notices, row_sums
from dashboard.recordings.notices import Finding
from dashboard.recordings.watched import Head, Watched, WatchedText
from pages.foundations.many_heads import compute, head_in_view, inputs, jobs
from pages.foundations.many_heads.head_in_view import layer_names
from pages.foundations.many_heads.measure_formulas import MEASURES, Measure
from pages.foundations.many_heads.prose import PAGE

SECTION = PAGE.section("Measured")
ROW, RANKED = 36, 380  # pixels: some ten heads are seen, the others by scrolling
BROAD = 0.05  # bits: layers whose heads spread their attention by no more than that apart are alike


def show() -> None:
    """The map, the head in view, the table of all heads, and what to notice."""
    watched = inputs.watch(inputs.choose())
    with layout.waiting_place():
        table = compute.head_table(watched)
    is_presented = theme.is_presented()
    # On a projector map and head stand side by side; otherwise what the measure means stands beside the map.
    map_side, words_side = st.columns(2 if is_presented else [3, 2], gap="large")
    with words_side:
        name, limits = _measure(table, has_jobs=isinstance(watched, WatchedText))
    head_place = words_side if is_presented else st.container()
    explanation = st.container()
    with head_place:
        if not is_presented:  # there the whole map shall fit the window
            layout.heading("The head in view")
        with layout.control_bar():
            place = head_in_view.inputs(watched)
        if not is_presented:
            _say(watched, table, place)
        head_in_view.show(watched, place, below=explanation)
    tested = _tested(watched, table)
    heads_jobs = jobs.jobs_in(watched, table, tested) if isinstance(watched, WatchedText) else None
    with map_side:
        if name == jobs.JOB and heads_jobs is not None:
            jobs.show_map(watched, heads_jobs, place)
        else:
            _show_map(watched, table, name, limits, place)
        layout.place_notice()
    if not is_presented:
        with words_side:
            jobs.say_what_they_mean() if name == jobs.JOB else _say_what_it_means(table, name, watched)
        _rank(watched, table, name, heads_jobs)
    sentences = noticed(watched, table, tested)
    explained = "previous_token" if name == jobs.JOB else name
    layout.notes(
        SECTION,
        notice=sentences if heads_jobs is None else (jobs.about_jobs(heads_jobs), *sentences),
        numbers=_numbers(watched, table, explained, place),
        formula=lambda: _tell_largest(table, explained),
    )


def _tested(watched: Watched, table: HeadTable) -> Jobs | None:
    return compute.tested_on_random(watched.model.name) if "induction" in table.values else None


def _measure(table: HeadTable, *, has_jobs: bool) -> tuple[str, tuple[float, float] | None]:
    """What colours the map, a measure or the job of each head, and the values of the two ends of the scale."""
    names = {jobs.JOB: jobs.JOB} if has_jobs else {}
    names |= {MEASURES[name].name: name for name in MEASURES if name in table.values}
    with layout.control_bar():
        name = names[st.selectbox("Measure", list(names), key="measure", bind="query-params", width=260)]
        if name == jobs.JOB:
            return name, None
        limits = _limits(table, name)
        stretched = st.toggle(
            "Stretch the colours",
            key="stretch",
            bind="query-params",
            disabled=limits is None,
            help=SECTION.text("Colours"),
        )
    return name, None if stretched else limits


def _show_map(watched: Watched, table: HeadTable, name: str, limits: tuple[float, float] | None, place: Head) -> None:
    measure, values = MEASURES[name], table.values[name].numpy()
    factor = 100 if measure.share else 1
    cell_map(
        values * factor,
        key="measures",
        x="head",
        y="layer",
        tell=f"layer {{row}}, head {{column}}: {{value}}{'%' if measure.share else ''} {measure.unit}",
        rows=layer_names(watched),
        limits=None if limits is None else (limits[0] * factor, limits[1] * factor),
        marked=[place],
        mark="in view",
        on_click=head_in_view.if_it_is_there(watched, head_in_view.choose),
        alt=f"{measure.name} of each head: {span(values, partial(_value, measure))}",
        name=f"heads-{name}",
    )


def _say_what_it_means(table: HeadTable, name: str, watched: Watched) -> None:
    """What the measure is, what its ends mean, and what was measured."""
    measure = MEASURES[name]
    st.markdown(glossary.linked(f"**{measure.name}**, in {'percent ' if measure.share else ''}{measure.unit}"))
    st.latex(measure.formula)
    st.markdown(SECTION.text(f"Measure: {name.replace('_', ' ')}"))
    if table.values[name].isnan().any():
        layout.caption(SECTION.text("Hatched cells"))
    longest = max(call.query_length for call in watched.record.calls)
    if table.rows:
        st.caption(SECTION.text("Sampled rows", rows=table.rows, length=longest))
    if longest > layer_outputs.LONGEST:
        layout.caption(SECTION.text("No share of the output", most=layer_outputs.LONGEST, length=longest))


def _numbers(watched: Watched, table: HeadTable, name: str, place: Head) -> dict[str, object]:
    """The formula of a measure with the numbers of the head in view, by the places in the text."""
    measure, (layer, head) = MEASURES[name], head_in_view.numbered(watched, place)
    value = float(table.values[name][place])
    repeated = name == "induction"  # measured on random tokens, not on this input
    period = min(PERIOD, watched.model.context // 2) if isinstance(watched, WatchedText) else 0
    return {
        "measure": measure.name,
        "layer": layer,
        "head": head,
        "formula": measure.formula,
        "value": r"\text{none}" if np.isnan(value) else f"{value:.3f}",
        "symbol": "p" if repeated else "n",
        "length": period if repeated else watched.record.calls[place[0]].query_length,
    }


def _tell_largest(table: HeadTable, name: str) -> None:
    """The value that no head can exceed, where there is one."""
    if name in table.largest:
        st.markdown(SECTION.text("Largest value", largest=table.largest[name], unit=MEASURES[name].unit))


def _limits(table: HeadTable, name: str) -> tuple[float, float] | None:
    """From 0 to the largest value that is possible, where there is one."""
    if name in table.largest:
        return 0.0, table.largest[name]
    return (0.0, 1.0) if MEASURES[name].share and name != "output_shares" else None


def _say(watched: Watched, table: HeadTable, place: Head) -> None:
    """All measures of one head, in a line."""
    values = {name: float(table.values[name][place]) for name in MEASURES if name in table.values}
    descriptions = [f"{MEASURES[name].name.lower()} {_value(MEASURES[name], value)}" for name, value in values.items()]
    layer, head = head_in_view.numbered(watched, place)
    layout.caption(f"Layer {layer}, head {head}: {', '.join(descriptions)}.")


def _value(measure: Measure, value: float) -> str:
    return "does not apply" if np.isnan(value) else measure.value(value)


def _rank(watched: Watched, table: HeadTable, name: str, heads_jobs: Float[np.ndarray, "layer head"] | None) -> None:
    """All measures of all heads: those with a job first, or the largest value of the chosen measure."""
    layout.heading("All heads")
    frame = heads_frame(watched, table)
    if heads_jobs is not None:
        counts = [call.heads for call in watched.record.calls]
        numbers = [heads_jobs[layer, head] for layer, count in enumerate(counts) for head in range(count)]
        frame.insert(2, jobs.JOB, [jobs.name_of(number) for number in numbers])
    if name == jobs.JOB:
        frame = frame.sort_values(jobs.JOB, key=lambda column: column.map(jobs.ORDER.index), kind="stable")
    else:
        frame = frame.sort_values(_column(name), ascending=False, na_position="last")
    formats = {
        _column(key): st.column_config.NumberColumn(format="percent" if MEASURES[key].share else "%.2f")
        for key in table.values
    }
    data_table(frame, hide_index=True, height=min(RANKED, ROW * (len(frame) + 1)), column_config=formats)
    charts.download_table(frame, "heads")


def heads_frame(watched: Watched, table: HeadTable) -> pd.DataFrame:
    """One row a head: layer, head, and a column for each measure."""
    names = layer_names(watched)
    heads = [(layer, head) for layer, call in enumerate(watched.record.calls) for head in range(call.heads)]
    layers, numbers = map(list, zip(*heads, strict=True))
    columns = {_column(name): table.values[name][layers, numbers].tolist() for name in MEASURES if name in table.values}
    return pd.DataFrame({"layer": [names[layer] for layer in layers], "head": numbers} | columns)


def _column(name: str) -> str:
    measure = MEASURES[name]
    return measure.name if measure.share else f"{measure.name} ({measure.unit})"


def noticed(watched: Watched, table: HeadTable, tested: Jobs | None = None) -> tuple[str, ...]:
    """What the measures say about this input in this model; `tested`: the induction scores against their control."""
    values, calls, sentences = table.values, watched.record.calls, []
    of_layers = partial(findings, numbers=layer_numbers(calls))
    if isinstance(watched, WatchedText):
        even = compute.even_shares(watched)
        for name, say in (("previous_token", notices.previous_token_notice), ("first_token", notices.sink_notice)):
            if name in values and (heads := of_layers(values[name], even[name])):
                sentences.append(say(heads))
        if "induction" in values and (heads := of_layers(values["induction"])):
            sentences.append(about_induction(heads, tested, numbers=layer_numbers(calls)))
    elif heads := of_layers(values.get("mean_distance_in_plane", torch.empty(0, 0))):
        patches = watched.inputs.patches
        sees_all = all(call.key_length == len(patches) for call in calls)
        sentences.append(
            picture_notices.distance_notice(heads, measures.even_distance_in_plane(patches) if sees_all else None)
        )
    alike = len({(call.query_length, call.key_length, call.causal) for call in calls}) == 1
    largest = table.largest.get("entropy") if alike else None
    sentences += row_sums.row_sum_notices(by_layer(calls))
    return (*sentences, *about_entropy(values["entropy"], largest, numbers=layer_numbers(calls)))


Values = Float[Tensor, "layer head"]


def findings(values: Values, even: Values | None = None, *, numbers: Sequence[int] = ()) -> list[Finding]:
    """The heads that have a value; `even`: what even attention under the same mask would give, NaN where that says
    nothing of a head; `numbers`: those of the layers, by default from 0.
    """
    named = numbers or range(len(values))
    if even is not None:
        values = values.masked_fill(even.isnan(), torch.nan)
    return [
        Finding(named[layer], head, float(values[layer, head]), even=0.0 if even is None else float(even[layer, head]))
        for layer, head in torch.argwhere(~values.isnan()).tolist()
    ]


def about_induction(scores: list[Finding], tested: Jobs | None = None, *, numbers: Sequence[int] = ()) -> str:
    """The head that looks most at what came next the first time; `tested`: the same against its control; `numbers`:
    those of the layers, by default from 0.
    """
    most = max(scores, key=lambda score: score.value)
    control, holds = "", most.value >= jobs.INDUCTION
    if tested is not None:
        against = tested.of((numbers.index(most.layer) if numbers else most.layer, most.head))
        holds = holds and against.difference > MIN_STANDARD_ERRORS * against.error
        control = f" ({against.control:.0%} where other tokens stood there)"
    verdict = "an induction head" if holds else "too little to call it an induction head"
    return (
        f"On random tokens said twice, **{most.head_name}** gives {most.value:.0%} of its attention to what came next "
        f"the first time{control}, and no head more: {verdict}."
    )


def about_entropy(entropies: Values, largest: float | None, *, numbers: Sequence[int] = ()) -> list[str]:
    """The layer whose heads spread their attention most, and least; `largest`: what none can exceed, if it is one."""
    layers = dict(zip(numbers or range(len(entropies)), entropies.nanmean(dim=1).tolist(), strict=True))
    broad, narrow = leading(layers, BROAD), leading(layers, BROAD, least=True)
    if not broad or broad[0] in narrow:
        return []
    most = "" if largest is None else f", of at most {largest:.1f}"
    wide, close = (
        (f"Layers {join_names([str(layer) for layer in some])}", "look")
        if len(some) > 1
        else (f"Layer {some[0]}", "looks")
        for some in (broad, narrow)
    )
    return [
        f"{wide[0]} {wide[1]} most broadly ({layers[broad[0]]:.1f} bits on average{most}), {close[0].lower()} most "
        f"narrowly ({layers[narrow[0]]:.1f} bits)."
    ]
