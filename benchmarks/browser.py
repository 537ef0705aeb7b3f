"""What a visitor waits for, measured in a real Chromium: the first figure, a new sentence, a head, a row."""

import statistics
import subprocess
import time
from collections.abc import Iterator
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.server import ROOT, running_server
from benchmarks.table import Row

SENTENCES = (
    "The old man looked at the sea and said nothing of what he had seen there.",
    "When the rain had stopped the children ran out of the house to the river.",
    "She gave the letter to her brother because he knew the man who wrote it.",
)
# From one event in the page to the painted change, in the page's own clock.
UNTIL_CHANGED = """
async ([selector, number, kind, across, down, watched, within = '.atlas']) => {
  const root = [...document.querySelectorAll('*')].map((e) => e.shadowRoot).find((r) => r && r.querySelector(within));
  const target = root.querySelectorAll(selector)[number];
  const read = () => (watched === 'address' ? location.search : root.querySelector(watched).textContent);
  const box = target.getBoundingClientRect();
  const before = read();
  const place = { clientX: box.x + box.width * across, clientY: box.y + box.height * down, bubbles: true };
  const started = performance.now();
  target.dispatchEvent(kind === 'click' ? new MouseEvent('click', place) : new PointerEvent(kind, place));
  while (read() === before && performance.now() - started < 5000) {
    await new Promise((next) => requestAnimationFrame(next));
  }
  return performance.now() - started;
}
"""


def rows() -> Iterator[Row]:
    """Waits of a visitor in a browser."""
    chromium = subprocess.run([ROOT / "bin" / "browser"], capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright, running_server() as (address, started):
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        received = count_bytes(page)
        page.goto(f"{address}/text")
        _wait_for_view(page)
        yield Row("start of the server to the first figure in the browser", time.perf_counter() - started, "s", 6)
        yield from _sentences(page)
        yield from _heads_and_rows(page)
        received.clear()
        words = " ".join(f"word{place % 97}" for place in range(700))
        moment = time.perf_counter()
        page.goto(f"{address}/text?{urlencode({'text': words})}")
        _wait_for_view(page)
        yield Row("256 tokens, 36 heads: address to the map", time.perf_counter() - moment, "s")
        yield Row("256 tokens, 36 heads: all that the server sent", sum(received) / 1e6, "MB", 2)
        yield from _image(page, address)
        page.close()
        yield from _long(browser)
        browser.close()


def _long(browser: Browser) -> Iterator[Row]:
    """144 heads over 512 tokens: an overview and one head are sent; another head is one trip to the server."""
    with running_server("benchmarks/apps/view_512.py") as (address, _):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        received = count_bytes(page)
        page.goto(address)
        box = page.get_by_text("Show the view")
        box.wait_for()
        moment = time.perf_counter()
        box.click()
        _wait_for_view(page)
        yield Row("512 tokens, 144 heads: start of the view to the map", time.perf_counter() - moment, "s", 1.5)
        yield Row("512 tokens, 144 heads: all that the server sent", sum(received) / 1e6, "MB", 2)
        heads = [_wait_until_shown(page, number) for number in (31, 78, 141)]
        yield Row("512 tokens, 144 heads: another head, one trip to the server", statistics.median(heads), "ms", 400)


def _wait_until_shown(page: Page, number: int) -> float:
    """Milliseconds until a head that only the server has is on the map: its name has lost the dots of waiting."""
    name = f"Layer {number // 12}, head {number % 12}"
    started = time.perf_counter()
    page.get_by_role("gridcell", name=name, exact=True).click()
    page.locator(".middle .caption b").get_by_text(name, exact=True).wait_for()
    return 1000 * (time.perf_counter() - started)


def _sentences(page: Page) -> Iterator[Row]:
    """From the moment the visitor leaves the field to the new tokens on the map."""
    seconds = []
    for sentence in SENTENCES:
        page.get_by_label("Your text").fill(sentence)
        started = time.perf_counter()
        page.get_by_label("Your text").press("Control+Enter")
        page.locator(".atlas .reading .token", has_text=sentence.split()[-1].rstrip(".")).first.wait_for()
        seconds.append(time.perf_counter() - started)
    yield Row("new sentence (16 tokens) to the new map", 1000 * statistics.median(seconds), "ms", 500)


def _heads_and_rows(page: Page) -> Iterator[Row]:
    heads = [_changed(page, ".thumb", "click", ".middle .caption b", number=number) for number in (9, 20, 31)]
    yield Row("another head, all heads in the browser", statistics.median(heads), "ms", 50)
    hovers = [_changed(page, ".sheet .over", "pointermove", ".reading h2", 0.3, down) for down in (0.2, 0.5, 0.8)]
    yield Row("hover over another row", statistics.median(hovers), "ms", 50)
    # What is pinned is what the pointer was over: the address says when it is kept.
    pins = []
    for down in (0.3, 0.6, 0.9):
        _changed(page, ".sheet .over", "pointermove", ".reading h2", 0.3, down)
        pins.append(_changed(page, ".sheet .over", "click", "address", 0.3, down))
    yield Row("pin a row", statistics.median(pins), "ms", 50)


def _image(page: Page, address: str) -> Iterator[Row]:
    moment = time.perf_counter()
    page.goto(f"{address}/image")
    _wait_for_view(page)
    yield Row("a photograph, 197 tokens, 20 heads: address to the map", time.perf_counter() - moment, "s")


def _changed(page: Page, target: str, kind: str, watched: str, across=0.5, down=0.5, number: int = 0) -> float:
    """Milliseconds until the watched text has changed."""
    return page.evaluate(UNTIL_CHANGED, [target, number, kind, across, down, watched])


def _wait_for_view(page: Page) -> None:
    page.locator(".atlas .reading h2").filter(has_text="looks at").first.wait_for(timeout=60_000)


def count_bytes(page: Page) -> list[int]:
    """A list that grows by the size of each message that the server sends."""
    sizes: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda payload: sizes.append(len(payload))))
    return sizes
