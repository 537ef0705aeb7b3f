"""A text in two tinted lines, for the tests of the component."""

import streamlit as st

from dashboard.components.tinted_lines import Line, tinted_lines

TEXT = "ab<b>c"

st.set_page_config(layout="wide")
tinted_lines(
    list(TEXT),
    [
        Line(
            name, strengths, [f"{name} at {place}" for place in range(len(TEXT))], [("<i>", "90%")], f"{name}: summary"
        )
        for name, strengths in (("First", [0, 0.2, 0.4, 0.6, 0.8, 1]), ("Second", [1, 0, 0, 0, 0, 0]))
    ],
    key="lines",
    odd=[2],
    odd_means="odd",
    scale="Strength",
    ticks=((0, "none"), (1, "all")),
    after="what follows",
)
