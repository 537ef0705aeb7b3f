"""The explorer of published figures: choose axes and filters, hover, click, compare; and what the picture hides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import theme
from dashboard.figures.scatter import MOST_NAMED, Axis, Line, Ticks, scatter
from dashboard.frame import layout
from dashboard.frame.prose import Prose
from dashboard.inputs import controls
from dashboard.output import charts
from pages.scale.scaling_comparison import cards
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import Choices, Measure, Selection, Table, hidden_by, select, short_name

FRONT, YEARS = "Pareto front", "Years"
TICKS: dict[str, Ticks] = {"count": "B", "power": "power", "year": "year"}
LONGEST_SEARCH = 80  # characters
PART, AXIS = 220, 215  # pixels: of the controls
COMPARED = 6  # models that a table can hold beside one another

Sentences = Callable[[Selection], Sequence[str]]


@dataclass(frozen=True)
class Part:
    """The chosen part of a section: its name, the row of controls that it was chosen in, and a text about it."""

    section: Prose
    name: str
    bar: DeltaGenerator
    title: str
    about: str

    def introduce(self) -> None:
        """Write the title and the text, below the first figure; nothing on a projector."""
        if not theme.is_presented():
            st.subheader(self.title, anchor=False)
            st.markdown(self.about, width=theme.PROSE)


def choose_part(section: Prose, title: str, about: Mapping[str, str], label: str, key: str) -> Part:
    """The chosen one of a section's parts, of which `about` has a text each; the section's row of controls."""
    names = list(about)
    if st.session_state.get(key) not in (*names, None):
        st.session_state[key] = names[0]
    bar = layout.control_bar()
    with bar:
        name = st.selectbox(label, names, key=key, bind="query-params", width=PART)
    return Part(section, name, bar, title, about[name])


def explore(
    table: Table,
    part: Part,
    *,
    notice: Sentences,
    numbers: Mapping[str, object] | None = None,
    formula: Callable[[Selection], None] = lambda _: None,
    hides: Sentences = lambda _: (),
    lines: Callable[[Selection], Sequence[Line]] = lambda _: (),
) -> None:
    """Everything about the table of a `part`: its controls, picture and cards, what it hides, and the notes.

    Computed from what is shown: `notice`, the sentences of what to notice (only asked where something is shown);
    `formula`, which writes what follows the section's formula; `hides`, further sentences to what the picture hides;
    `lines`, fits through it. `numbers` are those for the places in the section's formula.
    """
    with part.bar:
        selection = select(table, _choices(table))
    # The field stands below the picture; its value is needed above.
    picture = st.container()
    layout.place_notice()
    names = st.multiselect(
        "Chosen",
        table.rows.label.tolist(),
        key=f"{table.name}_chosen",
        bind="query-params",
        max_selections=COMPARED,
        placeholder="click points in the figure, or type a name",
        help=PAGE.text("Cards of models"),
    )
    with picture:
        if selection.placed.empty:
            st.info(_why_empty(table, selection), icon=":material/info:")
        else:
            _picture(table, selection, names, lines(selection))
    if names:
        cards.show(table, table.rows.set_index("label").loc[names])
    part.introduce()
    if len(selection.placed):
        with st.container(key=f"{table.name}_hides"):
            st.markdown("**What this figure hides**")
            hidden = (*hidden_by(table, selection), *hides(selection))
            st.markdown("\n".join(f"- {sentence}" for sentence in hidden), width=theme.PROSE)
    nothing = "No model passes the filters. Remove one of them."
    sentences = tuple(notice(selection)) if len(selection.placed) else (nothing,)
    layout.notes(part.section, notice=sentences, numbers=numbers, formula=lambda: formula(selection))


def _choices(table: Table) -> Choices:
    """The axes, and a menu of their scales and of filters."""
    x, y = _axis(table, "x", "Across", table.x), _axis(table, "y", "Up", table.y)
    present = set(table.rows.family)
    with layout.settings():
        log_x = _log(table, "x", x, "Logarithmic scale across")
        log_y = _log(table, "y", y, "Logarithmic scale up")
        # Something is to be gained, and something else to be spent or gained.
        may_front = bool(x.better and y.better and x != y and "more" in (x.better, y.better))
        front = st.toggle(
            FRONT,
            value=True,
            key=f"{table.name}_front",
            bind="query-params",
            disabled=not may_front,
            help=PAGE.text(FRONT),
        )
        families = st.pills(
            table.families,
            [family for family in table.hues if family in present],
            selection_mode="multi",
            wrap=True,
            key=f"{table.name}_family",
            bind="query-params",
        )
        only = {column: _only(table, column, title) for column, title in table.filters.items()}
        years = _years(table)
        search = st.text_input(
            "Name contains",
            key=f"{table.name}_search",
            bind="query-params",
            max_chars=LONGEST_SEARCH,
            placeholder="part of a name",
            width=controls.WIDTH,
        )
    return Choices(x, y, log_x, log_y, tuple(families), only, years, search or "", front and may_front)


def _axis(table: Table, side: str, label: str, first: str) -> Measure:
    titles = {measure.title: measure for measure in table.measures}
    title = st.selectbox(
        label,
        list(titles),
        index=[measure.column for measure in table.measures].index(first),
        key=f"{table.name}_{side}",
        bind="query-params",
        width=AXIS,
    )
    return titles[title]


def _log(table: Table, side: str, measure: Measure, label: str) -> bool:
    """Whether the scale of an axis is logarithmic."""
    # A key for each measure: another axis begins with the scale that suits it.
    log = st.toggle(
        label,
        value=measure.log,
        key=f"{table.name}_{side}log_{measure.column}",
        bind="query-params",
        disabled=measure.form == "year",
    )
    return log and measure.form != "year"


def _only(table: Table, column: str, title: str) -> tuple[str, ...]:
    counted = table.rows[column].value_counts()
    return tuple(
        st.multiselect(
            title,
            [value for value in counted.index if value],
            key=f"{table.name}_{column}",
            bind="query-params",
            placeholder="all",
            width=controls.WIDTH,
        )
    )


def _years(table: Table) -> tuple[int, int] | None:
    if not table.years:
        return None
    years = table.rows[table.years].dropna()
    low, high = int(years.min()), int(years.max())
    chosen = st.slider(
        YEARS, low, high, (low, high), key=f"{table.name}_years", bind="query-params", width=controls.WIDTH
    )
    return None if tuple(chosen) == (low, high) else (int(chosen[0]), int(chosen[1]))


def _why_empty(table: Table, selection: Selection) -> str:
    if selection.matches.empty:
        return PAGE.text("Filters that nothing passes", count=len(table.rows), things=table.things)
    x, y, count = selection.choices.x, selection.choices.y, len(selection.matches)
    return PAGE.text("Figures that are missing", count=count, things=table.things, x=x.inside, y=y.inside)


def _picture(table: Table, selection: Selection, names: Sequence[str], lines: Sequence[Line]) -> None:
    of, rows, name = selection.choices, selection.placed, f"scaling-{table.name}"
    figure = partial(
        scatter,
        points(table, selection),
        x=Axis(of.x.axis, of.log_x, TICKS.get(of.x.form, "none")),
        y=Axis(of.y.axis, of.log_y, TICKS.get(of.y.form, "none")),
        hues=table.hues,
        look=theme.look(),
        lines=(*lines, *_front(selection)),
        footer=_one_source(table),
        chosen=rows.index[rows.label.isin(names)].tolist(),
        height=theme.look().high(520),
    )
    charts.chart(
        figure,
        name=name,
        alt=f"{of.y.axis} against {of.x.axis}, {len(rows):,} {table.things}, one mark each",
        table=numbers(table, selection),
        on_select=_clicked(table, name),
    )


def points(table: Table, selection: Selection) -> pd.DataFrame:
    """What the figure draws: x, y, family, names and the words below the pointer, by the rows of the table."""
    x, y, rows = selection.choices.x, selection.choices.y, selection.placed
    also = [
        *(["data"] if "data" in table.filters else []),
        "note",
        *([] if _one_source(table) else ["source"]),  # else it stands there once for all
    ]
    tooltips = [
        "\n".join((f"{y.inside}: {y.tell(up)}", f"{x.inside}: {x.tell(across)}", *filter(None, more)))
        for up, across, *more in zip(*(rows[name].tolist() for name in (y.column, x.column, *also)), strict=True)
    ]
    return pd.DataFrame(
        {
            "x": rows[x.column],
            "y": rows[y.column],
            "family": rows.family,
            "label": rows.label,
            "short": rows[table.short].map(short_name) if len(rows) <= MOST_NAMED else "",
            "tell": tooltips,
        }
    )


def _one_source(table: Table) -> str:
    """The source of all rows, sent to the browser once; empty where they have several."""
    sources = table.rows.source.unique()
    return str(sources[0]) if len(sources) == 1 else ""


def _front(selection: Selection) -> tuple[Line, ...]:
    if len(selection.front) < 2:
        return ()
    of = selection.choices
    x, y = (selection.front[measure.column].to_numpy(dtype=float) for measure in (of.x, of.y))
    # Between two of the front one gets what the cheaper one gives.
    return (Line(FRONT, x, y, shape="vh" if of.x.better == "more" else "hv"),)


def numbers(table: Table, selection: Selection) -> pd.DataFrame:
    """The numbers of the picture, one row a model, with its source and what is noted of it."""
    of, rows = selection.choices, selection.placed
    columns = {
        "label": "model",
        "family": table.families,
        **table.filters,
        **({table.years: YEARS} if table.years else {}),
        of.x.column: of.x.axis,
        of.y.column: of.y.axis,
        "source": "source",
        **({"note": "note"} if rows.note.any() else {}),
    }
    front = rows.index.isin(selection.front.index)
    return rows[list(columns)].rename(columns=columns).assign(**{"on the front": front})


def _clicked(table: Table, chart: str) -> Callable[[], None]:
    """What a click in the picture does: a model is chosen, or is no longer; `chart` is the picture's key."""

    def switch() -> None:
        points, key, last = st.session_state[chart].selection.points, f"{table.name}_chosen", f"{chart}_last"
        # Clicked once more, a point is given back as "nothing selected".
        rows = [_row(point["customdata"]) for point in points] or st.session_state.get(last, [])
        st.session_state[last] = rows if points else []
        chosen = list(st.session_state.get(key, []))
        for label in (str(table.rows.label.loc[row]) for row in rows if row in table.rows.index):
            chosen = [name for name in chosen if name != label] if label in chosen else [*chosen, label][-COMPARED:]
        st.session_state[key] = chosen

    return switch


def _row(customdata: Any) -> int:
    """The row of a clicked point, which comes back as a number, or as a list of one."""
    return int(customdata[0] if isinstance(customdata, list) else customdata)
