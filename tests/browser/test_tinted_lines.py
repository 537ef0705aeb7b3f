"""The tinted lines in a real browser: one pointer, all lines; text stays text; zero is the page."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

APP = Path(__file__).parent / "apps" / "tinted_lines_app.py"


@pytest.fixture
def lines(browser_page: Page, streamlit_server) -> Page:
    browser_page.goto(streamlit_server(APP))
    expect(browser_page.locator(".tinted .text")).to_have_count(2)
    return browser_page


def letters(page: Page, line: int) -> Locator:
    return page.locator(".tinted .text").nth(line).locator("span")


def marked(page: Page) -> list[str]:
    return page.locator(".tinted .here").all_inner_texts()


def test_pointing_at_a_character_marks_it_in_every_line_and_says_its_sentence(lines):
    letters(lines, 1).nth(5).hover()
    expect(lines.locator(".sentence")).to_have_text("Second at 5")
    assert marked(lines) == ["c", "c"]
    lines.mouse.move(600, 700)
    expect(lines.locator(".sentence")).to_have_text("Point at a character.")
    assert marked(lines) == []


def test_tab_and_the_arrow_keys_do_the_same(lines):
    lines.locator(".tinted .text").first.focus()
    lines.keyboard.press("End")
    expect(lines.locator(".sentence")).to_have_text("First at 5")
    lines.keyboard.press("ArrowLeft")
    lines.keyboard.press("ArrowLeft")
    expect(lines.locator(".sentence")).to_have_text("First at 3")
    lines.keyboard.press("Home")
    expect(lines.locator(".sentence")).to_have_text("First at 0")


def test_a_letter_is_a_letter_and_never_markup(lines):
    assert letters(lines, 0).all_inner_texts() == list("ab<b>c")
    expect(lines.locator(".tinted .after b").first).to_have_text("<i>")
    assert lines.locator(".tinted i").count() == 1  # the scale


def test_no_strength_is_the_page_and_full_strength_is_full_ink(lines):
    def colour(locator: Locator) -> str:
        return locator.evaluate("element => getComputedStyle(element).backgroundColor")

    assert colour(letters(lines, 0).nth(0)) == colour(letters(lines, 1).nth(1)) == "rgb(251, 250, 247)"
    assert colour(letters(lines, 0).nth(5)) == colour(letters(lines, 1).nth(0)) == "rgb(11, 79, 108)"


def test_odd_characters_are_underlined_and_explained(lines):
    assert lines.locator(".tinted .text .odd").all_inner_texts() == ["<", "<"]
    expect(lines.locator(".tinted .head")).to_contain_text("odd")


def test_a_screen_reader_hears_a_sentence_for_each_line(lines):
    expect(lines.get_by_role("img", name="First: summary")).to_be_visible()


def test_on_a_phone_nothing_is_wider_than_the_page(lines):
    lines.set_viewport_size({"width": 390, "height": 800})
    assert lines.locator(".tinted").evaluate("root => root.scrollWidth <= root.clientWidth")
