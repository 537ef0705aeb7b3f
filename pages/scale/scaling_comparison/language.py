"""Language: GLUE by task against people, sentiment by small networks, how large language models became."""

import math

import numpy as np
import streamlit as st

from core.published.language import ARCHITECTURES
from dashboard import typeset
from dashboard.theme import HUES
from pages.scale.scaling_comparison import compute, glue, words
from pages.scale.scaling_comparison.explorer import choose_part, explore
from pages.scale.scaling_comparison.selection import FAMILIES, Measure, Selection, Table, named, with_most


def show() -> None:
    """The chosen part, and the notes on it."""
    part = choose_part(words.LANGUAGE_TITLE, words.LANGUAGE_ABOUT, "Part", "language_part")
    notes = words.LANGUAGE_NOTES
    if part.name == words.GLUE:
        glue.show(part)
    elif part.name == words.ENTRIES:
        sentences = (words.HIDDEN_TEST, words.LEADERS_ONLY)
        explore(
            glue.entries(),
            part,
            notes,
            notice=glue.about_entries,
            formula=glue.correlation_formula,
            hides=lambda _: sentences,
        )
    elif part.name == words.SENTIMENT:
        explore(sentiment(), part, notes, notice=about_sentiment, formula=sentiment_formula, hides=hides_of_sentiment)
    else:
        explore(sizes(), part, notes, notice=about_sizes, formula=sizes_formula, hides=missing_text_sizes)


def sentiment() -> Table:
    """Small networks on film reviews and on tweets."""
    return Table(
        "sentiment",
        compute.sentiment(),
        (
            Measure("parameters", "Trainable parameters", "", "less", "count", log=True),
            Measure("seconds", "Training, all epochs", "s", "less", "number", log=True),
            Measure("seconds_per_epoch", "An epoch", "s", "less", "number"),
            Measure("epochs", "Epochs", "", "less", "number"),
            Measure("percent", "Accuracy", "%", "more", "one"),
        ),
        x="seconds",
        y="percent",
        hues=FAMILIES,
        filters={"language": "Language"},
        details={"language": "Language", "dataset": "Data set"},
        apart="dataset",
    )


def hides_of_sentiment(selection: Selection) -> tuple[str, ...]:
    """Whose cost is not known, and who chose the epochs."""
    without = int(selection.matches.parameters.isna().sum())
    sentence = (
        f"For {without} of the {len(selection.matches)} methods that pass, the source has no parameters and no time."
    )
    return (*((sentence,) if without else ()), words.VALIDATION)


def about_sentiment(selection: Selection) -> tuple[str, ...]:
    """The best by language, how small the differences are, and who took longest."""
    sentences = []
    for dataset, rows in selection.placed.groupby("dataset", sort=False):
        trained = rows.percent[rows.parameters.notna()]
        spread = f"; the networks lie within {np.ptp(trained):.1f} points" if len(trained) > 1 else ""
        best = with_most(rows, "percent")
        sentences.append(
            f"Best of those shown on {typeset.plain(str(dataset))} ({best.percent.iloc[0]:.1f} %): "
            f"{named(best, 'model')}{spread}."
        )
    timed = selection.placed[selection.placed.seconds.notna()]
    if timed.seconds.nunique() > 1:
        quick, slow = timed.loc[timed.seconds.idxmin()], timed.loc[timed.seconds.idxmax()]
        sentences.append(
            f"Quickest to train was **{typeset.plain(quick.label)}** ({quick.seconds:.0f} s), slowest "
            f"**{typeset.plain(slow.label)}** ({slow.seconds:.0f} s)."
        )
    return tuple(sentences)


def sentiment_formula(selection: Selection) -> None:
    """The seconds of a training, with the numbers of the best one of which they are known."""
    st.latex(r"\text{seconds} = \text{epochs} \cdot \text{seconds an epoch}")
    timed = selection.placed[selection.placed.seconds.notna()]
    if len(timed):
        row = timed.loc[timed.percent.idxmax()]
        st.latex(rf"{row.epochs:.0f} \cdot {row.seconds_per_epoch:.0f}\,\text{{s}} = {row.seconds:.0f}\,\text{{s}}")
        st.markdown(f"{typeset.plain(row.label)}. {words.SECONDS_FORMULA}")


def sizes() -> Table:
    """From 2014 to GPT-3."""
    return Table(
        "language",
        compute.language_models(),
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


def missing_text_sizes(selection: Selection) -> tuple[str, ...]:
    """Of whom the text is not known, and who was chosen."""
    without = int(selection.matches.text_gigabytes.isna().sum())
    return (f"For {without} of {len(selection.matches)} the table has no gigabytes of text.", words.FAMOUS)


def about_sizes(selection: Selection) -> tuple[str, ...]:
    """How many times larger the largest is than the smallest, and in how many years."""
    if (ends := _ends(selection)) is None:
        return ()
    small, large, doublings = ends
    first = (
        f"From **{typeset.plain(small.label)}** ({small.year:.0f}) to **{typeset.plain(large.label)}** "
        f"({large.year:.0f}): **{large.parameters / small.parameters:,.4g} times** as many parameters."
    )
    years = large.year - small.year
    if years <= 0:
        return (first,)
    return (
        first,
        f"Between these two, parameters doubled every {12 * years / doublings:.1f} months: two famous models, not a "
        "trend. *By year* fits one to hundreds.",
    )


def _ends(selection: Selection):
    """The smallest and the largest model, and how often the one doubled is the other; None where all are alike."""
    rows = selection.placed[selection.placed.parameters.notna()]
    if rows.parameters.nunique() < 2:
        return None
    small, large = rows.loc[rows.parameters.idxmin()], rows.loc[rows.parameters.idxmax()]
    return small, large, math.log2(large.parameters / small.parameters)


def sizes_formula(selection: Selection) -> None:
    """The doubling time between the smallest and the largest."""
    st.latex(r"T_2 = \frac{t_B - t_A}{\log_2 (N_B / N_A)}")
    if (ends := _ends(selection)) is None:
        return
    small, large, doublings = ends
    years = large.year - small.year
    if years > 0:
        times = f"{large.parameters / small.parameters:,.4g}".replace(",", "{,}")
        st.latex(
            rf"\frac{{{large.year:.0f} - {small.year:.0f}}}{{\log_2 {times}}} = "
            rf"\frac{{{years:.0f}}}{{{doublings:.1f}}} = {years / doublings:.2f}\ \text{{years}}"
        )
