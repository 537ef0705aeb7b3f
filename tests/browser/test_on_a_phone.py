"""Every section on a phone, with all that is folded open: nothing is wider than the screen."""

from pathlib import Path
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Page, expect

from dashboard import contents
from tests.browser.conftest import settled, unfold

SERVER = Path(__file__).parents[2] / "dashboard" / "server.py"


@pytest.mark.parametrize("entry", contents.pages(), ids=lambda entry: entry.name)
def test_no_section_is_wider_than_the_screen(browser_page: Page, streamlit_server, entry: contents.Page):
    browser_page.set_viewport_size({"width": 390, "height": 844})
    address = f"{streamlit_server(SERVER)}/{entry.url}"
    found: list[str] = []
    names = sections(browser_page, address)
    for name in names or [entry.name]:
        browser_page.goto(f"{address}?show={quote_plus(name)}")
        expect(browser_page.get_by_role("heading", level=1)).to_be_visible()
        settled(browser_page)
        if names:
            expect(browser_page.get_by_role("radio", name=name, exact=True)).to_be_checked()
            expect(browser_page.get_by_role("heading", name="How it is computed")).to_be_visible()
        unfold(browser_page)
        found += [f"{name}: {each}" for each in browser_page.evaluate(BEYOND)]
    assert not found, "\n".join(found)


def sections(page: Page, address: str) -> list[str]:
    """The names of a page's sections; none where it is whole."""
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)
    return page.get_by_role("radiogroup", name="What to look at").get_by_role("radio").all_inner_texts()


# If the page scrolls sideways: the outermost of what ends beyond it, and is in no box of its own that scrolls or cuts.
BEYOND = """
(() => {
    const main = document.querySelector("[data-testid=stMain]");
    if (main.scrollWidth <= innerWidth) return [];
    const within = (one) =>
        one === main || (getComputedStyle(one).overflowX === "visible" && within(one.parentElement));
    const wide = [...main.querySelectorAll("*")].filter(
        (one) => one.getBoundingClientRect().right > innerWidth + 1 && within(one.parentElement));
    const outermost = wide.filter((one) => !wide.includes(one.parentElement));
    return [`${main.scrollWidth} pixels wide`, ...outermost.map((one) => one.outerHTML.slice(0, 200))];
})()
"""
