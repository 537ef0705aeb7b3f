"""The diagram in a real browser: a click or the keyboard chooses a part, and labels are never markup."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE

APP = Path(__file__).parent / "apps" / "diagram_app.py"


@pytest.fixture
def diagram(browser_page: Page, streamlit_server) -> Page:
    browser_page.goto(streamlit_server(APP))
    expect(browser_page.locator(".diagram svg")).to_be_visible()
    return browser_page


def part(page: Page, key: str):
    return page.locator(f'.diagram [data-key="{key}"]:not(.chip)')


def test_a_click_chooses_a_part_and_marks_it(diagram):
    expect(part(diagram, "encoder.blocks.0.mlp")).to_have_attribute("aria-pressed", "true")
    part(diagram, "decoder.blocks.0.cross_attention").click()
    expect(diagram.get_by_text("Chosen: decoder.blocks.0.cross_attention")).to_be_visible()
    expect(part(diagram, "decoder.blocks.0.cross_attention")).to_have_attribute("aria-pressed", "true")
    expect(part(diagram, "encoder.blocks.0.mlp")).to_have_attribute("aria-pressed", "false")


def test_a_number_opens_a_block(diagram):
    diagram.locator('.diagram .chip[data-key="encoder.blocks.2.mlp"]').click()
    expect(part(diagram, "encoder.blocks.2.attention")).to_be_visible()
    expect(part(diagram, "encoder.blocks.0.attention")).to_have_count(0)


def test_the_keyboard_moves_and_chooses(diagram):
    part(diagram, "encoder.blocks.0.attention_norm").focus()
    for key in ("ArrowDown", "ArrowUp", "Enter"):
        diagram.keyboard.press(key)
    expect(diagram.get_by_text("Chosen: encoder.blocks.0.attention_norm")).to_be_visible()
    expect(part(diagram, "encoder.blocks.0.attention_norm")).to_be_focused()


def test_what_a_visitor_wrote_stays_text(diagram):
    expect(diagram.locator(".diagram text", has_text="<b>seven</b> tokens")).to_be_visible()
    expect(diagram.locator(".diagram b")).to_have_count(0)


def test_on_a_phone_the_diagram_scrolls_and_the_page_does_not(diagram):
    diagram.set_viewport_size(PHONE)
    expect(diagram.locator(".diagram svg")).to_be_visible()
    assert diagram.evaluate("document.documentElement.scrollWidth") <= 390
