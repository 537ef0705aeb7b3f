"""The four pages of Foundations in a real browser: every section by its address, on a phone too."""

import pytest
from playwright.sync_api import expect

SECTIONS = [
    ("heads", "Measured"),
    ("heads", "Silenced"),
    ("heads", "Added up"),
    ("heads", "Taken together"),
    ("order", "Shuffle"),
    ("order", "Waves"),
    ("order", "Learned"),
    ("order", "Relative"),
    ("order", "Beyond training"),
    ("before", "Reach"),
    ("before", "Copy"),
    ("before", "Three ways"),
    ("before", "The five models"),
    ("inside", "Walk"),
    ("inside", "Stream"),
    ("inside", "Logit lens"),
    ("inside", "Sizes"),
]


@pytest.mark.parametrize(("page", "section"), SECTIONS)
def test_every_section_is_alive_at_its_own_address_and_fits_a_phone(visit, browser_page, page, section):
    browser_page.set_viewport_size({"width": 390, "height": 844})
    shown = visit(page, section)
    expect(shown.get_by_role("radio", name=section, exact=True)).to_be_checked()
    expect(shown.get_by_test_id("stException")).to_have_count(0)
    assert shown.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
