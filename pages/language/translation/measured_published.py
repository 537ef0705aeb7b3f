"""What translation models reached in print, and our three in a panel of their own."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.errors import ModelError
from core.published import PublishedTranslator
from dashboard import charts, layout
from dashboard.figures.costs import Point, costs
from dashboard.theme import HUES
from pages.language.translation import compute_measured as kept
from pages.language.translation import measured_notices as notices
from pages.language.translation import words_measured as said
from pages.language.translation.models import HUE_OF_TITLE, TITLES

LANGUAGES = ("English to French", "English to German")
FAMILY_HUES = {"recurrent": HUES[0], "convolutional": HUES[3], "transformer": HUES[2]}


def show() -> tuple[str, ...]:
    """Both panels; what is to be noticed."""
    st.subheader("What does quality cost elsewhere?", anchor=False)
    language = st.segmented_control(
        "Published for", LANGUAGES, default=LANGUAGES[0], key="measured_language", bind="query-params", required=True
    )
    printed = points(kept.published(), french=language == LANGUAGES[0])
    own = own_points()
    there, here = st.columns([2, 1], gap="large")
    with there:
        _chart(printed, "published", f"newstest2014, {language}", FAMILY_HUES)
    if own:
        with here:
            _chart(own, "own", "Tatoeba, English to French", HUE_OF_TITLE, from_zero=True)
    if not layout.is_presented():
        st.markdown(said.MEASURED_PUBLISHED, width=layout.PROSE)
    return notices.about_published(printed, language)


def _chart(shown: Sequence[Point], name: str, text: str, hues: Mapping[str, str], *, from_zero: bool = False) -> None:
    """One panel, with scales of its own."""
    figure = costs(
        shown,
        hues=hues,
        look=layout.look(),
        x="training FLOPs",
        y=f"BLEU ({text})",
        y_range=(0, 1.15 * max(point.quality for point in shown)) if from_zero else None,
        width=190 if from_zero else 500,  # beside one another, the second one third of the page
        height=layout.look().high(420),
    )
    charts.chart(
        figure,
        name=f"translation-{name}",
        alt=f"BLEU on {text} against training FLOPs, one point a model",
        table=pd.DataFrame(
            [(point.name, point.group, point.cost, point.quality) for point in shown],
            columns=["model", "kind", "training FLOPs", f"BLEU ({text})"],
        ),
    )


def points(models: tuple[PublishedTranslator, ...], *, french: bool) -> list[Point]:
    """Those with both numbers for a language."""
    found = []
    for model in models:
        cost, quality = (model.flops_french, model.bleu_french) if french else (model.flops_german, model.bleu_german)
        if cost is not None and quality is not None:
            found.append(Point(model.model, model.family, cost, quality))
    return found


def own_points() -> list[Point]:
    """The three of here; none while they are not measured (the table above says so)."""
    try:
        models = kept.results().models
    except ModelError:
        return []
    return [Point(TITLES[name], TITLES[name], of["train_flops"], of["bleu"]) for name, of in models.items()]
