"""What the model makes of the input, as it is and with heads silenced, side by side."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard.figures.predictions import prediction_bars
from dashboard.watched import Watched, WatchedText

TOP = 5

# What the bars below a view answer, by the kind of model.
PREDICTIONS = {
    "NextToken": "What comes next?",
    "MissingToken": "What would it write in the last place?",
    "SourceToTarget": "What would it write next?",
    "Classifier": "What is its verdict?",
    "ImageModel": "What does it take the picture for?",
}


def show(plain: Watched, changed: Watched | None) -> None:
    """The most probable next tokens or classes; for a text also what was expected after every token."""
    if not _best(plain):
        return
    st.subheader(PREDICTIONS[type(plain.model).__name__], anchor=False)
    if classes := getattr(plain.model, "classes", ()):
        st.caption(f"The most probable of the {len(classes):,} classes that it knows; it can name nothing else.")
    _bars(plain, changed)
    texts = {name: run for name, run in (("expected", plain), ("heads silenced", changed)) if _says_at_each_token(run)}
    if texts and not layout.is_presented():
        with st.expander("At every token"):
            st.dataframe(_every_token(texts), hide_index=True)


def _best(watched: Watched) -> dict[int, str]:
    """The number and the label of what is most probable, the most probable first."""
    model: Any = watched.model
    return {best.number: best.label for best in model.predictions(watched.run, top=TOP)}


def _bars(plain: Watched, changed: Watched | None) -> None:
    found = _best(plain) | (_best(changed) if changed else {})
    labels = [layout.readable(label) for label in found.values()]
    before, after = _probabilities(plain, found), _probabilities(changed, found) if changed else None
    charts.plot(
        prediction_bars(labels, before, after, look=layout.look()),
        name="predictions",
        alt=f"Probabilities: {', '.join(f'{label} {value:.1%}' for label, value in zip(labels, before, strict=True))}",
    )


def _probabilities(watched: Watched, numbers: Iterable[int]) -> list[float]:
    model: Any = watched.model
    return model.probabilities(watched.run)[[*numbers]].tolist()


def _says_at_each_token(watched: Watched | None) -> bool:
    if not isinstance(watched, WatchedText) or watched.run.logits is None:
        return False
    return "text" in watched.run.sequences and watched.run.logits.ndim == 2


def _every_token(texts: dict[str, Any]) -> pd.DataFrame:
    """One row a token: what stood there, and what each run expected next, with its probability."""
    labels = next(iter(texts.values())).run.sequences["text"].labels
    columns: dict[str, list] = {"token": [layout.readable(label) for label in labels]}
    for name, watched in texts.items():
        best = [watched.model.predictions(watched.run, position=place, top=1)[0] for place in range(len(labels))]
        columns[name] = [layout.readable(prediction.label) for prediction in best]
        columns[f"{name}: probability"] = [round(prediction.probability, 3) for prediction in best]
    return pd.DataFrame(columns)
