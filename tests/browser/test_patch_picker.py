"""The patch picker in a real browser: pointing, clicking, the keyboard, and what can be taken away."""

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.apps.patch_picker_app import COLUMNS, NAME, PATCHES, ROWS, VALUES
from tests.browser.conftest import PHONE, take_away

APP = Path(__file__).parent / "apps" / "patch_picker_app.py"
EDGE = 3  # pixels around the picture


@pytest.fixture
def picker(browser_page: Page, streamlit_server):
    browser_page.goto(streamlit_server(APP))
    expect(browser_page.get_by_role("grid")).to_have_count(2)
    expect(browser_page.get_by_text("in 1 runs")).to_be_visible()
    return browser_page


def part(page: Page, name: str):
    return page.locator(f".st-key-{name}")


def place(page: Page, name: str, row: int, column: int) -> tuple[float, float]:
    box = part(page, name).locator(".map").bounding_box()
    wide, high = box["width"] - 2 * EDGE, box["height"] - 2 * EDGE
    return box["x"] + EDGE + (column + 0.5) * wide / COLUMNS, box["y"] + EDGE + (row + 0.5) * high / ROWS


def taken(page: Page, name: str, kind: str) -> Path:
    with page.expect_download() as download:
        take_away(part(page, name), kind)
    assert download.value.suggested_filename == f"attention-atlas-{name}.{kind.lower()}"
    return Path(download.value.path())


def colour_at(page: Page, name: str, row: int, column: int) -> tuple[int, ...]:
    with Image.open(taken(page, name, "PNG")) as image:
        wide, high = image.width - 4 * EDGE, image.height - 4 * EDGE  # two pixels for one
        x = 2 * EDGE + round((column + 0.5) * wide / COLUMNS)
        y = 2 * EDGE + round((row + 0.5) * high / ROWS)
        return image.convert("RGB").getpixel((x, y))


def test_patches_are_told_clicked_covered_and_walked_through(picker):
    tell = part(picker, "hide").locator(".tell")
    expect(tell).to_contain_text("click to choose it")
    picker.mouse.move(*place(picker, "hide", 1, 2))
    expect(tell).to_have_text(f"patch 1, 2 of {NAME}")  # text, whatever it looks like
    assert picker.evaluate("window.hacked") is None
    np.testing.assert_allclose(colour_at(picker, "hide", 1, 2), PATCHES[1, 2], atol=6)  # a photograph travels as JPEG

    picker.mouse.click(*place(picker, "hide", 1, 2))
    expect(picker.get_by_text("clicked [(1, 2)] in 2 runs")).to_be_visible()
    expect(tell).to_contain_text("(hidden)")
    assert colour_at(picker, "hide", 1, 2) == (0x12, 0x34, 0x56)
    np.testing.assert_allclose(colour_at(picker, "hide", 0, 0), PATCHES[0, 0], atol=6)

    grid = part(picker, "hide").get_by_role("grid")
    grid.focus()
    for key in ("Control+Home", "ArrowRight", "ArrowDown", "Enter"):
        picker.keyboard.press(key)
    expect(picker.get_by_text("clicked [(1, 2), (1, 1)] in 3 runs")).to_be_visible()


def test_values_lie_over_the_picture_and_can_be_taken_away(picker):
    picker.mouse.move(*place(picker, "values", 2, 3))
    value = f"{float(f'{VALUES[2, 3]:.3g}'):g}".replace("-", "−")
    expect(part(picker, "values").locator(".tell")).to_have_text(f"row 2, column 3: {value} points")
    expect(part(picker, "values").locator(".legend")).to_be_visible()
    expect(part(picker, "hide").locator(".legend")).to_be_hidden()
    part(picker, "hide").get_by_role("button", name="Download", exact=True).click()
    expect(part(picker, "hide").get_by_role("menuitem")).to_have_text(["Copy link", "SVG", "PNG"])
    picker.keyboard.press("Escape")
    with taken(picker, "values", "CSV").open(encoding="utf-8-sig", newline="") as file:
        _, *lines = csv.reader(file)
    np.testing.assert_array_equal(np.array([line[1:] for line in lines]).astype(np.float32), VALUES)
    picker.mouse.click(*place(picker, "values", 0, 0))
    expect(picker.get_by_text("in 1 runs")).to_be_visible()  # nothing is chosen with it


def test_on_a_phone_the_picture_fits_the_page(picker):
    picker.set_viewport_size(PHONE)
    for name in ("hide", "values"):
        grid = part(picker, name).get_by_role("grid").element_handle()
        picker.wait_for_function("element => element.getBoundingClientRect().right <= 390", arg=grid)
