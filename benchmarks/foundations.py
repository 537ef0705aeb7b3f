"""The pages of Foundations: how long a visitor waits for the heaviest thing that each of them does."""

import statistics
import time
from collections.abc import Iterator
from urllib.parse import quote_plus

from playwright.sync_api import Page

from benchmarks.student import CHARTED, NOTICED, opened, typed, visiting, wait
from benchmarks.table import Row

SENTENCES = (
    "The old man looked at the sea and said nothing of what he had seen.",
    "When the rain had stopped the children ran out of the house.",
    "She gave the letter to her brother because he knew the man.",
)
LIMIT = 1000  # milliseconds: a new computation is done within a second, or shows its progress


def rows() -> Iterator[Row]:
    """Waits of a student on each page."""
    with visiting() as (page, address):
        yield from _heads(page, address)
        yield from _order(page, address)
        yield from _before(page, address)
        yield from _inside(page, address)


def _heads(page: Page, address: str) -> Iterator[Row]:
    opened(page, address, "heads", "Measured")
    waits = [wait(page, typed(page, "Your text", sentence)) for sentence in SENTENCES]
    yield Row("Many heads: new sentence to all measures of 36 heads", statistics.median(waits), "ms", LIMIT)
    started = time.perf_counter()
    page.goto(f"{address}/heads?show=Ablated+heads&text={quote_plus(SENTENCES[0])}")
    page.get_by_text("What each head costs, in numbers").wait_for(timeout=60_000)
    seconds = time.perf_counter() - started
    yield Row("Many heads: link to 36 heads silenced one at a time", seconds, "s", None, detail="with progress")
    opened(page, address, "heads", "Added up")
    waits = [wait(page, typed(page, "Your text", sentence)) for sentence in SENTENCES]
    yield Row("Many heads: new sentence to the sums through W_O", statistics.median(waits), "ms", LIMIT)


def _order(page: Page, address: str) -> Iterator[Row]:
    opened(page, address, "order", "Shuffle")
    button = page.get_by_role("button", name="Shuffle again")
    waits = [wait(page, button.click) for _ in range(3)]
    yield Row("Order: another shuffle of the sentence, nine comparisons", statistics.median(waits), "ms", LIMIT)


def _before(page: Page, address: str) -> Iterator[Row]:
    opened(page, address, "before", "Reach", over="your line")
    waits = [wait(page, typed(page, "Your line", sentence, "Enter")) for sentence in SENTENCES]
    yield Row("Before attention: new line to the reach of five models", statistics.median(waits), "ms", LIMIT)


def _inside(page: Page, address: str) -> Iterator[Row]:
    for section, what, read in (("Walk", "diagram and part", CHARTED), ("Logit lens", "logit lens", NOTICED)):
        opened(page, address, "inside", section)
        waits = [wait(page, typed(page, "Your text", sentence), read) for sentence in SENTENCES]
        yield Row(f"Inside the transformer: new sentence to the {what}", statistics.median(waits), "ms", LIMIT)
