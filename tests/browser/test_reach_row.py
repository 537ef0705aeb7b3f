"""reach_row in a real browser: what is pointed at is told there, and a click says which part of the picture it is."""

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.apps.reach_row_app import COLUMNS, ROWS, shares
from tests.browser.conftest import take_away

APP = Path(__file__).parent / "apps" / "reach_row_app.py"
SVG = "{http://www.w3.org/2000/svg}"
MARGIN = 20  # pixels of a file around the drawing


@pytest.fixture
def strips(browser_page: Page, streamlit_server) -> Page:
    """The app's page with its two strips."""
    browser_page.goto(streamlit_server(APP))
    expect(caption(browser_page)).to_contain_text("Point at a patch")
    return browser_page


def caption(page: Page) -> Locator:
    return page.locator(".reach .tell")


def patch(page: Page, tile: int, row: int, column: int) -> dict[str, float]:
    """The middle of a patch; where it lies is known from the SVG file, which has a veil of cells for each tile."""
    groups = ElementTree.parse(taken(page, "SVG")).iter(f"{SVG}g")
    cell = [group for group in groups if len(group) == ROWS * COLUMNS][tile][row * COLUMNS + column]
    x, y, width, height = (float(cell.get(name)) for name in ("x", "y", "width", "height"))
    return {"x": x - MARGIN + width / 2, "y": y - MARGIN + height / 2}


def taken(page: Page, kind: str) -> Path:
    with page.expect_download() as download:
        take_away(page.locator(".reach"), kind)
    return Path(download.value.path())


def percent(share: float) -> float:
    return pytest.approx(100 * share, rel=5e-3)


def test_pointing_tells_the_share_of_the_patch_without_the_server(strips):
    strips.locator(".reach .over").hover(position=patch(strips, 4, 2, 5))
    expect(caption(strips)).to_contain_text("Second, after block 4: ")
    match = re.search(r": ([\d.e-]+)% comes from row 2, column 5\.", caption(strips).inner_text())
    assert float(match[1]) == percent(shares(4)[2, 5])
    strips.locator(".reach .over").hover(position=patch(strips, 1, ROWS - 1, 0))
    expect(caption(strips)).to_have_text("First, after block 1: nothing can come from row 3, column 0.")
    expect(strips.get_by_text("runs: 1", exact=True)).to_be_visible()


def test_a_click_tells_the_server_which_part_of_the_picture_was_meant(strips):
    strips.locator(".reach .over").click(position=patch(strips, 0, 3, 1))
    expect(strips.get_by_text("clicked: 0.8750, 0.2500")).to_be_visible()


def test_the_keyboard_walks_over_a_tile_and_from_tile_to_tile(strips):
    strips.locator(".reach .map").focus()
    for key in ("ArrowDown", "ArrowLeft", "PageDown"):
        strips.keyboard.press(key)
    expect(caption(strips)).to_contain_text("First, after block 1: ")
    expect(caption(strips)).to_contain_text("row 2, column 1")
    strips.keyboard.press("Enter")
    expect(strips.get_by_text("clicked: 0.6250, 0.2500")).to_be_visible()


def test_the_numbers_are_those_that_were_given(strips):
    with taken(strips, "CSV").open(encoding="utf-8-sig", newline="") as file:
        lines = [line for line in csv.DictReader(file) if (line["model"], line["after"]) == ("Second", "block 3")]
    table = np.array([float(line["share"] or -1) for line in lines]).reshape(ROWS, COLUMNS)
    np.testing.assert_allclose(table, shares(3), rtol=2e-3, atol=1e-6)
