"""Change it: hide parts of the photograph, silence heads, and see what the model says then."""

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard import photograph as given
from dashboard.figures.predictions import prediction_bars
from pages.vision.vision_transformer import change_notices, change_occlusion, change_tools, hidden_patches
from pages.vision.vision_transformer import compute_changed as kept
from pages.vision.vision_transformer import words_change as said
from pages.vision.vision_transformer.changed import Changed

TOP = 5


def show() -> None:
    """The photograph to click in, the heads, the verdict before and after, and what each patch is worth."""
    chosen = given.choose(given.CLASSIFIERS, attends=False)
    model = chosen.model
    if not model.classes:
        st.info(said.NO_CLASSES.format(title=layout.plain(model.title)), icon=":material/info:")
        return
    asked = chosen.name, chosen.picture, chosen.resolution
    with layout.waiting_place():
        before = kept.verdict(*asked)
        heads = kept.heads_of(*asked)
    hidden = hidden_patches.given(before.given.patches)
    picture, verdict = st.columns([1, 1.15], gap="large")
    with verdict:
        silenced = change_tools.silenced_heads(heads)
        with layout.waiting_place():
            after = kept.verdict(*asked, silenced, hidden) if silenced or hidden else before
        changed = Changed(chosen, heads, silenced, hidden, before, after)
        with layout.control_bar():
            change_tools.reset(disabled=not changed.is_changed)
            change_tools.all_but(hidden, changed.grid)
        _predictions(changed)
    with picture:
        change_tools.hide_by_clicking(changed)
    found = change_occlusion.show(changed)
    layout.notes(
        said.NOTES,
        notice=change_notices.about(changed, found),
        formula=lambda: change_notices.formula(changed),
    )


def _predictions(changed: Changed) -> None:
    """The most probable classes of both verdicts, side by side."""
    best = [np.argsort(-seen.probabilities)[:TOP] for seen in (changed.before, changed.after)]
    numbers = list(dict.fromkeys(int(number) for each in best for number in each))
    labels = [layout.readable(changed.label(number)) for number in numbers]
    before, after = (seen.probabilities[numbers].tolist() for seen in (changed.before, changed.after))
    figure = prediction_bars(
        labels,
        before,
        after if changed.is_changed else None,
        look=layout.look(),
        changed="changed",
    )
    columns = {"class": labels, "as it is": before} | ({"changed": after} if changed.is_changed else {})
    charts.chart(
        figure,
        name="vision-verdict",
        alt="Probabilities: "
        + ", ".join(
            f"{label} {was:.1%}, then {now:.1%}" for label, was, now in zip(labels, before, after, strict=True)
        ),
        table=pd.DataFrame(columns),
    )
