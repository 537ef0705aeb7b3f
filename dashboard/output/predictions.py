"""The model's predictions for the input, as it is and with heads ablated, side by side."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import theme, typeset
from dashboard.cache.memo import cached
from dashboard.figures.predictions import HEADS_ABLATED, prediction_bars
from dashboard.inputs import photograph
from dashboard.output import charts, class_gallery
from dashboard.output.data_table import data_table
from dashboard.output.prediction_changes import change_notice
from dashboard.recordings.watched import Watched, WatchedImage, WatchedText

TOP, TOP_OF_TWO = 5, 3  # of one run; of each of two, which stand in one figure


def show(plain: Watched, changed: Watched | None) -> None:
    """Draw the most probable next tokens or classes; for a changed run also a sentence about how the first changed."""
    runs: list[Any] = [  # of texts, or of pictures: their models are asked in the same way
        plain,
        *([changed] if changed else []),
    ]
    most = TOP_OF_TWO if changed else TOP
    labels = {
        prediction.number: typeset.readable(prediction.label)
        for run in runs
        for prediction in run.model.predictions(run.run, top=most)
    }
    if not labels:
        return
    st.subheader(plain.model.question, anchor=False)
    shares = [run.model.probabilities(run.run).float().numpy() for run in runs]
    caption = ""
    if changed:
        st.markdown(change_notice(*shares, name=lambda number: typeset.readable(runs[0].model.label(number))))
    elif classes := getattr(plain.model, "classes", ()):
        caption = f"These are the most probable of its {len(classes):,} classes; it can name nothing else."
        if isinstance(plain, WatchedImage):
            caption += f" {photograph.accuracy_sentence(plain.model.name, plain.inputs.pixels.shape[-1])}"
            if doubt := photograph.doubt_sentence(float(shares[0].max())):
                st.markdown(doubt)
            if failure := photograph.failure_sentence(plain.model, plain.example, classes[int(shares[0].argmax())]):
                st.markdown(failure)
    bars = [share[[*labels]].tolist() for share in shares]
    alt = ", ".join(
        f"{label} " + ", then ".join(f"{value:.1%}" for value in values)
        for label, *values in zip(labels.values(), *bars, strict=True)
    )
    figure = partial(prediction_bars, list(labels.values()), *bars, look=theme.look())
    charts.plot(figure, name="predictions", alt=f"Probabilities: {alt}")
    if caption:
        st.caption(caption.rstrip())
    typeset.explain_bytes(labels.values())


def show_classes(plain: Watched) -> None:
    """Draw the fold with all classes that an image model can name; nothing for other models."""
    if isinstance(plain, WatchedImage) and plain.model.classes:
        shares = plain.model.probabilities(plain.run).float().numpy()
        class_gallery.show(plain.model.name, plain.model.classes, shares)


def show_at_every_token(plain: Watched, changed: Watched | None) -> None:
    """Draw a fold with the predictions after every token, if the model makes them; nothing on a projector."""
    if not isinstance(plain, WatchedText) or not _predicts_at_every_token(plain) or theme.is_presented():
        return
    table = st.expander("At every token", key="at_every_token", on_change="rerun")
    if table.open:
        runs = (plain, changed) if isinstance(changed, WatchedText) else (plain,)
        with table:
            rows = at_every_token(*runs)
            data_table(rows, hide_index=True)
            typeset.explain_bytes(cell for name in rows for cell in rows[name] if isinstance(cell, str))


@cached()
def at_every_token(*runs: WatchedText) -> pd.DataFrame:
    """One row for each token: the token, and each run's most probable next token with its probability."""
    tokens = runs[0].run.sequences["text"]
    columns: dict[str, list] = {"token": [typeset.in_word(tokens, place) for place in range(len(tokens))]}
    for name, watched in zip(("expected", HEADS_ABLATED), runs, strict=False):
        assert watched.run.logits is not None
        values, numbers = watched.run.logits.float().softmax(dim=-1).max(dim=-1)  # of all tokens at once
        columns[name] = [typeset.readable(watched.model.label(number)) for number in numbers.tolist()]
        columns[f"{name}: probability"] = [round(value, 3) for value in values.tolist()]
    return pd.DataFrame(columns)


def _predicts_at_every_token(watched: WatchedText) -> bool:
    logits = watched.run.logits
    return logits is not None and logits.ndim == 2 and "text" in watched.run.sequences
