"""Language: GLUE by task against people, sentiment by small networks, how large language models became."""

from collections.abc import Callable

import streamlit as st

from core.published.language import ARCHITECTURES, GLUE_TASKS
from dashboard import layout
from dashboard.theme import HUES
from pages.scale.scaling_comparison import compute as kept
from pages.scale.scaling_comparison import glue_part
from pages.scale.scaling_comparison import language_notices as notices
from pages.scale.scaling_comparison import words_language as said
from pages.scale.scaling_comparison.collection import Collection, Measure
from pages.scale.scaling_comparison.explorer import explore
from pages.scale.scaling_comparison.hues import FAMILY


def leaderboard() -> Collection:
    """Every entry with every task; people are one of them."""
    return Collection(
        "glue",
        kept.glue(),
        (
            Measure("score", "GLUE, mean of all tasks", "", "more", "one"),
            *(Measure(task, task, "", "more", "one") for task in GLUE_TASKS),
            Measure("rank", "Rank", "", "less", "number"),
        ),
        x="score",
        y="WNLI",
        hues={"models": FAMILY["transformer"], "people": HUES[1]},
        families="Who",
        details={"team": "Team"},
        things="entries",
    )


def sentiment() -> Collection:
    """Small networks on film reviews and on tweets."""
    return Collection(
        "sentiment",
        kept.sentiment(),
        (
            Measure("parameters", "Trainable parameters", "", "less", "count", log=True),
            Measure("seconds", "Training, all epochs", "s", "less", "number", log=True),
            Measure("seconds_per_epoch", "An epoch", "s", "less", "number"),
            Measure("epochs", "Epochs", "", "less", "number"),
            Measure("percent", "Accuracy", "%", "more", "one"),
        ),
        x="seconds",
        y="percent",
        hues=FAMILY,
        filters={"language": "Language"},
        details={"language": "Language", "dataset": "Data set"},
        apart="dataset",
    )


def sizes() -> Collection:
    """From 2014 to GPT-3."""
    return Collection(
        "language",
        kept.language_models(),
        (
            Measure("year", "Year", "", "", "year"),
            Measure("parameters", "Parameters", "", "less", "count", log=True),
            Measure("text_gigabytes", "Text to learn from", "GB", "less", "number", log=True),
        ),
        x="year",
        y="parameters",
        hues=dict(zip(ARCHITECTURES, (HUES[0], HUES[2], HUES[4], HUES[1]), strict=True)),
        families="Architecture",
        years="year",
        details={"organisation": "Organisation"},
    )


def show() -> None:
    """The chosen part, and the notes on it."""
    st.subheader(said.TITLE, anchor=False)
    part = st.segmented_control(
        "Part", said.PARTS, default=said.GLUE, key="language_part", bind="query-params", required=True
    )
    if not layout.is_presented():
        st.markdown(said.ABOUT[part], width=layout.PROSE)
    notice, formula = _PARTS[part]()
    layout.notes(said.NOTES, notice=notice, formula=formula)


Notes = tuple[tuple[str, ...], Callable[[], None]]


def _glue() -> Notes:
    chosen = glue_part.show()
    return notices.about_glue(chosen), lambda: notices.glue_formula(chosen)


def _entries() -> Notes:
    shown = explore(leaderboard(), told=notices.one_lecture)
    return notices.about_entries(shown), lambda: notices.correlation_formula(shown)


def _sentiment() -> Notes:
    shown = explore(sentiment(), told=notices.two_sets)
    return notices.about_sentiment(shown), lambda: notices.sentiment_formula(shown)


def _sizes() -> Notes:
    shown = explore(sizes(), told=notices.famous)
    return notices.about_sizes(shown), lambda: notices.sizes_formula(shown)


_PARTS: dict[str, Callable[[], Notes]] = {
    said.GLUE: _glue,
    said.ENTRIES: _entries,
    said.SENTIMENT: _sentiment,
    said.SIZES: _sizes,
}
