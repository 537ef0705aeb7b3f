"""What explanations gain over random orders, in this review and over held-out ones, and how far they agree there."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from core.attribution.token_methods import METHODS
from core.results.faithfulness_results import MEASURES, RANDOM, RANKED, Faithful, RankAgreement
from dashboard import theme
from dashboard.figures.faithfulness import RANDOM as AT_RANDOM
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.language.sentiment import compute_faithful as compute
from pages.language.sentiment import faithful_sentences as sentences
from pages.language.sentiment.compute_faithful import Curves, Explained, value_of
from pages.language.sentiment.figures_faithful import Gain, gains
from pages.language.sentiment.prose import PAGE

SECTION = PAGE.section("Faithful?")
COLUMNS = ("by deletion", "by insertion")


def show(explained: Explained, curves: Curves, names: Mapping[str, str], hues: Mapping[str, str]) -> tuple[str, ...]:
    """The figure with its first sentence and the numbers behind it; what else is to be noticed in them."""
    st.subheader("Better than chance?", anchor=False)
    over = compute.measured().get(explained.model.name)
    notes = [sentences.about_measured(over, names, side) for side in sentences.SIDES] if over else []
    notes += [sentences.about_chance(curves, names, side) for side in sentences.SIDES]
    layout.prose(notes[0], width="stretch")
    rows = rows_of(curves, over, hues)
    table = areas_table(curves, over)
    charts.chart(
        partial(gains, rows, COLUMNS, look=theme.look()),
        name="sentiment-gains",
        alt="What each explanation gains over random orders, by deletion and by insertion: "
        + "; ".join(f"{row.name} {row.in_review[0]:.3f} and {row.in_review[1]:.3f} here" for row in rows),
        table=table,
    )
    draws = len(curves.draws)
    st.caption(
        SECTION.text("Gains over random orders", draws=draws, reviews=over.reviews)
        if over
        else SECTION.text("Gains in this review", draws=draws)
    )
    with st.expander("The numbers", expanded=theme.is_presented()):
        formats = {name: st.column_config.NumberColumn(format="%.3f") for name in table.columns[1:]}
        data_table(table, hide_index=True, column_config=formats, width="content", placeholder="")
    return tuple(notes[1:])


def rows_of(curves: Curves, over: Faithful | None, hues: Mapping[str, str]) -> list[Gain]:
    """A row for each explanation: what it gains by each side, here and over many reviews."""
    rows = []
    for name in curves.explanations:
        own_gains = tuple(curves.gain(name, side) for side in sentences.SIDES)
        known = over.by_method.get(name) if over else None
        means = tuple(gain for side in sentences.SIDES if known and (gain := known[side].gain))
        many = tuple((mean.mean, mean.low, mean.high) for mean in means) if means else None
        rows.append(Gain(METHODS[name], hues[METHODS[name]], own_gains, many))
    return rows


def areas_table(curves: Curves, over: Faithful | None) -> pd.DataFrame:
    """One row for each explanation and for random orders: the four measures here, and over many reviews."""
    rows = []
    for name, curve in {**curves.explanations, RANDOM: curves.random}.items():
        row: dict[str, object] = {"explanation": METHODS.get(name, AT_RANDOM)}
        row |= {side: value_of(curve, side) for side in MEASURES}
        if name != RANDOM:
            row |= {f"random orders as good, {side}": curves.as_good(name, side) for side in sentences.SIDES}
        if over and name in over.by_method:
            row |= {f"{side}, mean of {over.reviews:,}": over.by_method[name][side].value.mean for side in MEASURES}
        rows.append(row)
    return pd.DataFrame(rows)


def show_agreed(model: str, names: Mapping[str, str], *, strength: bool) -> None:
    """How far the explanations of a model agree over held-out reviews: a sentence, and the numbers on demand."""
    agreements = [one for one in compute.agreements().get(model, ()) if one.ranked == RANKED[strength]]
    if not agreements or theme.is_presented():
        return
    st.markdown(sentences.about_agreed(agreements, names))
    table = agreed_table(agreements)
    with st.expander("The same over held-out reviews"):
        formats = {name: st.column_config.NumberColumn(format="%.3f") for name in table.columns[2:]}
        data_table(table, hide_index=True, column_config=formats, width="content")
        charts.download_table(table, "sentiment-agreement")


def agreed_table(agreements: list[RankAgreement]) -> pd.DataFrame:
    """One row for each pair of explanations: both measures with their intervals."""
    pairs = dict.fromkeys((one.one, one.other) for one in agreements)
    of = {(one.one, one.other, one.measure): one.value for one in agreements}
    rows = []
    for first, second in pairs:
        row: dict[str, object] = {"one": METHODS.get(first, first), "other": METHODS.get(second, second)}
        for measure, title in (("tau", "τ"), ("shared", "shared first words")):
            if value := of.get((first, second, measure)):
                row |= {title: value.mean, f"{title}, from": value.low, f"{title}, to": value.high}
        rows.append(row)
    return pd.DataFrame(rows)
