import csv
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from core.attention.equations import terms
from core.attention.worked_examples import SENTENCE
from tests.browser.conftest import PHONE, take_away

APP = Path(__file__).parent / "apps" / "step_view_app.py"
SECTION = "show=Eight+steps"  # what an address says that names nothing of the steps; any other one opens them
OWN = "begin=Your+sentence&text=the+cat+<b>sleeps</b>+now"


@pytest.fixture
def view(browser_page: Page, streamlit_server):
    """Opens the page with a query and waits for the first sum."""

    def visit(query: str = "") -> Page:
        browser_page.goto(f"{streamlit_server(APP)}/?{query or SECTION}")
        expect(browser_page.locator(".reading .cell")).to_be_visible()
        return browser_page

    return visit


def meaning(page: Page) -> Locator:
    return page.locator(".meaning")


def total(page: Page) -> Locator:
    return page.locator(".reading .total")


def address(page: Page) -> dict:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


def largest(*, scale: bool) -> float:
    return float(SENTENCE.steps(scale=scale)[4].arrays["A"][0, 2].max())


def test_forward_back_and_the_arrow_keys_walk_through_all_steps(view):
    page = view()
    forward, back = page.get_by_role("button", name="Forward"), page.get_by_role("button", name="Back")
    expect(back).to_be_disabled()
    meanings = [meaning(page).inner_text()]
    for _ in range(9):
        forward.click()
        meanings.append(meaning(page).inner_text())
    expect(forward).to_be_disabled()
    assert len(set(meanings)) == 8  # the first step has three equations
    assert address(page)["step"] == "project-out"
    page.get_by_role("button", name="Softmax").press("ArrowLeft")
    assert address(page)["step"] == "concatenate"
    back.click()
    assert address(page)["step"] == "mix"


def test_back_in_the_browser_returns_to_the_step_before(view):
    page = view("step=score")
    page.get_by_role("button", name="Softmax").click()
    expect(meaning(page)).to_contain_text("Softmax turns")
    page.go_back()
    expect(meaning(page)).to_contain_text("Each query is compared")


def test_a_link_leads_to_the_step_and_the_cell(view):
    page = view("step=score&cell=1.2")
    expect(page.locator(".reading .cell")).to_contain_text("“cat”, “sleeps”")
    expect(page.locator("[aria-current=step]")).to_have_text("2Score")


@pytest.mark.parametrize("query", ["step=nothing", "step=score&cell=99.99", "cell=-1.x", "step=%3Cb%3E"])
def test_a_link_to_no_step_or_cell_shows_one_that_exists(view, query):
    expect(total(view(query))).to_be_visible()


def test_the_sum_of_each_cell_equals_that_of_core(view):
    page = view()
    for operation in (operation for step in SENTENCE.steps() for operation in step.operations):
        rows, columns = operation.output.of_head(0).shape
        for row, column in ((row, column) for row in range(rows) for column in range(columns)):
            page.locator(".output tbody tr").nth(row).locator("td").nth(column).click()
            printed = number(total(page).inner_text())
            assert printed == pytest.approx(terms(operation, row, column).value, abs=6e-5), operation.output.symbol
        assert address(page)["cell"] == f"{rows - 1}.{columns - 1}"
        if operation.output.symbol != "Y":
            page.get_by_role("button", name="Forward").click()


def test_a_short_sum_is_written_out_with_its_numbers(view):
    page = view("step=score&cell=2.1")
    expect(page.locator(".reading .sum")).to_have_text("2 × 2 + 1 × 1 = 5")


def test_a_long_sum_shows_its_strongest_terms_and_all_on_demand(view):
    page = view(OWN)
    expect(page.locator(".reading .sum")).to_contain_text("sum of 97 terms")
    expect(page.locator(".terms tbody tr")).to_have_count(7)
    page.get_by_role("button", name="All 97 terms").click()
    rows = page.locator(".terms tbody tr")
    expect(rows).to_have_count(97)
    products = page.locator(".terms tbody td:nth-child(3)").all_inner_texts()
    assert sum(map(_written, products)) == pytest.approx(number(total(page).inner_text()), abs=97 * 6e-5)


def test_resting_on_a_cell_previews_its_sum_and_leaving_returns_to_the_chosen_one(view):
    page = view("step=score&cell=2.1")
    page.locator(".output tbody td").first.hover()
    expect(page.locator(".reading .cell")).to_contain_text("“the”, “the”")
    page.locator(".meaning").hover()
    expect(page.locator(".reading .cell")).to_contain_text("“sleeps”, “cat”")


def test_arrow_keys_move_the_cell_while_a_matrix_has_the_focus(view):
    page = view("step=score&cell=2.1")
    page.locator(".output td[tabindex='0']").press("ArrowUp")
    expect(page.locator(".reading .cell")).to_contain_text("“cat”, “cat”")
    assert address(page) == {"show": "Eight steps", "step": "score", "cell": "1.1"}


def test_switching_the_scale_keeps_step_and_cell(view):
    page = view("step=normalise&cell=2.1")
    expect(total(page)).to_have_text(f"{largest(scale=True):.4f}")
    page.get_by_role("button", name="Settings").click()
    page.locator("label", has_text="Scale").click()
    expect(total(page)).to_have_text(f"{largest(scale=False):.4f}")
    assert address(page) == {"show": "Eight steps", "step": "normalise", "cell": "2.1", "scaled": "false"}
    expect(page.locator(".comparison .shown")).to_contain_text("without")


def test_the_comparison_tells_largest_weight_and_entropy_with_and_without_the_scale(view):
    rows = view("step=scale&example=The+classic:+scores+112+and+96").locator(".comparison tbody tr")
    expect(rows.first).to_contain_text("0.88")
    expect(rows.first).to_contain_text("0.53 bits")
    expect(rows.last).to_contain_text("1.00")


def test_play_walks_on_by_itself_and_stops_when_asked(view):
    page = view()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".parts [aria-pressed=true]")).to_have_text("Keys")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.parametrize(("wish", "animation"), [("no-preference", "appear"), ("reduce", "none")])
def test_motion_is_left_out_for_those_who_ask_for_none(view, wish, animation):
    page = view()
    page.emulate_media(reduced_motion=wish)
    page.get_by_role("button", name="Score").click()
    moving = page.locator(".equation.moving > *")
    names = moving.evaluate_all("all => all.map((one) => getComputedStyle(one).animationName)")
    assert set(names) == {animation}


def test_matrices_are_tables_with_headers_and_the_sum_is_announced(view):
    page = view("step=score")
    table = page.get_by_role("table", name="S, 3 rows and 3 columns")
    expect(table.get_by_role("rowheader", name="sleeps")).to_be_visible()
    expect(table.get_by_role("columnheader", name="cat")).to_be_visible()
    expect(page.locator(".reading[aria-live=polite]")).to_be_visible()


def test_a_token_that_looks_like_markup_stays_text(view):
    page = view(f"{OWN}&step=score&cell=2.2")
    expect(page.locator(".reading .cell")).to_contain_text("“<b>sleeps</b>”")
    expect(page.locator(".equation b")).to_have_count(0)


def test_downloads_hold_the_numbers_and_the_picture_of_the_step(view, tmp_path):
    page = view("step=score")
    paths = {}
    for kind in ("CSV", "SVG", "PNG"):
        with page.expect_download() as download:
            take_away(page, kind)
        paths[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(paths[kind])
        assert paths[kind].name == f"attention-atlas-sentence-head-0-score.{kind.lower()}"
    with paths["CSV"].open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["matrix"] == "S"]
    scores = SENTENCE.steps()[1].arrays["S"][0]
    assert [float(row["value"]) for row in rows] == scores.flatten().tolist()
    assert rows[-1]["row label"] == "sleeps"
    texts = [node.text for node in ElementTree.parse(paths["SVG"]).iter("{http://www.w3.org/2000/svg}text")]
    assert "2 × 2 + 1 × 1 = 5" in texts
    with Image.open(paths["PNG"]) as picture:
        assert picture.width > 1000


def test_copy_link_copies_the_address(view):
    page = view("step=score")
    take_away(page, "Copy link")
    expect(page.locator(".takeaway .said")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


@pytest.mark.parametrize("query", ["step=mask", f"{OWN}&step=mask", OWN])
def test_a_phone_shows_everything_without_scrolling_sideways(view, browser_page, query):
    browser_page.set_viewport_size(PHONE)
    page = view(query)
    assert page.locator(".steps").evaluate("root => root.scrollWidth <= root.clientWidth")
    boxes = page.locator(".equation .group").evaluate_all("all => all.map((one) => one.getBoundingClientRect().right)")
    assert max(boxes) <= 390


def test_steps_that_do_not_fit_say_so(view, browser_page):
    expect(view("step=mask").locator(".swipe")).to_be_hidden()
    browser_page.set_viewport_size(PHONE)
    expect(view("step=mask").locator(".swipe")).to_have_text("Step 4 of 8: swipe the row for the others")


def test_the_projector_view_is_larger_and_listens_to_the_arrow_keys_anywhere(view):
    small = view("step=score").locator(".meaning").evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    page = view("step=score&present=1")
    large = page.locator(".meaning").evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert large == pytest.approx(1.4 * small)
    page.keyboard.press("ArrowRight")
    expect(page.locator("[aria-current=step]")).to_have_text("3Scale")
    assert address(page)["show"] == "Eight steps"  # the arrow keys turn no section here


def _written(text: str) -> float:
    """A printed number, also one like 1.2 × 10⁻⁷."""
    mantissa, _, power = text.partition(" × 10")
    exponent = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or "0"
    return number(re.sub(r"\s", "", mantissa)) * 10 ** int(exponent)
