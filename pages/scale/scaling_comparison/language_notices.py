"""What is to be noticed in the results on language, computed from what is shown."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import layout
from pages.scale.scaling_comparison import words_language as said
from pages.scale.scaling_comparison.collection import points
from pages.scale.scaling_comparison.shown import Shown


def about_glue(chosen: pd.DataFrame) -> tuple[str, ...]:
    """Where the entry is ahead of people and where behind; how many entries are."""
    name = chosen.columns[1]
    ahead, behind = chosen[chosen.difference > 0], chosen[chosen.difference < 0]
    most, least = chosen.iloc[0], chosen.iloc[-1]
    never = chosen[chosen["entries ahead of people"] == 0]
    sentences = [
        f"**{layout.plain(name)}** is ahead of people on **{len(ahead)} of {len(chosen)}** tasks"
        + (f", behind on {', '.join(behind.task)}." if len(behind) else "."),
        f"Furthest ahead on {most.task} ({points(most.difference)}), "
        f"{'furthest behind' if least.difference < 0 else 'least ahead'} on {least.task} ({points(least.difference)}).",
    ]
    if len(never):
        sentences.append(f"On {_and(list(never.task))} no entry of the table is ahead of people.")
    return (*sentences, said.PEOPLE)


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def glue_formula(chosen: pd.DataFrame) -> None:
    """The mean over tasks, with the numbers of the entry."""
    name = chosen.columns[1]
    st.latex(r"\text{GLUE} = \frac{1}{9} \sum_{\text{tasks}} s_\text{task}")
    scores = [f"{score:.1f}" for score in chosen[name]]
    first, second = " + ".join(scores[:5]), " + ".join(scores[5:])
    st.latex(
        rf"\begin{{aligned}} \tfrac{{1}}{{9}}\,(&{first} \\ &+ {second}) = {chosen[name].mean():.1f} \end{{aligned}}"
    )
    st.markdown(said.GLUE_FORMULA.format(people=f"{chosen.people.mean():.1f}"))


def about_entries(shown: Shown) -> tuple[str, ...]:
    """How two scores go together over the entries, and where people stand."""
    if shown.placed.empty:
        return (said.NOTHING,)
    x, y = shown.choices.x, shown.choices.y
    sentences = []
    models = shown.placed[shown.placed.family == "models"]
    if (r := correlation(models, x.column, y.column)) is not None and x != y:
        sentences.append(
            f"Over the {len(models)} models shown, *{x.inside}* and *{y.inside}* have a correlation of "
            f"**{r:.2f}**".replace("-", "−")
            + "."
        )
    people = shown.placed[shown.placed.family == "people"]
    if len(people) and y.better:
        human = people[y.column].iloc[0]
        ahead = int((models[y.column] > human).sum() if y.better == "more" else (models[y.column] < human).sum())
        sentences.append(f"{ahead} of {len(models)} models are ahead of people in *{y.inside}* ({y.tell(human)}).")
    return tuple(sentences)


def correlation(rows: pd.DataFrame, x: str, y: str) -> float | None:
    """Pearson's, over at least three rows that are not all alike."""
    if len(rows) < 3 or rows[x].nunique() < 2 or rows[y].nunique() < 2:
        return None
    return float(np.corrcoef(rows[x].astype(float), rows[y].astype(float))[0, 1])


def correlation_formula(shown: Shown) -> None:
    """Pearson's correlation with the numbers of the page."""
    x, y = shown.choices.x, shown.choices.y
    models = shown.placed[shown.placed.family == "models"]
    st.latex(r"r = \frac{\sum (x_i - \bar x)(y_i - \bar y)}{\sqrt{\sum (x_i - \bar x)^2 \sum (y_i - \bar y)^2}}")
    if x != y and (r := correlation(models, x.column, y.column)) is not None:
        st.latex(
            rf"n = {len(models)}, \quad \bar x = {models[x.column].mean():.1f}, \quad "
            rf"\bar y = {models[y.column].mean():.1f}, \quad r = {r:.2f}"
        )
    st.markdown(said.CORRELATION_FORMULA)


def one_lecture(shown: Shown) -> tuple[str, ...]:
    """Which part of the leaderboard this is."""
    del shown
    return (said.HIDDEN_TEST, said.LEADERS_ONLY)


def about_sentiment(shown: Shown) -> tuple[str, ...]:
    """The best by language, and how small the differences are."""
    if shown.placed.empty:
        return (said.NOTHING,)
    sentences = []
    for dataset, rows in shown.placed.groupby("dataset", sort=False):
        best = rows.loc[rows.percent.idxmax()]
        trained = rows[rows.parameters.notna()]
        spread = f"; the networks lie within {np.ptp(trained.percent):.1f} points" if len(trained) > 1 else ""
        sentences.append(
            f"On {layout.plain(str(dataset))}, **{layout.plain(best.model)}** is best of those shown "
            f"({best.percent:.1f} %){spread}."
        )
    timed = shown.placed[shown.placed.seconds.notna()]
    if len(timed) > 1:
        quick, slow = timed.loc[timed.seconds.idxmin()], timed.loc[timed.seconds.idxmax()]
        sentences.append(
            f"Quickest to train was **{layout.plain(quick.label)}** ({quick.seconds:.0f} s), slowest "
            f"**{layout.plain(slow.label)}** ({slow.seconds:.0f} s)."
        )
    return tuple(sentences)


def two_sets(shown: Shown) -> tuple[str, ...]:
    """What lies between the two languages, and who chose the epochs."""
    untrained = int(shown.kept.parameters.isna().sum())
    told = (
        (f"{untrained} of the methods that pass were not trained there: they have no cost to show.",)
        if untrained
        else ()
    )
    return (*told, said.VALIDATION)


def sentiment_formula(shown: Shown) -> None:
    """The error of an accuracy, with the numbers of the best network on IMDB."""
    st.latex(r"\text{seconds} = \text{epochs} \cdot \text{seconds an epoch}")
    timed = shown.placed[shown.placed.seconds.notna()]
    if len(timed):
        row = timed.loc[timed.percent.idxmax()]
        st.latex(rf"{row.epochs:.0f} \cdot {row.seconds_per_epoch:.0f}\,\text{{s}} = {row.seconds:.0f}\,\text{{s}}")
        st.markdown(f"{layout.plain(row.label)}. {said.SENTIMENT_FORMULA}")


def about_sizes(shown: Shown) -> tuple[str, ...]:
    """How many times larger the largest is than the smallest, and in how many years."""
    rows = shown.placed[shown.placed.parameters.notna()]
    if len(rows) < 2:
        return (said.NOTHING,) if shown.placed.empty else ()
    small, large = rows.loc[rows.parameters.idxmin()], rows.loc[rows.parameters.idxmax()]
    times = large.parameters / small.parameters
    sentences = [
        f"From **{layout.plain(small.label)}** ({small.year:.0f}) to **{layout.plain(large.label)}** "
        f"({large.year:.0f}): **{times:,.0f} times** as many parameters."
    ]
    years = large.year - small.year
    if years > 0:
        sentences.append(
            f"Between these two, parameters doubled every {12 * years / math.log2(times):.1f} months: two famous "
            "models, not a trend. *By year* fits one to hundreds."
        )
    return tuple(sentences)


def famous(shown: Shown) -> tuple[str, ...]:
    """Whose size is known at all."""
    without = int(shown.kept.text_gigabytes.isna().sum())
    return (f"{without} of {len(shown.kept)} do not state their text in gigabytes.", said.FAMOUS)


def sizes_formula(shown: Shown) -> None:
    """The doubling time between the smallest and the largest."""
    st.latex(r"T_2 = \frac{t_B - t_A}{\log_2 (N_B / N_A)}")
    rows = shown.placed[shown.placed.parameters.notna()]
    if len(rows) < 2:
        return
    small, large = rows.loc[rows.parameters.idxmin()], rows.loc[rows.parameters.idxmax()]
    if large.year > small.year:
        doublings = math.log2(large.parameters / small.parameters)
        st.latex(
            rf"\frac{{{large.year:.0f} - {small.year:.0f}}}{{\log_2 {large.parameters / small.parameters:,.0f}}} = "
            rf"\frac{{{large.year - small.year:.0f}}}{{{doublings:.1f}}} = "
            rf"{(large.year - small.year) / doublings:.2f}\ \text{{years}}".replace(",", "{,}")
        )
