"""Geometry: the query and the keys of a head as arrows in a plane, and a query that turns."""

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import theme, typeset
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import signed
from dashboard.output import charts
from pages.foundations.attention_step_by_step import inputs, words
from pages.foundations.attention_step_by_step.figures import Arrow, arrows
from pages.foundations.attention_step_by_step.inputs import Followed
from pages.foundations.attention_step_by_step.notices_geometry import notices
from pages.foundations.attention_step_by_step.turning import Turned, head_of, turn

MOST = 12  # rows of bars


def show() -> None:
    """The arrows, the slider that turns the query, and the scores and weights that follow from it."""
    followed, options, figure = inputs.choose()
    head = head_of(followed.compute(**options), followed.head, followed.query)
    labels = tuple(typeset.readable(token) for token in followed.tokens)
    with figure:
        drawn, listed = st.columns([1, 1.5], gap="large")
        with listed:
            degrees = st.slider("Turn the query (degrees)", -180, 180, 0, 5, key="query_turn", bind="query-params")
            plane = words.QUERY_PLANE
            if head.keys.shape[1] > 2:
                plane = controls.menu("Plane of", (words.QUERY_PLANE, words.MOST_PLANE), key="query_plane")
            result = turn(head, float(degrees), plane=plane, scale=options["scale"], temperature=options["temperature"])
            _bars(result, labels, followed)
        with drawn:
            _arrows(result, labels, plane, followed)
            layout.place_notice()
    layout.notes(words.GEOMETRY_NOTES, notice=notices(result, labels, plane), formula=lambda: _formula(result, options))


def _arrows(result: Turned, labels: tuple[str, ...], plane: str, followed: Followed) -> None:
    keys, query = (result.head.keys @ result.axes).tolist(), (result.vector @ result.axes).tolist()
    angles, allowed = result.angles_in_plane.tolist(), result.head.allowed.tolist()
    vectors = [
        Arrow(
            label,
            place[0],
            place[1],
            weight,
            f"key “{label}”: angle {_angle(angle)}, dot product {signed(product)}, "
            + (f"weight {weight:.1%}" if is_allowed else "masked"),
        )
        for label, place, weight, angle, product, is_allowed in zip(
            labels, keys, result.weights.tolist(), angles, result.products.tolist(), allowed, strict=True
        )
    ]
    name = labels[result.head.query]
    vectors.append(Arrow("query", query[0], query[1], 1.0, f"query of “{name}”", is_query=True))
    x, y = _axis_names(result, plane)
    before = (result.head.vector @ result.axes).tolist()
    figure = partial(
        arrows,
        vectors,
        look=theme.look(),
        x=x,
        y=y,
        ghost=(before[0], before[1]) if result.degrees else None,
        shadow_of=int(result.weights.argmax()),
    )
    table = pd.DataFrame(
        {
            "vector": [*(f"key {label}" for label in labels), f"query {name}"],
            "first axis": [*(x for x, _ in keys), query[0]],
            "second axis": [*(y for _, y in keys), query[1]],
        }
    )
    alt = f"The query of {name}, turned by {result.degrees:.0f} degrees, and {len(labels)} keys as arrows from zero."
    charts.chart(figure, name=f"steps-geometry-{followed.place}", alt=alt, table=table)


def _axis_names(result: Turned, plane: str) -> tuple[str, str]:
    if result.is_exact:
        return "channel 0", "channel 1"
    if plane == words.MOST_PLANE:
        return "first singular vector", "second singular vector"
    return "along the query before its turn", "across it"


def _bars(result: Turned, labels: tuple[str, ...], followed: Followed) -> None:
    """The keys with the largest weights, in the order of the text; all of them in the table."""
    places = np.sort(np.argsort(-result.weights.numpy(), kind="stable")[:MOST])
    products, in_plane = result.products.numpy(), result.products_in_plane.numpy()
    is_close = result.error < 0.005
    columns = [
        Column("angle, °", result.angles_in_plane.numpy(), "%{customdata}: angle in the plane %{x:.1f}°"),
        *([] if is_close else [Column("in the plane", in_plane, "%{customdata}: dot product in the plane %{x:.3f}")]),
        Column("query · key", products, "%{customdata}: dot product of all channels %{x:.3f}"),
        Column("weight", result.weights.numpy(), "%{customdata}: weight %{x:.1%}", percent=True),
    ]
    table = pd.DataFrame(
        {
            "key": labels,
            "angle in the plane": result.angles_in_plane.numpy(),
            "angle": result.angles.numpy(),
            "dot product in the plane": in_plane,
            "dot product": products,
            "weight": result.weights.numpy(),
            "weight before the turn": result.weights_before.numpy(),
        }
    )
    rows = [Column(c.title, np.asarray(c.values)[places], c.tell, c.percent) for c in columns]
    best = int(result.weights.argmax())
    marked = places.tolist().index(best)
    names = [labels[place] if result.head.allowed[place] else f"{labels[place]} (masked)" for place in places]
    figure = partial(score_bars, names, rows, look=theme.look(), marked=marked)
    alt = "For each key its angle to the query, the dot product and the weight."
    charts.chart(figure, name=f"steps-geometry-keys-{followed.place}", alt=alt, table=table)
    if len(labels) > MOST:
        layout.caption(f"The {MOST} keys with the largest weights, of {len(labels)}.")


def _angle(degrees: float) -> str:
    return "undefined" if math.isnan(degrees) else f"{degrees:.0f}°"


def _formula(result: Turned, options: dict) -> None:
    best = int(result.weights.argmax())
    query, key = result.vector.double(), result.head.keys[best].double()
    st.latex(r"q \cdot k_j = \lVert q \rVert\, \lVert k_j \rVert \cos \varphi_j")
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
