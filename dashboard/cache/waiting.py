"""Work that visitors wait for, asked for by a button or done anyhow: how far it is, and a way out."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import AtlasError
from core.progress import Progress, no_progress
from dashboard.cache import turns

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
    computes: bool = True,
) -> None:
    """A button that starts `work`; its progress in so many `unit`, a way to stop it, then the page anew.

    What `work` keeps before it is stopped stays kept. Buttons with an icon are for what one may well do without. Who
    has to wait for others is told so in the bar. `computes`: whether it needs the processor, so not a download.
    """
    if not st.button(label, icon=icon, type="secondary" if icon else "primary", key=key):
        return
    place = st.empty()
    try:
        with place.container():
            progress = bar(unit, start=start)
        with turns.long_turn(progress) if computes else nullcontext(progress) as report:
            work(report)
    except AtlasError:
        place.empty()  # there is nothing to cancel any more
        raise
    st.rerun()


@dataclass(frozen=True)
class Bar:
    """A bar that reports of progress move; while somebody waits for others to be done, it says so."""

    drawn: DeltaGenerator
    unit: str

    def __call__(self, done: int, total: int) -> None:
        """Show how far it is."""
        self.drawn.progress(min(1.0, done / max(total, 1)), _said(done, total, self.unit))

    def waits(self, sentence: str) -> None:
        """Show how long it takes until the work begins, or goes on."""
        self.drawn.progress(0.0, sentence)


def bar(unit: str, *, start: str = STARTING) -> Bar:
    """A bar and, below it, a button: a click stops this run of the page at the next report, and the work with it."""
    drawn = st.progress(0.0, start)
    st.button("Cancel", key=f"cancel-{unit}")
    return Bar(drawn, unit)


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
        yield no_progress
        return
    holder = st.empty()  # it leaves no gap behind: a container would, between two controls in a row
    with holder.container(), st.spinner(words):
        yield _Later(st.empty(), unit, instead)
    holder.empty()


class _Later:
    """A bar that is there only once it takes long."""

    def __init__(self, place: DeltaGenerator, unit: str, instead: tuple[str, Callable[[], None]] | None):
        self._place, self._unit, self._instead = place, unit, instead
        self._began = self._last = time.monotonic()
        self._bar: Bar | None = None

    def __call__(self, done: int, total: int) -> None:
        """Show how far it is, if it is time to."""
        if shown := self._shown():
            shown(done, total)

    def waits(self, sentence: str) -> None:
        """Show how long it takes until the work goes on."""
        if shown := self._shown():
            shown.waits(sentence)

    def _shown(self) -> Bar | None:
        now = time.monotonic()
        if self._bar is None and self._unit and now - self._began >= PATIENCE:
            with self._place.container():
                self._bar = Bar(st.progress(0.0), self._unit)
                if self._instead is not None:
                    label, give_up = self._instead
                    # A click stops this run of the page at the next report of progress.
                    st.button(label, on_click=give_up)
        elif self._bar is None and now - self._last >= PAUSE:
            self._last = now
            self._place.empty()  # nothing to see, but here Streamlit may stop the run
        return self._bar


def _said(done: int, total: int, unit: str) -> str:
    return f"{done:,} of {total:,} {unit}"
