"""Long text in a browser: from the map of all tokens down to one weight, which is the one that the core computes."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core import zoo
from core.long_context import HeadMap, LongReading, read
from dashboard.long_text.books import book_text
from pages.explore.long_text import inputs
from tests.browser.conftest import DESK, PHONE, take_away
from tests.polling import wait_until

SERVER = Path(__file__).parents[2] / "dashboard" / "hosting" / "server.py"
TOKENS = 1024
PROJECTOR = {"width": 1920, "height": 1080}
WEIGHT = re.compile(r"\(token ([\d,]+)\) attends to .*\(token ([\d,]+)\) with weight ([\d.]+)(?: × 10(\S+))?")
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@cache
def reading_by(name: str = inputs.FIRST_MODEL) -> LongReading:
    """The same tokens, read here; as many as the model reads."""
    model = zoo.load_text(name)
    reading = LongReading(replace(model, context=min(TOKENS, model.context)).encode(book_text("The Time Machine")))
    read(model, reading)
    return reading


@pytest.fixture
def reading() -> LongReading:
    return reading_by()


@pytest.fixture
def view(browser_page: Page, streamlit_server):
    """Opens the map in a window of a size, and waits until its overview is there."""

    def visit(size: dict, query: str = f"tokens={TOKENS}") -> Locator:
        browser_page.set_viewport_size(size)
        browser_page.goto(f"{streamlit_server(SERVER)}/long-text?{query}")
        group = browser_page.get_by_role("group", name="Attention over the text")
        expect(group.locator(".links li").first).to_be_visible()
        expect(browser_page.get_by_role("button", name="Cancel")).to_have_count(0)  # nothing is left to be stopped
        return group

    return visit


def stage_of(group: Locator) -> Locator:
    return group.get_by_label(re.compile("Map of attention"))


def point_at(group: Locator, across: float, down: float) -> None:
    box = stage_of(group).bounding_box()
    stage_of(group).hover(position={"x": across * box["width"], "y": down * box["height"]})


def reported_weight(group: Locator) -> tuple[int, int, float] | None:
    """Query, key and weight of the sentence below the map; None while it is about a larger cell."""
    if not (match := WEIGHT.search(group.locator(".tell").inner_text())):
        return None
    query, key, digits, power = match.groups()
    exponent = int(power.translate(SUPERSCRIPTS)) if power else 0
    return int(query.replace(",", "")), int(key.replace(",", "")), float(digits) * 10**exponent


def open_head(group: Locator, reading: LongReading) -> HeadMap:
    """The head that the map shows."""
    layer, head = re.findall(r"\d+", group.locator(".head-name").inner_text())
    return reading.layers[int(layer)].head(int(head))


def is_right(reported: tuple[int, int, float] | None, head: HeadMap) -> bool:
    """Whether a weight that is reported is that of the core, to three digits."""
    if reported is None:
        return False
    query, key, weight = reported
    expected = float(head.weights(slice(query, query + 1), slice(key, key + 1)))
    return weight == pytest.approx(expected, rel=0.01, abs=1e-7)


@pytest.mark.parametrize(
    ("size", "query", "has_room"),
    [(PROJECTOR, "&present=1", True), (DESK, "&present=1", True), (PHONE, "", False)],
    ids=["projector", "small projector", "phone"],
)
def test_the_notice_stands_right_below_the_map_and_on_the_screen_of_a_projector(view, size, query, has_room):
    group = view(size, f"tokens={TOKENS}{query}")
    expect(group.locator(".notice")).to_contain_text("Notice")
    sentence, map_box, notice = (group.locator(name).bounding_box() for name in (".tell", ".map-frame", ".notice"))
    assert map_box["y"] + map_box["height"] <= notice["y"] <= sentence["y"] + sentence["height"] + 12
    assert not has_room or notice["y"] + notice["height"] <= size["height"]


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_map_is_zoomed_from_all_of_the_text_to_one_weight(view, reading, size):
    group = view(size)
    head = open_head(group, reading)
    point_at(group, 0.3, 0.7)
    expect(group.locator(".tell")).to_contain_text("of their attention")
    zoom_in = group.get_by_role("button", name="Zoom in")
    for _ in range(20):
        zoom_in.click()
    point_at(group, 0.5, 0.5)
    wait_until(lambda: is_right(reported_weight(group), head))  # finer tiles replace coarser ones as they arrive
    zoom_out = group.get_by_role("button", name="Show the entire map")
    zoom_out.click()
    point_at(group, 0.3, 0.7)
    expect(group.locator(".tell")).to_contain_text("of their attention")


def test_the_map_of_an_encoder_has_the_weights_of_later_tokens(view):
    name = "bert-books"
    group = view(DESK, f"tokens={TOKENS}&model={name}")
    point_at(group, 0.8, 0.2)
    wait_until(lambda: is_right(reported_weight(group), open_head(group, reading_by(name))))
    query, key, _ = reported_weight(group)
    assert key > query


def test_a_link_of_the_list_leads_to_its_cell_and_the_address_keeps_the_place(view, reading):
    group = view(DESK)
    head = open_head(group, reading)
    least = int(group.get_by_role("spinbutton").input_value())
    far = head.weights(slice(None), slice(None)).tril(-least - 1)[:, 1:]
    group.locator(".links li").first.get_by_role("button").first.click()
    wait_until(lambda: is_right(reported_weight(group), head))
    query, key, weight = reported_weight(group)
    assert query - key > least
    assert weight == pytest.approx(float(far.max()), rel=0.01)
    expect(group.page).to_have_url(re.compile("place="))
    again = view(DESK, group.page.url.partition("?")[2])
    point_at(again, 0.5, 0.5)
    wait_until(lambda: is_right(reported_weight(again), head))
    other_query, other_key, _ = reported_weight(again)
    assert abs(other_query - query) <= 12  # the cell is in view: at the edge of the map not in its middle
    assert abs(other_key - key) <= 12


def test_the_numbers_of_the_view_are_a_file_of_numpy(view, reading):
    group = view(DESK)
    head = open_head(group, reading)
    with group.page.expect_download() as download:
        take_away(group, "NPZ")
    with np.load(download.value.path()) as file:
        depth = int(file["first_query"][1] - file["first_query"][0]).bit_length() - 1
        cells = head.cells(depth, slice(None), slice(None))
        np.testing.assert_allclose(file["share"], cells.shares(TOKENS, depth, 0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(file["maximum"], cells.maxima, rtol=1e-4, atol=1e-6)
        assert len(file["token"]) == TOKENS
