"""Work that visitors wait for, asked for by a button or done anyhow: how far it is, and a way out."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.progress import Progress, unheard

PATIENCE = 1.0  # seconds without a word
PAUSE = 0.1  # seconds between two moments at which a run may be stopped, before there is a bar
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
def patiently(
    words: str, *, unit: str = "", instead: tuple[str, Callable[[], None]] | None = None
) -> Iterator[Progress]:
    """What a computation that nobody asked for by a button reports to: a spinner with `words` below which, once it
    takes long and counts in a `unit`, stands a bar.

    `instead`: what a visitor may choose rather than wait, and what is called then. A report is also where Streamlit
    stops a run whose visitor has left or chosen something else. Without a visitor nothing is shown.
    """
    if not words or get_script_run_ctx(suppress_warning=True) is None:
        yield unheard
        return
    began = last = time.monotonic()
    bars = list[DeltaGenerator]()

    def report(done: int, total: int) -> None:
        nonlocal last
        now, share = time.monotonic(), min(1.0, done / max(total, 1))
        if bars:
            bars[0].progress(share, _said(done, total, unit))
        elif unit and now - began >= PATIENCE:
            with place.container():
                bars.append(st.progress(share, _said(done, total, unit)))
                if instead is not None:
                    label, give_up = instead
                    # A click stops this run of the page at the next report of progress.
                    st.button(label, on_click=give_up)
        elif now - last >= PAUSE:
            last = now
            place.empty()  # nothing to see, but here Streamlit may stop the run

    holder = st.empty()  # it leaves no gap behind: a container would, between two controls in a row
    with holder.container(), st.spinner(words):
        place = st.empty()
        yield report
    holder.empty()


def _said(done: int, total: int, unit: str) -> str:
    return f"{done:,} of {total:,} {unit}"
