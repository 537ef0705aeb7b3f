"""The links that a visitor cuts: kept in the address, checked against the sentence, made into what is forbidden.

A cut belongs to places: tokens of the translation, counted from 0, whatever is written there, and one English word.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import streamlit as st

from core.translation.translator_maps import Cell
from dashboard.address import parameter

ADDRESS = "cut"
PAST = "cuts_before"  # in the session: the addresses before each step, the oldest first
STEPS = 50  # that can be undone
MOST = 60  # cuts of the address that are read
_CUT = re.compile(r"(all|(\d{1,3})(?:to(\d{1,3}))?)-(\d{1,3})", re.ASCII)


@dataclass(frozen=True)
class CutLink:
    """The tokens of the translation from `first` to `last` (None: all of them) may not look at a source word."""

    source: int
    first: int | None = None
    last: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the word is cut for the whole translation."""
        return self.first is None

    def covers(self, span: range, source: int) -> bool:
        """Whether it holds for all of these tokens and this source word."""
        if source != self.source:
            return False
        return self.first is None or self.last is None or (self.first <= span.start and span.stop - 1 <= self.last)

    def tokens(self, longest: int) -> range:
        """The tokens of a translation of at most so many that it holds for."""
        return range(longest) if self.first is None or self.last is None else range(self.first, self.last + 1)


def encode(cuts: Iterable[CutLink]) -> str:
    """As they stand in the address: "3-2" (token 3, word 2), "3to5-2", "all-2"."""

    def tokens(cut: CutLink) -> str:
        return "all" if cut.is_whole else str(cut.first) if cut.first == cut.last else f"{cut.first}to{cut.last}"

    return ",".join(f"{tokens(cut)}-{cut.source}" for cut in cuts)


def decode(text: str, sources: int, targets: int) -> tuple[tuple[CutLink, ...], int]:
    """The cuts of an address that lie within so many source words and target tokens, and how many parts do not."""
    parts, valid_cuts = [part for part in text.split(",") if part], list[CutLink]()
    for match in map(_CUT.fullmatch, parts[:MOST]):
        if match and match[1] == "all":
            first, last = None, None
        elif match:
            first, last = int(match[2]), int(match[3] or match[2])
        if match and int(match[4]) < sources and (last is None or first is None or first <= last < targets):
            valid_cuts.append(CutLink(int(match[4]), first, last))
    return tuple(dict.fromkeys(valid_cuts)), len(parts) - len(valid_cuts)


def read(sources: int, targets: int) -> tuple[CutLink, ...]:
    """The visitor's cuts; what does not fit the sentence is dropped, and that is said."""
    cuts, wrong = parameter(ADDRESS, lambda text: decode(text, sources, targets))
    if wrong:
        st.info(
            f"{wrong} of the cuts in the address {'lies' if wrong == 1 else 'lie'} outside this sentence of {sources} "
            f"words, whose translation may have at most {targets} pieces: left out.",
            icon=":material/link_off:",
        )
        _put(encode(cuts))
    return cuts


def write(cuts: Collection[CutLink]) -> None:
    """Write the cuts into the address, as a step that can be undone."""
    past = [*st.session_state.get(PAST, ()), st.query_params.get(ADDRESS, "")]
    st.session_state[PAST] = past[-STEPS:]
    _put(encode(cuts))


def can_undo() -> bool:
    """Whether there is a step to take back."""
    return bool(st.session_state.get(PAST))


def undo() -> None:
    """Take the last step back."""
    *earlier, last = st.session_state[PAST]
    st.session_state[PAST] = earlier
    _put(last)


def _put(text: str) -> None:
    if text:
        st.query_params[ADDRESS] = text
    elif ADDRESS in st.query_params:
        del st.query_params[ADDRESS]


def switched(cuts: Sequence[CutLink], span: range, source: int) -> tuple[CutLink, ...]:
    """With the link between these tokens and this word cut, or, if it was, with every cut taken back that covers it."""
    covering = [cut for cut in cuts if cut.covers(span, source)]
    if covering:
        return tuple(cut for cut in cuts if cut not in covering)
    return (*cuts, CutLink(source, span.start, span.stop - 1))


def links(cuts: Iterable[CutLink], spans: Sequence[range], targets: int) -> frozenset[Cell]:
    """Every (target token, source token) that the cuts forbid; `spans` are the tokens of each source word."""
    return frozenset((target, source) for cut in cuts for target in cut.tokens(targets) for source in spans[cut.source])


def cells(cuts: Sequence[CutLink], spans: Sequence[range]) -> frozenset[Cell]:
    """The cells (target word, source word) of a map between words that are cut altogether."""
    sources = {cut.source for cut in cuts}
    return frozenset(
        (place, source)
        for place, span in enumerate(spans)
        for source in sources
        if all(any(cut.covers(range(token, token + 1), source) for cut in cuts) for token in span)
    )
