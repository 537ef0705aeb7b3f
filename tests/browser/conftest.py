"""A real Chromium and real Streamlit servers, for every test that has to see the page itself."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote_plus, urljoin
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Locator, Page, Request, expect, sync_playwright

from tests.polling import WITHIN, wait_until_served

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "dashboard" / "hosting" / "server.py"
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
# What the content security policy refuses is kept in `window.refused`.
NOTE_REFUSALS = """
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.refused.push(`${event.effectiveDirective}: ${event.blockedURI} in ${event.sourceFile}`));
"""
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
expect.set_options(timeout=1000 * WITHIN)


@pytest.fixture(scope="session")
def installed() -> Iterator[tuple[BrowserType, dict]]:
    """The first of the usual browsers that this machine has, and how it is started."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.fail(f"The browser tests need one of {', '.join(BROWSERS)} on the PATH; `make test` installs one.")
    switches = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        yield playwright.chromium, {"executable_path": executable, "args": switches}


@pytest.fixture(scope="session")
def chromium(installed) -> Iterator[Browser]:
    """A browser in which a test opens as many windows that know nothing of one another as it needs visitors."""
    kind, how = installed
    browser = kind.launch(**how)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def one_visitor(installed) -> Iterator[BrowserContext]:
    """A browser that keeps Streamlit's scripts as it compiled them: a page takes a quarter less than in a new one."""
    kind, how = installed
    context = kind.launch_persistent_context("", viewport=DESK, **how)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.add_init_script(NOTE_REFUSALS)
    yield context
    context.close()


@pytest.fixture
def browser_page(one_visitor: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of 1280 x 800 in the tab that tests share: a new tab has a new process, which takes a second longer.

    What its console says is printed, and an uncaught error in it fails the test. Nothing of a test is left in the tab:
    whoever adds a script, a route or a listener to it takes `own_tab`.
    """
    tab, failed_before = one_visitor.pages[0], request.session.testsfailed
    with _without_errors(tab):
        yield tab
        _leave(one_visitor, tab)
        if request.session.testsfailed > failed_before:
            one_visitor.new_page()
            tab.close()


@pytest.fixture
def own_tab(one_visitor: BrowserContext) -> Iterator[Page]:
    """A page like `browser_page` in a tab that no other test sees."""
    tab = one_visitor.new_page()
    with _without_errors(tab):
        yield tab
        _leave(one_visitor, tab)
        tab.close()


@contextlib.contextmanager
def _without_errors(page: Page) -> Iterator[None]:
    """Print what the page's console says, and fail if it raises anything."""
    page.set_default_timeout(1000 * WITHIN)
    follow_requests(page)
    errors: list[str] = []
    with (
        listening(page, "pageerror", lambda error: errors.append(str(error))),
        listening(page, "console", lambda message: message.type == "error" and print(f"console: {message.text}")),
    ):
        yield
    assert not errors, f"The page raised: {errors}"


def _leave(context: BrowserContext, tab: Page) -> None:
    """End the visit of a tab and what the browser keeps of it; another site, or a blank page, would end its process."""
    for opened_tab in context.pages:
        if opened_tab not in (tab, context.pages[0]):
            opened_tab.close()
    if tab.url.startswith("http"):
        tab.goto(urljoin(tab.url, "/_stcore/health"))
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    context.clear_cookies()
    tab.mouse.move(0, 0)
    tab.set_viewport_size(DESK)
    tab.emulate_media(color_scheme="null", reduced_motion="null")


@contextlib.contextmanager
def listening(page: Page, event: str, handler: Callable) -> Iterator[None]:
    """Have a function called at each of these events for a while."""
    page.on(event, handler)
    yield
    page.remove_listener(event, handler)


@pytest.fixture(scope="session")
def streamlit_server() -> Iterator[Callable[[Path], str]]:
    """A function that serves an app file and returns its address; each file is served once for all tests."""
    running: dict[Path, tuple[subprocess.Popen, str]] = {}

    def serve(app: Path) -> str:
        if app not in running:
            running[app] = _start(app)
        return running[app][1]

    yield serve
    for server, _ in running.values():
        server.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(timeout=10)
        server.kill()


def _start(app: Path) -> tuple[subprocess.Popen, str]:
    port = _free_port()
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app),
        f"--server.port={port}",
        "--server.address=127.0.0.1",
    ]
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    server = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_served(f"{address}/_stcore/health", server)
    except AssertionError:
        server.kill()
        raise
    return server, address


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def visit(browser_page: Page, streamlit_server):
    """Open a section of a page by its address, down to its last part: nothing has stopped it in a sentence."""

    def open_section(page: str, section: str, **query: str) -> Page:
        parameters = "".join(f"&{name}={quote_plus(value)}" for name, value in query.items())
        browser_page.goto(f"{streamlit_server(SERVER)}/{page}?show={quote_plus(section)}{parameters}")
        expect(browser_page.get_by_role("heading", name="How it is computed")).to_be_visible()
        return browser_page

    return open_section


def take_away(figure: Page | Locator, what: str) -> None:
    """Open the menu below the first figure in there, and choose what to take."""
    figure.get_by_role("button", name="Download", exact=True).first.click()
    figure.get_by_role("menuitem", name=what).click()


def follow_requests(page: Page) -> None:
    """Keep which requests of the page have no answer yet, for `settled`."""
    if page in _under_way:
        _under_way[page].clear()
        return
    _under_way[page] = under_way = set()
    page.on("request", lambda request: under_way.add(request))
    page.on("requestfinished", lambda request: under_way.discard(request))
    page.on("requestfailed", lambda request: under_way.discard(request))


_under_way: WeakKeyDictionary[Page, set[Request]] = WeakKeyDictionary()

# Two frames after the page has nothing else to do, which after a change of its size Chromium may never say: whether its
# script has ended, and nothing stands for an element whose code is still on its way, or is about to be shown.
REST = """
new Promise((done) => requestIdleCallback(
    () => requestAnimationFrame(() => requestAnimationFrame(() =>
        done(document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
            && !document.querySelector("[data-testid=stSkeleton]")
            && !document.getAnimations().some((one) => one.transitionProperty === "opacity")))),
    { timeout: 1000 }))
"""


def settled(page: Page) -> None:
    """Wait until the script, the requests and the drawing of the page have come to rest."""
    deadline = time.monotonic() + WITHIN
    while not page.evaluate(REST) or _under_way[page]:
        addresses = [request.url for request in _under_way[page]]
        assert time.monotonic() < deadline, f"The page runs, or waits for {addresses}, after {WITHIN} seconds."


def sections(page: Page, name: str) -> Iterator[str]:
    """Show one section after the other, and say its name; `name` is that of a page without any."""
    choices = page.get_by_role("radiogroup", name="What to look at").get_by_role("radio").all()
    if not choices:
        yield name
    for section in choices:
        section.press("Enter")  # what stays at the top while a page scrolls may lie above it
        expect(section).to_be_checked()
        expect(page.locator("h2.unseen")).to_have_text(section.inner_text())
        settled(page)
        expect(page.locator("[data-stale=true]")).to_have_count(0)
        yield section.inner_text()


def press_answer(page: Page) -> None:
    """Give the answer that is chosen; until one is, its button cannot be pressed."""
    page.get_by_role("button", name="Answer and see", disabled=False).click()


def unfold(page: Page) -> None:
    """Open all that is folded."""
    closed = page.locator("[data-testid=stExpander] details:not([open]) > summary")
    for left in range(closed.count(), 0, -1):
        closed.first.click()
        expect(closed).to_have_count(left - 1)
    settled(page)


def later(page: Page, seconds: float) -> None:
    """Set the page's clock ahead, for what depends on the time between two steps of a visitor."""
    page.evaluate("(more) => { const now = Date.now; Date.now = () => now() + more; }", 1000 * seconds)
