"""Reconstruction in a real browser, the sections of image-GPT: on a phone, and a map that looks back only."""

import re

import pytest
from playwright.sync_api import expect

SECTIONS = {"Pixel by pixel": {"pixel_rows": "30", "pixel_count": "2"}, "Looking up": {}, "Side by side": {}}


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_alive_at_its_own_address_and_fits_a_phone(visit, browser_page, section):
    browser_page.set_viewport_size({"width": 390, "height": 844})
    shown = visit("reconstruction", section, **SECTIONS[section])
    expect(shown.get_by_role("radio", name=section, exact=True)).to_be_checked()
    expect(shown.get_by_role("heading", name="How it is computed")).to_be_visible(timeout=120_000)
    expect(shown.get_by_test_id("stException")).to_have_count(0)
    expect(shown.locator(".katex-error")).to_have_count(0)
    assert shown.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390


def test_a_pixel_looks_at_what_is_before_it_and_stays_in_the_address(visit):
    page = visit("reconstruction", "Looking up")
    told = page.locator(".photos .told")
    expect(told).to_contain_text("The pixel in row 16, column 16 gives", timeout=120_000)
    expect(told).to_contain_text("to the 528 pixels before it")
    page.locator(".photos .photo canvas").click(position={"x": 4, "y": 4})
    expect(told).to_contain_text("The pixel in row 0, column 0 gives 100% to the start token")
    expect(page).to_have_url(re.compile("map-place=0-0"))
    page.locator(".photos .photo").press("ArrowRight")
    expect(told).to_contain_text("to the one pixel before it")
