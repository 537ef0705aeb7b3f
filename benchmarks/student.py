"""A student in a browser: opens a page, types, and waits until the page has changed."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import quote_plus

from playwright.sync_api import Page, sync_playwright

from benchmarks.server import ROOT, running_server

# What is read until it is another: the notes, the last thing on a page; or the labels of the last chart, where those
# sentences need not change with the input.
NOTICED = """() => [...document.querySelectorAll('h3')].find((h) => h.innerText === 'How it is computed')
  ?.closest('[data-testid="stHorizontalBlock"]')?.innerText ?? ''"""
CHARTED = "() => [...document.querySelectorAll('.js-plotly-plot')].at(-1)?.textContent ?? ''"


@contextmanager
def visiting() -> Iterator[tuple[Page, str]]:
    """A fresh server, and a browser window that has opened nothing yet; the server's address."""
    chromium = subprocess.run([ROOT / "bin" / "browser"], capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright, running_server() as (address, _):
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield browser.new_page(viewport={"width": 1280, "height": 900}), address
        browser.close()


def opened(page: Page, address: str, name: str, section: str, **query: str) -> None:
    """Open a section and wait until it is complete."""
    parameters = "".join(f"&{key}={quote_plus(value)}" for key, value in query.items())
    page.goto(f"{address}/{name}?show={quote_plus(section)}{parameters}")
    page.get_by_role("heading", name="How it is computed").wait_for(timeout=60_000)
    page.wait_for_timeout(1500)


def typed(page: Page, label: str, text: str, key: str = "Control+Enter") -> Callable[[], None]:
    """Fill a field; returns the function that submits it."""

    def send() -> None:
        page.get_by_role("textbox", name=label).press(key)

    page.get_by_role("textbox", name=label).fill(text)
    return send


def wait(page: Page, act: Callable[[], None], read: str = NOTICED) -> float:
    """Milliseconds from `act` until the value of the JavaScript function `read` has changed."""
    before = page.evaluate(read)
    started = time.perf_counter()
    act()
    page.wait_for_function(f"(before) => {{ const now = ({read})(); return now && now !== before }}", arg=before)
    return 1000 * (time.perf_counter() - started)
