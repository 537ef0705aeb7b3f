"""A term in prose, in a real browser: tapped on a phone, under a mouse, with the keyboard; and without our script."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.glossary import TERMS
from tests.browser.conftest import PHONE, SERVER, WITHIN, follow_requests, settled

LINKS = '[data-testid=stMain] a[href^="glossary?term="]'
TOKEN = TERMS["token"]


@pytest.fixture
def phone(chromium: Browser):
    """A page of a telephone: 390 pixels wide, touched by a finger."""
    context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(1000 * WITHIN)
    follow_requests(page)
    yield page
    context.close()


def opened(page: Page, server: str, address: str = "text") -> Page:
    page.goto(f"{server}/{address}")
    expect(page.locator(LINKS).first).to_be_visible()
    expect(page.locator(".term-popover")).to_be_attached()  # on a busy machine it comes after the links
    settled(page)
    return page


def test_a_tap_on_a_phone_shows_the_sentence_inside_the_window_and_a_tap_elsewhere_ends_it(phone, streamlit_server):
    page = opened(phone, streamlit_server(SERVER))
    page.locator(LINKS).first.tap()
    popover = page.get_by_role("dialog", name="token")
    expect(popover).to_contain_text(TOKEN.says)
    box = popover.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert len(page.context.pages) == 1
    way = popover.get_by_role("link", name=f"Where to see it: {TOKEN.place}")
    expect(way).to_have_attribute("href", TOKEN.shown_at)
    page.get_by_role("heading", name="Text", exact=True).tap()
    expect(popover).to_be_hidden()


def test_with_the_keyboard_focus_shows_it_tab_leads_into_it_and_escape_ends_it(browser_page, streamlit_server):
    page = opened(browser_page, streamlit_server(SERVER))
    link = page.locator(LINKS).first
    page.get_by_role("button", name="Class").first.focus()
    page.keyboard.press("Tab")
    popover = page.get_by_role("dialog", name="token")
    expect(link).to_be_focused()
    expect(popover).to_contain_text(TOKEN.says)
    expect(link).to_have_accessible_description(re.compile(re.escape(TOKEN.says)))
    page.keyboard.press("Enter")
    expect(popover.get_by_role("link").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(popover).to_be_hidden()
    expect(link).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("dialog", name="attention head")).to_be_visible()
    expect(popover).to_be_hidden()


def test_a_mouse_that_rests_on_a_term_shows_it_and_one_that_leaves_it_hides_it(browser_page, streamlit_server):
    page = opened(browser_page, streamlit_server(SERVER))
    page.locator(LINKS).first.hover()
    popover = page.get_by_role("dialog", name="token")
    expect(popover).to_be_visible()
    popover.hover()
    expect(popover).to_be_visible()
    page.get_by_role("heading", name="Text", exact=True).hover()
    expect(popover).to_be_hidden()


def test_the_way_leads_to_the_section_that_shows_it(browser_page, streamlit_server):
    page = opened(browser_page, streamlit_server(SERVER), "heads?show=Ablated+heads")
    page.locator(LINKS, has_text="head").first.click()
    with page.context.expect_page() as opened_page:
        page.get_by_role("dialog").get_by_role("link", name="Where to see it").click()
    expect(opened_page.value).to_have_url(re.compile(r"/heads\?show=Measured"))


def test_a_link_to_a_term_is_a_page_of_its_own_too(browser_page, streamlit_server):
    browser_page.goto(f"{streamlit_server(SERVER)}/{TOKEN.address}")
    expect(browser_page.locator(".st-key-asked")).to_contain_text(TOKEN.says)
