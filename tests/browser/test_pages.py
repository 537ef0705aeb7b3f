"""The whole atlas in a real browser: what only a browser shows."""

import re
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, Route, expect

from dashboard import contents
from dashboard.app import SIDEBAR
from tests.browser.conftest import settled
from tests.polling import wait_until

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "dashboard" / "hosting" / "server.py"


@pytest.fixture
def visit(browser_page: Page, streamlit_server):
    """Open a page of the atlas by its address."""

    def open_page(path: str) -> Page:
        browser_page.goto(f"{streamlit_server(SERVER)}/{path}")
        return browser_page

    return open_page


def reading(page: Page):
    return page.locator(".atlas .reading h2")


def parameters(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


# The first test of this file is the first visit of a fresh server.
def test_a_first_visit_by_deep_link_shows_the_whole_frame_and_no_notice(visit):
    page = visit("text?text=The+sea+was+calm&layer=3&head=2")
    expect(reading(page)).to_contain_text("looks at")
    expect(page.locator(".middle .caption b")).to_have_text("Layer 3, head 2")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_role("link")).to_have_text([entry.name for entry in contents.CORE])
    sidebar.get_by_role("button", name="View").click()
    expect(sidebar.get_by_role("link")).to_have_text([entry.name for entry in contents.pages()])
    assert page.get_by_text("Page not found").count() == 0
    assert page.get_by_role("dialog").count() == 0


def test_nothing_is_asked_of_any_other_host(own_tab, streamlit_server):
    address = streamlit_server(SERVER)
    requests: list[str] = []
    own_tab.on("request", lambda request: requests.append(request.url))
    for path in ("", "text", "image", "steps", "heads", "order", "before", "inside"):
        own_tab.goto(f"{address}/{path}")
        expect(own_tab.get_by_role("heading", level=1)).to_be_visible()
        settled(own_tab)
    foreign = [url for url in requests if not url.startswith((address, "data:", "blob:"))]
    assert not foreign


def test_an_own_sentence_is_on_the_map_and_in_the_address(visit):
    page = visit("text")
    expect(reading(page)).to_contain_text("looks at")
    page.get_by_label("Your text").fill("A heron stood in the shallow river")
    page.get_by_label("Your text").press("Control+Enter")
    expect(page.locator(".atlas .reading")).to_contain_text("shallow")
    assert parameters(page)["text"] == ["A heron stood in the shallow river"]


def test_silencing_the_shown_head_shows_the_prediction_beside_the_old_one(visit):
    page = visit("text?layer=2&head=1")
    page.get_by_role("button", name="Ablate this head").click()
    expect(page.get_by_text("heads ablated").first).to_be_visible()
    # For a moment the page holds the old chart beside the new one.
    expect(page.locator(".js-plotly-plot", has_text="heads ablated")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    assert parameters(page)["silenced"] == ["2.1"]
    assert parameters(page)["layer"] == ["2"]
    # Map, verdict, both predictions and the way to the changed maps are on one screen.
    expect(page.locator(".middle .figure")).to_be_in_viewport(ratio=1)
    expect(page.get_by_text(re.compile("% before, .*% now"))).to_be_in_viewport(ratio=1)
    expect(page.locator(".js-plotly-plot")).to_be_in_viewport(ratio=0.5)
    page.get_by_role("radio", name="heads ablated").click()
    expect(page.locator(".atlas .reading")).to_contain_text("the head is silenced")


def test_a_silenced_head_says_so_and_speaks_again_when_it_is_let(visit):
    page = visit("text?layer=2&head=1&silenced=2.1&maps=heads+ablated")
    expect(page.locator(".atlas .reading")).to_contain_text("the head is silenced")
    page.get_by_role("button", name="Bring this head back").click()
    expect(page.get_by_role("button", name="Ablate this head")).to_be_visible()
    expect(page.locator(".atlas .reading")).not_to_contain_text("the head is silenced")
    assert "silenced" not in parameters(page)


def test_the_head_in_view_can_be_taken_apart_and_back_leads_to_it_again(visit):
    page = visit("text?text=The+sea+was+calm&layer=3&head=2&token=1")
    expect(reading(page)).to_contain_text("sea")
    page.get_by_role("link", name="Take this head apart").click()
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_label("Layer")).to_have_value("3")
    expect(page.get_by_label("Head", exact=True)).to_have_value("2")
    page.keyboard.press("Escape")
    expect(page.get_by_text("Query: sea")).to_be_visible()
    page.go_back()
    expect(page.locator(".middle .caption b")).to_have_text("Layer 3, head 2")


def test_back_to_another_page_finds_what_was_left_there(visit):
    page = visit("text?text=The+sea+was+calm&layer=3&head=2")
    expect(page.locator(".middle .caption b")).to_have_text("Layer 3, head 2")
    page.get_by_role("link", name="Attention step by step", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Attention step by step")
    expect(page.get_by_role("radio", name="Dictionary")).to_be_checked()
    page.go_back()
    expect(page.get_by_label("Your text")).to_have_value("The sea was calm")
    expect(page.locator(".middle .caption b")).to_have_text("Layer 3, head 2")


def test_an_own_photograph_is_shown_under_its_attention(visit):
    page = visit("image")
    expect(reading(page)).to_contain_text("looks at")
    before = page.locator(".js-plotly-plot").inner_text()
    page.get_by_role("button", name="Your own").click()
    picture = BytesIO()
    Image.linear_gradient("L").convert("RGB").resize((800, 600)).save(picture, "JPEG")
    page.locator("input[type=file]").set_input_files(
        {"name": "own.jpg", "mimeType": "image/jpeg", "buffer": picture.getvalue()}
    )
    expect(page.locator(".js-plotly-plot").last).not_to_have_text(before)
    expect(reading(page)).to_contain_text("looks at")


def choose_photograph(page, name):
    page.get_by_role("combobox", name="Photograph").click()
    page.get_by_role("option", name=name).click()


def test_between_an_own_photograph_and_the_examples_one_goes_to_and_fro(visit):
    page = visit("image")
    photograph = page.get_by_role("combobox", name="Photograph")
    expect(photograph).to_have_value("cat")
    expect(reading(page)).to_contain_text("looks at")
    before = page.locator(".js-plotly-plot").last.text_content()
    page.get_by_role("button", name="Your own").click()
    picture = BytesIO()
    Image.new("RGB", (300, 200), "orange").save(picture, "PNG")
    page.locator("input[type=file]").set_input_files(
        {"name": "own.png", "mimeType": "image/png", "buffer": picture.getvalue()}
    )
    expect(photograph).to_have_value("yours")
    expect(page).to_have_url(re.compile("own=1"))
    expect(page.locator(".js-plotly-plot").last).not_to_have_text(before)
    own = page.locator(".js-plotly-plot").last.text_content()
    page.keyboard.press("Escape")
    choose_photograph(page, "rocket")
    expect(photograph).to_have_value("rocket")
    expect(page).not_to_have_url(re.compile("own=1"))
    expect(page.locator(".js-plotly-plot").last).not_to_have_text(own)
    choose_photograph(page, "yours")
    expect(page.locator(".js-plotly-plot").last).to_have_text(own)
    expect(page).to_have_url(re.compile("own=1"))
    page.get_by_role("button", name="Your own").click()
    page.get_by_role("button", name="Remove own.png").click()
    expect(photograph).to_have_value("cat")
    expect(page).not_to_have_url(re.compile("own=1"))
    expect(page.get_by_text("somebody's own")).to_have_count(0)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty (0 bytes)"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", "vector drawing (SVG)"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "cannot be read|damaged|not a picture"),
    ],
)
def test_a_broken_picture_gets_one_sentence_and_the_page_stays_usable(visit, content, sentence):
    page = visit("image")
    expect(reading(page)).to_contain_text("looks at")
    page.get_by_role("button", name="Your own").click()
    page.locator("input[type=file]").set_input_files({"name": "photo.png", "mimeType": "image/png", "buffer": content})
    alert = page.get_by_role("alert").first
    expect(alert).to_be_visible()
    assert any(part in alert.inner_text() for part in sentence.split("|"))
    expect(page.get_by_role("combobox", name="Photograph")).to_be_visible()
    assert page.get_by_text("Traceback").count() == 0


def test_the_table_of_contents_moves_nothing_when_it_comes(own_tab, streamlit_server):
    own_tab.add_init_script("""
        window.moved = [];
        new PerformanceObserver((list) => {
            for (const { sources } of list.getEntries())
                for (const { node, previousRect: before, currentRect: now } of sources)
                    if (node?.matches?.(":has([data-testid=stMain])")) window.moved.push([before.x, now.x]);
        }).observe({ type: "layout-shift", buffered: true });
    """)
    own_tab.goto(f"{streamlit_server(SERVER)}/text")
    expect(reading(own_tab)).to_contain_text("looks at")
    settled(own_tab)
    assert own_tab.get_by_test_id("stSidebar").bounding_box()["width"] == SIDEBAR
    assert own_tab.evaluate("window.moved") == []


def test_a_first_visit_shows_what_is_below_the_lead_when_its_parts_are_loaded(own_tab, streamlit_server):
    held: list[Route] = []
    own_tab.route("**/BidiComponent.*.js", lambda route: held.append(route))
    own_tab.goto(f"{streamlit_server(SERVER)}/text")
    heading = own_tab.get_by_role("heading", name="How it is computed")
    expect(heading).to_be_attached()
    wait_until(lambda: own_tab.evaluate(OPACITY, heading.element_handle()) == 0)
    expect(own_tab.get_by_role("heading", level=1)).to_be_visible()
    assert own_tab.evaluate(OPACITY, own_tab.get_by_role("heading", level=1).element_handle()) == 1
    for route in held:
        route.continue_()
    expect(reading(own_tab)).to_contain_text("looks at")
    wait_until(lambda: own_tab.evaluate(OPACITY, heading.element_handle()) == 1)


# The product of the opacities of an element and all around it.
OPACITY = """(element) => {
    let product = 1;
    for (let one = element; one; one = one.parentElement) product *= Number(getComputedStyle(one).opacity);
    return product;
}"""


def test_the_scripts_of_usual_parts_are_loaded_before_any_is_drawn(own_tab, streamlit_server):
    scripts = dict[str, str]()
    own_tab.on("request", lambda request: scripts.setdefault(request.url, request.resource_type))
    first_drawn: list[int] = []
    own_tab.on("websocket", lambda socket: socket.on("framereceived", lambda _: first_drawn.append(len(scripts))))
    own_tab.goto(f"{streamlit_server(SERVER)}/text")
    expect(reading(own_tab)).to_contain_text("looks at")
    before = {url.rpartition("/")[2].partition(".")[0] for url in [*scripts][: first_drawn[0]] if url.endswith(".js")}
    assert {"BidiComponent", "Button", "Selectbox", "TextArea", "PlotlyChart"} <= before


def test_markup_in_a_text_is_never_executed(visit):
    page = visit(
        "text?text=%3Cimg+src%3Dx+onerror%3D%22window.broken%3D1%22%3E+and+%3Cscript%3Ewindow.broken%3D1%3C%2Fscript%3E"
    )
    expect(reading(page)).to_contain_text("looks at")
    expect(page.locator("img[src=x]")).to_have_count(0)
    settled(page)
    assert page.evaluate("window.broken") is None


def test_two_visitors_do_not_see_one_another(chromium, streamlit_server):
    address = streamlit_server(SERVER)
    first, second = (chromium.new_context().new_page() for _ in range(2))
    first.goto(f"{address}/text?text=The+secret+of+the+first+visitor+is+safe")
    expect(reading(first)).to_contain_text("looks at")
    second.goto(f"{address}/text")
    expect(reading(second)).to_contain_text("looks at")
    assert "secret" not in second.content()
    for page in (first, second):
        page.context.close()


def test_the_projector_s_view_has_no_chrome_and_larger_type(visit):
    page = visit("text?present=1")
    expect(reading(page)).to_contain_text("looks at")
    assert page.get_by_test_id("stSidebar").get_by_role("link").count() == 0
    assert page.get_by_text("How it is computed").count() == 0
    page.keyboard.press("v")
    expect(page).to_have_url(re.compile("view=lines"))


def test_on_a_projector_streamlit_s_own_controls_are_larger_and_afterwards_as_before(visit):
    page = visit("translation?show=Measured")
    parts = page.get_by_role("radio", name="Measured"), page.get_by_test_id("stDataFrame").first
    expect(parts[1]).to_be_visible()
    settled(page)
    usual = [height(part) for part in parts]
    page.get_by_role("button", name="Present").first.click()
    expect(page.get_by_text("How it is computed")).to_have_count(0)
    wait_until(lambda: all(height(part) > 1.2 * before for part, before in zip(parts, usual, strict=True)))
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Present")).to_be_visible()
    # A table takes its height a moment after all else.
    wait_until(lambda: [height(part) for part in parts] == usual)


def height(part: Locator) -> float:
    return part.bounding_box()["height"]
