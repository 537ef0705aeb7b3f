"""Why this weight, on Explore / Text in a real browser: a cell opens it below the map, and there are ways back."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import SERVER

QUESTION = re.compile("^Why does .* attend to .* with weight")


def question(page: Page) -> Locator:
    return page.get_by_role("heading", name=QUESTION)


def parameters(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items() if name != "text"}


def test_a_cell_is_explained_below_the_map_until_escape_or_the_button_leads_back(browser_page, streamlit_server):
    page = browser_page
    page.goto(f"{streamlit_server(SERVER)}/text?text=The+old+man+looked+at+the+sea.")
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
