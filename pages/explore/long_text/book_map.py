"""Map: the map of one head over the whole text, to be zoomed down to one word."""

import streamlit as st

from dashboard import theme
from dashboard.address import parameter
from dashboard.components.map_view import map_view, place_in
from dashboard.frame import layout
from dashboard.long_text import readings
from dashboard.long_text.open_reading import OpenReading
from dashboard.long_text.route import ADDRESS
from dashboard.number_format import small
from pages.explore.long_text import compute, inputs
from pages.explore.long_text.prose import PAGE

SECTION = PAGE.section("Map")
PLACE = "place"  # in the address: layer, head, depth, query and key in the middle of the view
TOKEN = "token of the reading"  # in the session
FIRST = "first place"  # in the session: of which reading, and where its map begins
FIRST_HEAD = "5.5"  # of the first model: in the first book it has the strongest far link
TALL = 520  # pixels


def show() -> None:
    """The reading, its map and its text."""
    reading = inputs.choose()
    token = st.session_state[TOKEN] = readings.token_of(reading, st.session_state.get(TOKEN))
    map_view(
        key="map",
        base=f"{ADDRESS}/{token}",
        place=parameter(PLACE, place_in) or _first_place(reading),
        name="long-text",
        height=theme.look().high(TALL),
        on_place=lambda place: st.query_params.update({PLACE: place}),
    )
    layout.notes(
        SECTION,
        notice=(),
        numbers={"tokens": len(reading.tokens), "pairs": compute.pairs(reading), "width": _width(reading)},
        formula=lambda: _one_weight(reading),
    )


def _first_place(reading: OpenReading) -> str | None:
    """The head that is open before anybody chooses one; the same as long as the reading is.

    It is the one with the strongest far link, where the text is read already.
    """
    held = st.session_state.get(FIRST)
    if held is None or held[0] != reading.identity:
        place = FIRST_HEAD if reading.name == inputs.FIRST_MODEL else None
        if reading.finished and reading.distances:
            layer, head, _ = max(compute.all_heads(reading), key=lambda entry: entry[2].strongest_far)
            place = f"{layer}.{head}"
        held = st.session_state[FIRST] = (reading.identity, place)
    return held[1]


def _one_weight(reading: OpenReading) -> None:
    """The largest weight of the last token in the first head, once that is read."""
    if not reading.reading.layers:
        return
    head = reading.head(0, 0)
    query = len(head) - 1
    weights = head.row(query)
    key = int(weights.argmax())
    normaliser = float(head.log_normaliser[query])
    text = SECTION.text("One weight", query=query, key=key, weight=small(float(weights[key])), normaliser=normaliser)
    st.markdown(text)


def _width(reading: OpenReading) -> int:
    return reading.reading.layers[0].place.head_dim if reading.reading.layers else 0
