"""A visitor's own file: taken from the browser once, kept for an hour at most, and known by its digest from there on.

    file = uploads.given("text_file")          # what the visitor gave under this key, while it is kept
    uploads.take("text_file", "A text file")   # where to give it; another one replaces it

Streamlit would hold each file until its visitor has left, outside of any budget; here it gives it away at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard import typeset
from dashboard.cache import memo
from dashboard.cache.memo import Digest, Upload

RULE = "It is kept for an hour at most, less if others need the room."
FORGOTTEN = (
    "Your {what} is forgotten: files are kept for an hour at most, less if others need the room. {again}, or go on "
    "with {instead}."
)
SHOWN = 24  # characters of a file's name


@dataclass(frozen=True)
class _Given:
    """What a session remembers of a file: not its content."""

    identity: Digest
    name: str


def given(key: str) -> Upload | None:
    """The file that this visitor gave; None if there is none, or if it is forgotten."""
    known: _Given | None = st.session_state.get(_of(key))
    if known is None:
        return None
    upload = memo.stored_upload(known.identity)
    if upload is None:
        remove(key)
        st.session_state[f"{key} forgotten"] = True
    return upload


def is_forgotten(key: str) -> bool:
    """Whether there was a file, and the visitor has neither given another one nor gone on without."""
    return f"{key} forgotten" in st.session_state


def go_on(key: str) -> None:
    """The visitor goes on without the forgotten file."""
    st.session_state.pop(f"{key} forgotten", None)


def remove(key: str) -> None:
    """The visitor wants it no longer; others may have given the same, so it is kept for its time."""
    st.session_state.pop(_of(key), None)


def name_of(key: str) -> str:
    """The name of the file as Markdown, cut to what fits into a button; "" if there is none."""
    known: _Given | None = st.session_state.get(_of(key))
    if known is None:
        return ""
    return typeset.plain(known.name if len(known.name) <= SHOWN else f"{known.name[: SHOWN - 1]}…")


def take(
    key: str,
    label: str,
    *,
    type: Sequence[str] | None = None,  # noqa: A002, as st.file_uploader says it
    camera: bool = False,
    on_given: Callable[[], None] | None = None,
) -> None:
    """Where to give a file, or a photograph of the `camera`; `on_given` is called when there is a new one."""
    # A new one after each file: the one before goes with the copy that Streamlit has of its file.
    widget = f"{key} {'camera' if camera else 'file'} {st.session_state.get(f'{key} count', 0)}"
    if camera:
        st.camera_input(label, key=widget, on_change=_take, args=(key, widget, on_given))
    else:
        st.file_uploader(label, type=type, key=widget, on_change=_take, args=(key, widget, on_given))


def offer_to_remove(key: str) -> None:
    """A button that takes away what was given."""
    known: _Given | None = st.session_state.get(_of(key))
    if known is not None:
        st.button(f"Remove {name_of(key)}", key=f"{key} remove", icon=":material/delete:", on_click=remove, args=(key,))


def _take(key: str, widget: str, on_given: Callable[[], None] | None) -> None:
    file = st.session_state[widget]
    if not isinstance(file, UploadedFile):  # none, or one that was taken already and that the browser still tells of
        return
    upload = memo.store_upload(file.getvalue())
    st.session_state[_of(key)] = _Given(upload.identity, file.name)
    st.session_state[f"{key} count"] = st.session_state.get(f"{key} count", 0) + 1
    go_on(key)
    context = get_script_run_ctx()
    if context and (drop := getattr(context.uploaded_file_mgr, "remove_file", None)):
        drop(session_id=context.session_id, file_id=file.file_id)
    if on_given:
        on_given()


def _of(key: str) -> str:
    return f"{key} given"
