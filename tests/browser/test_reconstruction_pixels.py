"""Reconstruction in a real browser, the sections of image-GPT: a map that looks back only."""

import re

from playwright.sync_api import expect


def test_a_pixel_looks_at_what_is_before_it_and_stays_in_the_address(visit):
    page = visit("reconstruction", "Looking up")
    caption = page.locator(".photos .told")
    expect(caption).to_contain_text("The pixel in row 16, column 16 gives", timeout=120_000)
    expect(caption).to_contain_text("to the 528 pixels before it")
    page.locator(".photos .photo canvas").click(position={"x": 4, "y": 4})
    expect(caption).to_contain_text("The pixel in row 0, column 0 gives 100% to the start token")
    expect(page).to_have_url(re.compile("map-place=0-0"))
    page.locator(".photos .photo").press("ArrowRight")
    expect(caption).to_contain_text("to the one pixel before it")
