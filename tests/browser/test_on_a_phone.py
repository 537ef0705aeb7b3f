"""Every section on a phone, with all that is folded open: nothing is wider than the screen."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard import contents
from tests.browser.conftest import sections, settled, unfold

SERVER = Path(__file__).parents[2] / "dashboard" / "hosting" / "server.py"


@pytest.mark.parametrize("entry", contents.pages(), ids=lambda entry: entry.name)
def test_no_section_is_wider_than_the_screen(browser_page: Page, streamlit_server, entry: contents.Page):
    browser_page.set_viewport_size({"width": 390, "height": 844})
    browser_page.goto(f"{streamlit_server(SERVER)}/{entry.url}")
    expect(browser_page.get_by_role("heading", level=1)).to_be_visible()
    settled(browser_page)
    problems: list[str] = []
    for name in sections(browser_page, entry.name):
        unfold(browser_page)
        problems += [f"{name}: {element}" for element in browser_page.evaluate(BEYOND)]
    assert not problems, "\n".join(problems)


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
