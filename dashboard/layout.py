"""What every page shares: the head, the notes below a figure, and the projector's view."""

import logging
import re
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import AtlasError
from core.text import BYTE, Tokens, byte_sign, spelt
from dashboard import carried, classroom_view, contents, glossary, ways_on
from dashboard.theme import PALETTES, Look
from dashboard.ways_on import is_presented

FEW = 2  # headings that need no row of jumps
PROSE = 640  # pixels: about 70 characters of the text's size
NOTICE = 860  # pixels: a sentence above a figure takes little of its height
NOTICE_PRESENTED = 1240  # pixels: as many letters of a projector's size
# A file of our own: Streamlit's built-in symbols would be fetched from the internet.
ICON = str(contents.ROOT / "dashboard" / "icon.png")
LOGO = (contents.ROOT / "dashboard" / "logo.svg").read_text(encoding="utf-8")


@dataclass(frozen=True)
class PageWords:
    """What a page says besides its figures; everything here is Markdown written by us, never by a visitor."""

    question: str
    lead: str
    try_this: tuple[str, ...]
    references: tuple[str, ...]


def show_logo() -> None:
    """The atlas's own sign, in the colours of the visitor's theme."""
    st.logo(LOGO.replace("INK", look().palette.ink).replace("MAP", look().palette.map), size="large")


@contextmanager
def sentences():
    """Show what a visitor asked for and cannot have as one sentence. The only place that catches it.

    Programming errors pass through: they are logged, and Streamlit shows the visitor no traceback. But no page has to
    find figures for what `warn_of` has warned of, such as a model whose numbers are none.
    """
    _warned.set(False)
    try:
        yield
    except AtlasError as error:
        st.warning(plain(str(error)), icon=":material/info:")
    except Exception:
        if not _warned.get():
            raise
        logging.getLogger(__name__).info("A model that was warned of could not be shown.", exc_info=True)
        st.warning("This cannot be drawn for such a model. Choose another model or section.", icon=":material/info:")


_warned = ContextVar("warned", default=False)  # in this run of a page


def warn_of(warnings: Iterable[str]) -> None:
    """What whoever opens a model should know first, in sentences, such as that some weights are no numbers."""
    for sentence in warnings:
        _warned.set(True)
        st.warning(plain(sentence), icon=":material/warning:")


_below_title = ContextVar[Callable[[], None] | None]("below_title", default=None)  # in this run of a page


@contextmanager
def below_title(show: Callable[[], None] | None):
    """While a page runs, `show` what stands below its title."""
    before = _below_title.set(show)
    try:
        yield
    finally:
        _below_title.reset(before)


def head(words: PageWords) -> None:
    """The question as the title, the way to the projector's view or the ways on and out of it, and one paragraph."""
    _jumps.set(None)
    _noticed_at.set(None)
    with st.container(horizontal=True, gap="small"):
        st.title(words.question, anchor=False)
        if is_presented():
            ways_on.bar(contents.asking(words.question), turns_pages=_below_title.get() is None)
        else:
            with st.container(horizontal=True, gap="small", width="content"):  # below a short title on a phone, both
                ways_on.offer_to_present()
                classroom_view.offer()
    # A place even when presented: what moves on the page would lose its part of the address.
    with st.container():
        if show := _below_title.get():
            show()
        elif not is_presented():
            st.markdown(glossary.linked(words.lead), width=PROSE)
    with st.container(gap=None):
        _say_what_was_refused()


def _say_what_was_refused() -> None:
    """What the page shows instead of what it was opened with and cannot use."""
    for key, refusal in carried.refusals().items():
        line = plain(carried.line_of(key, refusal))
        if refusal.asked:
            st.warning(line, icon=":material/info:")
        else:
            st.caption(line)


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
            links = " · ".join(f"[{plain(title)}](#{anchor})" for anchor, title in self.to.items())
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


def say_what_was_cut(tokens: Tokens) -> None:
    """Where the text ends for the model, if its context holds no more."""
    if cut := tokens.cut:
        own = (label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special)
        last = plain("".join(own).strip()[-40:])
        st.info(
            f"This text is longer than the model can read at once: it reads the first {cut.kept:,} of {cut.total:,} "
            f"tokens ({cut.character:,} characters), up to “… {last}”. The rest is left out.",
            icon=":material/content_cut:",
        )


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
            glossary.linked(f"**Notice:** {notice[0]}"), width=NOTICE_PRESENTED if is_presented() else NOTICE
        )
        notice = notice[1:]
    if is_presented():
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
        st.markdown("\n".join(f"- {reference}" for reference in words.references), width=PROSE)
    if jumps := _jumps.get():
        jumps.show()


def look() -> Look:
    """How figures look to this visitor: the colours of the browser's theme, and letters for a page or a projector."""
    colours = PALETTES["dark" if st.context.theme.type == "dark" else "light"]
    presented = is_presented()
    return Look(colours, letters=20 if presented else 14, presented=presented)


def readable(label: str) -> str:
    """A token for a table or an axis: without its leading space, and what cannot be seen made visible."""
    if shown := label.strip():
        return "".join(_PICTURES.get(letter, letter if _is_visible(letter) else "·") for letter in shown)
    return "".join(_PICTURES.get(letter, "␣") for letter in label) or "∅"


def in_word(tokens: Tokens, place: int) -> str:
    """A token for a table or a sentence; one that is a piece of a word stands in brackets within it: "carr[ots]".

    Of a word that is spelt in bytes a byte is named with the word: "‹B1› of ⁨مرحبا⁩", its own direction kept inside.
    """
    labels, word = tokens.labels, tokens.words[place]
    piece = readable(labels[place])
    if word is None:
        return piece
    first = last = place
    while first and tokens.words[first - 1] == word:
        first -= 1
    while last + 1 < len(tokens) and tokens.words[last + 1] == word:
        last += 1
    if BYTE.search(piece) and (whole := spelt("".join(labels[first : last + 1]).strip())) and last > first:
        return f"{piece} of \u2068{whole}\u2069"
    beside = ("".join(part).strip() for part in (labels[first:place], labels[place + 1 : last + 1]))
    before, after = (spelt(part) or part for part in beside)
    return f"{before and readable(before)}[{piece}]{after and readable(after)}" if before or after else piece


def _is_visible(letter: str) -> bool:
    return letter.isprintable() or letter in _JOINERS


_JOINERS = "\u200c\u200d"  # seen in what they join: letters of Persian, people of an emoji
# Control characters are shown as bytes: their pictures in Unicode are boxes in most fonts.
_PICTURES = {chr(code): byte_sign(code) for code in (*range(0x20), 0x7F)} | {"\n": "↵", "\t": "⇥"}


def explain_bytes(labels: Iterable[str]) -> None:
    """Say below a figure or a table what the sign of a byte means, if there is one in its labels."""
    if found := next(filter(None, map(BYTE.search, labels)), None):
        st.caption(f"{found[0]} is one byte, no letter by itself: rare letters are spelt in two to four of them.")


def plain(text: str) -> str:
    """Text from a visitor or a model as Markdown that shows exactly these characters."""
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in text)


_MARKDOWN = set("\\`*_{}[]()<>#+-.!|~$:&=^\"'")
