"""One visit of each page in a real browser: it opens by its address, within the frame, without an error."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard import contents
from tests.browser.conftest import settled

SERVER = Path(__file__).parents[2] / "dashboard" / "hosting" / "server.py"


@pytest.mark.part_of(
    "tests/browser/test_every_section.py"
    "::test_every_section_is_alive_easy_to_read_fits_a_phone_and_does_what_the_policy_allows"
)
@pytest.mark.parametrize("entry", contents.pages(), ids=lambda entry: entry.name)
def test_a_page_opens_by_its_address(browser_page: Page, streamlit_server, entry: contents.Page):
    browser_page.goto(f"{streamlit_server(SERVER)}/{entry.url}")
    expect(browser_page.get_by_role("heading", level=1)).to_be_visible()
    settled(browser_page)
    expect(browser_page.get_by_test_id("stException")).to_have_count(0)
    assert not browser_page.evaluate("window.refused")
