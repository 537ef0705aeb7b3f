import csv
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, WebSocket, expect

from dashboard import theme
from tests.browser.apps.cell_map_app import HEADS, HUES, LABELS, LARGE, LINKS, NAMES, ODD
from tests.browser.conftest import PHONE, listening, take_away

APP = Path(__file__).parent / "apps" / "cell_map_app.py"
SVG = "{http://www.w3.org/2000/svg}"

DRAWN = [theme.LIGHT.hues[theme.HUES.index(hue)] for hue in HUES]  # as light paper shows them


@pytest.fixture
def maps(browser_page: Page, streamlit_server):
    """Opens the page with a query and waits for all maps."""

    def visit(query: str = "") -> Page:
        browser_page.set_viewport_size({"width": 1280, "height": 2000})
        browser_page.goto(f"{streamlit_server(APP)}/?{query}")
        expect(browser_page.get_by_role("grid")).to_have_count(4)
        expect(browser_page.get_by_text("runs")).to_be_visible()
        return browser_page

    return visit


def part(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-{name} .cells")


def place(page: Page, name: str, row: int, column: int) -> tuple[float, float]:
    """The middle of a cell on the page; the frame around all cells is known from the SVG file."""
    grid, box = part(page, name), part(page, name).locator(".over").bounding_box()
    rows, columns = (int(grid.get_by_role("grid").get_attribute(f"aria-{kind}count")) for kind in ("row", "col"))
    ends = [inner(page, name, box, side) for side in (0, 1)]
    return (
        ends[0][0] + (column + 0.5) * (ends[0][1] - ends[0][0]) / columns,
        ends[1][0] + (row + 0.5) * (ends[1][1] - ends[1][0]) / rows,
    )


def inner(page: Page, name: str, box: dict, side: int) -> tuple[float, float]:
    """Where the cells begin and end across (0) or down (1), from the frame that the SVG draws around them."""
    start, size = ("x", "width") if side == 0 else ("y", "height")
    drawn = drawing(page, name)
    frame = max(drawn.iter(f"{SVG}rect"), key=lambda rect: area(rect) * (rect.get("fill") == "none"))
    margin = {"x": 16, "y": 42}[start]
    begin = box[start] + float(frame.get(start)) - margin
    return begin, begin + float(frame.get(size))


def area(rect: ElementTree.Element) -> float:
    return float(rect.get("width")) * float(rect.get("height"))


def taken(page: Page, name: str, kind: str) -> Path:
    with page.expect_download() as download:
        take_away(part(page, name), kind)
    assert download.value.suggested_filename == f"attention-atlas-{name}.{kind.lower()}"
    return Path(download.value.path())


def drawing(page: Page, name: str) -> ElementTree.Element:
    return ElementTree.parse(taken(page, name, "SVG")).getroot()


def significant(value: float) -> str:
    return f"{float(f'{value:.3g}'):g}".replace("-", "−")


def test_the_cell_under_the_pointer_is_told_in_a_sentence_without_asking_the_server(maps):
    page = maps()
    for row, column in ((0, 0), (3, 5), (1, 2)):
        page.mouse.move(*place(page, "heads", row, column))
        value = significant(HEADS[row, column])
        sentence = f"without layer {row}, head {column} the loss changes by {value} nats"
        expect(part(page, "heads").locator(".tell")).to_have_text(sentence)
    page.mouse.move(1, 1)
    expect(part(page, "heads").locator(".tell")).to_contain_text("Point at a cell")
    expect(page.get_by_text("in 1 runs")).to_be_visible()


def test_a_click_reaches_python_once_and_marks_the_cell(maps):
    page = maps()
    page.mouse.click(*place(page, "heads", 2, 4))
    expect(page.get_by_text("clicked [(2, 4)] in 2 runs")).to_be_visible()
    expect(part(page, "heads").locator(".tell")).to_contain_text("(silenced)")
    expect(part(page, "heads").locator(".legend")).to_contain_text("silenced")
    page.mouse.click(*place(page, "heads", 2, 4))
    expect(page.get_by_text("clicked [(2, 4), (2, 4)] in 3 runs")).to_be_visible()
    page.get_by_role("button", name="Double").click()
    expect(page.get_by_text("clicked [(2, 4), (2, 4)] in 4 runs")).to_be_visible()


def test_a_map_without_on_click_does_not_disturb_the_server(maps):
    page = maps()
    page.mouse.click(*place(page, "odd", 3, 3))
    page.mouse.click(*place(page, "heads", 0, 0))
    expect(page.get_by_text("clicked [(0, 0)] in 2 runs")).to_be_visible()


def test_arrow_keys_walk_and_enter_clicks(maps):
    page = maps()
    grid = part(page, "heads").get_by_role("grid")
    while not grid.evaluate("element => element.getRootNode().activeElement === element"):
        page.keyboard.press("Tab")
    assert grid.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "End", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
    cell = part(page, "heads").get_by_role("gridcell")
    expect(cell).to_have_attribute(
        "aria-label", f"without layer 1, head 4 the loss changes by {significant(HEADS[1, 4])} nats"
    )
    expect(cell).to_have_attribute("aria-colindex", "5")
    expect(grid).to_have_attribute("aria-activedescendant", cell.get_attribute("id"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("clicked [(1, 4)]")).to_be_visible()
    expect(grid).to_be_focused()
    expect(cell).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowDown")
    expect(cell).to_have_attribute(
        "aria-label", f"without layer 3, head 5 the loss changes by {significant(HEADS[3, 5])} nats"
    )


def test_labels_are_text_whatever_they_look_like(maps):
    page = maps()
    tell = part(page, "odd").locator(".tell")
    page.mouse.move(*place(page, "odd", 0, 1))
    expect(tell).to_have_text(f"{LABELS[0]} to {{value}}: {significant(ODD[0, 1])}")
    page.mouse.move(*place(page, "odd", 1, 0))
    expect(tell).to_have_text(f"{{value}} to {LABELS[0]}: {significant(ODD[1, 0])}")
    assert page.evaluate("window.hacked") is None
    assert part(page, "odd").locator("img, b").count() == 0
    assert drawing(page, "odd").find(f"{SVG}title").text == "Odd labels <b>and</b> numbers"


def test_what_is_no_number_or_infinite_or_beyond_the_scale_says_so(maps):
    page = maps()
    tell, legend = part(page, "odd").locator(".tell"), part(page, "odd").locator(".legend")
    page.mouse.move(*place(page, "odd", 0, 0))
    expect(tell).to_have_text(f"word {LABELS[0]}, word {LABELS[0]}: no value")
    page.mouse.move(*place(page, "odd", 2, 2))
    expect(tell).to_have_text("=1+1 to =1+1: −∞")
    expect(legend).to_contain_text("≥ 0.5")
    expect(legend).to_contain_text("no value")
    expect(legend.locator(".hatched")).to_have_count(1)
    expect(legend).to_contain_text("infinite")
    assert "no value" not in part(page, "heads").locator(".legend").inner_text()


def test_the_csv_holds_exactly_the_values(maps):
    page = maps()
    for name, values in (("heads", HEADS), ("odd", ODD), ("large", LARGE)):
        with taken(page, name, "CSV").open(encoding="utf-8-sig", newline="") as file:
            head, *lines = csv.reader(file)
        read = np.array([line[1:] for line in lines]).astype(np.float32)
        np.testing.assert_array_equal(read, values)
        names = [line[0] for line in lines]
        assert head[1:] == (names if name == "odd" else [str(column) for column in range(values.shape[1])])
        if name == "odd":
            assert names == [label.replace("=", "'=") if label.startswith("=") else label for label in LABELS]


def test_the_svg_holds_the_values_the_labels_and_the_scale(maps):
    drawn = drawing(maps(), "heads")
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    assert {"head", "layer"} <= set(texts)
    # All cells have the same decimals: as many as give the largest value three digits that count.
    decimals = 2 - int(np.floor(np.log10(np.abs(HEADS).max())))
    assert {f"{value:.{decimals}f}".replace("-", "−") for value in HEADS.ravel()} <= set(texts)
    high = significant(np.abs(HEADS).max())
    assert {high, f"−{high}"} <= set(texts)


def test_the_png_is_the_map_twice_as_fine(maps):
    page = maps()
    drawn = drawing(page, "heads")
    with Image.open(taken(page, "heads", "PNG")) as image:
        assert image.size == (2 * int(drawn.get("width")), 2 * int(drawn.get("height")))
        assert len(image.convert("RGB").getcolors(1 << 20)) > 20


def test_large_values_are_not_sent_again_after_a_click(maps):
    page = maps()
    sizes = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: sizes.append(len(frame)))

    with listening(page, "websocket", listen):
        page.reload()
        expect(page.get_by_role("grid")).to_have_count(4)
        expect(page.get_by_text("in 1 runs")).to_be_visible()
    assert sum(sizes) > LARGE.nbytes
    for count, (row, column) in enumerate(((200, 500), (3, 77)), start=2):
        sizes.clear()
        page.mouse.click(*place(page, "large", row, column))
        expect(page.get_by_text(f"({row}, {column})] in {count} runs")).to_be_visible()
        assert sum(sizes) < LARGE.nbytes / 4
    expect(part(page, "large").locator(".tell")).to_have_text(
        f"position 3, channel 77: {significant(LARGE[3, 77])} (chosen)"
    )


def test_kinds_are_told_listed_and_painted_by_name(maps):
    page = maps()
    expect(part(page, "kinds").locator(".legend span")).to_have_text(NAMES[1:])
    colours = [
        swatch.evaluate("it => getComputedStyle(it).backgroundColor")
        for swatch in part(page, "kinds").locator(".swatch").all()
    ]
    assert colours == ["rgb({}, {}, {})".format(*bytes.fromhex(hue[1:])) for hue in DRAWN]
    for row, column in ((0, 0), (1, 0), (0, 2)):
        page.mouse.move(*place(page, "kinds", row, column))
        sentence = f"query {row}, key {column}: {NAMES[LINKS[row, column]]}"
        expect(part(page, "kinds").locator(".tell")).to_have_text(sentence)
    page.mouse.move(1, 1)
    with Image.open(taken(page, "kinds", "PNG")) as image:
        painted = {colour for _, colour in image.convert("RGB").getcolors(1 << 20)}
    assert {tuple(bytes.fromhex(hue[1:])) for hue in DRAWN} <= painted
    texts = [text.text for text in drawing(page, "kinds").iter(f"{SVG}text")]
    assert set(NAMES[1:]) <= set(texts)
    with taken(page, "kinds", "CSV").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))[1:]
    assert [line[1:] for line in lines] == [[NAMES[kind] for kind in row] for row in LINKS]


def test_values_that_change_are_shown_at_once(maps):
    page = maps()
    page.get_by_role("button", name="Double").click()
    expect(page.get_by_text("in 2 runs")).to_be_visible()
    page.mouse.move(*place(page, "heads", 1, 1))
    expect(part(page, "heads").locator(".tell")).to_contain_text(f"{significant(2 * HEADS[1, 1])} nats")


def test_presented_maps_are_larger_and_have_nothing_but_the_map(maps):
    page = maps()
    narrow = part(page, "heads").locator(".map").bounding_box()["width"]
    maps("present=1")
    expect(part(page, "heads").get_by_role("button", name="Download", exact=True)).to_be_hidden()
    assert part(page, "heads").locator(".map").bounding_box()["width"] > 1.3 * narrow


def test_on_a_phone_every_map_fits_the_page(maps):
    page = maps()
    page.set_viewport_size(PHONE)
    for name in ("heads", "odd", "large"):
        grid = part(page, name).get_by_role("grid")
        expect(grid).to_be_attached()
        # The page turns narrow first, and the map follows.
        page.wait_for_function(
            "grid => grid.isConnected && grid.getBoundingClientRect().right <= 390"
            " && grid.scrollWidth <= grid.clientWidth",
            arg=grid.element_handle(),
        )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_large_map_asks_for_nothing_again_however_often_its_neighbour_changes(maps):
    page = maps()
    page.mouse.click(*place(page, "large", 100, 200))
    expect(page.get_by_text("in 2 runs")).to_be_visible()
    for runs in range(3, 9):
        page.get_by_role("button", name="Double").click()
        expect(page.get_by_text(f"in {runs} runs")).to_be_visible()
    page.mouse.click(*place(page, "large", 20, 30))
    expect(page.get_by_text("in 9 runs")).to_be_visible()
    page.mouse.move(*place(page, "large", 7, 8))
    expect(part(page, "large").locator(".tell")).to_contain_text(significant(LARGE[7, 8]))
    expect(page.get_by_text("in 9 runs")).to_be_visible()
