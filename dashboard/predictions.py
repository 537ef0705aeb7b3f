"""What the model makes of the input, as it is and with heads silenced, side by side."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard.figures.predictions import prediction_bars
from dashboard.kept import keep
from dashboard.watched import Watched, WatchedText

TOP = 5

# What the bars below a view answer, by the kind of model.
QUESTIONS = {
    "NextToken": "What comes next?",
    "MissingToken": "What would it write in the last place?",
    "SourceToTarget": "What would it write next?",
    "Classifier": "What is its verdict?",
    "ImageModel": "What does it take the picture for?",
}


def show(plain: Watched, changed: Watched | None) -> None:
    """The most probable next tokens or classes; for a text also what was expected after every token."""
    runs: list[Any] = [  # of texts, or of pictures: their models are asked in the same way
        plain,
        *([changed] if changed else []),
    ]
    found = {
        best.number: layout.readable(best.label) for run in runs for best in run.model.predictions(run.run, top=TOP)
    }
    if not found:
        return
    st.subheader(QUESTIONS[type(plain.model).__name__], anchor=False)
    if classes := getattr(plain.model, "classes", ()):
        st.caption(f"The most probable of the {len(classes):,} classes that it knows; it can name nothing else.")
    bars = [run.model.probabilities(run.run)[[*found]].tolist() for run in runs]
    told = ", ".join(f"{label} {value:.1%}" for label, value in zip(found.values(), bars[0], strict=True))
    figure = partial(prediction_bars, list(found.values()), *bars, look=layout.look())
    charts.plot(figure, name="predictions", alt=f"Probabilities: {told}")
    if _says_at_each_token(plain) and not layout.is_presented():
        table = st.expander("At every token", key="at_every_token", on_change="rerun")
        if table.open:
            table.dataframe(at_every_token(*runs), hide_index=True)


@keep()
def at_every_token(*runs: WatchedText) -> pd.DataFrame:
    """One row a token: what stood there, and what each run of a text expected next, with its probability."""
    labels = runs[0].run.sequences["text"].labels
    columns: dict[str, list] = {"token": [layout.readable(label) for label in labels]}
    for name, watched in zip(("expected", "heads silenced"), runs, strict=False):
        assert watched.run.logits is not None
        values, numbers = watched.run.logits.float().softmax(dim=-1).max(dim=-1)  # of all tokens at once
        columns[name] = [layout.readable(watched.model.label(number)) for number in numbers.tolist()]
        columns[f"{name}: probability"] = [round(value, 3) for value in values.tolist()]
    return pd.DataFrame(columns)


def _says_at_each_token(watched: Watched) -> bool:
    if not isinstance(watched, WatchedText) or watched.run.logits is None:
        return False
    return "text" in watched.run.sequences and watched.run.logits.ndim == 2
