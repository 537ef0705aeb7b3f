"""Pre-training: vision transformers against convolutional networks after large pre-training; what more data buy."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import typeset
from dashboard.number_format import CLEAR, compare, in_latex
from pages.scale.scaling_comparison import compute, duel
from pages.scale.scaling_comparison.explorer import choose_part, explore
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import FAMILIES, Measure, Selection, Table, difference, named, with_most

SECTION = PAGE.section("Pre-training")
DUEL, COST, GAINS = "Who wins where", "Accuracy and cost", "More data, same network"
FIRST_TWO = ("transformer", "convolutional")


def show() -> None:
    """Who wins where, what it cost, and what more data buy; the notes on the part that is shown."""
    about = {name: SECTION.text(name) for name in (DUEL, COST, GAINS)}
    title = "What does pre-training buy, and for which model?"
    part = choose_part(SECTION, title, about, "Part", "transfer_part")
    if part.name == DUEL:
        duel.show(part)
    elif part.name == COST:
        explore(results(), part, notice=about_cost, formula=cost_formula, hides=hides_of_results)
    else:
        explore(gains(), part, notice=about_gains, formula=gain_formula, hides=hides_of_gains)


def results() -> Table:
    """Five pre-trained models on seven data sets."""
    return Table(
        "transfer",
        compute.transfer(),
        (
            Measure("core_days", "Pre-training, TPUv3 core-days", "", "less", "count", log=True),
            Measure("accuracy", "Accuracy", "%", "more", "two"),
            Measure("deviation", "Standard deviation of three runs", "points", "less", "two"),
            Measure("pictures", "Pictures of pre-training", "", "less", "count", log=True),
        ),
        x="core_days",
        y="accuracy",
        hues=FAMILIES,
        filters={"dataset": "Tested on", "data": "Pre-trained on"},
        details={"dataset": "Tested on", "data": "Pre-trained on"},
        things="results",
        short="model",
        apart="dataset",
    )


def hides_of_results(selection: Selection) -> tuple[str, ...]:
    """What was pre-trained on what, and who measured."""
    counted = selection.placed.drop_duplicates("model").data.value_counts()
    by_data = ", ".join(f"{count} on {name}" for name, count in counted.items())
    data = (
        f"The models were pre-trained on different data ({by_data})."
        if len(counted) > 1
        else f"Pre-trained: {by_data}."
    )
    secret = ("JFT-300M is not public.",) if "JFT-300M" in counted else ()
    return (" ".join((data, *secret)), SECTION.text("Choice of rivals"))


def about_cost(selection: Selection) -> tuple[str, ...]:
    """The best on each data set, and the cheapest."""
    rows = selection.placed
    best = rows[rows.accuracy == rows.groupby("dataset").accuracy.transform("max")]
    winners = ", ".join(f"**{typeset.plain(name)}** on {count}" for name, count in best.model.value_counts().items())
    cheap, sets = rows.loc[rows.core_days.idxmin()], rows.dataset.nunique()
    times = rows.core_days.max() / cheap.core_days
    dearest = f"; the dearest of those shown took {times:.1f} times as much" if times >= 1.05 else ""
    return (
        f"Best of those shown, by data set ({sets}): {winners}.",
        f"Cheapest to pre-train is **{typeset.plain(cheap.model)}** ({cheap.core_days:,.0f} core-days){dearest}.",
        *((SECTION.text("Data sets of unequal difficulty"),) if sets > 1 else ()),
    )


def cost_formula(selection: Selection) -> None:
    """Core-days, with the numbers of the dearest model shown."""
    st.markdown(SECTION.text("Core-days"))
    if len(selection.placed):
        dear = selection.placed.loc[selection.placed.core_days.idxmax()]
        core_days, days = in_latex(dear.core_days), dear.core_days / 512
        model = typeset.plain(dear.model)
        st.markdown(SECTION.text("Core-days of one model", core_days=core_days, days=days, model=model))


def gains() -> Table:
    """The same network with and without more pictures, in timm's table."""
    return Table(
        "gains",
        compute.more_data(),
        (
            Measure("parameters", "Parameters", "", "less", "count", log=True),
            Measure("gain", "Gain in top-1 by more data", "points", "more", "two"),
            Measure("top1", "Top-1 with more data", "%", "more", "two"),
            Measure("top1_alone", "Top-1 from ImageNet-1k alone", "%", "more", "two"),
            Measure("resolution", "Resolution", "px", "", "number"),
        ),
        x="parameters",
        y="gain",
        hues=FAMILIES,
        filters={"data": "Learned from"},
        details={"data": "Learned from", "model": "With more data", "model_alone": "From ImageNet-1k alone"},
        things="networks",
    )


def hides_of_gains(selection: Selection) -> tuple[str, ...]:
    """What is paired with what."""
    return (
        f"{selection.placed.architecture.nunique()} architectures, each paired with itself at the same resolution; "
        "models with teachers are left out on both sides.",
        SECTION.text("Recipes of two trainings"),
    )


def about_gains(selection: Selection) -> tuple[str, ...]:
    """The median gain of each family, and the largest and smallest."""
    rows = selection.placed
    by = rows.groupby("family").gain.agg(["median", "size"]).sort_values("median", ascending=False)
    medians = ", ".join(f"{name} {difference(row['median'])} (of {row['size']:.0f})" for name, row in by.iterrows())
    most, least = rows.gain.max(), rows.gain.min()
    sentences = [f"Median gain with more pictures, in points of top-1: {medians}."]
    if most > least:
        sentences.append(
            f"Most gained {named(with_most(rows, 'gain'))} ({difference(most)}), least "
            f"{named(rows[rows.gain == least])} ({difference(least)})."
        )
    if set(FIRST_TWO) <= set(by.index):
        ahead = by["median"]["transformer"] - by["median"]["convolutional"]
        margin = CLEAR * math.hypot(*(_median_error(rows.gain[rows.family == name]) for name in FIRST_TWO))
        side = compare(ahead, 0.0, margin=margin)
        sentences.append(
            f"By the medians of those shown, transformers gained {abs(ahead):.1f} points {side} than convolutional "
            f"networks, more than two standard errors ({margin:.1f})."
            if side in ("more", "less")
            else f"By the medians of those shown, transformers gained {difference(ahead)} points against convolutional "
            "networks: within two standard errors, or of too few to tell."
        )
    return tuple(sentences)


def _median_error(values: pd.Series) -> float:
    """The standard error of a median of values that are spread normally; NaN for fewer than two."""
    return float(np.sqrt(np.pi / 2) * values.std() / np.sqrt(len(values))) if len(values) > 1 else math.nan


def gain_formula(selection: Selection) -> None:
    """The gain, with the numbers of the one that gained most."""
    st.markdown(SECTION.text("Gain"))
    if len(selection.placed):
        row = selection.placed.loc[selection.placed.gain.idxmax()]
        network = typeset.plain(row.label)
        numbers = {"more": row.top1, "alone": row.top1_alone, "gain": row.gain}
        st.markdown(SECTION.text("Gain of one network", network=network, **numbers))
