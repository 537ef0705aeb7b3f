"""What is to be noticed in the results of pre-training, computed from what is shown."""

import streamlit as st

from dashboard import layout
from pages.scale.scaling_comparison import words_transfer as said
from pages.scale.scaling_comparison.collection import points
from pages.scale.scaling_comparison.shown import Shown
from pages.scale.scaling_comparison.transfer_duel import Duel


def about_duel(duel: Duel) -> tuple[str, ...]:
    """Who wins where, how much of it chance may do, and at what price."""
    if duel.own == duel.other:
        return (said.SAME,)
    won, lost = duel.rows[duel.rows.difference > 0], duel.rows[duel.rows.difference < 0]
    known = duel.rows[duel.rows.error.notna()]
    clear = known[known.difference.abs() > known.error]
    widest = duel.rows.loc[duel.rows.difference.abs().idxmax()]
    sentences = [
        f"**{layout.plain(duel.own)}** is ahead on **{len(won)} of {len(duel.rows)}** data sets"
        + (f", behind on {', '.join(lost.dataset)}." if len(lost) else "."),
        f"The widest gap is on {layout.plain(widest.dataset)}: {points(widest.difference, 2)} points.",
    ]
    if len(known):
        sentences.append(
            f"Of the {len(known)} with published deviations, **{len(clear)}** differ by more than twice their error; "
            "the rest may be chance."
        )
    times = duel.other_days / duel.own_days
    word = f"{times:.1f} times as much" if times >= 1 else f"{1 / times:.1f} times less"
    sentences.append(
        f"Pre-training took {duel.own_days:,.0f} core-days of TPUv3 against {duel.other_days:,.0f}: the rival cost "
        f"**{word}**."
    )
    return tuple(sentences)


def duel_formula(duel: Duel) -> None:
    """The difference and its error, with the numbers of the first data set that has both deviations."""
    st.latex(r"d = p_A - p_B \pm 2\,\sqrt{s_A^2 + s_B^2}")
    known = duel.rows[duel.rows.error.notna()]
    if len(known):
        row = known.iloc[0]
        st.markdown(f"{layout.plain(row.dataset)}:")
        st.latex(
            rf"\begin{{aligned}} {row.accuracy:.2f} - {row.accuracy_other:.2f} &= {row.difference:.2f} \\ "
            rf"2\,\sqrt{{{row.deviation:.2f}^2 + {row.deviation_other:.2f}^2}} &= {row.error:.2f} \end{{aligned}}"
        )
    st.markdown(said.DUEL_FORMULA)


def about_cost(shown: Shown) -> tuple[str, ...]:
    """The cheapest, the best on each data set, and who is on the front."""
    if shown.placed.empty:
        return (said.NOTHING,)
    best = shown.placed.sort_values("accuracy").groupby("dataset").tail(1)
    counted = best.model.value_counts()
    told = ", ".join(f"**{layout.plain(name)}** on {count}" for name, count in counted.items())
    cheap = shown.placed.loc[shown.placed.core_days.idxmin()]
    sets = shown.placed.dataset.nunique()
    sentences = [f"Best of those shown, by data set ({sets}): {told}."]
    sentences.append(
        f"Cheapest to pre-train is **{layout.plain(cheap.model)}** ({cheap.core_days:,.0f} core-days); the dearest of "
        f"those shown took {shown.placed.core_days.max() / cheap.core_days:.0f} times as much."
    )
    if sets > 1:
        sentences.append(said.MIXED_SETS)
    return tuple(sentences)


def one_table(shown: Shown) -> tuple[str, ...]:
    """Who measured, and what was pre-trained on what."""
    counted = shown.placed.drop_duplicates("model").data.value_counts()
    told = ", ".join(f"{count} on {name}" for name, count in counted.items())
    return (f"The models were pre-trained on different data ({told}), and JFT-300M is not public.", said.ONE_TABLE)


def cost_formula(shown: Shown) -> None:
    """Core-days, with the numbers of the dearest model shown."""
    st.latex(r"\text{core-days} = \text{cores} \cdot \text{days}")
    if shown.placed.empty:
        return
    dear = shown.placed.loc[shown.placed.core_days.idxmax()]
    st.latex(rf"{dear.core_days:,.0f} = 512 \cdot {dear.core_days / 512:.1f}\ \text{{days}}".replace(",", "{,}"))
    st.markdown(said.COST_FORMULA.format(model=layout.plain(dear.model)))


def about_gains(shown: Shown) -> tuple[str, ...]:
    """The median gain of each family, and the largest and smallest."""
    if shown.placed.empty:
        return (said.NOTHING,)
    by = shown.placed.groupby("family").gain.agg(["median", "size"]).sort_values("median", ascending=False)
    told = ", ".join(f"{name} {points(row['median'])} (of {row['size']:.0f})" for name, row in by.iterrows())
    most, least = (shown.placed.loc[place] for place in (shown.placed.gain.idxmax(), shown.placed.gain.idxmin()))
    sentences = [
        f"Median gain by more pictures, in points of top-1: {told}.",
        f"Most gained **{layout.plain(most.label)}** ({points(most.gain)}), least **{layout.plain(least.label)}** "
        f"({points(least.gain)}).",
    ]
    if {"transformer", "convolutional"} <= set(by.index):
        ahead = by["median"]["transformer"] - by["median"]["convolutional"]
        sentences.append(
            f"By the medians of those shown, transformers gain {ahead:.1f} points more than convolutional networks: "
            "it fits the idea that a transformer has to learn what a convolution is built to know."
            if ahead > 0
            else f"By the medians of those shown, convolutional networks gain {abs(ahead):.1f} points more."
        )
    return tuple(sentences)


def pairs(shown: Shown) -> tuple[str, ...]:
    """What is paired with what."""
    return (
        f"{shown.placed.architecture.nunique()} architectures, each paired with itself at the same resolution; models "
        "with teachers are left out on both sides.",
        said.RECIPES,
    )


def gain_formula(shown: Shown) -> None:
    """The gain, with the numbers of the one that gained most."""
    st.latex(r"\text{gain} = \max_{\text{more data}} p - \max_{\text{ImageNet-1k}} p")
    if shown.placed.empty:
        return
    row = shown.placed.loc[shown.placed.gain.idxmax()]
    st.latex(rf"{row.top1:.2f} - {row.top1_alone:.2f} = {row.gain:.2f}")
    st.markdown(layout.plain(row.label) + ". " + said.GAIN_FORMULA)
