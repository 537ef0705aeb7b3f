"""Images: accuracy against parameters, operations and measured speed; transformers against convolutions."""

import numpy as np
import streamlit as st

from dashboard import typeset
from pages.scale.scaling_comparison import compute
from pages.scale.scaling_comparison.explorer import choose_part, explore
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import (
    FAMILIES,
    Measure,
    Selection,
    Table,
    best_shown,
    front_shown,
)

SECTION = PAGE.section("Images")
TIMM, LEADERS = "Measured by timm", "Leaders of 2020 and 2022"
SPEEDS = {  # columns, and what is to be known of them
    "cpu": "Speed on a CPU",
    "rtx5090": "Speed on newer cards",
    "rtx4090": "Speed on newer cards",
    "rtx3090": "Speed on an older card",
}
SCORES = (
    Measure("top1", "Top-1, ImageNet", "%", "more", "two"),
    Measure("top5", "Top-5, ImageNet", "%", "more", "two"),
    Measure("real", "Top-1, ImageNet ReaL", "%", "more", "two"),
    Measure("v2", "Top-1, ImageNet-V2", "%", "more", "two"),
    Measure("a", "Top-1, ImageNet-A", "%", "more", "two"),
    Measure("r", "Top-1, ImageNet-R", "%", "more", "two"),
    Measure("sketch", "Top-1, ImageNet-Sketch", "%", "more", "two"),
)
PARAMETERS = Measure("parameters", "Parameters", "", "less", "count", log=True)
COSTS = (
    PARAMETERS,
    Measure("macs", "MACs a picture", "", "less", "count", log=True),
    Measure("rtx5090", "Pictures/s, RTX 5090", "", "more", "count", log=True),
    Measure("rtx4090", "Pictures/s, RTX 4090", "", "more", "count", log=True),
    Measure("rtx3090", "Pictures/s, RTX 3090", "", "more", "count", log=True),
    Measure("cpu", "Pictures/s, one by one on a CPU", "", "more", "count", log=True),
    Measure("resolution", "Resolution", "px", "", "number"),
)
RIVALS = ("transformer", "convolutional")
ENOUGH = 5  # models of a family, before a median says anything


def show() -> None:
    """One of the two tables in the explorer, and the notes on what is shown of it."""
    about = {name: SECTION.text(name) for name in (TIMM, LEADERS)}
    part = choose_part(SECTION, "What does accuracy cost?", about, "Table", "images_table")
    table, hidden = (timm(), hides) if part.name == TIMM else (leaders(), hides_of_leaders)
    explore(table, part, notice=notice, formula=example, hides=hidden)


def timm() -> Table:
    """Over 1,500 results, all measured by one library."""
    return Table(
        "images",
        compute.image_models(),
        (*COSTS, *SCORES),
        x="parameters",
        y="top1",
        hues=FAMILIES,
        filters={"data": "Learned from"},
        details={"data": "Learned from", "taught": "Had a teacher"},
        own_data="ImageNet-1k",
        things="results",
    )


def leaders() -> Table:
    """Who led in December 2020 and in September 2022."""
    return Table(
        "leaders",
        compute.leaders(),
        (
            Measure("year", "Year", "", "", "year"),
            PARAMETERS,
            Measure("flops", "FLOPs a picture", "", "less", "count", log=True),
            *SCORES[:2],
        ),
        x="parameters",
        y="top1",
        hues=FAMILIES,
        filters={"as_of": "Leaders of", "data": "Learned from"},
        details={"as_of": "Leader of", "data": "Learned from"},
        own_data="ImageNet-1k",
    )


def hides(selection: Selection) -> tuple[str, ...]:
    """How often one architecture is counted: trained otherwise, or tested at other resolutions; how speed was taken."""
    many = selection.placed.architecture.nunique()
    sentence = f"They are **{many:,} architectures**: one trained or tested in several ways has several points."
    axes = {selection.choices.x.column, selection.choices.y.column}
    texts = dict.fromkeys(text for column, text in SPEEDS.items() if column in axes)
    several = (sentence,) if many < len(selection.placed) else ()
    return (*several, *map(SECTION.text, texts), SECTION.text("Settings chosen on the test"))


def hides_of_leaders(selection: Selection) -> tuple[str, ...]:
    """Who measured, and what was not."""
    without = int(selection.placed.flops.isna().sum())
    return (
        SECTION.text("Statements of papers"),
        f"For {without} of {len(selection.placed)} the table has no operations for a picture.",
    )


def notice(selection: Selection) -> tuple[str, ...]:
    """The best one, who is on the front, and how the two families compare at equal cost."""
    return tuple(filter(None, (best_shown(selection), front_shown(selection), rivals(selection))))


def rivals(selection: Selection) -> str:
    """Where both families have models of about the same cost: who is ahead, by the medians of thirds of the models."""
    x, y = selection.choices.x, selection.choices.y
    if not x.better or y not in SCORES:
        return ""
    rows = selection.placed[selection.placed.family.isin(RIVALS)]
    parts = []
    if len(rows):
        cuts = rows[x.column].quantile([1 / 3, 2 / 3])
        thirds = np.searchsorted(cuts, rows[x.column])
        for place, name in enumerate(("lowest", "middle", "highest")):
            own, other = (rows[y.column][(thirds == place) & (rows.family == family)] for family in RIVALS)
            if min(len(own), len(other)) >= ENOUGH:
                parts.append(f"{lead(own.median() - other.median())} in the {name} third")
    if not parts:
        return ""
    thirds_of_table = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    return (
        f"Against the median convolutional network, the median transformer is {thirds_of_table} of the models by "
        f"{x.inside} (*{y.inside}*). The medians are over what happens to be in the table, not over equal training."
    )


def lead(points: float) -> str:
    """A difference in points, in words."""
    if not round(points, 1):
        return "level"
    return f"**{abs(points):.1f} points {'ahead' if points > 0 else 'behind'}**"


def example(selection: Selection) -> None:
    """Two models of the picture of which one beats the other, where there are two such."""
    if sentence := beaten(selection):
        st.markdown(sentence)


def beaten(selection: Selection) -> str:
    """The best up of those off the front, and one on it that beats it."""
    x, y = selection.choices.x, selection.choices.y
    off = selection.placed.drop(selection.front.index)
    if selection.front.empty or off.empty:
        return ""
    loser = off.sort_values(y.column, ascending=y.better == "more").iloc[-1]
    front = selection.front
    for measure in (x, y):
        ahead, behind = front[measure.column], loser[measure.column]
        front = front[ahead >= behind if measure.better == "more" else ahead <= behind]
    winner = front.iloc[0]
    return SECTION.text(
        "A model that is beaten",
        winner=typeset.plain(winner.label),
        loser=typeset.plain(loser.label),
        winner_x=x.tell(winner[x.column]),
        loser_x=x.tell(loser[x.column]),
        winner_y=y.tell(winner[y.column]),
        loser_y=y.tell(loser[y.column]),
    )
