"""The explorer of published figures: choose axes and filters, hover, click, compare; and what the picture hides."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from pages.scale.scaling_comparison import chosen, hides
from pages.scale.scaling_comparison import words_explorer as said
from pages.scale.scaling_comparison.choices import choices
from pages.scale.scaling_comparison.collection import Collection
from pages.scale.scaling_comparison.figures_explored import FEW, Axis, Line, Ticks, explored
from pages.scale.scaling_comparison.shown import Shown, select

TICKS: dict[str, Ticks] = {"count": "B", "power": "power", "year": "year"}
Lines = Callable[[Shown], Sequence[Line]]
Told = Callable[[Shown], Sequence[str]]


def explore(collection: Collection, *, lines: Lines | None = None, told: Told | None = None) -> Shown:
    """Everything about one table; what is shown in the end, for the notes below.

    `lines` adds fits to the picture, `told` sentences to what it hides; both are computed from what is shown.
    """
    shown = select(collection, choices(collection))
    # The field stands below the picture; its value is needed above.
    picture = st.container()
    names = chosen.field(collection)
    with picture:
        if shown.placed.empty:
            st.info(_nothing(collection, shown), icon=":material/info:")
        else:
            _picture(collection, shown, names, () if lines is None else lines(shown))
    chosen.show(collection, names)
    if not layout.is_presented():
        _what_it_hides(collection, shown, () if told is None else told(shown))
    return shown


def _nothing(collection: Collection, shown: Shown) -> str:
    if shown.kept.empty:
        return said.NOTHING.format(count=len(collection.rows), things=collection.things)
    x, y = shown.choices.x, shown.choices.y
    return said.NO_FIGURE.format(
        count=len(shown.kept), things=collection.things, x=hides.in_sentence(x), y=hides.in_sentence(y)
    )


def _picture(collection: Collection, shown: Shown, names: Sequence[str], lines: Sequence[Line]) -> None:
    of = shown.choices
    name = f"scaling-{collection.name}"
    rows = shown.placed
    figure = explored(
        points(collection, shown),
        x=Axis(of.x.axis, of.log_x, TICKS.get(of.x.form, "none")),
        y=Axis(of.y.axis, of.log_y, TICKS.get(of.y.form, "none")),
        hues=collection.hues,
        look=layout.look(),
        lines=(*lines, *_front(shown)),
        footer=_one_source(collection),
        chosen=rows.index[rows.label.isin(names)].tolist(),
        height=layout.look().high(520),
    )
    charts.chart(
        figure,
        name=name,
        alt=f"{of.y.axis} against {of.x.axis}, {len(rows):,} {collection.things}, one mark each",
        table=table(collection, shown),
        on_select=chosen.clicked(collection, name),
    )


def points(collection: Collection, shown: Shown) -> pd.DataFrame:
    """What the figure draws: x, y, family, names and the sentence below the pointer, by the rows of the table."""
    x, y, rows = shown.choices.x, shown.choices.y, shown.placed
    told = [
        "\n".join((f"{y.inside}: {y.tell(up)}", f"{x.inside}: {x.tell(across)}", *words))
        for up, across, *words in zip(
            *(rows[name].tolist() for name in (y.column, x.column, *_told_below(collection))), strict=True
        )
    ]
    return pd.DataFrame(
        {
            "x": rows[x.column],
            "y": rows[y.column],
            "family": rows.family,
            "label": rows.label,
            "short": rows[collection.short].map(short_name) if len(rows) <= FEW else "",
            "tell": told,
        }
    )


def short_name(label: str) -> str:
    """A name that fits beside its mark: without authors or a long explanation in brackets."""
    name, _, bracket = label.partition(" (")
    return name if "et al." in bracket or len(bracket) > LONGEST else label


LONGEST = 20  # letters in brackets


def _told_below(collection: Collection) -> list[str]:
    """The words below the pointer, besides the two figures."""
    data = ["data"] if "data" in collection.filters else []
    return data if _one_source(collection) else [*data, "source"]


def _one_source(collection: Collection) -> str:
    """The source of all rows, sent to the browser once; empty where they have several."""
    sources = collection.rows.source.unique()
    return str(sources[0]) if len(sources) == 1 else ""


def _front(shown: Shown) -> tuple[Line, ...]:
    if len(shown.front) < 2:
        return ()
    of = shown.choices
    return (
        Line(
            said.FRONT_NAME,
            shown.front[of.x.column].to_numpy(dtype=float),
            shown.front[of.y.column].to_numpy(dtype=float),
            # Between two of the front one gets what the cheaper one gives.
            shape="vh" if of.x.better == "more" else "hv",
        ),
    )


def table(collection: Collection, shown: Shown) -> pd.DataFrame:
    """The numbers of the picture, one row a model, with its source."""
    of = shown.choices
    columns = {
        "label": "model",
        "family": collection.families,
        **collection.filters,
        **({collection.years: said.YEARS} if collection.years else {}),
        of.x.column: of.x.axis,
        of.y.column: of.y.axis,
        "source": "source",
    }
    front = shown.placed.index.isin(shown.front.index)
    return shown.placed[list(columns)].rename(columns=columns).assign(**{"on the front": front})


def _what_it_hides(collection: Collection, shown: Shown, told: Sequence[str]) -> None:
    if shown.placed.empty:
        return
    with st.container(key=f"{collection.name}_hides"):
        st.markdown(f"**{said.HIDES}**")
        st.markdown("\n".join(f"- {one}" for one in (*hides.sentences(collection, shown), *told)), width=layout.PROSE)
