"""Texts that appear as they are written, token by token, and pictures as they are drawn, row by row."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from core.translation.decoding import Hypothesis
from dashboard.cache import turns

APART = 0.1  # seconds between two reports: a browser need not draw more often


@dataclass(frozen=True)
class StepObserver:
    """Who is told of each step of writing: its number, and what there is so far, such as the best hypothesis of each
    source.

    All have one `identity`: what is written, and kept, does not depend on who looks on.
    """

    tell: Callable[[int, list[Any]], None] = lambda _step, _best: None
    waits: Callable[[str], object] = lambda _sentence: None  # is told, while others go before, how long it takes
    identity = "onlooker"

    def __call__(self, _done: int, _total: int) -> None:
        """Of how many steps nobody knows before the end."""

    def look(self, step: int, best: list[Any]) -> None:
        """A step is done; what takes long goes on when it is its turn."""
        turns.report(0, 1, self)
        self.tell(step, best)


NOBODY = StepObserver()


def observer(place: DeltaGenerator, said: Callable[[int, Hypothesis], str]) -> StepObserver:
    """Shows in `place` what is said, in Markdown, of the best hypothesis after a step, now and then."""
    last = 0.0

    def tell(step: int, best: list[Hypothesis]) -> None:
        nonlocal last
        if time.monotonic() - last >= APART:
            last = time.monotonic()
            place.markdown(said(step, best[0]))

    return StepObserver(tell, waits=place.markdown)
