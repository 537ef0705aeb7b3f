"""What is to be noticed in the picture of image classifiers, computed from what is shown."""

import numpy as np
import streamlit as st

from dashboard import layout
from pages.scale.scaling_comparison import words_images as said
from pages.scale.scaling_comparison.collection import Measure, points
from pages.scale.scaling_comparison.shown import Shown

RIVALS = ("transformer", "convolutional")


def about(shown: Shown) -> tuple[str, ...]:
    """The best one, who is on the front, and how the two families compare at equal cost."""
    if shown.placed.empty:
        return (said.NOTHING,)
    return tuple(sentence for part in (_best, _front, _rivals) if (sentence := part(shown)))


def _best(shown: Shown) -> str:
    y, x = shown.choices.y, shown.choices.x
    if not y.better:
        return ""
    values = shown.placed[y.column]
    row = shown.placed.loc[values.idxmin() if y.better == "less" else values.idxmax()]
    return (
        f"Best of those shown in *{y.inside}* is **{layout.plain(row.label)}** ({y.tell(row[y.column])}; {x.inside}: "
        f"{x.tell(row[x.column])}), {row.family}."
    )


def _front(shown: Shown) -> str:
    if len(shown.front) < 2:
        return ""
    counted, every = shown.front.family.value_counts(), shown.placed.family.value_counts()
    told = ", ".join(f"{count} of {every[name]:,} {name}" for name, count in counted.items())
    without = [name for name in every.index if name not in counted.index]
    none = f"; no {' and no '.join(without)} model is on it" if without else ""
    return f"On the Pareto front stand **{len(shown.front)} of {len(shown.placed):,}**: {told}{none}."


def _rivals(shown: Shown) -> str:
    """Where both families have models of about the same cost: who is ahead, by the medians of thirds of the range."""
    x, y = shown.choices.x, shown.choices.y
    if not (x.better and y.better == "more"):
        return ""
    cost, score = (shown.placed[measure.column].to_numpy(dtype=float) for measure in (x, y))
    own, other = ((shown.placed.family == family).to_numpy() for family in RIVALS)
    if min(own.sum(), other.sum()) < said.ENOUGH:
        return ""
    parts = []
    cuts = np.quantile(cost[own | other], [0, 1 / 3, 2 / 3, 1])
    for place, name in enumerate(("least", "middle", "most")):
        third = (cost >= cuts[place]) & (cost <= cuts[place + 1])
        if min((third & own).sum(), (third & other).sum()) >= said.ENOUGH:
            ahead = np.median(score[third & own]) - np.median(score[third & other])
            parts.append(f"{points(ahead)} in the third with {name}")
    if not parts:
        return ""
    return (
        f"Transformers against convolutions, medians of *{y.inside}*, in points: {', '.join(parts)} ({x.inside}). "
        "Medians over what happens to be in the table, not over equal training."
    )


def same_network(shown: Shown) -> tuple[str, ...]:
    """How often one architecture is counted: trained otherwise, or tested at other resolutions."""
    networks = shown.placed.architecture.nunique()
    sentences = []
    if networks < len(shown.placed):
        sentences.append(
            f"They are **{networks:,} architectures**, counted once for each training and resolution: a popular one "
            "has many points."
        )
    axes = {shown.choices.x.column, shown.choices.y.column}
    sentences += [said.SPEED[name] for name in ("cpu", "rtx5090", "rtx4090", "rtx3090") if name in axes]
    return (*sentences, said.CHOSEN_ON_TEST)


def leaderboard(shown: Shown) -> tuple[str, ...]:
    """Who measured: every paper its own model."""
    without = int(shown.placed.flops.isna().sum())
    return (
        "Each paper measured its own model; the leaderboard copied what it states.",
        f"{without} of {len(shown.placed)} state no operations for a picture.",
    )


def formula(shown: Shown) -> None:
    """When one model beats another, with two models of the picture where two stand in that relation."""
    st.latex(r"A \succ B \iff \text{cost}_A \le \text{cost}_B,\; \text{score}_A \ge \text{score}_B,\; A \ne B")
    st.markdown(said.FRONT_FORMULA)
    if example := _beaten(shown):
        st.markdown(example)


def _beaten(shown: Shown) -> str:
    """A model off the front with the most parameters or the most points, and one on it that beats it."""
    x, y = shown.choices.x, shown.choices.y
    off = shown.placed.drop(shown.front.index)
    if shown.front.empty or off.empty:
        return ""
    loser = off.loc[_sorted(off, y).index[-1]]
    for _, winner in shown.front.iterrows():
        if _at_least(winner, loser, x) and _at_least(winner, loser, y):
            return said.BEATEN.format(
                winner=layout.plain(winner.label),
                loser=layout.plain(loser.label),
                winner_x=x.tell(winner[x.column]),
                loser_x=x.tell(loser[x.column]),
                winner_y=y.tell(winner[y.column]),
                loser_y=y.tell(loser[y.column]),
            )
    return ""


def _sorted(rows, measure: Measure):
    return rows.sort_values(measure.column, ascending=measure.better != "less")


def _at_least(winner, loser, measure: Measure) -> bool:
    ahead, behind = winner[measure.column], loser[measure.column]
    return bool(ahead >= behind if measure.better == "more" else ahead <= behind)
