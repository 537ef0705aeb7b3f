"""Translation: BLEU against the FLOPs of training, and against the years."""

import pandas as pd
import streamlit as st

from dashboard import typeset
from dashboard.number_format import in_latex, with_power
from pages.scale.scaling_comparison import compute
from pages.scale.scaling_comparison.explorer import choose_part, explore
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import FAMILIES, Measure, Selection, Table, best_shown, front_shown

SECTION = PAGE.section("Translation")
GERMAN, FRENCH, WMT_YEARS = "English to German", "English to French", "By year, until 2020"
LEAST = 1.05  # times the cost of another: less would be printed as 1.0
BLEU = (
    Measure("bleu_german", "BLEU, English to German", "", "more", "two"),
    Measure("bleu_french", "BLEU, English to French", "", "more", "two"),
)
FLOPS = (
    Measure("flops_german", "FLOPs, English to German", "", "less", "power", log=True),
    Measure("flops_french", "FLOPs, English to French", "", "less", "power", log=True),
)
# Vaswani et al. 2017: hours and cards (section 5.2), and what a P100 sustains (footnote in section 6.1).
PAPER = {"Transformer (base)": (12.0, 8, 9.5e12), "Transformer (big)": (84.0, 8, 9.5e12)}


def show() -> None:
    """One of the tables in the explorer, and the notes on what is shown of it."""
    of_paper = SECTION.text("Table of 2017")
    about = {GERMAN: of_paper, FRENCH: of_paper, WMT_YEARS: SECTION.text("Leaders until 2020")}
    part = choose_part(SECTION, "What does a better translation cost?", about, "Table", "translation_table")
    table = leaders() if part.name == WMT_YEARS else paper(part.name == FRENCH)
    numbers = {"base": estimate("Transformer (base)"), "big": estimate("Transformer (big)")}
    explore(table, part, notice=notice, numbers=numbers, formula=in_table, hides=hides)


def paper(french: bool) -> Table:
    """The table of "Attention is all you need"; the two languages begin with axes of their own."""
    return Table(
        "bleufr" if french else "bleude",
        compute.translators(),
        (*FLOPS, *BLEU),
        x=FLOPS[french].column,
        y=BLEU[french].column,
        hues=FAMILIES,
        filters={"ensemble": "Single or ensemble"},
        details={"ensemble": "Single or ensemble"},
    )


def leaders() -> Table:
    """The best of each year until 2020."""
    return Table(
        "wmt14",
        compute.translation_leaders(),
        (Measure("year", "Year", "", "", "year"), *BLEU),
        x="year",
        y="bleu_german",
        hues=FAMILIES,
        filters={"data": "Learned from"},
        years="year",
        details={"data": "Learned from", "reference": "Reference"},
        own_data="WMT14",
        link="link",
    )


def hides(selection: Selection) -> tuple[str, ...]:
    """How the FLOPs of the paper came about, or who stated the scores; what BLEU can be compared with."""
    if "ensemble" not in selection.placed:
        return (SECTION.text("Statements of papers"), SECTION.text("Ways to compute BLEU"))
    many, ensembles = len(selection.placed), int(selection.placed.label.str.contains("ensemble").sum())
    some = f"Ensembles of several networks, among single ones: {ensembles} of the {many} shown."
    among = (some,) if 0 < ensembles < many else ()
    return (*among, SECTION.text("Estimated operations"), SECTION.text("Ways to compute BLEU"))


def notice(selection: Selection) -> tuple[str, ...]:
    """The best, who is on the front, and what the same BLEU cost others."""
    return tuple(filter(None, (best_shown(selection), front_shown(selection), same_bleu(selection))))


def same_bleu(selection: Selection) -> str:
    """A transformer on the front, and the best model of another family that scores no more: how many times its cost."""
    x, y = selection.choices.x, selection.choices.y
    if x.better != "less" or y.better != "more":
        return ""
    pairs: list[tuple[float, pd.Series, pd.Series]] = []
    rivals = selection.placed[selection.placed.family != "transformer"]
    for _, own in selection.front[selection.front.family == "transformer"].iterrows():
        others = rivals[rivals[y.column] <= own[y.column]]
        if len(others):
            best = others.loc[others[y.column].idxmax()]
            pairs.append((best[x.column] / own[x.column], own, best))
    if not pairs:
        return ""
    times, own, other = max(pairs, key=lambda pair: pair[0])
    if times < LEAST:  # no other took more
        return ""
    return (
        f"**{typeset.plain(own.label)}** reaches {y.tell(own[y.column])} with {x.tell(own[x.column])}; the best model "
        f"of another family that scores no more, **{typeset.plain(other.label)}** ({y.tell(other[y.column])}), took "
        f"{x.tell(other[x.column])}: **{times:.1f} times** as much."
    )


def estimate(name: str) -> str:
    """The paper's estimate for one of its models, with its own numbers, in LaTeX."""
    hours, cards, speed = PAPER[name]
    seconds = 3600 * hours
    return rf"{in_latex(seconds)} \cdot {cards} \cdot {_latex(speed)} &= {_latex(seconds * cards * speed)}"


def in_table(selection: Selection) -> None:
    """What the table has for these models, where FLOPs stand across."""
    x = selection.choices.x
    if "flops" in x.column:
        own = selection.placed[selection.placed.label.isin(PAPER)]
        flops_by_model = ", ".join(f"{row.label} {with_power(row[x.column], digits=2)}" for _, row in own.iterrows())
        if flops_by_model:
            st.markdown(f"In the table: {flops_by_model}.")


def _latex(value: float) -> str:
    digits, exponent = f"{value:.1e}".split("e")
    return rf"{digits} \times 10^{{{int(exponent)}}}"
