"""The layout of a section: its headings and controls, the first notice, and the notes below the figure."""

import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import glossary, theme, typeset
from dashboard.frame.prose import FORMULA, TRY_THIS, Prose

MOST_WITHOUT_JUMPS = 2  # headings that need no row of jumps
NOTICE = 860  # pixels: a sentence above a figure takes little of its height


def caption(text: str) -> None:
    """Write a small remark beside a figure or below a table, in Markdown; its terms are explained.

    A caption holds the basis of a claim: the training data, the number of pictures, the error. So it stays on a
    projector, where `prose` and notes are left out.
    """
    st.caption(glossary.linked(text))


def prose(text: str, *, width: int | Literal["stretch"] = theme.PROSE) -> None:
    """Write prose beside a figure, in Markdown; nothing on a projector.

    What says how far a claim holds is a `caption`, which stays there.
    """
    if not theme.is_presented():
        st.markdown(text, width=width)


def control_bar():
    """A row for the controls above a figure; on a narrow window they stand below one another.

    On a projector the first one of a section stands beside the title, in one strip.
    """
    number = _control_bars.get()
    _control_bars.set(number + 1)
    with st.container(gap=None, key=f"controls-{number}"):  # the empty place takes no room
        bar = st.container(horizontal=True, vertical_alignment="bottom")
        _add_notice_place(_Place.BELOW_CONTROLS)
    return bar


def bar_with_settings() -> tuple[DeltaGenerator, DeltaGenerator]:
    """A control bar in two parts that can be filled in any order: the main controls, and the menu for all others."""
    with control_bar():
        return st.container(horizontal=True, vertical_alignment="bottom", width="content"), settings()


def settings():
    """A menu for the controls of a section that are not among its main ones, at the end of a control bar."""
    return st.popover("Settings", icon=":material/tune:")


def waiting_place():
    """A container for the spinner while something is computed, and afterwards for the first notice.

    Without a container of its own the spinner would move all that follows by one, and the browser would rebuild it. Of
    several in a section, the first is for the notice of `notes`: it precedes the figure.
    """
    return _add_notice_place(_Place.WAITING)


def place_notice() -> None:
    """Let the first notice of `notes` stand here, and below it the row of links to the headings that follow."""
    _add_notice_place(_Place.CHOSEN)
    if jumps := _jumps.get():
        _jumps.set(replace(jumps, row=st.container(gap=None)))


def begin_page() -> None:
    """Reset the headings, the place of the first notice and the control bars, which belong to the previous page."""
    _control_bars.set(0)
    _jumps.set(None)
    _notice_place.set(None)


def begin_section() -> None:
    """Reset the headings and the place of the first notice, which belong to a section."""
    _jumps.set(_Jumps(st.container(gap=None)))
    _notice_place.set(None)
    _add_notice_place(_Place.BEGINNING)


def heading(title: str) -> None:
    """Write a heading within a section. If a section has several, a row of links at its beginning leads to them.

    For long sections, of more than two screens of 1280 x 800.
    """
    st.subheader(title, anchor=_anchor_of(title))


def _anchor_of(title: str) -> str:
    """The anchor of a heading, which is added to the row of links."""
    anchor = re.sub(r"\W+", "-", title.lower()).strip("-")
    if jumps := _jumps.get():
        jumps.titles[anchor] = title
    return anchor


@dataclass(frozen=True)
class _Jumps:
    """A row of links to the headings of a section: its container, and the headings by their anchors."""

    row: DeltaGenerator
    titles: dict[str, str] = field(default_factory=dict)

    def show(self) -> None:
        """Show the row, if there are headings besides the notes."""
        if len(self.titles) > MOST_WITHOUT_JUMPS:
            links = " · ".join(f"[{typeset.plain(title)}](#{anchor})" for anchor, title in self.titles.items())
            self.row.markdown(f":gray[On this page:] {links}")


class _Place(IntEnum):
    """Places for the first notice of `notes`, the best last; of two equal ones the first is used."""

    BEGINNING = 0
    BELOW_CONTROLS = 1
    WAITING = 2
    CHOSEN = 3


def _add_notice_place(place: _Place) -> DeltaGenerator:
    """A container for the first notice of `notes`, unless there is a better one. An empty one takes no room."""
    container = st.container(gap=None)
    best = _notice_place.get()
    if best is None or place > best[0]:
        _notice_place.set((place, container))
    return container


_control_bars = ContextVar[int]("control_bars", default=0)  # so many there are in this run of a page
_jumps = ContextVar[_Jumps | None]("jumps", default=None)  # in this run of a page
_notice_place = ContextVar[tuple[_Place, DeltaGenerator] | None]("noticed at", default=None)  # in this run of a page


def rows_of(count: int, most: int) -> list[range]:
    """The numbers below `count` in the fewest rows of at most `most`, as even as can be, the longer ones first."""
    rows = -(-count // most)
    lengths = [count // rows + (row < count % rows) for row in range(rows)]
    return [range(sum(lengths[:row]), sum(lengths[: row + 1])) for row in range(rows)]


def notes(
    prose: Prose,
    *,
    notice: tuple[str, ...],
    numbers: Mapping[str, object] | None = None,
    formula: Callable[[], object] = lambda: None,
) -> None:
    """Write below the figure: what the page is about, what to notice, what to try, how it is computed, references.

    `notice` holds sentences computed from what is shown. The first one stands above or beside the figure: where
    `place_notice` was called, or else in the first `waiting_place`, below the controls, or at the section's beginning.
    On a projector only that sentence is written. `numbers` are those for the places in the section's text “How it is
    computed”; `formula` writes what follows it, such as a table.
    """
    if notice and (best := _notice_place.get()):
        _, place = best
        first = glossary.linked(f"**Notice:** {notice[0]}")
        if theme.is_presented():
            place.container(gap=None, key="first-notice").markdown(first)
        else:
            place.markdown(first, width=NOTICE)
        notice = notice[1:]
    if theme.is_presented():
        return
    st.divider()
    if prose.about:
        st.markdown(glossary.linked(prose.about), width=theme.PROSE)
    *notice_columns, try_column, formula_column = st.columns([1, 1, 1.4] if notice else [1, 1.4], gap="large")
    if notice:
        with notice_columns[0]:
            st.subheader("What to notice", anchor=False)
            st.markdown(glossary.linked("\n\n".join(notice)))
    with try_column:
        st.subheader(TRY_THIS, anchor=_anchor_of(TRY_THIS))
        st.markdown(glossary.linked("\n\n".join(prose.try_this)))
    with formula_column:
        st.subheader(FORMULA, anchor=False)
        if FORMULA in prose.texts:
            st.markdown(prose.text(FORMULA, **(numbers or {})))
        formula()
    with st.expander("References"):
        st.markdown("\n".join(f"- {reference}" for reference in prose.references), width=theme.PROSE)
    if jumps := _jumps.get():
        jumps.show()
