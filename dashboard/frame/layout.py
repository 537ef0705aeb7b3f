"""How a section is laid out: its headings and controls, the sentence to notice, and the notes below the figure."""

import re
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import glossary, theme, typeset

FEW = 2  # headings that need no row of jumps
NOTICE = 860  # pixels: a sentence above a figure takes little of its height
NOTICE_PRESENTED = 1240  # pixels: as many letters of a projector's size


@dataclass(frozen=True)
class PageWords:
    """What a page says besides its figures; everything here is Markdown written by us, never by a visitor."""

    question: str
    lead: str
    try_this: tuple[str, ...]
    references: tuple[str, ...]


def caption(text: str) -> None:
    """A small remark beside a figure or below a table, in Markdown; its terms are explained.

    A caption says what a claim rests on: what a network learned from, over how many pictures something was measured,
    how far it may be off. So it stays on a projector; what is left out there is prose: leads, tools, notes.
    """
    st.caption(glossary.linked(text))


def control_bar():
    """A row for the controls above a figure; on a narrow window they stand below one another."""
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    _may_stand(_Place.BELOW_CONTROLS)
    return bar


def waiting_place():
    """Where a spinner may stand while something is computed, and afterwards the first sentence to notice.

    Without a place of its own it would move all that follows by one, and the browser would build it anew. Of several
    places in a section the first is for the sentence of `notes`: what is waited for there is the figure that follows.
    """
    return _may_stand(_Place.WAITING)


def noticed_here() -> None:
    """Let the first sentence of `notes` stand here, wherever else it might."""
    _may_stand(_Place.CHOSEN)


def begin_page() -> None:
    """Forget what belongs to the page before: its headings, and where its first sentence to notice stood."""
    _jumps.set(None)
    _noticed_at.set(None)


def begin_section() -> None:
    """Forget what belongs to what stands above: headings, and the first sentence of `notes`, are of the section."""
    _jumps.set(_Jumps(st.container(gap=None)))
    _noticed_at.set(None)
    _may_stand(_Place.BEGINNING)


def heading(title: str) -> None:
    """A heading within a section. Where a section has several, a row at its beginning leads to each, and to its notes.

    For long sections, more than two screens of 1280 x 800.
    """
    st.subheader(title, anchor=_leads_to(title))


def _leads_to(title: str) -> str:
    """The anchor of a heading, to which the row of jumps will lead."""
    anchor = re.sub(r"\W+", "-", title.lower()).strip("-")
    if jumps := _jumps.get():
        jumps.to[anchor] = title
    return anchor


@dataclass(frozen=True)
class _Jumps:
    """A row of links to the headings of a section: where it stands, and the headings by their anchors."""

    row: DeltaGenerator
    to: dict[str, str] = field(default_factory=dict)

    def show(self) -> None:
        """Show the row, if there is more to jump to than the notes."""
        if len(self.to) > FEW:
            links = " · ".join(f"[{typeset.plain(title)}](#{anchor})" for anchor, title in self.to.items())
            self.row.markdown(f":gray[On this page:] {links}")


class _Place(IntEnum):
    """Where the first sentence of `notes` may stand, the best last; of two equal ones it is the first."""

    BEGINNING = 0
    BELOW_CONTROLS = 1
    WAITING = 2
    CHOSEN = 3


def _may_stand(place: _Place) -> DeltaGenerator:
    """A container, for the first sentence of `notes` unless there is a better one. An empty one takes no room."""
    container = st.container(gap=None)
    known = _noticed_at.get()
    if known is None or place > known[0]:
        _noticed_at.set((place, container))
    return container


_jumps = ContextVar[_Jumps | None]("jumps", default=None)  # in this run of a page
_noticed_at = ContextVar[tuple[_Place, DeltaGenerator] | None]("noticed at", default=None)  # in this run of a page


def rows_of(count: int, most: int) -> list[range]:
    """Places in as few rows of at most `most` as will do, as even as can be, the longer ones first: none half empty."""
    rows = -(-count // most)
    lengths = [count // rows + (row < count % rows) for row in range(rows)]
    return [range(sum(lengths[:row]), sum(lengths[: row + 1])) for row in range(rows)]


def notes(words: PageWords, *, notice: tuple[str, ...], formula: Callable[[], object]) -> None:
    """What to notice, what to try, how it is computed, and where to read on: below the figure.

    `notice` holds sentences that were computed from what is shown; `formula` writes the formula with its numbers. The
    first sentence stands above or beside the figure: where `noticed_here` was called, or else where the section waits
    for what it shows, below its controls, or at its beginning. So it does on a projector, without all the rest.
    """
    if notice and (known := _noticed_at.get()):
        _, place = known
        place.markdown(
            glossary.linked(f"**Notice:** {notice[0]}"), width=NOTICE_PRESENTED if theme.is_presented() else NOTICE
        )
        notice = notice[1:]
    if theme.is_presented():
        return
    st.divider()
    *noticed, tried, computed = st.columns([1, 1, 1.4] if notice else [1, 1.4], gap="large")
    if notice:
        with noticed[0]:
            st.subheader("What to notice", anchor=False)
            st.markdown(glossary.linked("\n\n".join(notice)))
    with tried:
        st.subheader("Try this", anchor=_leads_to("Try this"))
        st.markdown(glossary.linked("\n\n".join(words.try_this)))
    with computed:
        st.subheader("How it is computed", anchor=False)
        formula()
    with st.expander("References"):
        st.markdown("\n".join(f"- {reference}" for reference in words.references), width=theme.PROSE)
    if jumps := _jumps.get():
        jumps.show()
