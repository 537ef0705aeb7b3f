"""Lessons in a real browser: a question, the view it is about with its whole address, and the way from page to page."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import SERVER, press_answer, settled
from tests.dashboard.test_lessons import LESSON


def answer(page: Page, option: str) -> None:
    """Choose an option and see the view."""
    page.get_by_test_id("stButtonGroup").get_by_text(option, exact=True).click()
    settled(page)
    press_answer(page)
    expect(page.get_by_text("You said")).to_be_visible()
    settled(page)


def test_stations_lead_through_pages_each_with_all_that_is_chosen_on_it(browser_page, streamlit_server):
    page = browser_page
    page.goto(f"{streamlit_server(SERVER)}/text?lesson=inside-one-head&station=2")
    expect(page.get_by_role("heading", name="A head with a habit")).to_be_visible()
    settled(page)
    answer(page, "head 5")
    expect(page).to_have_url(re.compile(r"/heads\?.*lesson=inside-one-head&station=2&answer=head"))
    expect(page.get_by_label("Your text")).to_have_value("The dog that the boy saw was tired because it")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="Query, key, score")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Just show me").click()
    # The next station is on another page, whose fields have the names of the one before.
    expect(page).to_have_url(re.compile(r"/steps\?.*station=3"))
    expect(page.get_by_label("Sentence", exact=True)).to_have_value("The dog that the boy saw was tired because it")
    settled(page)
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="Finding what came next last time")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Just show me").click()
    expect(page).to_have_url(re.compile(r"/text\?.*layer=5.*station=4"))
    expect(page.get_by_label("Your text")).to_have_value(
        "The old man looked at their house, and the old man looked at their"
    )
    settled(page)
    page.get_by_role("button", name="Exit lesson").click()
    expect(page).not_to_have_url(re.compile("lesson"))
    expect(page.get_by_label("Your text")).to_have_value(
        "The old man looked at their house, and the old man looked at their"
    )


def test_on_a_projector_keys_turn_stations(browser_page, streamlit_server):
    page = browser_page
    page.goto(f"{streamlit_server(SERVER)}/text?lesson=inside-one-head&station=1&present=1")
    expect(page.get_by_role("heading", name="Nobody looks ahead")).to_be_visible()
    settled(page)
    page.keyboard.press("PageDown")
    expect(page.get_by_role("heading", name="A head with a habit")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Just show me").click()
    expect(page).to_have_url(re.compile(r"/heads\?.*present=1"))
    settled(page)
    page.keyboard.press("PageUp")
    expect(page.get_by_role("heading", name="Nobody looks ahead")).to_be_visible()


def test_a_teacher_opens_a_lesson_of_their_own_and_plays_it(browser_page, streamlit_server):
    page = browser_page
    page.goto(f"{streamlit_server(SERVER)}/lessons")
    settled(page)
    file = {"name": "own.md", "mimeType": "text/markdown", "buffer": LESSON.encode()}
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("heading", name="Titles")).to_be_visible()
    settled(page)
    page.get_by_test_id("stMain").get_by_role("link", name="One", exact=True).click()
    expect(page.get_by_text("What comes next?")).to_be_visible()
    settled(page)
    answer(page, "dog")
    expect(page.get_by_label("Your text")).to_have_value("To be")
