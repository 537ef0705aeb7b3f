"""Texts that appear while they are written, token by token, and pictures while they are drawn, row by row."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from core.translation.decoding import Hypothesis
from dashboard.cache import turns

REPORT_PAUSE = 0.1  # seconds between two reports: a browser need not draw more often


@dataclass(frozen=True)
class StepObserver:
    """Gets each step of writing: its number, and the result so far, such as the best hypothesis of each source.

    All observers have one `identity`: the cached result does not depend on the observer.
    """

    tell: Callable[[int, list[Any]], None] = lambda _step, _best: None
    waits: Callable[[str], object] = lambda _sentence: (
        None
    )  # gets, while others go before, a sentence about the waiting time
    identity = "onlooker"

    def __call__(self, _done: int, _total: int) -> None:
        """Ignore progress: the number of steps is unknown before the end."""

    def report(self, step: int, best: list[Any]) -> None:
        """Report a step; a long computation may have to wait here for its turn."""
        turns.report(0, 1, self)
        self.tell(step, best)


NOBODY = StepObserver()


def observer(place: DeltaGenerator, text_of: Callable[[int, Hypothesis], str]) -> StepObserver:
    """An observer that writes `text_of` the best hypothesis (Markdown) into `place`, at most every REPORT_PAUSE."""
    last = 0.0

    def tell(step: int, best: list[Hypothesis]) -> None:
        nonlocal last
        if time.monotonic() - last >= REPORT_PAUSE:
            last = time.monotonic()
            place.markdown(text_of(step, best[0]))

    return StepObserver(tell, waits=place.markdown)
