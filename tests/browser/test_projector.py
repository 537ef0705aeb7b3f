"""On a projector the first figure of a section fills the screen below one strip; its letters and numbers are larger."""

import pytest
from playwright.sync_api import Page

from benchmarks.figures import MEASURE
from tests.browser.conftest import settled
from tests.browser.test_every_section import SERVER
from tests.polling import wait_until

PROJECTOR = {"width": 1920, "height": 1080}
HIGHEST = 200  # pixels above a figure: a strip, and a line that says what it shows
FILLED = 0.75  # of the area for a figure that can have any shape, else of the height or the width
ANY_SHAPE = ["scaling", "scaling?show=Laws", "text", "heads?show=Added+up"]
OF_A_SHAPE = ["heads?show=Measured", "captioning", "steps?show=Eight+steps"]


def presented(page: Page, address: str) -> None:
    page.set_viewport_size(PROJECTOR)
    page.goto(f"{address}{'&' if '?' in address else '?'}present=1")
    settled(page)


@pytest.mark.parametrize("section", [*ANY_SHAPE, *OF_A_SHAPE])
def test_the_first_figure_fills_the_projector(browser_page: Page, streamlit_server, section: str):
    presented(browser_page, f"{streamlit_server(SERVER)}/{section}")
    what = "share" if section in ANY_SHAPE else "side"
    # Several plots are drawn one after another; a view of ours is not there before its script is.
    wait_until(lambda: (figure := browser_page.evaluate(MEASURE)) and figure[what] >= FILLED)
    assert browser_page.evaluate(MEASURE)["top"] <= HIGHEST


def test_the_notice_is_the_caption_of_the_figure_on_the_same_screen(browser_page: Page, streamlit_server):
    presented(browser_page, f"{streamlit_server(SERVER)}/scaling")
    figure, notice = (
        browser_page.locator(selector).first.bounding_box() for selector in (".js-plotly-plot", ".st-key-first-notice")
    )
    assert figure["y"] + figure["height"] <= notice["y"]
    assert notice["y"] + notice["height"] <= PROJECTOR["height"]


def test_the_numbers_of_the_steps_grow_with_the_screen(browser_page: Page, streamlit_server):
    address = f"{streamlit_server(SERVER)}/steps?show=Eight+steps"
    browser_page.goto(address)
    settled(browser_page)
    cell = browser_page.locator(".equation td").filter(has_text="0").last
    before = cell.bounding_box()["height"]
    presented(browser_page, address)
    assert cell.bounding_box()["height"] >= 1.4 * before


def test_only_the_chosen_section_is_seen_until_the_pointer_or_the_keyboard_asks(browser_page: Page, streamlit_server):
    presented(browser_page, f"{streamlit_server(SERVER)}/scaling")
    sections = browser_page.get_by_role("radiogroup", name="What to look at")
    others = sections.get_by_role("radio", checked=False)
    opacities = "all => all.map((one) => getComputedStyle(one).opacity)"
    assert set(others.evaluate_all(opacities)) == {"0"}
    sections.hover()
    assert set(others.evaluate_all(opacities)) == {"1"}
    others.last.click()
    settled(browser_page)
    assert "show=" in browser_page.url
