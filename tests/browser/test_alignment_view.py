import csv
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.apps.alignment_view_app import BAHDANAU, HEADS, LOG_PROBABILITIES, ODD, SOURCE, TARGET, WITHOUT
from tests.browser.conftest import take_away

APP = Path(__file__).parent / "apps" / "alignment_view_app.py"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def views(browser_page: Page, streamlit_server) -> Callable[..., Page]:
    """Opens the page with a query and waits for its views."""

    def visit(query: str = "", *, width: int = 1280, height: int = 1600, count: int = 2) -> Page:
        browser_page.set_viewport_size({"width": width, "height": height})
        browser_page.goto(f"{streamlit_server(APP)}/?{query}")
        expect(browser_page.locator(".alignment")).to_have_count(count)  # the first call starts all
        expect(browser_page.get_by_text("runs")).to_be_visible()
        return browser_page

    return visit


def view(page: Page, name: str = "three") -> Locator:
    return page.locator(f".st-key-{name} .alignment")


def panel(page: Page, title: str, name: str = "three") -> Locator:
    return view(page, name).get_by_role("region", name=title, exact=True)


def word(page: Page, title: str, place: int, name: str = "three") -> Locator:
    return panel(page, title, name).locator(".word").nth(place)


def source(page: Page, place: int, name: str = "three") -> Locator:
    return view(page, name).locator(".source .word").nth(place)


def tell(page: Page, name: str = "three") -> Locator:
    return view(page, name).locator(".tell")


def depth(spot: Locator) -> float:
    """How far a word is tinted: the darker its background, the larger."""
    colour = spot.evaluate("element => getComputedStyle(element).backgroundColor")
    parts = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")]
    return 0.0 if len(parts) == 4 and parts[3] == 0 else 255 - sum(parts[:3]) / 3


def cell(page: Page, title: str, row: int, column: int, name: str) -> tuple[float, float]:
    """The middle of a cell on the page, from the frame that the SVG file draws around all cells of its only panel."""
    chart = panel(page, title, name).locator(".over").bounding_box()
    frame = next(rect for rect in drawing(page, name).iter(f"{SVG}rect") if rect.get("fill") == "none")
    left, top = float(frame.get("x")) - 20, float(frame.get("y")) - 20 - 56
    width, height = float(frame.get("width")) / len(SOURCE), float(frame.get("height")) / len(TARGET)
    return chart["x"] + left + (column + 0.5) * width, chart["y"] + top + (row + 0.5) * height


def taken(page: Page, name: str, label: str, ending: str) -> Path:
    with page.expect_download() as download:
        take_away(view(page, name), label)
    assert download.value.suggested_filename == f"attention-atlas-{name}.{ending}"
    return Path(download.value.path())


def drawing(page: Page, name: str) -> ElementTree.Element:
    return ElementTree.parse(taken(page, name, "SVG", "svg")).getroot()


def test_a_word_lights_its_sources_everywhere_and_the_words_of_other_models_that_share_them(views):
    page = views()
    word(page, "Bahdanau", 3).hover()
    expect(tell(page)).to_contain_text(
        "“européenne” (Bahdanau, written with probability 0.80) looks at “European” with 0.92"
    )
    expect(tell(page)).to_contain_text("0.60 in “européenne” (Transformer)")
    strongest = ODD[int(np.nanargmax(WITHOUT[:, 1]))].strip()
    expect(tell(page)).to_contain_text(f"{WITHOUT[:, 1].max():.2f} in “{strongest}” (Without)")
    sources = [depth(source(page, place)) for place in range(len(SOURCE))]
    assert int(np.argmax(sources)) == 1
    others = [depth(word(page, "Transformer", place)) for place in range(len(TARGET))]
    assert int(np.argmax(others)) == 3
    page.mouse.move(2, 2)
    expect(tell(page)).to_contain_text("Point at a word")
    assert depth(source(page, 1)) == 0
    expect(page.get_by_text("in 1 runs")).to_be_visible()


def test_a_source_word_lights_every_word_that_looks_at_it_by_its_weight(views):
    page = views()
    source(page, 3).hover()
    expect(tell(page)).to_contain_text("“area” weighs")
    expect(tell(page)).to_contain_text("0.92 in “zone” (Bahdanau) and 0.60 in “zone” (Transformer)")
    for title, weights in (("Bahdanau", BAHDANAU), ("Transformer", HEADS["mean"])):
        depths = [depth(word(page, title, place)) for place in range(len(TARGET))]
        assert int(np.argmax(depths)) == int(weights[:, 3].argmax())
    assert depth(word(page, "Bahdanau", 1)) > depth(word(page, "Transformer", 1))


def test_a_click_pins_another_moves_the_pin_and_escape_frees(views):
    page = views()
    word(page, "Transformer", 1).click()
    source(page, 0).hover()
    expect(tell(page)).to_contain_text("“zone” (Transformer")
    word(page, "Bahdanau", 2).click()
    expect(tell(page)).to_contain_text("“économique” (Bahdanau")
    page.keyboard.press("Escape")
    page.mouse.move(2, 2)
    expect(tell(page)).to_contain_text("Point at a word")


def test_words_and_cells_can_be_reached_with_the_keyboard(views):
    page = views()
    words = panel(page, "Bahdanau").get_by_role("listbox")
    while not words.evaluate("element => element.getRootNode().activeElement === element"):
        page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        page.keyboard.press(key)
    expect(tell(page)).to_contain_text("“européenne” (Bahdanau")
    expect(word(page, "Bahdanau", 3)).to_have_attribute("aria-selected", "true")
    expect(words).to_have_attribute("aria-activedescendant", word(page, "Bahdanau", 3).get_attribute("id"))
    page.keyboard.press("Tab")
    grid = panel(page, "Bahdanau").get_by_role("grid")
    expect(grid).to_be_focused()
    cell_in_focus = grid.get_by_role("gridcell")
    before = cell_in_focus.get_attribute("aria-label")
    page.keyboard.press("ArrowUp")
    expect(cell_in_focus).not_to_have_attribute("aria-label", before)
    expect(cell_in_focus).to_have_attribute("aria-label", re.compile(" looks at "))
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_text("in 1 runs")).to_be_visible()


def test_another_map_is_chosen_in_the_browser_and_stays_in_the_address(views):
    page = views()
    panel(page, "Transformer").get_by_role("combobox").select_option(label="layer 1, head 2 (aligns best)")
    word(page, "Transformer", 1).hover()
    expect(tell(page)).to_contain_text("looks at “area” with 0.84")
    page.wait_for_url("**map-transformer=layer+1%2C+head+2**")
    expect(page.get_by_text("in 1 runs")).to_be_visible()
    page.go_back()
    word(page, "Transformer", 2).hover()
    expect(tell(page)).to_contain_text("looks at “economic” with 0.60")
    views("map-transformer=layer+1%2C+head+1")
    word(page, "Transformer", 1).hover()
    expect(tell(page)).to_contain_text("looks at “area” with 0.36")
    views("map-transformer=no+such+map")
    word(page, "Transformer", 1).hover()
    expect(tell(page)).to_contain_text("looks at “area” with 0.60")


def test_a_click_on_a_cell_reaches_python_and_its_link_is_outlined(views):
    page = views()
    spot = cell(page, "Bahdanau", 3, 1, "one")
    outlined = len(list(drawing(page, "one").iter(f"{SVG}rect")))
    page.mouse.click(*spot)
    expect(page.get_by_text("clicked [('bahdanau', 3, 1)] in 2 runs")).to_be_visible()
    assert len(list(drawing(page, "one").iter(f"{SVG}rect"))) > outlined
    page.mouse.click(*spot)
    expect(page.get_by_text("clicked [('bahdanau', 3, 1), ('bahdanau', 3, 1)] in 3 runs")).to_be_visible()


def test_labels_are_text_whatever_they_look_like(views):
    page = views()
    expect(panel(page, "Without").locator(".word").first).to_have_text(ODD[0])
    assert view(page).locator("img").count() == 0
    assert page.evaluate("window.hacked") is None
    texts = [text.text for text in drawing(page, "three").iter(f"{SVG}text")]
    assert any(text and text.startswith("<img") for text in texts)


def test_the_csv_holds_every_weight_that_is_shown(views):
    page = views()
    with taken(page, "three", "Numbers (CSV)", "csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    weights_of_models = {"Without": WITHOUT, "Bahdanau": BAHDANAU, "Transformer": HEADS["mean"]}
    assert len(rows) == sum(weights.size for weights in weights_of_models.values())
    for row in rows:
        weight = weights_of_models[row["model"]][int(row["target place"]), int(row["source place"])]
        if np.isnan(weight):
            assert row["weight"] == ""
        else:
            assert float(row["weight"]) == pytest.approx(weight, rel=1e-3, abs=1e-6)
        if row["model"] == "Bahdanau":
            assert float(row["log-probability"]) == pytest.approx(LOG_PROBABILITIES[int(row["target place"])])


def test_the_png_is_the_svg_twice_as_fine(views):
    page = views()
    drawn = drawing(page, "three")
    with Image.open(taken(page, "three", "PNG", "png")) as image:
        assert image.size == (2 * int(drawn.get("width")), 2 * int(drawn.get("height")))
        assert len(image.convert("RGB").getcolors(1 << 20)) > 20


def test_the_weights_are_there_as_tables(views):
    page = views()
    view(page).get_by_text("These weights as tables").click()
    table = view(page).locator("table", has_text="Bahdanau, attention")
    expect(table.locator("tbody tr").nth(3).locator("td")).to_have_text([f"{w:.2f}" for w in BAHDANAU[3]])
    expect(
        view(page).locator("table", has_text="Without, influence").locator("td", has_text="not allowed")
    ).to_have_count(4)


def test_a_long_text_keeps_its_cells_and_scrolls_inside_its_panel(views):
    page = views("long=1", count=3, height=3000)
    charts = view(page, "long").locator(".chart")
    for chart in charts.all():
        size = chart.evaluate("element => [element.scrollWidth, element.clientWidth, element.scrollHeight]")
        assert size[0] >= 190 * 6
        assert size[1] <= 1280
        assert size[2] >= 130 * 6
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_panels_are_side_by_side_on_a_wide_window_and_below_one_another_on_a_phone(views):
    page = views()
    tops = [box.bounding_box()["y"] for box in view(page).locator(".panel").all()]
    assert max(tops) - min(tops) < 2
    views(width=390, height=3000)
    boxes = [box.bounding_box() for box in view(page).locator(".panel").all()]
    assert all(below["y"] > above["y"] + 100 for above, below in pairwise(boxes))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_presented_words_are_larger_and_nothing_but_the_maps_is_left(views):
    page = views()
    small = word(page, "Bahdanau", 3).bounding_box()["height"]
    views("present=1")
    assert word(page, "Bahdanau", 3).bounding_box()["height"] > 1.3 * small
    expect(view(page).get_by_role("button", name="Download", exact=True)).to_be_hidden()
