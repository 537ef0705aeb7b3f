"""query_plane in a real browser: a query turned by mouse, finger or keys attends as core computes."""

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from core.attention.query_key_plane import turned
from core.attention.steps import steps_from_heads
from tests.browser.apps.query_plane_app import LABELS, SCALE, vectors
from tests.browser.conftest import PHONE, take_away

APP = Path(__file__).parent / "apps" / "query_plane_app.py"


@pytest.fixture
def plane(browser_page: Page, streamlit_server) -> Page:
    browser_page.goto(streamlit_server(APP))
    expect(handle(browser_page)).to_be_visible()
    return browser_page


def handle(page: Page) -> Locator:
    return page.get_by_role("slider", name="Turn the query")


def turn(page: Page) -> int:
    return int(handle(page).get_attribute("aria-valuenow"))


def centre(page: Page) -> tuple[float, float]:
    box = handle(page).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def origin(page: Page) -> tuple[float, float]:
    """Zero of the plane: the handle half a turn away is its mirror image."""
    before = centre(page)
    for _ in range(4):
        handle(page).press("PageUp")
    after = centre(page)
    handle(page).press("Home")
    expect(handle(page)).to_have_attribute("aria-valuenow", "0")
    expect(page.get_by_text("degrees: 0", exact=True)).to_be_visible()
    return (before[0] + after[0]) / 2, (before[1] + after[1]) / 2


def lines(page: Page) -> list[dict[str, str]]:
    with page.expect_download() as download:
        take_away(page.locator(".query-plane"), "CSV")
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def attends_as_core_does(page: Page) -> None:
    """Dot products, angles in the plane and weights of the browser are those of core for the turn that is drawn."""
    query, keys, allowed, axes = vectors()
    vector = turned(query, axes, float(turn(page)))
    value = torch.zeros(1, len(keys), 1)
    steps = steps_from_heads(vector[None, None], keys[None], value, scale=True, mask=allowed[None, None])
    weights = next(step for step in steps if step.name == "normalise").arrays["A"][0, 0]
    rows = lines(page)[: len(keys)]
    assert [row["vector"] for row in rows] == [f"key {label}" for label in LABELS]

    def column(name):
        return [float(row[name]) for row in rows]

    np.testing.assert_allclose(column("dot product"), keys @ vector, atol=1e-5)
    np.testing.assert_allclose(column("weight"), weights, atol=1e-6)
    drawn, across = (keys @ axes).numpy(), (vector @ axes).numpy()
    cosines = drawn @ across / (np.linalg.norm(drawn, axis=1) * np.linalg.norm(across))
    np.testing.assert_allclose(column("angle in the plane"), np.degrees(np.arccos(cosines)), atol=1e-3)


def test_the_arrow_keys_turn_the_query_and_the_server_learns_it_once_they_rest(plane):
    attends_as_core_does(plane)
    for key, degrees in (("ArrowRight", 5), ("ArrowUp", 10), ("Shift+ArrowLeft", 9), ("PageDown", -36)):
        handle(plane).press(key)
        expect(handle(plane)).to_have_attribute("aria-valuenow", str(degrees))
    expect(plane.get_by_text("degrees: -36", exact=True)).to_be_visible()
    attends_as_core_does(plane)
    query, keys, allowed, axes = vectors()
    products = (keys @ turned(query, axes, -36.0))[allowed] / SCALE
    best = int(products.argmax())
    text = handle(plane).get_attribute("aria-valuetext")
    assert f"“{LABELS[best]}”" in text
    assert int(re.search(r"weight (\d+)%", text)[1]) == round(100 * float(products.softmax(0)[best]))


def test_the_mouse_drags_the_arrow_to_where_it_points(plane):
    zero = origin(plane)
    start = centre(plane)
    angle = math.atan2(zero[1] - start[1], start[0] - zero[0])
    target = angle + math.radians(70)
    plane.mouse.move(*start)
    plane.mouse.down()
    plane.mouse.move(zero[0] + 90 * math.cos(target), zero[1] - 90 * math.sin(target), steps=5)
    expect(handle(plane)).to_have_attribute("aria-valuenow", re.compile(r"^(69|70|71)$"))
    expect(plane.get_by_text("degrees: 0", exact=True)).to_be_visible()
    plane.mouse.up()
    expect(plane.get_by_text(f"degrees: {turn(plane)}", exact=True)).to_be_visible()
    attends_as_core_does(plane)
    middle = [(one + other) / 2 for one, other in zip(zero, centre(plane), strict=True)]  # on the arrow
    plane.mouse.move(*middle)
    plane.mouse.down()
    plane.mouse.move(zero[0] + 90 * math.cos(angle), zero[1] - 90 * math.sin(angle), steps=5)
    plane.mouse.up()
    expect(handle(plane)).to_have_attribute("aria-valuenow", re.compile(r"^(-1|0|1)$"))


def test_a_finger_drags_it_on_a_phone(chromium, streamlit_server):
    context = chromium.new_context(viewport=PHONE, has_touch=True)
    try:
        page = context.new_page()
        page.goto(streamlit_server(APP))
        expect(handle(page)).to_be_visible()
        zero, start = origin(page), centre(page)
        session = context.new_cdp_session(page)

        def touch(kind, *points):
            places = [{"x": x, "y": y} for x, y in points]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

        touch("touchStart", start)
        angle = math.atan2(zero[1] - start[1], start[0] - zero[0]) + math.radians(-50)
        for part in (0.5, 1):
            far = 60 + 20 * part
            touch("touchMove", (zero[0] + far * math.cos(angle), zero[1] - far * math.sin(angle)))
        touch("touchEnd")
        expect(handle(page)).to_have_attribute("aria-valuenow", re.compile(r"^-(49|50|51)$"))
        expect(page.get_by_text(f"degrees: {turn(page)}", exact=True)).to_be_visible()
    finally:
        context.close()
