"""The pages of Foundations: how long a visitor waits for the heaviest thing that each of them does."""

import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from urllib.parse import quote_plus

from playwright.sync_api import Page, sync_playwright

from benchmarks.server import ROOT, running_server
from benchmarks.table import Row

SENTENCES = (
    "The old man looked at the sea and said nothing of what he had seen.",
    "When the rain had stopped the children ran out of the house.",
    "She gave the letter to her brother because he knew the man.",
)
LIMIT = 1000  # milliseconds: a new computation is done within a second, or shows its progress

# What is read until it is another: the sentences of "What to notice", the last thing on a page; or the labels of the
# last chart, where those sentences need not change with the input.
NOTICED = """() => [...document.querySelectorAll('h3')].find((h) => h.innerText === 'What to notice')
  ?.closest('[data-testid="stColumn"]')?.innerText ?? ''"""
CHARTED = "() => [...document.querySelectorAll('.js-plotly-plot')].at(-1)?.textContent ?? ''"


def rows() -> Iterator[Row]:
    """Start a server and a browser, and be a student."""
    chromium = subprocess.run([ROOT / "bin" / "browser"], capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright, running_server() as (address, _):
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        yield from _heads(page, address)
        yield from _order(page, address)
        yield from _before(page, address)
        yield from _inside(page, address)
        browser.close()


def _heads(page: Page, address: str) -> Iterator[Row]:
    _open(page, address, "heads", "Measured")
    waits = [_wait(page, _typed(page, "Your text", sentence)) for sentence in SENTENCES]
    yield Row("Many heads: new sentence to all measures of 36 heads", statistics.median(waits), "ms", LIMIT)
    _open(page, address, "heads", "Silenced")
    button = page.get_by_role("button", name="Silence each of the 36 heads")
    started = time.perf_counter()
    button.click()
    page.get_by_text("Cost: how much the loss rises").wait_for(timeout=60_000)
    taken = time.perf_counter() - started
    yield Row("Many heads: 36 heads silenced one at a time, ranked", taken, "s", None, detail="with progress")
    _open(page, address, "heads", "Added up")
    waits = [_wait(page, _typed(page, "Your text", sentence)) for sentence in SENTENCES]
    yield Row("Many heads: new sentence to the sums through W_O", statistics.median(waits), "ms", LIMIT)


def _order(page: Page, address: str) -> Iterator[Row]:
    _open(page, address, "order", "Shuffle")
    button = page.get_by_role("button", name="Shuffle again")
    waits = [_wait(page, button.click) for _ in range(3)]
    yield Row("Order: another shuffle of the sentence, nine comparisons", statistics.median(waits), "ms", LIMIT)


def _before(page: Page, address: str) -> Iterator[Row]:
    _open(page, address, "before", "Reach", over="your line")
    waits = [_wait(page, _typed(page, "Your line", sentence, "Enter")) for sentence in SENTENCES]
    yield Row("Before attention: new line to the reach of five models", statistics.median(waits), "ms", LIMIT)


def _inside(page: Page, address: str) -> Iterator[Row]:
    for section, what, read in (("Walk", "diagram and part", CHARTED), ("Logit lens", "logit lens", NOTICED)):
        _open(page, address, "inside", section)
        waits = [_wait(page, _typed(page, "Your text", sentence), read) for sentence in SENTENCES]
        yield Row(f"Inside the transformer: new sentence to the {what}", statistics.median(waits), "ms", LIMIT)


def _open(page: Page, address: str, name: str, section: str, **query: str) -> None:
    """A section, complete, with whatever it keeps already warm."""
    asked = "".join(f"&{key}={quote_plus(value)}" for key, value in query.items())
    page.goto(f"{address}/{name}?show={quote_plus(section)}{asked}")
    page.get_by_role("heading", name="What to notice").wait_for(timeout=60_000)
    page.wait_for_timeout(1500)


def _typed(page: Page, label: str, text: str, key: str = "Control+Enter") -> Callable[[], None]:
    def send() -> None:
        page.get_by_label(label).press(key)

    page.get_by_label(label).fill(text)
    return send


def _wait(page: Page, act: Callable[[], None], read: str = NOTICED) -> float:
    """Milliseconds until what is `read` is another."""
    before = page.evaluate(read)
    started = time.perf_counter()
    act()
    page.wait_for_function(f"(before) => {{ const now = ({read})(); return now && now !== before }}", arg=before)
    return 1000 * (time.perf_counter() - started)
