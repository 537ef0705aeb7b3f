"""Progress of work that visitors wait for, started by a button or by the page, and a button to cancel it."""

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

PATIENCE = 1.0  # seconds before a bar appears
PAUSE = 0.1  # seconds between two points at which Streamlit may stop a run, before there is a bar
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
    """Draw a button that starts `work` under a bar in `unit` with a button to cancel it; then the page runs again.

    Values that `work` has cached before it is cancelled stay cached. Buttons with an icon are for optional work. The
    bar says so if the work waits for its turn. `computes`: whether it needs the processor; False for a download.
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
        place.empty()  # nothing is left to cancel
        raise
    st.rerun()


@dataclass(frozen=True)
class Bar:
    """A progress bar, called with (done, total); while the work waits for its turn, it shows a sentence."""

    element: DeltaGenerator
    unit: str

    def __call__(self, done: int, total: int) -> None:
        """Show the progress."""
        self.element.progress(min(1.0, done / max(total, 1)), _count_text(done, total, self.unit))

    def waits(self, sentence: str) -> None:
        """Show a sentence about the time until the work begins, or goes on."""
        self.element.progress(0.0, sentence)


def bar(unit: str, *, start: str = STARTING) -> Bar:
    """Draw a bar and, below it, a button that stops this run of the page, and the work, at the next report."""
    element = st.progress(0.0, start)
    st.button("Cancel", key=f"cancel-{unit}")
    return Bar(element, unit)


@contextmanager
def spinner(
    words: str, *, unit: str = "", alternative: tuple[str, Callable[[], None]] | None = None
) -> Iterator[Progress]:
    """Draw a spinner with `words` and, after PATIENCE and for a `unit`, a bar; yields the callback for progress.

    `alternative`: the label of a button for a visitor who does not want to wait, and the function it calls. At a
    report, Streamlit may stop a run whose visitor has left or made another choice. Nothing is drawn without a visitor.
    """
    if not words or get_script_run_ctx(suppress_warning=True) is None:
        yield no_progress
        return
    holder = st.empty()  # it leaves no gap behind: a container would, between two controls in a row
    with holder.container(), st.spinner(words):
        yield _DelayedBar(st.empty(), unit, alternative)
    holder.empty()


class _DelayedBar:
    """A bar that appears only after PATIENCE."""

    def __init__(self, place: DeltaGenerator, unit: str, alternative: tuple[str, Callable[[], None]] | None):
        self._place, self._unit, self._alternative = place, unit, alternative
        self._began = self._last = time.monotonic()
        self._bar: Bar | None = None

    def __call__(self, done: int, total: int) -> None:
        """Show the progress, if the bar is due."""
        if progress_bar := self._bar_if_due():
            progress_bar(done, total)

    def waits(self, sentence: str) -> None:
        """Show a sentence about the time until the work goes on, if the bar is due."""
        if progress_bar := self._bar_if_due():
            progress_bar.waits(sentence)

    def _bar_if_due(self) -> Bar | None:
        now = time.monotonic()
        if self._bar is None and self._unit and now - self._began >= PATIENCE:
            with self._place.container():
                self._bar = Bar(st.progress(0.0), self._unit)
                if self._alternative is not None:
                    label, give_up = self._alternative
                    # A click stops this run of the page at the next report of progress.
                    st.button(label, on_click=give_up)
        elif self._bar is None and now - self._last >= PAUSE:
            self._last = now
            self._place.empty()  # nothing to see, but here Streamlit may stop the run
        return self._bar


def _count_text(done: int, total: int, unit: str) -> str:
    return f"{done:,} of {total:,} {unit}"
