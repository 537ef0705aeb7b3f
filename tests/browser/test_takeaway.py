import csv
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from dashboard.theme import LIGHT
from tests.browser.conftest import take_away

APP = Path(__file__).parent / "apps" / "takeaway_app.py"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def charts(browser_page: Page, streamlit_server):
    """Opens the page with a query and waits for both charts."""

    def visit(query: str = "") -> Page:
        browser_page.goto(f"{streamlit_server(APP)}/?{query}")
        expect(browser_page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        expect(browser_page.locator(".js-plotly-plot")).to_have_count(2)
        return browser_page

    return visit


def taken(page: Page, name: str, kind: str) -> Path:
    with page.expect_download() as download:
        take_away(page.locator(f".st-key-takeaway-{name}"), kind)
    ending = "csv" if "CSV" in kind else kind.lower()
    assert download.value.suggested_filename == f"attention-atlas-{name}.{ending}"
    return Path(download.value.path())


def drawing(page: Page, name: str) -> tuple[ElementTree.Element, set[str]]:
    root = ElementTree.parse(taken(page, name, "SVG")).getroot()
    return root, {"".join(text.itertext()) for text in root.iter(f"{SVG}text")}


def test_each_row_takes_the_chart_above_it(charts):
    page = charts()
    first, second = drawing(page, "first")[1], drawing(page, "second")[1]
    assert {"places of the first", "2 times", "line <b>x</b>", "square"} <= first
    assert "places of the second" in second
    assert "places of the second" not in first


def test_it_is_still_the_right_chart_as_it_is_now_after_reruns_and_with_another_before(charts):
    page = charts()
    page.get_by_text("Another before").click()
    expect(page.locator(".js-plotly-plot")).to_have_count(3)
    page.get_by_role("slider").press("ArrowRight")
    expect(page.locator(".st-key-first").get_by_text("3 times")).to_be_visible()
    assert {"places of the first", "3 times"} <= drawing(page, "first")[1]
    assert "places of the second" in drawing(page, "second")[1]
    assert "third" in drawing(page, "third")[1]


def test_the_svg_stands_alone_with_title_paper_and_font(charts):
    page = charts()
    root, _ = drawing(page, "first")
    assert root.find(f"{SVG}title").text == "The first <chart> & its lines"
    assert root.find(f"{SVG}rect").get("fill") == "#fbfaf7"
    assert "@font-face" in root.find(f"{SVG}style").text
    links = [value for part in root.iter() for name, value in part.attrib.items() if name.endswith("href")]
    assert not [link for link in links if not link.startswith(("data:", "#"))]
    assert not [part for part in root.iter() if part.get("class") in ("hoverlayer", "draglayer", "modebar")]


def test_the_png_is_the_chart_twice_as_fine_on_the_paper_of_the_page(charts):
    page = charts()
    root, _ = drawing(page, "first")
    with Image.open(taken(page, "first", "PNG")) as image:
        assert image.size == tuple(2 * int(root.get(side)) for side in ("width", "height"))
        colours = {colour: count for count, colour in image.convert("RGB").getcolors(1 << 20)}
        assert max(colours, key=colours.get) == (0xFB, 0xFA, 0xF7)
        assert tuple(bytes.fromhex(LIGHT.hues[0][1:])) in colours  # the hue of the first line


def test_the_numbers_are_those_of_the_table_and_nothing_in_them_is_a_formula(charts):
    page = charts()
    text = taken(page, "first", r"Numbers (CSV)").read_bytes().decode("utf-8-sig")
    rows = list(csv.reader(StringIO(text)))
    assert rows == [
        ["place", "label", "line"],
        ["0", "'=1+1", "0"],
        ["1", "b,c", "2"],
        ["2", "שלום", "4"],
        ["3", "d", "6"],
    ]


def test_a_chart_without_a_table_offers_no_numbers(charts):
    row = charts().locator(".st-key-takeaway-second")
    row.get_by_role("button", name="Download", exact=True).click()
    expect(row.get_by_role("menuitem")).to_have_text(["Copy link", "SVG", "PNG"])


def test_the_menu_is_walked_through_and_left_with_the_keyboard(charts):
    row = charts().locator(".st-key-takeaway-first")
    opener, items = row.get_by_role("button", name="Download", exact=True), row.get_by_role("menuitem")
    expect(items).to_have_count(0)
    opener.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    for key, focused in {"": 0, "ArrowDown": 1, "ArrowUp": 0, "End": 3, "Home": 0}.items():
        if key:
            items.first.page.keyboard.press(key)
        expect(items.nth(focused)).to_be_focused()
    row.page.keyboard.press("ArrowUp")  # round
    expect(items.last).to_be_focused()
    row.page.keyboard.press("Escape")
    expect(items).to_have_count(0)
    expect(opener).to_be_focused()
    expect(opener).to_have_attribute("aria-expanded", "false")


def test_the_menu_is_inside_of_a_small_window_and_leaves_with_a_tap_elsewhere(charts):
    page = charts()
    page.set_viewport_size({"width": 390, "height": 500})
    row = page.locator(".st-key-takeaway-second")
    row.get_by_role("button", name="Download", exact=True).click()
    for item in row.get_by_role("menuitem").all():
        expect(item).to_be_in_viewport(ratio=1)
    page.mouse.click(380, 10)
    expect(row.get_by_role("menuitem")).to_have_count(0)


def test_the_link_is_that_of_the_page(charts):
    page = charts("head=3")
    row = page.locator(".st-key-takeaway-second")
    take_away(row, "Copy link")
    expect(row.get_by_role("status")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_presented_chart_stands_alone(charts):
    page = charts("present=1")
    expect(page.get_by_role("button", name="Download", exact=True)).to_have_count(0)
    expect(page.locator(".modebar-btn")).to_have_count(0)
