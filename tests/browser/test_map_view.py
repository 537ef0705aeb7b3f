"""The map of a long text in a real browser, over a small random head whose answers the test gives itself."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import Locator, Page, Route, expect

from core.long_context import HeadMap
from core.long_context.links import strongest_links
from dashboard.long_text.open_reading import NEARBY
from tests.browser.apps.map_view_app import BASE
from tests.browser.conftest import PHONE, take_away

APP = Path(__file__).parent / "apps" / "map_view_app.py"
TOKENS, LAYERS, HEADS = 1100, 2, 3
LABELS = [f" word{token}" for token in range(TOKENS)]
LABELS[0], LABELS[700], LABELS[701] = "<b>Once</b>", " white", " whale"
MARKS = [[0, 0, "Chapter 1"], [600, 0, "Chapter 2"], *([token, 2, f"word{token}"] for token in range(0, TOKENS, 20))]
SVG = "{http://www.w3.org/2000/svg}"


class Server:
    """The answers of a reading: its heads, how far it is, and the addresses that were asked."""

    def __init__(self):
        generator = torch.Generator().manual_seed(0)
        self.heads = {(layer, head): head_map(generator) for layer in range(LAYERS) for head in range(HEADS)}
        self.pyramids = {place: head.pyramid() for place, head in self.heads.items()}
        self.read, self.is_ready, self.error = LAYERS, True, None
        self.requests: list[str] = []

    def answer(self, route: Route) -> None:
        path, _, query = route.request.url.partition(BASE + "/")[2].partition("?")
        self.requests.append(path)
        kind, *rest = path.split("/")
        body = getattr(self, kind)(*map(int, rest), **dict(part.split("=") for part in query.split("&") if part))
        if body is None:
            route.fulfill(status=425, json={"error": "Not computed yet."})
        elif isinstance(body, bytes):
            route.fulfill(body=body, content_type="application/octet-stream")
        else:
            route.fulfill(body=json.dumps(body), content_type="application/json")

    def state(self) -> dict:
        done, total = TOKENS * self.read, TOKENS * LAYERS
        seconds = None if done == total else 42
        state = {"tokens": TOKENS, "layers": [HEADS] * LAYERS, "read": self.read, "done": done, "total": total}
        return state | {"seconds": seconds, "waiting": None, "error": self.error, "causal": True}

    def text(self) -> dict:
        return {"labels": LABELS, "marks": MARKS}

    def thumbnails(self, layer: int) -> bytes:
        maps = [self.heads[layer, head].thumbnail(48) for head in range(HEADS)]
        return np.array([HEADS, len(maps[0])], "<u2").tobytes() + b"".join(map(halves, maps))

    def pyramid(self, layer: int, head: int) -> dict:
        return {"done": 30, "total": 100, "ready": self.is_ready, "first": self.pyramids[layer, head].first}

    def tile(self, layer: int, head: int, depth: int, row: int, column: int) -> bytes | None:
        if not self.is_ready:
            return None
        cells = self.heads[layer, head].tile(depth, row, column, self.pyramids[layer, head])
        shares = cells.shares(TOKENS, depth, row * 256)
        maxima = halves(cells.maxima) if depth else b""
        return np.array(shares.shape, "<u2").tobytes() + halves(shares) + maxima

    def word(self, layer: int, head: int, token: int) -> bytes:
        return halves(self.heads[layer, head].row(token)) + halves(self.heads[layer, head].column(token))

    def links(self, layer: int, head: int, **query: str) -> dict | None:
        if not self.is_ready:
            return None
        farther, first = int(query["farther"]), int(query["from"])
        links = strongest_links(
            self.heads[layer, head],
            self.pyramids[layer, head],
            int(query["count"]),
            farther_than=farther,
            from_key=first,
            nearby=NEARBY,
        )
        return {"links": [[link.query, link.key, link.weight] for link in links], "nearby": NEARBY}


def head_map(generator: torch.Generator) -> HeadMap:
    query, key = (torch.randn(TOKENS, 8, generator=generator) * 2 for _ in range(2))
    scores = (query @ key.T * 8**-0.5).masked_fill(torch.ones(TOKENS, TOKENS).triu(1).bool(), -torch.inf)
    return HeadMap(query, key, scores.logsumexp(1), causal=True)


def halves(numbers: torch.Tensor) -> bytes:
    return numbers.half().numpy().tobytes()


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def opened(own_tab: Page, streamlit_server, server):
    """Opens the app's page with a place, and waits for the map."""

    def visit(place: str = "") -> Page:
        own_tab.route(f"**{BASE}/**", server.answer)
        own_tab.goto(f"{streamlit_server(APP)}/?place={place}")
        expect(own_tab.locator(".head-name")).not_to_be_empty()
        return own_tab

    return visit


def tell(page: Page) -> Locator:
    return page.locator(".long-map .tell")


def readout(page: Page) -> tuple[int, int, float]:
    """The query, the key and the weight that the readout names at depth 0."""
    pattern = r"\(token ([\d,]+)\).*\(token ([\d,]+)\) with weight (less than )?([\d.]+)(?: × 10⁻(.+))?"
    match = re.fullmatch(f".*{pattern}", tell(page).inner_text())
    assert match, tell(page).inner_text()
    query, key = (int(number.replace(",", "")) for number in match.groups()[:2])
    power = int((match[5] or "0").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
    return query, key, 0.0 if match[3] else float(match[4]) * 10**-power


def test_zooming_with_the_wheel_leads_from_all_tokens_to_one_weight(opened, server):
    page = opened("0.1")
    area = page.locator(".field-of-view")
    expect(page.locator(".scale")).to_contain_text("share in view")
    box = area.bounding_box()
    page.mouse.move(box["x"] + 180, box["y"] + 330)
    expect(tell(page)).to_contain_text("of their attention to tokens")
    for _ in range(12):
        page.mouse.wheel(0, -400)
    expect(tell(page)).to_contain_text("with weight")
    query, key, weight = readout(page)
    assert weight == pytest.approx(server.heads[0, 1].row(query)[key].item(), rel=5e-3, abs=1e-6)
    expect(page.get_by_text(re.compile(r"place 0\.1\.-?\d+\.\d+\.\d+"))).to_be_visible()
    before = len(server.requests)
    page.mouse.move(box["x"] + 185, box["y"] + 330)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert not [path for path in server.requests[before:] if path.startswith("tile")], (
        "what is there is not asked for again"
    )


def test_the_keyboard_moves_the_map_and_reads_its_middle(opened, server):
    page = opened("1.2.-4.800.300")
    area = page.locator(".field-of-view")
    area.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(tell(page)).to_contain_text("with weight")
    expect(tell(page)).to_have_attribute("aria-live", "polite")
    query, key, weight = readout(page)
    assert (query, key) == (800, 301)
    assert weight == pytest.approx(server.heads[1, 2].row(query)[key].item(), rel=5e-3, abs=1e-6)
    page.keyboard.press("Home")
    expect(area).to_have_attribute("data-whole", "")


def test_the_share_and_the_maximum_of_a_block_are_those_of_its_weights(opened, server):
    page = opened("0.0")
    box = page.locator(".field-of-view").bounding_box()
    page.mouse.move(box["x"] + 160, box["y"] + 300)
    number = r"([\d,]+)"
    pattern = rf"okens {number} to {number} give ([\d.]+)% of their attention to tokens {number} to {number}"
    expect(tell(page)).to_have_text(re.compile(pattern))
    match = re.search(pattern, tell(page).inner_text())
    assert match
    first, last, left, right = (int(match[group].replace(",", "")) for group in (1, 2, 4, 5))
    share = match[3]
    weights = server.heads[0, 0].weights(slice(first, last + 1), slice(left, right + 1))
    assert float(share) == pytest.approx(100 * weights.sum().item() / len(weights), rel=1e-2)
    page.get_by_role("button", name="Maximum").click()
    page.mouse.move(box["x"] + 160, box["y"] + 300)
    expect(tell(page)).to_contain_text("largest weight")
    assert float(tell(page).inner_text().split()[-1]) == pytest.approx(weights.max().item(), rel=1e-2)


def test_another_head_opens_with_a_click_and_with_arrow_keys(opened):
    page = opened("0.0")
    page.get_by_role("button", name="Layer 1, head 2").click()
    expect(page.locator(".head-name")).to_have_text("Layer 1, head 2")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".head-name")).to_have_text("Layer 0, head 2")
    expect(page.get_by_role("button", name="Layer 0, head 2")).to_be_focused()
    expect(page.get_by_text("place 0.2.")).to_be_visible()


def test_a_word_says_what_it_attends_to_and_a_search_finds_a_phrase(opened, server):
    page = opened("1.0")
    page.get_by_role("searchbox").fill("WHITE whale")
    expect(page.locator(".hits")).to_have_text("1 of 1")
    expect(page.locator(".token.hit")).to_have_count(2)
    page.locator(".token.hit").first.click()
    row, column = server.heads[1, 0].row(700).clone(), server.heads[1, 0].column(700).clone()
    row[700] = column[700] = 0
    said = page.locator(".word-said")
    expect(said).to_contain_text(f"“white” attends most to “{LABELS[int(row.argmax())].strip()}”")
    expect(said).to_contain_text(f"“{LABELS[int(column.argmax())].strip()}” (token {int(column.argmax()):,}")


def test_the_text_beside_the_map_is_where_the_map_is(opened):
    page = opened("1.0.-4.900.300")
    expect(page.locator(".line.centre [data-token='900']")).to_be_visible()
    assert page.locator(".token").count() < TOKENS / 2


def test_links_lead_to_their_cell_and_obey_the_distance(opened, server):
    page = opened("1.1")
    field = page.locator(".links-head input[type=number]")
    expect(field).to_have_value(str(TOKENS // 4))
    field.fill("900")
    expect(page.locator(".links-said")).to_contain_text("more than 900 tokens apart")
    link = strongest_links(server.heads[1, 1], server.pyramids[1, 1], 1, farther_than=900, from_key=1)[0]
    page.locator(".links button").first.click()
    expect(tell(page)).to_contain_text("with weight")
    query, key, weight = readout(page)
    assert (query, key) == (link.query, link.key)
    assert weight == pytest.approx(link.weight, rel=1e-2)
    field.fill("-1")
    expect(page.locator(".links-said")).to_contain_text("0 or more")


def test_python_moves_the_map_and_is_not_answered_by_its_own_echo(opened):
    page = opened("0.0")
    page.get_by_role("button", name="Elsewhere").click()
    expect(page.locator(".head-name")).to_have_text("Layer 1, head 1")
    page.locator(".field-of-view").focus()
    page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_text("place 1.1.-4.901.100")).to_be_visible()
    page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_text("place 1.1.-4.902.100")).to_be_visible()


def test_a_reading_tells_its_progress_and_the_overview_its_share(opened, server):
    server.read, server.is_ready = 1, False
    page = opened("0.0")
    status = page.locator(".status")
    expect(status).to_contain_text("layer 2 of 2")
    expect(status).to_contain_text("42 s left")
    expect(page.get_by_role("button", name="Layer 1, head 0")).to_be_disabled()
    server.read, server.is_ready = LAYERS, True
    expect(page.get_by_role("button", name="Layer 1, head 0")).to_be_enabled()
    expect(status).to_be_hidden()
    server.error = "The reading was stopped."
    page.reload()
    expect(status).to_have_text("The reading was stopped.")


def test_files_hold_the_view_and_labels_are_text(opened):
    page = opened("0.0")
    expect(page.locator(".scale")).to_contain_text("share in view")
    expect(page.locator(".token").first).to_have_text("<b>Once</b>")
    with page.expect_download() as download:
        take_away(page.locator(".long-map"), "SVG")
    root = ElementTree.parse(Path(download.value.path())).getroot()
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"query", "key", "Layer 0, head 0", "Chapter 2"} <= set(texts)
    assert root.find(f"{SVG}image") is not None
    with page.expect_download() as download:
        take_away(page.locator(".long-map"), "PNG")
    with Image.open(download.value.path()) as image:
        assert len(image.convert("RGB").getcolors(1 << 24) or ()) > 50


def test_on_a_phone_the_map_comes_first_and_fits(opened):
    page = opened("0.0")
    page.set_viewport_size(PHONE)
    box = page.locator(".field-of-view").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["y"] < page.locator(".bar").bounding_box()["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
