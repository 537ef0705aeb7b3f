"""What of a sentence holds in pictures, as both networks' measures show and tell it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from streamlit.delta_generator import DeltaGenerator

from core.results import dalle_results
from core.results.dalle_results import BEST_OF, CHANCE, OF, THROUGH, ReaderResult, Share
from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.figures.curves import curves
from dashboard.figures.grounding import Scored, grounding_points
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import SPLITS
from dashboard.output import charts
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Measured")
BOUNDS = {CHANCE: "by chance: another picture", THROUGH: "reachable: the true scene, through codes"}
CLEAR = 2  # standard errors by which a difference is told
MANY = 20  # words: of fewer of a kind nothing is told

reader = cached()(dalle_results.reader)


def split_of(held: Mapping[str, object], bar: DeltaGenerator) -> str:
    """The sentences that were asked, by the visitor's choice in a control bar."""
    titles = {SPLITS[split]: split for split in held}
    with bar:
        return titles[controls.menu("Sentences", titles, key="drawn_split", width=360)]


def most_candidates(ways: Mapping[str, object]) -> int:
    """Of how many candidates CLIP chose at most."""
    return max(int(way) for way in ways if way.isdecimal())


def statements_chart(rows: Sequence[Scored], table: pd.DataFrame, *, name: str) -> None:
    """What holds, by kind of word."""
    look = theme.look()
    high = look.high(130 + 46 * len({row.way for row in rows}))
    figure = partial(grounding_points, rows, {}, look=look, x="statements that hold", height=high, unit="words")
    alt = "; ".join(f"{row.way}, {row.model} {row.share:.0%}" for row in rows)
    charts.chart(figure, name=name, alt=f"Statements that hold: {alt}", table=table)


def scored_of(ways: Mapping[str, Mapping[str, Share]], way_titles: Mapping[str, str]) -> list[Scored]:
    """A row for each kind of word and each way to a picture that is shown, by its title."""
    return [
        Scored(title, kind, ways[way][kind].share, ways[way][kind].error, ways[way][kind].asked)
        for kind in OF
        for way, title in way_titles.items()
        if kind in ways.get(way, {})
    ]


def candidates_chart(ways: Mapping[str, Mapping[str, Share]]) -> None:
    """What the choice of CLIP brings, by how many it chooses from."""
    layout.heading("What do more candidates bring?")
    counts = [count for count in BEST_OF if str(count) in ways]
    kinds = [kind for kind in OF if all(kind in ways[str(count)] for count in counts)]
    with layout.control_bar():
        kind = controls.choice("Of", kinds, key="drawn_kind", about=SECTION.text("Kind of word"))
    lines = {
        "best by CLIP": np.array([ways[str(count)][kind].share for count in counts]),
        **{
            title: np.full(len(counts), ways[way][kind].share)
            for way, title in BOUNDS.items()
            if kind in ways.get(way, {})
        },
    }
    figure = partial(
        curves,
        counts,
        lines,
        look=theme.look(),
        x="candidates",
        y=f"{kind}: share that holds",
        tell="%{fullData.name}<br>%{x}: %{y:.1%}",
        marks=True,
        x_log=True,
        y_range=(0, 1),
        labels=[str(count) for count in counts],
        height=theme.look().high(330),
    )
    own = ", ".join(f"{count}: {share:.0%}" for count, share in zip(counts, lines["best by CLIP"], strict=True))
    table = pd.DataFrame({"candidates": counts, **lines})
    charts.chart(figure, name="drawn-candidates", alt=f"{kind}, by the number of candidates: {own}", table=table)
    layout.caption(SECTION.text("Candidates"))


def table_of(held: Mapping[str, Mapping[str, Mapping[str, Share]]]) -> pd.DataFrame:
    """All shares."""
    return pd.DataFrame(
        [
            (split, way if not way.isdecimal() else f"best of {way}", kind, share.share, share.error, share.asked)
            for split, ways in held.items()
            for way, shares in ways.items()
            for kind, share in shares.items()
        ],
        columns=["split", "picture", "kind", "share", "standard error", "asked"],
    )


def tell_reader(readers: Mapping[str, ReaderResult], split: str) -> Iterator[str]:
    """How far the judge itself can be trusted."""
    own = readers.get(split) or readers.get("test")
    if own is not None:
        yield (
            f"The judge reads {own.whole_scenes:.1%} of {own.scenes:,} true scenes without any mistake, and finds "
            f"{own.things_found:.1%} of their things."
        )


def unless_clear(one: Share, other: Share, remark: str) -> str:
    """What is said where two shares differ by no more than their errors explain; else nothing."""
    error = (one.error**2 + other.error**2) ** 0.5
    return remark if abs(one.share - other.share) <= CLEAR * error else ""
