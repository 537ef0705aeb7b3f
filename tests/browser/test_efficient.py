"""Efficient attention in a real browser: a method that is chosen, a swap that is read."""

import re

from playwright.sync_api import expect

SHORT = {"model": "gpt-books", "source": "Your own", "text": "The old man looked at the sea and said nothing of it."}


def test_another_method_has_its_own_controls_and_stays_in_the_address(visit):
    page = visit("efficient", "Maps", **SHORT)
    expect(page.get_by_text("Window, in tokens")).to_be_visible()
    page.get_by_role("combobox", name="Method").click()
    page.get_by_role("option", name="Performer", exact=True).click()
    expect(page.get_by_text("Window, in tokens")).to_have_count(0)
    expect(page).to_have_url(re.compile("Performer"))


def test_another_method_in_the_model_has_another_loss(visit):
    page = visit("efficient", "Swapped in", **SHORT)
    loss = page.get_by_test_id("stMetric").filter(has_text="Loss, swapped in").get_by_test_id("stMetricValue")
    expect(loss).to_have_text(re.compile("bits"))
    before = loss.inner_text()
    page.get_by_role("combobox", name="Method").click()
    page.get_by_role("option", name="Performer", exact=True).click()
    expect(loss).not_to_have_text(before)
    expect(loss).to_have_text(re.compile("bits"))
