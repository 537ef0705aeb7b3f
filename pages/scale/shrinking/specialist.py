"""A small specialist: networks trained for one task alone beside fine-tuned BERTs, on a review and held out."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from core.sentiment.specialists import FINE_TUNED, REVIEWS, SENTENCES, SPECIALISTS, TRAINED_ON
from dashboard import theme
from dashboard.cache import waiting
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.scale.shrinking import compute_specialist as compute
from pages.scale.shrinking import figures_specialist as figures
from pages.scale.shrinking import specialist_limits
from pages.scale.shrinking import specialist_sentences as sentences
from pages.scale.shrinking.compute_specialist import TITLES, Readings
from pages.scale.shrinking.prose import PAGE
from pages.scale.shrinking.specialist_sentences import Rows

SECTION = PAGE.section("A small specialist")
SHORT = {
    "english-encoder": "encoder",
    "english-rnn": "RNN",
    "english-cnn": "CNN",
    "english-bert": "MiniLM",
    "bert-tasks": "BERT",
}
SMALL, LARGE = "small specialist", "fine-tuned BERT"
TRAINING_SETS = {REVIEWS: "IMDB reviews", SENTENCES: "SST-2 phrases"}
HELD_OUT = {"Reviews (IMDB)": REVIEWS, "Sentences (SST-2)": SENTENCES}
HELD_OUT_SETS = {
    REVIEWS: "every twelfth review of IMDB's test part",
    SENTENCES: "the sentences of SST-2's dev part, spelled as people type",
}
EXAMPLES = example_texts.examples("reviews-english")
REVIEW = next(iter(EXAMPLES.values()))
TEXT, TEXTS = "specialist_text", "specialist_set"
LONGEST = 5_000  # characters


def show() -> None:
    """Predictions for a review beside accuracy and size; then the table, and what small networks cannot do."""
    with layout.control_bar():
        review = st.text_area("Your review", REVIEW, key=TEXT, bind="query-params", height=70, max_chars=LONGEST)
        controls.examples(EXAMPLES, field=TEXT, forgets=(specialist_limits.WORD,))
        with layout.settings():
            texts = HELD_OUT[controls.choice("Held-out texts", HELD_OUT, key=TEXTS)]
    with layout.waiting_place():
        readings = compute.readings(review)
    rows = compute.measured(texts)
    own = compute.milliseconds.peek(review)
    milliseconds = own or {row.name: row.milliseconds for row in rows}
    bars, plot = st.columns(2, gap="medium")
    with bars:
        _predictions(readings)
    with plot:
        _sizes(rows, milliseconds)
    layout.place_notice()
    layout.prose(SECTION.text("Specialists"))
    _tell_cut(readings)
    layout.heading("What it costs")
    _table(rows, milliseconds, texts, own=own is not None)
    if own is None:
        waiting.offer(
            "Time all networks on your review, here",
            lambda progress: compute.milliseconds(review, progress=progress),
            unit="rounds",
            icon=":material/timer:",
            key="specialist-time",
        )
    limits = specialist_limits.show(review, readings)
    layout.notes(
        SECTION,
        notice=(
            sentences.about_sizes(rows, texts),
            sentences.about_yours(readings),
            sentences.about_others(rows, texts),
            sentences.about_training(rows, texts, compute.other_context(texts)),
            sentences.about_times(milliseconds, texts, own=own is not None),
            *limits,
        ),
        numbers=_numbers(rows),
    )


def _predictions(readings: Readings) -> None:
    names, positive = list(readings), [reading.positive for reading in readings.values()]
    titles = [TITLES[name] for name in names]
    charts.chart(
        partial(figures.sentiment_bars, titles, positive, [name in SPECIALISTS for name in names], look=theme.look()),
        name="specialist-predictions",
        alt="The probability of “positive” for the review: "
        + ", ".join(f"{title} {value:.1%}" for title, value in zip(titles, positive, strict=True)),
        table=pd.DataFrame({"network": titles, "positive": positive}),
    )


def _sizes(rows: Rows, milliseconds: Mapping[str, float]) -> None:
    labels = [f"{SHORT[row.name]}, {milliseconds[row.name]:.1f} ms" for row in rows]
    charts.chart(
        partial(
            figures.accuracy_by_size,
            labels,
            [row.parameters for row in rows],
            [row.accuracy for row in rows],
            [row.error for row in rows],
            [row.name in SPECIALISTS for row in rows],
            (SMALL, LARGE),
            look=theme.look(),
        ),
        name="specialist-sizes",
        alt="Accuracy against parameters: "
        + "; ".join(
            f"{TITLES[row.name]} {row.accuracy:.1%} with {row.parameters:,} parameters, {milliseconds[row.name]:.1f} ms"
            for row in rows
        ),
        table=pd.DataFrame(
            {
                "network": [TITLES[row.name] for row in rows],
                "parameters": [row.parameters for row in rows],
                "right": [row.accuracy for row in rows],
                "standard error": [row.error for row in rows],
                "milliseconds": [milliseconds[row.name] for row in rows],
            }
        ),
    )


def _tell_cut(readings: Readings) -> None:
    """Name the networks that read only the beginning of the review."""
    cut = [
        f"{TITLES[name]} reads the first {reading.tokens.cut.length:,} of {reading.tokens.cut.total:,} tokens"
        for name, reading in readings.items()
        if reading.tokens.cut
    ]
    if cut:
        st.info(f"This review is longer than some contexts: {'; '.join(cut)}.", icon=":material/content_cut:")


def _table(rows: Rows, milliseconds: Mapping[str, float], texts: str, *, own: bool) -> None:
    table = pd.DataFrame(
        {
            "network": [TITLES[row.name] for row in rows],
            "trained on": [", ".join(TRAINING_SETS[texts] for texts in TRAINED_ON[row.name]) for row in rows],
            "right": [row.accuracy for row in rows],
            "± (points)": [100 * row.error for row in rows],
            "lead (points)": [100 * row.lead.value if row.lead else None for row in rows],
            "± (lead)": [100 * row.lead.error if row.lead else None for row in rows],
            "parameters": [row.parameters for row in rows],
            "MB": [row.bytes / 1e6 for row in rows],
            "milliseconds": [milliseconds[row.name] for row in rows],
        }
    )
    number = st.column_config.NumberColumn
    data_table(
        table,
        hide_index=True,
        column_config={
            "right": number(format="percent"),
            "± (points)": number(format="%.1f"),
            "lead (points)": number(format="%+.1f"),
            "± (lead)": number(format="%.1f"),
            "parameters": number(format="localized"),
            "MB": number(format="%.1f"),
            "milliseconds": number(format="%.1f"),
        },
    )
    charts.download_table(table, "specialist-measured")
    times = (
        "your review, in turns, on this machine, median of nine passes"
        if own
        else "one held-out text on one thread, in turns, as the script measured it"
    )
    layout.caption(
        SECTION.text(
            "Table of classifiers",
            data=HELD_OUT_SETS[texts],
            questions=rows[0].questions,
            reference=TITLES[FINE_TUNED[texts]],
            times=times,
        )
    )


def _numbers(rows: Rows) -> dict[str, float]:
    """Accuracy and lead of the smallest network, with their standard errors."""
    small = sentences.smallest(rows)
    assert small.lead is not None
    return {
        "right": small.accuracy,
        "wrong": 1 - small.accuracy,
        "texts": small.questions,
        "error": small.error,
        "lead": small.lead.value,
        "lead_error": small.lead.error,
    }
