"""What is chosen within a walk: the part, and the token."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.anatomy import Part
from dashboard import layout
from pages.foundations.inside_the_transformer.compute import Walk


def part(walk: Walk) -> Part:
    """The chosen part; at first the attention of the first block."""
    keys = [found.key for whole in walk.walked.parts.values() for found in (whole, *whole.inner)]
    first = next((key for key, each in walk.walked.parts.items() if each.kind == "attention"), keys[0])
    if st.session_state.get("part") not in (None, *keys):
        st.session_state.part = first
    chosen = st.selectbox("Part", keys, index=keys.index(first), key="part", bind="query-params")
    return walk.walked.part(chosen)


def choose_part() -> Callable[[str], None]:
    """What a click in the diagram does."""

    def choose(key: str) -> None:
        st.session_state.part = key

    return choose


def token(labels: Sequence[str], *, label: str = "Token") -> int:
    """One of the tokens; at first the last one."""
    last = len(labels) - 1
    if last < 1:
        return 0
    if not 0 <= (st.session_state.get("token") or 0) <= last:
        st.session_state.token = last
    # Before its first run a widget that a link has set is known from the address alone.
    asked = st.query_params.get("token", "")
    chosen = st.session_state.get("token", int(asked) if asked.isdecimal() and len(asked) < 6 else last)
    name = layout.plain(layout.readable(labels[min(chosen, last)]))
    return st.slider(f"{label}: {name}", 0, last, last, key="token", bind="query-params", width=260)
