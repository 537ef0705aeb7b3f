"""Language: GLUE by task against people, sentiment by small networks, how large language models became."""

import math

import numpy as np
import streamlit as st

from core.published.language import ARCHITECTURES
from dashboard import typeset
from dashboard.theme import HUES
from pages.scale.scaling_comparison import compute, glue
from pages.scale.scaling_comparison.explorer import choose_part, explore
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import FAMILIES, Measure, Selection, Table, named, with_most

SECTION = PAGE.section("Language")
GLUE, ENTRIES, SENTIMENT, SIZES = "GLUE against people", "All entries of GLUE", "Sentiment", "Model sizes"


def show() -> None:
    """The chosen part, and the notes on it."""
    about = {name: SECTION.text(name) for name in (GLUE, ENTRIES, SENTIMENT, SIZES)}
    part = choose_part(SECTION, "How well do models understand language?", about, "Part", "language_part")
    if part.name == GLUE:
        glue.show(part)
    elif part.name == ENTRIES:
        explore(
            glue.entries(),
            part,
            notice=glue.about_entries,
            formula=glue.correlation_formula,
            hides=glue.hides_of_entries,
        )
    elif part.name == SENTIMENT:
        explore(sentiment(), part, notice=about_sentiment, formula=sentiment_formula, hides=hides_of_sentiment)
    else:
        explore(sizes(), part, notice=about_sizes, formula=sizes_formula, hides=missing_text_sizes)


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
    return (*((sentence,) if without else ()), SECTION.text("Validation data"))


def about_sentiment(selection: Selection) -> tuple[str, ...]:
    """The best by language, how small the differences are, and who took longest."""
    sentences = []
    for dataset, rows in selection.placed.groupby("dataset", sort=False):
        trained = rows.percent[rows.parameters.notna()]
        spread = f"; the networks lie within {np.ptp(trained):.1f} points" if len(trained) > 1 else ""
        best = with_most(rows, "percent")
        sentences.append(
            f"Best of those shown on {typeset.plain(str(dataset))} ({best.percent.iloc[0]:.1f}%): "
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
    st.markdown(SECTION.text("Seconds of a training"))
    timed = selection.placed[selection.placed.seconds.notna()]
    if len(timed):
        row = timed.loc[timed.percent.idxmax()]
        numbers = {name: row[name] for name in ("epochs", "seconds_per_epoch", "seconds")}
        st.markdown(SECTION.text("Seconds of one network", network=typeset.plain(row.label), **numbers))


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
    return (
        f"For {without} of {len(selection.matches)} the table has no gigabytes of text.",
        SECTION.text("Choice of models"),
    )


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
    st.markdown(SECTION.text("Doubling time"))
    if (ends := _ends(selection)) is None:
        return
    small, large, doublings = ends
    years = large.year - small.year
    if years > 0:
        times = f"{large.parameters / small.parameters:,.4g}".replace(",", "{,}")
        example = SECTION.text(
            "Doubling time between two models",
            first=small.year,
            last=large.year,
            times=times,
            years=years,
            doublings=doublings,
            doubling_time=years / doublings,
        )
        st.markdown(example)
