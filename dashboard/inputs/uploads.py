"""A visitor's own file: read from the browser once, kept for an hour at most, and identified by its digest.

    file = uploads.current("text_file")            # the visitor's file under this key, while it is kept
    uploads.uploader("text_file", "A text file")   # draws where to upload one; another one replaces it

Streamlit would hold each file until its visitor has left, outside of any budget; here its copy is dropped at once.
Where several servers share files, a page that comes back from another one, because its own has ended, still has its
file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard import typeset
from dashboard.cache import memo
from dashboard.cache.upload import Digest, Upload

RULE = "It is kept for an hour at most, less if others need the room."
EXPIRED = (
    "Your {what} is forgotten: files are kept for an hour at most, less if others need the room. {again}, or go on "
    "with {instead}."
)
ADOPTED = "files adopted"  # in the session's state: it has looked for files of the session before it
MOST_CHARACTERS = 24  # characters of a file's name


@dataclass(frozen=True)
class _StoredFile:
    """A file as the session holds it, without its content."""

    identity: Digest
    name: str


def current(key: str) -> Upload | None:
    """This visitor's file; None if there is none, or if it was dropped from the cache."""
    _adopt_files()
    stored: _StoredFile | None = st.session_state.get(_session_key(key))
    if stored is None:
        return None
    upload = memo.stored_upload(stored.identity)
    if upload is None:
        remove(key)
        st.session_state[f"{key} forgotten"] = True
    return upload


def is_forgotten(key: str) -> bool:
    """Whether the file was dropped, and the visitor has neither uploaded another one nor gone on without."""
    return f"{key} forgotten" in st.session_state


def go_on(key: str) -> None:
    """Note that the visitor goes on without the dropped file."""
    st.session_state.pop(f"{key} forgotten", None)


def remove(key: str) -> None:
    """Forget the visitor's file. The cache keeps it for its time: others may have uploaded the same."""
    st.session_state.pop(_session_key(key), None)
    _note_files()


def name_of(key: str) -> str:
    """The name of the file as Markdown, cut to what fits into a button; "" if there is none."""
    stored: _StoredFile | None = st.session_state.get(_session_key(key))
    if stored is None:
        return ""
    return typeset.plain(
        stored.name if len(stored.name) <= MOST_CHARACTERS else f"{stored.name[: MOST_CHARACTERS - 1]}…"
    )


def uploader(
    key: str,
    label: str,
    *,
    type: Sequence[str] | None = None,  # noqa: A002, as st.file_uploader says it
    camera: bool = False,
    on_new: Callable[[], None] | None = None,
) -> None:
    """Draw the upload of a file, or of a photograph by the `camera`; `on_new` is called when there is a new one."""
    # A new widget after each file: the old one is dropped, with Streamlit's copy of its file.
    widget = f"{key} {'camera' if camera else 'file'} {st.session_state.get(f'{key} count', 0)}"
    if camera:
        st.camera_input(label, key=widget, on_change=_store, args=(key, widget, on_new))
    else:
        st.file_uploader(label, type=type, key=widget, on_change=_store, args=(key, widget, on_new))


def remove_button(key: str) -> None:
    """Draw a button that removes the file, if there is one."""
    stored: _StoredFile | None = st.session_state.get(_session_key(key))
    if stored is not None:
        st.button(f"Remove {name_of(key)}", key=f"{key} remove", icon=":material/delete:", on_click=remove, args=(key,))


def _store(key: str, widget: str, on_new: Callable[[], None] | None) -> None:
    file = st.session_state[widget]
    if not isinstance(file, UploadedFile):  # none, or one that was stored already and that the browser still reports
        return
    upload = memo.store_upload(file.getvalue())
    st.session_state[_session_key(key)] = _StoredFile(upload.identity, file.name)
    _note_files()
    st.session_state[f"{key} count"] = st.session_state.get(f"{key} count", 0) + 1
    go_on(key)
    context = get_script_run_ctx()
    if context and (drop := getattr(context.uploaded_file_mgr, "remove_file", None)):
        drop(session_id=context.session_id, file_id=file.file_id)
    if on_new:
        on_new()


def _note_files() -> None:
    """Note for other servers which files this session has."""
    if memo.SHARED_FILES and (context := get_script_run_ctx()):
        files = [(str(key), file) for key, file in st.session_state.items() if isinstance(file, _StoredFile)]
        memo.SHARED_FILES.note(context.session_id, {key: (file.identity, file.name) for key, file in files})


def _adopt_files() -> None:
    """Take over, once, the files that this page had at a server which has ended since."""
    if memo.SHARED_FILES is None or ADOPTED in st.session_state:
        return
    st.session_state[ADOPTED] = True
    if session := _session_before():
        for key, (identity, name) in memo.SHARED_FILES.noted(session).items():
            st.session_state.setdefault(key, _StoredFile(Digest(identity), name))
        _note_files()


def _session_before() -> str:
    """The last session of a page that connects again, as it says (Streamlit's `_parse_subprotocols`); "" if none."""
    _subprotocol, _token, session = (*st.context.headers.get("Sec-WebSocket-Protocol", "").split(","), "", "", "")[:3]
    return session.strip()


def _session_key(key: str) -> str:
    return f"{key} given"
