"""The four pages of Foundations in a real browser: every section by its address, on a phone too."""

from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_pages import SERVER

SECTIONS = [
    ("heads", "Measured"),
    ("heads", "Silenced"),
    ("heads", "Added up"),
    ("heads", "Taken together"),
    ("order", "Shuffle"),
    ("order", "Waves"),
    ("order", "Learned"),
    ("order", "Relative"),
    ("order", "Beyond training"),
    ("before", "Reach"),
    ("before", "Copy"),
    ("before", "Three ways"),
    ("before", "The five models"),
    ("inside", "Walk"),
    ("inside", "Stream"),
    ("inside", "Logit lens"),
    ("inside", "Sizes"),
]


@pytest.fixture
def visit(browser_page: Page, streamlit_server):
    """Open a section of a page by its address, down to its last part: nothing has stopped it in a sentence."""

    def open_section(page: str, section: str, **query: str) -> Page:
        asked = "".join(f"&{name}={quote_plus(value)}" for name, value in query.items())
        browser_page.goto(f"{streamlit_server(SERVER)}/{page}?show={quote_plus(section)}{asked}")
        expect(browser_page.get_by_role("heading", name="What to notice")).to_be_visible()
        return browser_page

    return open_section


@pytest.mark.parametrize(("page", "section"), SECTIONS)
def test_every_section_is_alive_at_its_own_address_and_fits_a_phone(visit, browser_page, page, section):
    browser_page.set_viewport_size({"width": 390, "height": 844})
    shown = visit(page, section)
    expect(shown.get_by_role("radio", name=section, exact=True)).to_be_checked()
    expect(shown.get_by_test_id("stException")).to_have_count(0)
    assert shown.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
