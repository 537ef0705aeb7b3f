"""Two charts, and a third that may come before them, for the tests of the row below each."""

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import theme
from dashboard.figures.curves import curves
from dashboard.figures.heat import heat
from dashboard.output import charts

st.set_page_config(layout="wide")
steepness = st.slider("Steepness", 1, 5, 2)
if st.toggle("Another before"):
    charts.chart(heat(np.eye(3), look=theme.look(), x="third", y=""), name="third", alt="A third")
along = np.arange(4)
lines = {"line <b>x</b>": along * steepness, "square": along**2}
charts.chart(
    curves(along, lines, look=theme.look(), x="places of the first", y=f"{steepness} times"),
    name="first",
    alt="The first <chart> & its lines",
    table=pd.DataFrame({"place": along, "label": ["=1+1", "b,c", "שלום", "d"], "line": along * steepness}),
)
charts.chart(heat(np.eye(5), look=theme.look(), x="places of the second", y=""), name="second", alt="The second")
