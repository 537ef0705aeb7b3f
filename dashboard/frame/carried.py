"""Choices carried from page to page: the model, the text and the picture of a visitor.

Streamlit keeps the values of all controls that stand in the address, also of untouched ones. Here only those that were
chosen are passed to the next page. The address and a lesson override them, and a page that cannot use one shows its own
default instead, with a line that says so (`page_head.head`).
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
    """A value that a page could not use, the default shown instead, the reason, and whether the address held it."""

    value: str
    first: str
    why: str
    from_address: bool


@dataclass(frozen=True)
class _Control:
    """The value of a control, its default, and the title that errors use for the value."""

    value: str
    first: str
    title: str


@dataclass
class _Carried:
    """The choices that one session carries, and its current page."""

    page: str | None = None
    place: Place | None = None  # where the last run came to its end
    station: Hashable = None  # of a lesson
    address_keys: frozenset[str] = frozenset()  # the parameters of the address when the page was opened
    keys: set[str] = field(default_factory=set)  # of the pages' controls in the session
    chosen: dict[str, str] = field(default_factory=dict)
    controls: dict[str, _Control] = field(default_factory=dict)  # in this run
    refusals: dict[str, Refusal] = field(default_factory=dict)  # on this page, by key
    pending: dict[str, str] = field(default_factory=dict)  # values that controls get before the next run
    unsolved: Place | None = None  # where replacing what is carried did not help


def note(key: str, value: str, first: str, *, title: str = "") -> None:
    """Note the value of a control of the page, and its default `first`.

    The value is carried to the next page if it was chosen, and replaced by `first` where a page cannot use it. `title`
    is the model's name in sentences.
    """
    _session().controls[key] = _Control(value, first, title)


def arrive(page: str | None, station: Hashable = None) -> None:
    """Set the controls of a page before it runs; `page` None is the question of a station, which precedes its page.

    `station` is that of a lesson, which determines all choices on its page.
    """
    session = _session()
    if station is not None and station != session.station:
        for key in session.keys:
            st.session_state.pop(key, None)
        session.chosen.clear()
    if (station, page) != (session.station, session.page):
        _receive(session)
        session.address_keys, session.refusals, session.unsolved = frozenset(st.query_params), {}, None
        session.station, session.page = station, page
    for key, value in session.pending.items():
        st.session_state[key] = value
    session.refusals = {
        key: refusal for key, refusal in session.refusals.items() if st.session_state.get(key) in (None, refusal.first)
    }
    session.controls, session.pending = {}, {}


def _receive(session: _Carried) -> None:
    """Give a page that has just been opened the choices of other pages, unless its address holds others."""
    for key in st.query_params:
        if key != CLASS:  # Streamlit would prefer a former choice where the address names the usual one
            st.session_state.pop(key, None)
    for key in (*MODELS, *INPUTS):
        if key not in st.query_params and key in st.session_state and st.session_state[key] != session.chosen.get(key):
            if key in session.chosen:
                st.session_state[key] = session.chosen[key]
            else:
                del st.session_state[key]


@contextmanager
def replaced_where_unusable() -> Iterator[None]:
    """Run a page; if it cannot use a carried value, run it again with its own default."""
    session, before = _session(), set(st.session_state)
    try:
        yield
    except AtlasError as error:
        if _replace(session, error):
            _leave_address(session.pending)
            st.rerun()
        session.place = _place(session)
        raise
    else:
        _keep(session)
        session.place = _place(session)
    finally:
        session.keys |= {str(key) for key in st.session_state} - before


def _leave_address(keys: Iterable[str]) -> None:
    """Remove choices from the address: in a rerun, Streamlit would prefer them to the values in the session.

    `st.query_params` refuses to remove a parameter to which a control is bound.
    """
    if context := get_script_run_ctx():
        with context.session_state.query_params() as address:
            for key in keys:
                address.remove_param(key)


def _place(session: _Carried) -> Place:
    return session.page or "", st.session_state.get(SECTION)


def _keep(session: _Carried) -> None:
    """Carry on the choices, after a run in which the page could use them."""
    for key, control in session.controls.items():
        if control.value != control.first:
            session.chosen[key] = control.value
        elif key not in session.refusals:
            session.chosen.pop(key, None)


def _replace(session: _Carried, error: AtlasError) -> bool:
    """Whether the page is to run again: with defaults, or with the values that were replaced in vain."""
    place = _place(session)
    if place in (session.place, session.unsolved):
        return False  # what went wrong is what has just been chosen, or nothing that was carried
    is_opened = session.place is None or session.place[0] != session.page
    if refusals := _at_fault(session, error, from_address=session.address_keys if is_opened else frozenset()):
        session.refusals |= refusals
        session.pending = {key: refusal.first for key, refusal in refusals.items()}
        for key in refusals:
            if refusals[key].from_address:
                session.chosen.pop(key, None)  # it has been answered: other pages need not answer it again
        return True
    if not session.refusals:
        return False
    session.pending = {key: refusal.value for key, refusal in session.refusals.items()}
    session.refusals, session.unsolved = {}, place
    return True


def _at_fault(session: _Carried, error: AtlasError, *, from_address: frozenset[str]) -> dict[str, Refusal]:
    """The carried values that may have caused an error: a model for some errors, a text or picture for others.

    A text or a picture of the address is not replaced: the sentence about it is the answer.
    """
    if isinstance(error, ModelError | CaptureError):
        keys = [key for key in MODELS if key in session.controls]
    elif isinstance(error, InputError):
        keys = [key for key in INPUTS if key in session.controls and key not in from_address]
    else:
        return {}
    return {
        key: Refusal(control.value, control.first, _why(str(error), control), key in from_address)
        for key in keys
        if (control := session.controls[key]).value != control.first and key not in session.refusals
    }


def _why(sentence: str, control: _Control) -> str:
    """The sentence of an error, with the model's title replaced by the name by which it was chosen."""
    return sentence.replace(control.title, control.value) if control.title else sentence


def refusals() -> dict[str, Refusal]:
    """The carried values that this page could not use, by key."""
    return _session().refusals


def line_of(key: str, refusal: Refusal) -> str:
    """The line about a refusal: the reason, and what is shown instead."""
    first = refusal.first if key in MODELS else INPUTS[key]
    if refusal.from_address:
        return f"{refusal.why} Until then {first} is shown."
    why = re.split(r"[.:;] ", f"{refusal.why} ", maxsplit=1)[0]
    return f"{why}: {first} is shown."


def _session() -> _Carried:
    if SESSION not in st.session_state:
        st.session_state[SESSION] = _Carried()
    carried: _Carried = st.session_state[SESSION]
    return carried
