"""What a visitor carries from page to page: the model, the text and the picture that were chosen.

Streamlit keeps the values of all controls that stand in the address, also of those that nobody has touched. Here it is
settled which of them the next page gets: those that were chosen. An address and a lesson win over them, and a page that
cannot use one shows its own first instead and says so in one line (`page_head.head`).
"""

import re
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import AtlasError, CaptureError, InputError, ModelError
from dashboard.frame.navigation import SECTION

MODELS = ("model", "network", "pair", "autoencoder")  # the keys of naming.py, in the address
INPUTS = {"text": "the text of this page", "picture": "the picture of this page"}
SESSION = "carried"  # in the session
CLASS = "class"  # in the address and in the session; no choice of a page

Place = tuple[str, Hashable]  # address of a page, its section


@dataclass(frozen=True)
class Refusal:
    """What a page could not use: its sentence of why not, what it shows instead, whether the address asked for it."""

    value: str
    first: str
    why: str
    asked: bool


@dataclass(frozen=True)
class _Held:
    """What a control holds, what it holds before anybody chooses, and the title under which errors speak of it."""

    value: str
    first: str
    title: str


@dataclass
class _Carried:
    """What one session carries, and where it is."""

    page: str | None = None
    place: Place | None = None  # where the last run came to its end
    station: Hashable = None  # of a lesson
    asked: frozenset[str] = frozenset()  # what stood in the address when the page was opened
    keys: set[str] = field(default_factory=set)  # in the session, of the controls of pages
    chosen: dict[str, str] = field(default_factory=dict)
    held: dict[str, _Held] = field(default_factory=dict)  # in this run
    refused: dict[str, Refusal] = field(default_factory=dict)  # on this page, by key
    next: dict[str, str] = field(default_factory=dict)  # what controls hold from the next run on
    hopeless: Place | None = None  # where nothing that is carried was at fault


def note(key: str, value: str, first: str, *, title: str = "") -> None:
    """Note what a control of the page holds; `first` is what it holds before anybody chooses.

    What is noted is carried to the next page if it was chosen, and replaced by `first` where a page cannot use it.
    `title` is the name that the model has in sentences.
    """
    _session().held[key] = _Held(value, first, title)


def arrive(page: str | None, station: Hashable = None) -> None:
    """Settle what a page gets, before it runs; None is the question of a station, which comes before its page.

    `station` is that of a lesson, which says all that is chosen on its page.
    """
    now = _session()
    if station is not None and station != now.station:
        for key in now.keys:
            st.session_state.pop(key, None)
        now.chosen.clear()
    if (station, page) != (now.station, now.page):
        _receive(now)
        now.asked, now.refused, now.hopeless = frozenset(st.query_params), {}, None
        now.station, now.page = station, page
    for key, value in now.next.items():
        st.session_state[key] = value
    now.refused = {key: gone for key, gone in now.refused.items() if st.session_state.get(key) in (None, gone.first)}
    now.held, now.next = {}, {}


def _receive(now: _Carried) -> None:
    """Give a page that has just been opened what was chosen on others, unless its address says something else."""
    for key in st.query_params:
        if key != CLASS:  # Streamlit would prefer a former choice where the address names the usual one
            st.session_state.pop(key, None)
    for key in (*MODELS, *INPUTS):
        if key not in st.query_params and key in st.session_state and st.session_state[key] != now.chosen.get(key):
            if key in now.chosen:
                st.session_state[key] = now.chosen[key]
            else:
                del st.session_state[key]


@contextmanager
def replaced_where_unusable() -> Iterator[None]:
    """Run a page; where it cannot use something that it was opened with, run it again with its own first instead."""
    now, before = _session(), set(st.session_state)
    try:
        yield
    except AtlasError as error:
        if _replace(now, error):
            _leave_address(now.next)
            st.rerun()
        now.place = _place(now)
        raise
    else:
        _keep(now)
        now.place = _place(now)
    finally:
        now.keys |= {str(key) for key in st.session_state} - before


def _leave_address(keys: Iterable[str]) -> None:
    """Take choices out of the address: in a run that another one asked for, Streamlit would prefer them to any other.

    `st.query_params` refuses that for what a control is bound to.
    """
    if context := get_script_run_ctx():
        with context.session_state.query_params() as address:
            for key in keys:
                address.remove_param(key)


def _place(now: _Carried) -> Place:
    return now.page or "", st.session_state.get(SECTION)


def _keep(now: _Carried) -> None:
    """Carry on what was chosen, now that the page could use it."""
    for key, held in now.held.items():
        if held.value != held.first:
            now.chosen[key] = held.value
        elif key not in now.refused:
            now.chosen.pop(key, None)


def _replace(now: _Carried, error: AtlasError) -> bool:
    """Whether the page is to run again with something of its own, or with all that was taken from it in vain."""
    place = _place(now)
    if place in (now.place, now.hopeless):
        return False  # what went wrong is what has just been chosen, or nothing that was carried
    is_opened = now.place is None or now.place[0] != now.page
    if faulty := _at_fault(now, error, asked=now.asked if is_opened else frozenset()):
        now.refused |= faulty
        now.next = {key: gone.first for key, gone in faulty.items()}
        for key in faulty:
            if faulty[key].asked:
                now.chosen.pop(key, None)  # it has been answered: other pages need not answer it again
        return True
    if not now.refused:
        return False
    now.next = {key: gone.value for key, gone in now.refused.items()}
    now.refused, now.hopeless = {}, place
    return True


def _at_fault(now: _Carried, error: AtlasError, *, asked: frozenset[str]) -> dict[str, Refusal]:
    """What may be to blame of all that the page was opened with: a model for some errors, a text or picture for others.

    A text or a picture that the address asks for stays: the sentence about it is the answer.
    """
    if isinstance(error, ModelError | CaptureError):
        keys = [key for key in MODELS if key in now.held]
    elif isinstance(error, InputError):
        keys = [key for key in INPUTS if key in now.held and key not in asked]
    else:
        return {}
    return {
        key: Refusal(held.value, held.first, _why(str(error), held), key in asked)
        for key in keys
        if (held := now.held[key]).value != held.first and key not in now.refused
    }


def _why(sentence: str, held: _Held) -> str:
    """The sentence of an error, in which the model bears the name by which it was chosen."""
    return sentence.replace(held.title, held.value) if held.title else sentence


def refusals() -> dict[str, Refusal]:
    """What this page could not use of all that it was opened with, by key."""
    return _session().refused


def line_of(key: str, refusal: Refusal) -> str:
    """What is said of it in one line: why, and what is shown instead."""
    first = refusal.first if key in MODELS else INPUTS[key]
    if refusal.asked:
        return f"{refusal.why} Until then {first} is shown."
    why = re.split(r"[.:;] ", f"{refusal.why} ", maxsplit=1)[0]
    return f"{why}: {first} is shown."


def _session() -> _Carried:
    if SESSION not in st.session_state:
        st.session_state[SESSION] = _Carried()
    carried: _Carried = st.session_state[SESSION]
    return carried
