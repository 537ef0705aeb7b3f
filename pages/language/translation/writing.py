"""Translations that appear as they are written, token by token."""

import time
from collections.abc import Callable

from streamlit.delta_generator import DeltaGenerator

from core.translation.decoding import Hypothesis
from dashboard import layout
from dashboard.numbers import signed
from pages.language.translation import words
from pages.language.translation.compute import Onlooker, Translated

APART = 0.1  # seconds between two reports: a browser need not draw more often


def onlooker(place: DeltaGenerator, said: Callable[[int, Hypothesis], str]) -> Onlooker:
    """Shows in `place` what is said, in Markdown, of the best hypothesis after a step, now and then."""
    last = 0.0

    def tell(step: int, best: list[Hypothesis]) -> None:
        nonlocal last
        if time.monotonic() - last >= APART:
            last = time.monotonic()
            place.markdown(said(step, best[0]))

    return Onlooker(tell, waits=place.markdown)


def one_line(text: str) -> str:
    """What a model wrote, in one line, exactly these characters."""
    return layout.plain(" ".join(text.split())) or "∅"


def how_probable(translated: Translated) -> str:
    """The log-probability of a translation, in total and per token, and whether it came to its end."""
    total, count = translated.log_probability, len(translated.target)
    told = f"log-probability **{signed(total)}**, **{signed(total / count)}** per token"
    return told if translated.decoded.best.ended else f"{told} · {words.NO_END}"
