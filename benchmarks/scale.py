"""Scale: the model for long texts, efficient attention against exact, and what visitors of its pages wait for."""

import statistics
import time
from collections.abc import Iterator
from functools import partial

import torch
from playwright.sync_api import Page

from benchmarks import controls
from benchmarks.language import SENTENCE, SENTENCES
from benchmarks.measure import times
from benchmarks.student import opened, typed, visiting, wait
from benchmarks.table import Row
from core import zoo
from core.costs.attention_costs import HEAD_DIM, VARIANTS

LONG = 16_384  # tokens
CONTROL = 400  # milliseconds from a control to the last change on its page
SECTIONS = (
    *(
        ("scaling", section)
        for section in ("Translation", "Images", "Pre-training", "Language", "By year", "Laws", "Calculator")
    ),
    *(("efficient", section) for section in ("Maps", "Swapped in", "From scratch")),
    *(("shrinking", section) for section in ("Heads", "Weights", "Bits", "Distilled", "All together")),
)
WITH_SENTENCES = ("Heads", "Weights", "Bits")  # sections of Shrinking whose sentences change with one's own
# What all charts say, where the last thing on a page need not change with the sentence.
DRAWN = "() => [...document.querySelectorAll('.js-plotly-plot')].map((chart) => chart.textContent).join()"
OPEN = 2.0  # seconds from a link to a complete page


def rows() -> Iterator[Row]:
    """Models alone, then all pages."""
    (seconds,) = times(partial(zoo.load_text, "gpt-books-long"), repeats=5)
    yield Row("Efficient attention: loading gpt-books-long", seconds, "s", 0.5)
    yield from _against_exact()
    with visiting() as (page, address):
        opened(page, address, "scaling", "Laws")  # the first visit of a server imports what all pages need
        for name, section in (
            ("scaling", "Images"),
            ("scaling", "By year"),
            ("efficient", "Maps"),
            ("shrinking", "All together"),
        ):
            yield from _opened(page, address, name, section)
        for section in WITH_SENTENCES:
            opened(page, address, "shrinking", section)
            waits = [wait(page, typed(page, "Your sentence", sentence, "Enter"), DRAWN) for sentence in SENTENCES]
            yield Row(f"Shrinking, {section}: new sentence", statistics.median(waits), "ms", SENTENCE)
        for name, section in SECTIONS:
            yield _control_row(page, address, name, section)


def _against_exact() -> Iterator[Row]:
    query, key, value = torch.randn(3, 1, 1, LONG, HEAD_DIM, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        names = ("Sliding window", "BigBird", "Performer", "Exact, fused")
        durations = times(*(partial(VARIANTS[name].output, query, key, value) for name in names), repeats=5)
    for name, seconds in zip(names[:-1], durations[:-1], strict=True):
        what = f"Efficient attention: exact fused kernel against {name}, {LONG:,} tokens, time"
        yield Row(what, durations[-1] / seconds, "x")


def _opened(page: Page, address: str, name: str, section: str) -> Iterator[Row]:
    opened(page, address, name, section)
    started = time.perf_counter()
    page.goto(f"{address}/{name}?show={section.replace(' ', '+')}")
    page.get_by_role("heading", name="How it is computed").wait_for(timeout=60_000)
    page.locator(".js-plotly-plot").first.wait_for(timeout=60_000)
    yield Row(
        f"{name.capitalize()}: link to the section {section}, seen before", time.perf_counter() - started, "s", OPEN
    )


def _control_row(page: Page, address: str, name: str, section: str) -> Row:
    """The longest wait of a section's controls."""
    opened(page, address, name, section)
    waits = list(controls.waits(page))
    label, slowest = max(waits, key=lambda label_and_wait: label_and_wait[1])
    what = f"{name.capitalize()}, {section}: slowest of {len(waits)} controls, until the page is still"
    return Row(what, slowest, "ms", CONTROL, detail=label)
