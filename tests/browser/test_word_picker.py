"""The word picker in a real browser: pointing, clicking, the keyboard; text is text, whatever it looks like."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.apps.word_picker_app import WORDS
from tests.browser.conftest import PHONE

APP = Path(__file__).parent / "apps" / "word_picker_app.py"


@pytest.fixture
def picker(browser_page: Page, streamlit_server):
    browser_page.goto(streamlit_server(APP))
    expect(browser_page.get_by_text("in 1 runs")).to_be_visible()
    return browser_page


def word(page: Page, place: int):
    return page.locator(".words button").nth(place)


def test_the_text_stands_there_word_by_word_with_nothing_read_as_markup(picker):
    assert picker.locator(".words").evaluate("element => element.textContent") == "".join(WORDS)
    assert picker.locator(".words b").count() == 0
    expect(picker.locator(".words button")).to_have_count(len(WORDS))


def test_a_click_covers_a_word_and_says_what_stands_below(picker):
    tell = picker.locator(".picker .sentence")
    expect(tell).to_have_text("Click a word.")
    word(picker, 4).hover()
    expect(tell).to_have_text("word 4: <b>down</b>")
    word(picker, 4).click()
    expect(picker.get_by_text("clicked [4] in 2 runs")).to_be_visible()
    expect(word(picker, 4)).to_have_attribute("aria-pressed", "true")
    expect(word(picker, 4).locator(".below")).to_have_text("guess")
    word(picker, 4).click()  # the same word again is another click
    expect(picker.get_by_text("clicked [4, 4] in 3 runs")).to_be_visible()


def test_words_are_reached_by_tab_and_arrows_and_clicked_by_enter(picker):
    word(picker, 0).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "Enter"):
        picker.keyboard.press(key)
    expect(picker.get_by_text("clicked [1] in 2 runs")).to_be_visible()
    expect(word(picker, 1)).to_be_focused()
    picker.keyboard.press("End")
    expect(word(picker, len(WORDS) - 1)).to_be_focused()


def test_on_a_phone_the_words_stay_on_the_page(picker):
    picker.set_viewport_size(PHONE)
    picker.wait_for_function(
        "() => [...document.querySelectorAll('*')].every(element => element.getBoundingClientRect().left <= 390)"
    )
    assert picker.evaluate("document.documentElement.scrollWidth") <= 390
