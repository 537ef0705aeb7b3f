"""Why this word and not that one: the difference of two logits, split into what each part of the model wrote."""

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import InputError
from core.interpretability.component_outputs import Component
from core.interpretability.logit_attribution import Attribution
from dashboard import theme, typeset
from dashboard.components.cell_map import cell_map
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import small, with_power
from dashboard.output import charts
from dashboard.recordings.watched import Head
from pages.language.next_word import compute_why, inputs, why_one_head
from pages.language.next_word.compute_why import Reading
from pages.language.next_word.figures_why import by_kind, by_layer, component_name, grid, largest, plus
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Why this word")
THE_BEST, THE_BEST_OTHER = "the most probable", "the most probable other"
WIDTH = 230  # pixels: of the control for a token
SIDES = (3, 2)  # widths of the map and of the bars
LARGEST, BY_LAYER = "Largest", "By layer"
NEAR = 0.005  # nats: less is not told from nothing


def show() -> None:
    """Two candidates; what every part wrote between them; one head, from where it moved it, and without it."""
    with layout.control_bar():
        typed_text = inputs.text()
        foil_place = st.container(width="content")
        with (menu := layout.settings()):
            token_place = st.container()
            order = controls.choice("Parts", [LARGEST, BY_LAYER], key="why_parts")
    selection = inputs.selection(typed_text, menu)
    with (waiting := layout.waiting_place()):
        read = compute_why.reading(selection.name, selection.text)
    if cut := read.tokens.cut:
        st.info(SECTION.text("Long texts", length=cut.length, total=cut.total), icon=":material/content_cut:")
    one, other = _candidates(read, token_place, foil_place)
    with waiting:
        attribution = compute_why.attribution(read, one, other)
    names = quoted(read, one), quoted(read, other)
    map_side, bars_side = st.columns(SIDES, gap="large")
    with bars_side:
        _bars(attribution, names, order)
    layout.place_notice()
    head = why_one_head.choose(attribution)
    with map_side:
        _map(attribution, names, head)
    about_head = why_one_head.show(read, attribution, names, head) if head else ()
    marked = typeset.plain(names[0]), typeset.plain(names[1])
    layout.notes(
        SECTION,
        notice=(*noticed(attribution.by_component, attribution.difference, *marked), *about_head),
        numbers=_numbers(attribution, marked),
        formula=lambda: _explain(attribution, head),
    )


def quoted(read: Reading, token: int) -> str:
    """A token as a sentence names it."""
    return f"“{compute_why.name_of(read.model, token)}”"


def noticed(parts: dict[Component, float], difference: float, one: str, other: str) -> tuple[str, ...]:
    """How much more probable one token is, and who wrote most for either; names are Markdown."""
    for_one, for_other = max(parts, key=parts.__getitem__), min(parts, key=parts.__getitem__)
    clauses = []
    if parts[for_one] >= NEAR:
        clauses.append(f"**{component_name(for_one)}** adds most toward {one} ({plus(parts[for_one])})")
    if parts[for_other] <= -NEAR:
        clauses.append(f"**{component_name(for_other)}** adds most toward {other} ({plus(parts[for_other])})")
    groups = {
        "All heads together": ("head", "attention"),
        "all MLPs": ("MLP",),
        "token and position": ("token", "position"),
        "biases and other parts": ("bias", "other", "constant"),
    }
    sums = {
        name: [value for component, value in parts.items() if component.kind in kinds] for name, kinds in groups.items()
    }
    added = [f"{name} add {plus(sum(values))}" for name, values in sums.items() if values]
    sentences = [_preferred(difference, one, other)]
    if clauses:
        text = "; ".join(clauses)
        sentences.append(f"**{text[2:3].upper()}{text[3:]}.")
    return (*sentences, f"{', '.join(added)}: that is {plus(difference)}.")


def _preferred(difference: float, one: str, other: str) -> str:
    if abs(difference) < NEAR:
        return f"{one} and {other} are equally probable: their logits differ by less than {NEAR} nats."
    more, less = (one, other) if difference > 0 else (other, one)
    times = math.exp(min(abs(difference), 700.0))
    factor = f"{times:,.2f}" if times < 1000 else f"{times:,.0f}" if times < 1e6 else with_power(times, digits=2)
    return (
        f"{more} is {factor} times as probable as {less}: the logits of {one} and {other} differ by "
        f"**{plus(difference)} nats**."
    )


def _candidates(read: Reading, token_place: DeltaGenerator, foil_place: DeltaGenerator) -> tuple[int, int]:
    """The token to explain, and the one that it is compared with; InputError where they are the same."""
    known = compute_why.names_of(read.model, read.best)

    def chosen(place: DeltaGenerator, label: str, usual: str, key: str) -> str:
        choice = place.selectbox(
            label,
            [usual, *known],
            key=key,
            bind="query-params",
            accept_new_options=True,
            width=WIDTH,
            help=SECTION.text("Candidates"),
        )
        return choice or usual

    first = chosen(token_place, "Token", THE_BEST, "why_token")
    second = chosen(foil_place, "Against", THE_BEST_OTHER, "why_against")

    def number(name: str) -> int:
        return known[name] if name in known else compute_why.token_of(read.model, name)

    one = read.best[0] if first == THE_BEST else number(first)
    other = _most_probable_other(read, one) if second == THE_BEST_OTHER else number(second)
    if one == other:
        raise InputError("A token cannot be compared with itself: choose another one under Token or under Against.")
    return one, other


def _most_probable_other(read: Reading, token: int) -> int:
    """The most probable token besides `token`; one that is just as probable only where there is no other."""
    logits = read.lens[-1]
    others = [number for number in read.best if number != token]
    return next((number for number in others if abs(float(logits[number] - logits[token])) >= NEAR), others[0])


def _map(attribution: Attribution, names: tuple[str, str], head: Head | None) -> None:
    columns, values = grid(attribution)
    if not values.size:
        return
    reach = float(np.nanmax(np.abs(values))) or 1.0
    one, other = map(typeset.plain, names)
    st.markdown(f"**Why {one} and not {other}?** What each part adds")
    cell_map(
        values,
        key="why_map",
        x="head (h), then the other parts of the layer",
        y="layer",
        tell="layer {row}, {column}: {value} nats",
        columns=columns,
        limits=(-reach, reach),
        marked=[head] if head else [],
        mark="in view",
        on_click=why_one_head.clicked(attribution),
        alt=f"What each part of {len(values)} layers adds to a difference of {plus(attribution.difference)} nats",
        name="why-parts",
        height=theme.look().high(400),
    )


def _bars(attribution: Attribution, names: tuple[str, str], order: str) -> None:
    rows = by_layer(attribution.by_component) if order == BY_LAYER else largest(attribution.by_component)
    rows.append(("together", attribution.total))
    labels, values = [label for label, _ in rows], np.array([value for _, value in rows])
    heading = "Layer by layer" if order == BY_LAYER else "Largest parts"
    st.markdown(f"**{heading}**: + for {typeset.plain(names[0])}, − for {typeset.plain(names[1])}")
    column = Column("nats", values, "%{customdata}: %{x:.4f} nats")
    charts.chart(
        partial(score_bars, labels, [column], look=theme.look().sized(-1), marked=len(labels) - 1),
        name="why-bars",
        alt="; ".join(f"{label} {plus(value)}" for label, value in rows),
        table=pd.DataFrame({"part": labels, "nats": values}),
    )


def _numbers(attribution: Attribution, names: tuple[str, str]) -> dict[str, object]:
    """The sum over all parts, as LaTeX and in words; names are Markdown."""
    norm, kinds = attribution.component_outputs.norm, by_kind(attribution.by_component)
    terms = [_in_latex(value) for _, value in kinds]
    return {
        "centred": r"c_i - \bar c_i" if norm.kind == "layer" else "c_i",
        "parts": r" \\ &\quad ".join(" ".join(terms[start : start + 4]) for start in range(0, len(terms), 4)),
        "total": _in_latex(attribution.total),
        "kinds": ", ".join(name for name, _ in kinds),
        "difference": plus(attribution.difference),
        "error": small(abs(attribution.total - attribution.difference)),
        "target": names[0],
        "foil": names[1],
        "scale": norm.scale,
    }


def _in_latex(value: float) -> str:
    return plus(value).replace("−", "-")


def _explain(attribution: Attribution, head: Head | None) -> None:
    """What holds for this model's norm; and the part of the head in view as a sum over tokens."""
    if attribution.component_outputs.norm.kind == "layer":
        st.markdown(SECTION.text("Layer norm"))
    if head and head[0] in attribution.component_outputs.heads:
        moved = attribution.of_head(*head)
        text = SECTION.text(
            "Part of a head",
            layer=head[0],
            head=head[1],
            tokens=len(moved),
            sum=plus(float(moved.sum())),
            part=plus(attribution.share(Component("head", *head))),
        )
        st.markdown(text)
