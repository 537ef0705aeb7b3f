"""The projector's view in a real browser: entered by a button, turned and left by keys; the way to the next page."""

import re

from playwright.sync_api import expect

from dashboard import contents
from tests.browser.conftest import settled


def test_a_teacher_enters_turns_sections_and_pages_by_keys_and_leaves(visit):
    page = visit("scaling", "Translation")
    settled(page)
    page.get_by_role("button", name="Present").first.click()
    expect(page).to_have_url(re.compile(r"show=Translation&present=1"))
    expect(page.get_by_text("How it is computed")).to_have_count(0)
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect(page).not_to_have_url(re.compile("Translation"))
    settled(page)
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile(r"/efficient\?present=1"))
    expect(page.get_by_role("heading", level=1, name=contents.EFFICIENT.name)).to_be_visible()
    settled(page)
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("present"))


def test_a_section_that_is_chosen_on_the_projector_is_in_the_address(visit):
    """It was not, after the button: what stood elsewhere on the page then had lost its part of the address."""
    page = visit("order", "")
    settled(page)
    page.get_by_role("button", name="Present").first.click()
    expect(page).to_have_url(re.compile("present=1"))
    expect(page.get_by_text("What to notice")).to_have_count(0)
    settled(page)
    page.get_by_role("radiogroup", name="What to look at").hover()  # only the chosen section is seen otherwise
    page.get_by_role("radio", name="Waves").click()
    expect(page).to_have_url(re.compile("show=Waves"))


def test_a_page_ends_with_what_to_read_first_and_with_the_next_one(visit):
    page = visit("scaling", "Images")
    expect(page.get_by_role("link", name=f"Next: {contents.EFFICIENT.question}")).to_be_visible()
    page.get_by_role("link", name=f"Next: {contents.EFFICIENT.question}").click()
    expect(page.get_by_role("heading", level=1, name=contents.EFFICIENT.name)).to_be_visible()
    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("Read first")).to_be_visible()
    expect(main.get_by_role("link", name=contents.HEADS.name)).to_be_visible()
