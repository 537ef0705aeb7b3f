"""Pre-training: vision transformers against convolutional networks after large pre-training; what more data buy."""

import streamlit as st

from dashboard import layout
from pages.scale.scaling_comparison import compute as kept
from pages.scale.scaling_comparison import transfer_duel as duel
from pages.scale.scaling_comparison import transfer_notices as notices
from pages.scale.scaling_comparison import words_transfer as said
from pages.scale.scaling_comparison.collection import Collection, Measure
from pages.scale.scaling_comparison.explorer import explore
from pages.scale.scaling_comparison.hues import FAMILY

ACCURACY = Measure("accuracy", "Accuracy", "%", "more", "two")


def results() -> Collection:
    """Five pre-trained models on seven data sets."""
    return Collection(
        "transfer",
        kept.transfer(),
        (
            Measure("core_days", "Pre-training, TPUv3 core-days", "", "less", "count", log=True),
            ACCURACY,
            Measure("deviation", "Standard deviation of three runs", "points", "less", "two"),
            Measure("pictures", "Pictures of pre-training", "", "less", "count", log=True),
        ),
        x="core_days",
        y="accuracy",
        hues=FAMILY,
        filters={"dataset": "Tested on", "data": "Pre-trained on"},
        details={"dataset": "Tested on", "data": "Pre-trained on"},
        things="results",
        short="model",
        apart="dataset",
    )


def gains() -> Collection:
    """The same network with and without more pictures, in timm's table."""
    return Collection(
        "gains",
        kept.more_data(),
        (
            Measure("parameters", "Parameters", "", "less", "count", log=True),
            Measure("gain", "Gain in top-1 by more data", "points", "more", "two"),
            Measure("top1", "Top-1 with more data", "%", "more", "two"),
            Measure("top1_alone", "Top-1 from ImageNet-1k alone", "%", "more", "two"),
            Measure("resolution", "Resolution", "px", "", "number"),
        ),
        x="parameters",
        y="gain",
        hues=FAMILY,
        filters={"data": "Learned from"},
        details={"data": "Learned from", "model": "With more data", "model_alone": "From ImageNet-1k alone"},
        things="networks",
    )


def show() -> None:
    """Who wins where, what it cost, and what more data buy; the notes on the part that is shown."""
    st.subheader(said.TITLE, anchor=False)
    part = st.segmented_control(
        "Part", said.PARTS, default=said.DUEL, key="transfer_part", bind="query-params", required=True
    )
    if not layout.is_presented():
        st.markdown(said.ABOUT[part], width=layout.PROSE)
    if part == said.DUEL:
        against = duel.show()
        notice, formula = notices.about_duel(against), lambda: notices.duel_formula(against)
    elif part == said.COST:
        shown = explore(results(), told=notices.one_table)
        notice, formula = notices.about_cost(shown), lambda: notices.cost_formula(shown)
    else:
        shown = explore(gains(), told=notices.pairs)
        notice, formula = notices.about_gains(shown), lambda: notices.gain_formula(shown)
    layout.notes(said.NOTES, notice=notice, formula=formula)
