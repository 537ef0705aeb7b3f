"""Images: accuracy against parameters, operations and measured speed; transformers against convolutions."""

import streamlit as st

from dashboard import layout
from pages.scale.scaling_comparison import compute as kept
from pages.scale.scaling_comparison import images_notices as notices
from pages.scale.scaling_comparison import words_images as said
from pages.scale.scaling_comparison.collection import Collection, Measure
from pages.scale.scaling_comparison.explorer import explore
from pages.scale.scaling_comparison.hues import FAMILY

SCORES = (
    Measure("top1", "Top-1, ImageNet", "%", "more", "two"),
    Measure("top5", "Top-5, ImageNet", "%", "more", "two"),
    Measure("real", "Top-1, ImageNet ReaL", "%", "more", "two"),
    Measure("v2", "Top-1, ImageNet-V2", "%", "more", "two"),
    Measure("a", "Top-1, ImageNet-A", "%", "more", "two"),
    Measure("r", "Top-1, ImageNet-R", "%", "more", "two"),
    Measure("sketch", "Top-1, ImageNet-Sketch", "%", "more", "two"),
)
COSTS = (
    Measure("parameters", "Parameters", "", "less", "count", log=True),
    Measure("macs", "MACs a picture", "", "less", "count", log=True),
    Measure("rtx5090", "Pictures/s, RTX 5090", "", "more", "count", log=True),
    Measure("rtx4090", "Pictures/s, RTX 4090", "", "more", "count", log=True),
    Measure("rtx3090", "Pictures/s, RTX 3090", "", "more", "count", log=True),
    Measure("cpu", "Pictures/s, one by one on a CPU", "", "more", "count", log=True),
    Measure("resolution", "Resolution", "px", "", "number"),
)


def timm() -> Collection:
    """Over 1,500 results, all measured by one library."""
    return Collection(
        "images",
        kept.image_models(),
        (*COSTS, *SCORES),
        x="parameters",
        y="top1",
        hues=FAMILY,
        filters={"data": "Learned from"},
        details={"data": "Learned from", "taught": "Had a teacher"},
        own_data="ImageNet-1k",
        things="results",
    )


def leaders() -> Collection:
    """Who led in December 2020 and in September 2022."""
    return Collection(
        "leaders",
        kept.leaders(),
        (
            Measure("year", "Year", "", "", "year"),
            Measure("parameters", "Parameters", "", "less", "count", log=True),
            Measure("flops", "FLOPs a picture", "", "less", "count", log=True),
            *SCORES[:2],
        ),
        x="parameters",
        y="top1",
        hues=FAMILY,
        filters={"as_of": "Leaders of", "data": "Learned from"},
        details={"as_of": "Leader of", "data": "Learned from"},
        own_data="ImageNet-1k",
    )


def show() -> None:
    """One of the two tables in the explorer, and the notes on what is shown of it."""
    st.subheader(said.TITLE, anchor=False)
    table = st.segmented_control(
        "Table", said.TABLES, default=said.TIMM, key="images_table", bind="query-params", required=True
    )
    if not layout.is_presented():
        st.markdown(said.ABOUT[table], width=layout.PROSE)
    collection = timm() if table == said.TIMM else leaders()
    told = notices.same_network if table == said.TIMM else notices.leaderboard
    shown = explore(collection, told=told)
    layout.notes(
        said.NOTES,
        notice=notices.about(shown),
        formula=lambda: notices.formula(shown),
    )
