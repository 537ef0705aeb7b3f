"""The HTML file of a view in a real browser: without a network, as a file and inside a notebook's frame."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.view import HtmlFile, Layer, Scene, TextSequence, html_file
from tests.browser.conftest import SERVER
from tests.core.test_view_html_file import HOSTILE, scene


@pytest.fixture
def offline(own_tab: Page) -> Page:
    """A page that may read files and nothing else; an error on its console fails the test, and so does a request."""
    requests, messages = [], []
    local = ("file:", "blob:", "data:", "about:")  # blob: a download, from the page's own bytes
    own_tab.route("**/*", lambda route: route.continue_() if route.request.url.startswith(local) else route.abort())
    own_tab.on("request", lambda request: requests.append(request.url))
    own_tab.on("console", lambda message: message.type in ("error", "warning") and messages.append(message.text))
    yield own_tab
    assert [url for url in requests if not url.startswith(local)] == []
    assert messages == []


def opened(page: Page, file: HtmlFile, folder: Path) -> Page:
    file.save(folder / "attention.html")
    page.goto((folder / "attention.html").as_uri())
    return page


def drawn(page: Page) -> bool:
    """Whether the map has anything but paper on it."""
    return page.locator(".sheet canvas").first.evaluate(
        "(canvas) => new Set(new Uint32Array(canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size > 4"
    )


def hostile() -> HtmlFile:
    labels = TextSequence((HOSTILE, " it", " sleeps"))
    even = np.tril(np.ones((3, 3), np.float32))
    even /= even.sum(axis=1, keepdims=True)
    layers = tuple(Layer(str(place), "text", "text", 2, lambda _: even, causal=True) for place in range(2))
    return html_file(Scene({"text": labels}, layers, title=HOSTILE))


def test_a_saved_file_shows_the_map_and_lets_choose_without_a_network(offline, tmp_path):
    page = opened(offline, hostile(), tmp_path)
    expect(page.get_by_text("Layer 0, head 0")).to_be_visible()
    assert drawn(page)
    page.get_by_role("gridcell", name="Layer 1, head 1").click()
    expect(page.get_by_text("Layer 1, head 1", exact=True)).to_be_visible()
    canvas = page.locator(".sheet .over")
    box = canvas.bounding_box()
    canvas.hover(position={"x": box["width"] - 80, "y": box["height"] - 12})
    expect(page.get_by_role("heading", name="“sleeps” looks at …")).to_be_visible()
    expect(page.locator(".top tr:not([aria-hidden]) td").last).to_have_text("0.33")
    assert page.evaluate("window.__executed") is None
    expect(page.get_by_role("button", name="Ablate this head")).to_be_hidden()
    expect(page.get_by_role("button", name="Exact values and row sum")).to_be_hidden()
    page.get_by_role("button", name="Download", exact=True).click()
    expect(page.get_by_role("menuitem", name="Copy link")).to_have_count(0)
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="CSV").click()
    assert "0.3333" in Path(saved.value.path()).read_text()


@pytest.mark.parametrize("brightness", ["light", "dark"])
def test_a_file_is_as_light_or_dark_as_its_reader_wants(offline, tmp_path, brightness):
    offline.emulate_media(color_scheme=brightness)
    page = opened(offline, hostile(), tmp_path)
    expect(page.locator("body")).to_have_css(
        "background-color", {"light": "rgb(251, 250, 247)", "dark": "rgb(17, 21, 27)"}[brightness]
    )
    other = "dark" if brightness == "light" else "light"
    offline.emulate_media(color_scheme=other)
    ink = {"light": "#10151f", "dark": "#e9e6df"}[other]
    expect(page.locator(".view").first).to_have_css("--ink", ink)


def test_of_many_heads_some_are_unpacked_to_the_token_and_the_others_in_blocks_that_say_so(offline, tmp_path):
    page = opened(offline, html_file(scene(512, 12, 12, causal=True)), tmp_path)
    expect(page.get_by_text("of them (with a dot) token by token, the others in blocks")).to_be_visible()
    expect(page.get_by_role("heading", name="“w511” looks at …")).to_be_visible()
    expect(page.get_by_text("In blocks of")).to_be_hidden()
    page.locator(".thumb:not(.fine)").last.click()
    expect(page.get_by_text("In blocks of")).to_be_visible()
    expect(page.get_by_role("heading", name="… w511” looks at …")).to_be_visible()
    expect(page.get_by_text("blocks hold 90%")).to_be_visible()
    assert drawn(page)
    page.get_by_role("button", name="Text").click()
    expect(page.locator(".figure .token").first).to_have_text("w0 w1 w2 w3 w4 w5 w6 w7")
    page.locator(".thumb.fine").first.click()
    expect(page.locator(".figure .token").first).to_have_text("w0")


def test_a_notebooks_frame_shows_the_same_and_is_apart_from_the_notebook(offline):
    offline.set_content(f"<p>A notebook</p>{hostile()._repr_html_()}")
    frame = offline.frame_locator("iframe")
    expect(frame.get_by_text("Layer 0, head 0")).to_be_visible()
    frame.get_by_role("gridcell", name="Layer 1, head 0").click()
    expect(frame.get_by_text("Layer 1, head 0", exact=True)).to_be_visible()
    frame.locator(".sheet .over").hover()
    frame.get_by_role("button", name="Download", exact=True).click()
    with offline.expect_download() as saved:
        frame.get_by_role("menuitem", name="SVG").click()
    assert "<svg" in Path(saved.value.path()).read_text()
    assert offline.evaluate("window.__executed") is None


def test_a_notebooks_frame_unpacks_heads(offline):
    offline.set_content(html_file(scene(512, 12, 12, causal=True))._repr_html_())
    frame = offline.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="“w511” looks at …")).to_be_visible()


def test_explore_gives_its_view_as_a_file_that_opens_with_the_head_of_the_address(
    browser_page, streamlit_server, tmp_path
):
    browser_page.goto(f"{streamlit_server(SERVER)}/text?layer=3&head=2")
    with browser_page.expect_download() as saved:
        browser_page.get_by_role("button", name="This view as a file").click()
    assert saved.value.suggested_filename.endswith(".html")
    saved.value.save_as(tmp_path / "view.html")
    browser_page.goto((tmp_path / "view.html").as_uri())
    expect(browser_page.get_by_role("gridcell", name="Layer 3, head 2")).to_have_attribute("aria-selected", "true")
    assert drawn(browser_page)
