"""The last step: scores for every possible answer, and the probabilities that they become."""

import pandas as pd
import streamlit as st

from core.anatomy import Arrays, Part
from dashboard import charts, layout
from dashboard.figures.predictions import prediction_bars
from pages.foundations.inside_the_transformer import choices, maps
from pages.foundations.inside_the_transformer.compute import Walk

TOP = 10


def show(walk: Walk, part: Part, arrays: Arrays) -> None:
    """The most probable answers at a token, or for the whole input."""
    del arrays
    logits = walk.walked.logits
    if logits is None:
        return
    if logits.ndim == 2:
        chosen = choices.token(maps.labels_of(walk, part, len(logits)), label="After")
        logits = logits[chosen]
    logits = logits.float()
    values, numbers = logits.softmax(-1).topk(min(TOP, len(logits)))
    labels = [layout.readable(walk.label(number)) for number in numbers.tolist()]
    st.markdown(f"**The most probable of {len(logits):,}**")
    charts.chart(
        prediction_bars(labels, values.tolist(), look=layout.look()),
        name="inside-head",
        alt="The most probable answers",
        table=pd.DataFrame(
            {"answer": labels, "logit": logits[numbers].tolist(), "probability": values.tolist()},
        ),
    )
