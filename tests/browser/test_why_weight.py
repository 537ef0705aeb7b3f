"""Why this weight, in a real browser: a cell opens it below the map, and there are ways back."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import SERVER

CELL = ("token", "key")
QUESTION = re.compile("^Why does .* attend to .* with weight")


def question(page: Page) -> Locator:
    return page.get_by_role("heading", name=QUESTION)


def parameters(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items() if name in CELL}


@pytest.mark.parametrize("address", ["text?", "heads?", "missing-word?view=map&", "next-word?view=map&"])
def test_a_cell_is_explained_below_the_map_until_escape_or_the_button_leads_back(
    browser_page, streamlit_server, address
):
    page = browser_page
    page.goto(f"{streamlit_server(SERVER)}/{address}text=The+old+man+looked+at+the+sea.")
    expect(page.get_by_role("heading", name="How it is computed")).to_be_visible()
    expect(question(page)).to_have_count(0)
    over = page.locator(".sheet .over")
    box = over.bounding_box()
    over.click(position={"x": 0.4 * box["width"], "y": 0.8 * box["height"]})
    expect(question(page)).to_be_in_viewport()
    cell = parameters(page)
    assert cell.keys() == {"token", "key"}
    expect(page.get_by_text("The query of")).to_be_visible()

    page.keyboard.press("Escape")
    expect(question(page)).to_have_count(0)
    assert parameters(page) == {"token": cell["token"]}

    weight = page.get_by_role("button", name="Why this weight?").first
    weight.focus()
    page.keyboard.press("Enter")
    expect(question(page)).to_be_in_viewport()
    first_question = question(page).inner_text()
    assert parameters(page)["token"] == cell["token"]
    page.reload()
    expect(question(page)).to_have_text(first_question)

    page.get_by_role("button", name="Back to the map").click()
    expect(question(page)).to_have_count(0)
    expect(over).to_be_in_viewport()
    assert parameters(page) == {"token": cell["token"]}


def test_a_cell_that_is_clicked_in_full_screen_is_explained_outside_of_it_and_the_way_back_leads_there(
    own_tab, streamlit_server
):
    page = own_tab
    page.goto(f"{streamlit_server(SERVER)}/text?text=The+old+man+looked+at+the+sea.")
    expect(page.get_by_role("heading", name="How it is computed")).to_be_visible()
    over = page.locator(".sheet .over")
    width = over.evaluate("element => element.clientWidth")
    page.get_by_role("button", name="Full screen").click()
    is_full = "Boolean(document.fullscreenElement)"
    page.wait_for_function(is_full)
    expect(over).not_to_have_js_property("clientWidth", width)  # the view is drawn again for the screen
    box = over.bounding_box()
    over.click(position={"x": 0.4 * box["width"], "y": 0.8 * box["height"]})
    expect(question(page)).to_be_in_viewport()
    assert not page.evaluate(is_full)
    page.get_by_role("button", name="Back to the map").click()
    expect(question(page)).to_have_count(0)
    # The screen, or the window where the browser grants no screen so long after the click.
    expect(page.locator(".view.full, .view:fullscreen")).to_have_count(1)


def test_a_cell_between_two_languages_is_explained_below_the_maps(browser_page, streamlit_server):
    page = browser_page
    page.goto(f"{streamlit_server(SERVER)}/translation?text=The+old+man+looked+at+the+sea.&translate_units=Pieces")
    chart = page.get_by_role("grid").last
    expect(chart).to_be_visible()
    over = chart.locator(".over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    over.click(position={"x": 0.6 * box["width"], "y": 0.6 * box["height"]})
    expect(question(page)).to_be_in_viewport()
    assert re.search(r"why=transformer\.\d+\.\d+\.\d+", page.url)
    expect(page.get_by_text("Next target word.")).to_be_visible()
    page.get_by_role("button", name="Back to the map").click()
    expect(question(page)).to_have_count(0)
    expect(over).to_be_in_viewport()
    assert "why=" not in page.url
