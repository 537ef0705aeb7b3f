"""Geometry: the query and the keys of a head as arrows in a plane, and a query that is turned by dragging."""

import math

import streamlit as st

from dashboard import typeset
from dashboard.components.query_plane import query_plane
from dashboard.frame import layout
from dashboard.inputs import controls
from pages.foundations.attention_step_by_step import inputs
from pages.foundations.attention_step_by_step.inputs import Chosen
from pages.foundations.attention_step_by_step.notices_geometry import EXACT, notices
from pages.foundations.attention_step_by_step.prose import PAGE
from pages.foundations.attention_step_by_step.turning import MOST_PLANE, QUERY_PLANE, Head, Turned, head_of, turn

SECTION = PAGE.section("Geometry")
PARAMETERS = ("query_turn", "query_plane")  # of links from before the page had sections: they open this one
MOST = 12  # rows of bars


def show() -> None:
    """The arrows, of which the query can be dragged, with the dot products and weights that follow from it."""
    chosen = inputs.choose()
    options, followed = chosen.options, chosen.followed
    head = head_of(followed.compute(**options), followed.head, followed.query)
    labels = tuple(typeset.readable(token) for token in followed.tokens)
    degrees, plane = _turn_and_plane(chosen, head)
    result = turn(head, float(degrees), plane=plane, scale=options["scale"], temperature=options["temperature"])
    with chosen.figure:
        _figure(result, labels, plane, chosen)
        if len(labels) > MOST:
            layout.caption(SECTION.text("Bars", bars=MOST, keys=len(labels)))
        layout.place_notice()
    choice, hidden, *others = notices(result, labels, plane)
    layout.notes(SECTION, notice=(f"{choice} {hidden}", *others), formula=lambda: _formula(result, options))


def _turn_and_plane(chosen: Chosen, head: Head) -> tuple[int, str]:
    """The turn, which the figure sets too, and the plane, which a head of more than two channels leaves open."""
    with chosen.menu:
        degrees = st.slider("Turn the query (degrees)", -180, 180, 0, key="query_turn", bind="query-params")
        plane = QUERY_PLANE
        if head.keys.shape[1] > 2:
            plane = controls.menu("Plane of", (QUERY_PLANE, MOST_PLANE), key="query_plane")
    return degrees, plane


def _figure(result: Turned, labels: tuple[str, ...], plane: str, chosen: Chosen) -> None:
    name = labels[result.head.query]
    query_plane(
        result.head.vector,
        result.head.keys,
        result.head.allowed,
        result.axes,
        key="query_in_plane",
        labels=labels,
        axis_names=_axis_names(result, plane),
        degrees=int(result.degrees),
        divisor=chosen.divisor(len(result.vector)),
        exact=EXACT,
        most=MOST,
        on_turn=_turned,
        alt=f"The query of {name} and {len(labels)} keys as arrows from zero.",
        name=f"steps-geometry-{chosen.followed.place}",
    )


def _turned(degrees: int) -> None:
    st.session_state.query_turn = degrees


def _axis_names(result: Turned, plane: str) -> tuple[str, str]:
    if result.is_exact:
        return "channel 0", "channel 1"
    if plane == MOST_PLANE:
        return "first singular vector", "second singular vector"
    return "along the query before its turn", "across it"


def _formula(result: Turned, options: dict) -> None:
    """The product of the best key where it has an angle, the softmax of the chosen options, and the plane."""
    best = int(result.weights.argmax())
    query, key = result.vector.double(), result.head.keys[best].double()
    angle = float(result.angles[best])
    if not math.isnan(angle):
        st.latex(
            rf"{float(query.norm()):.2f} \cdot {float(key.norm()):.2f} \cdot \cos {angle:.1f}^\circ = "
            rf"{float(query @ key):.2f}"
        )
    divisors = [rf"\sqrt{{{len(query)}}}"] if options["scale"] else []
    if options["temperature"] != 1:
        divisors.append(f"{options['temperature']:g}")
    divisor = r" \cdot ".join(divisors)
    score = rf"\frac{{q \cdot k_j}}{{{divisor}}}" if divisor else r"q \cdot k_j"
    st.latex(rf"a_j = \operatorname{{softmax}}_j\left({score}\right)")
    if not result.is_exact:
        st.latex(r"k_j \mapsto P^{\top} k_j, \quad P^{\top} P = I_2")
