"""Work that visitors wait for, asked for by a button or done anyhow: how far it is, and a way out."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.progress import Progress
from dashboard import layout

PATIENCE = 1.0  # seconds without a word
STARTING = "Starting …"


def offer(
    label: str,
    work: Callable[[Progress], object],
    *,
    unit: str,
    start: str = STARTING,
    icon: str | None = None,
    key: str | None = None,
) -> None:
    """A button that starts `work`; its progress in so many `unit`, a way to stop it, then the page anew.

    What `work` keeps before it is stopped stays kept. Buttons with an icon are for what one may well do without.
    """
    if st.button(label, icon=icon, type="secondary" if icon else "primary", key=key):
        work(bar(unit, start=start))
        st.rerun()


def bar(unit: str, *, start: str = STARTING) -> Progress:
    """A bar and, below it, a button: a click stops this run of the page at the next report, and the work with it."""
    drawn = st.progress(0.0, start)
    st.button("Cancel", key=f"cancel-{unit}")

    def report(done: int, total: int) -> None:
        drawn.progress(min(1.0, done / max(total, 1)), _said(done, total, unit))

    return report


@contextmanager
def patiently(words: str, *, unit: str, instead: tuple[str, Callable[[], None]] | None = None) -> Iterator[Progress]:
    """What a computation that nobody asked for by a button reports to: below `words`, a bar once it takes long.

    `instead`: what a visitor may choose rather than wait, and what is called then.
    """
    began, bars = time.monotonic(), list[DeltaGenerator]()

    def report(done: int, total: int) -> None:
        if not bars and time.monotonic() - began < PATIENCE:
            return
        if bars:
            bars[0].progress(done / total, _said(done, total, unit))
            return
        with place.container():
            bars.append(st.progress(done / total, _said(done, total, unit)))
            if instead is not None:
                label, give_up = instead
                # A click stops this run of the page at the next report of progress.
                st.button(label, on_click=give_up)

    with layout.waiting_place(), st.spinner(words):
        place = st.empty()
        yield report
        place.empty()


def _said(done: int, total: int, unit: str) -> str:
    return f"{done:,} of {total:,} {unit}"
