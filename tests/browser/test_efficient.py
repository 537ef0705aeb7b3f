"""Efficient attention in a real browser: every section by its address, a method that is chosen, a swap that is read."""

import re

import pytest
from playwright.sync_api import expect

SECTIONS = ["Maps", "Swapped in", "From scratch", "Cost"]
SHORT = {"model": "gpt-books", "source": "Your own", "text": "The old man looked at the sea and said nothing of it."}


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_alive_at_its_own_address_and_fits_a_phone(visit, browser_page, section):
    browser_page.set_viewport_size({"width": 390, "height": 844})
    shown = visit("efficient", section, **SHORT)
    expect(shown.get_by_role("radio", name=section, exact=True)).to_be_checked()
    expect(shown.get_by_test_id("stException")).to_have_count(0)
    expect(shown.locator(".katex-error")).to_have_count(0)
    assert shown.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390


def test_another_method_has_its_own_controls_and_stays_in_the_address(visit):
    page = visit("efficient", "Maps", **SHORT)
    expect(page.get_by_text("Window, in tokens")).to_be_visible()
    page.get_by_role("radio", name="Performer", exact=True).click()
    expect(page.get_by_text("Window, in tokens")).to_have_count(0)
    expect(page).to_have_url(re.compile("Performer"))


def test_another_method_in_the_model_has_another_loss(visit):
    page = visit("efficient", "Swapped in", **SHORT)
    loss = page.get_by_test_id("stMetric").filter(has_text="Loss, swapped in").get_by_test_id("stMetricValue")
    expect(loss).to_have_text(re.compile("bits"))
    before = loss.inner_text()
    page.get_by_role("radio", name="Performer", exact=True).click()
    expect(loss).not_to_have_text(before)
    expect(loss).to_have_text(re.compile("bits"))
