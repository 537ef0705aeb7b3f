"""The content security policy in a real browser: what it stops, and that it is not in the way of what pages do.

That no section of any page does what it forbids is seen by test_every_section.py, which visits them all.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SERVER, settled, take_away


@pytest.fixture
def visit(browser_page: Page, streamlit_server):
    """Open a page of the atlas; what the policy refuses is kept in `window.refused`."""

    def open_page(path: str) -> Page:
        browser_page.goto(f"{streamlit_server(SERVER)}/{path}")
        expect(browser_page.get_by_role("heading", level=1)).to_be_visible()
        settled(browser_page)
        return browser_page

    return open_page


def test_pictures_and_numbers_can_be_taken_away_under_the_policy(visit):
    page = visit("efficient?show=Cost")
    for kind in ("SVG", "PNG", "Numbers (CSV)"):
        with page.expect_download() as download:
            take_away(page, kind)
        assert Path(download.value.path()).stat().st_size > 100
    assert page.evaluate("window.refused") == []


def test_the_camera_is_the_only_device_that_a_page_may_ask_for(visit):
    page = visit("image")
    page.get_by_role("button", name="Your own").click()
    page.get_by_text("Use the camera").click()
    expect(page.get_by_test_id("stCameraInput")).to_be_visible()
    allowed = page.evaluate("document.featurePolicy.allowedFeatures()")
    assert "camera" in allowed
    assert not {"microphone", "geolocation", "usb", "payment", "midi", "display-capture"} & set(allowed)
    assert page.evaluate("window.refused") == []


def test_the_policy_stops_what_a_hole_would_let_in(visit):
    page = visit("")
    tried = """(way) => new Promise((done) => {
      document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective));
      way === 'script' && document.body.append(Object.assign(document.createElement('script'), { text: 'x = 1' }));
      way === 'handler' && document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="x = 1">');
      way === 'picture' && (new Image().src = 'http://elsewhere.invalid/?stolen');
      way === 'request' && fetch('http://elsewhere.invalid/').catch(() => {});
      way === 'socket' && new WebSocket('ws://elsewhere.invalid/');
    })"""
    ways = {"script": "script-src-elem", "handler": "script-src-attr", "picture": "img-src"}
    for way, directive in {**ways, "request": "connect-src", "socket": "connect-src"}.items():
        assert page.evaluate(tried, way) == directive


def test_a_page_elsewhere_cannot_show_the_atlas_in_a_frame(own_tab, streamlit_server):
    address = streamlit_server(SERVER)
    foreign = address.replace("127.0.0.1", "localhost")  # another site to a browser
    own_tab.goto(f"{foreign}/_stcore/health")
    # The policy of the page around it is of no interest here.
    own_tab.route("**/course", lambda route: route.fulfill(content_type="text/html", body="<p>A course"))
    own_tab.goto(f"{foreign}/course")
    for framed, is_shown in ((address, False), (foreign, True)):
        frame = f'<iframe src="{framed}" width="900" height="700"></iframe>'
        inside = own_tab.frame_locator("iframe").get_by_role("heading", level=1)
        if is_shown:
            own_tab.set_content(frame)
            expect(inside).to_be_visible()
        else:
            with own_tab.expect_event("requestfailed", lambda request: request.url.startswith(address)):
                own_tab.set_content(frame)
            expect(inside).to_have_count(0)
