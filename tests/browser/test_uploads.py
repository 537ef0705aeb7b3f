"""Files of a visitor's own in a real browser: given once, shown on every page, taken away again; on a phone as well."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, SERVER

PICTURES = ["image?", "heads?input=Picture", "inside?machine=Encoder", "vit?patches=8", "swin?patches=16"]


def picture() -> dict:
    file = BytesIO()
    Image.linear_gradient("L").convert("RGB").resize((300, 200)).save(file, "PNG")
    return {"name": "a [bold](x) name.png", "mimeType": "image/png", "buffer": file.getvalue()}


def give_picture(page: Page) -> None:
    page.get_by_role("button", name="Your own").click()
    page.locator("input[type=file]").set_input_files(picture())
    expect(photograph(page)).to_have_value("yours")


def photograph(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Photograph")


@pytest.fixture
def opened(browser_page, streamlit_server):
    """Open an address on a phone."""

    def visit(address: str) -> Page:
        browser_page.set_viewport_size(PHONE)
        browser_page.goto(f"{streamlit_server(SERVER)}/{address}")
        return browser_page

    return visit


@pytest.mark.parametrize("address", PICTURES)
def test_a_picture_is_given_and_taken_away_wherever_one_is_asked_for(opened, address):
    page = opened(address)
    expect(page.get_by_role("heading", name="How it is computed")).to_be_visible()
    give_picture(page)
    remove = page.get_by_role("button", name="Remove a [bold](x) name.png")
    expect(remove).to_be_visible()
    expect(page.get_by_role("heading", name="How it is computed")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    remove.click()
    expect(photograph(page)).to_have_value("cat")


def test_a_picture_is_there_on_the_next_page_as_well(opened):
    page = opened("image?")
    expect(page.get_by_role("heading", name="How it is computed")).to_be_visible()
    give_picture(page)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("link", name="Vision transformer", exact=True).first.click()
    photograph(page).click()
    page.get_by_role("option", name="yours").click()
    expect(photograph(page)).to_have_value("yours")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_text_file_is_read_instead_of_the_field_until_it_is_taken_away(opened):
    page = opened("text?")
    expect(page.get_by_role("heading", name="How it is computed")).to_be_visible()
    page.get_by_role("button", name=re.compile(r"\bFile\b")).click()
    page.locator("input[type=file]").set_input_files(
        {"name": "mine.txt", "mimeType": "text/plain", "buffer": b"The queen was silent."}
    )
    tokens = page.locator(".atlas").first
    remove = page.get_by_role("button", name="Remove mine.txt")
    expect(remove).to_be_visible()
    expect(tokens).to_contain_text("queen")
    remove.click()
    expect(page.get_by_role("button", name=re.compile(r"\bFile\b"))).to_be_visible()
    expect(tokens).not_to_contain_text("queen")


def test_a_long_text_that_is_pasted_is_read_or_refused_never_ignored(opened):
    page = opened("next-word?show=Writes")
    field = page.get_by_role("textbox", name="Your text")
    for text, answer in (
        ("words " * 6_000, "reads at most 256 tokens at once"),
        ("слово " * 7_000, "This text would take 231,000 characters of a link; a link holds at most 50,000"),
    ):
        field.fill(text)
        field.press("Control+Enter")
        expect(page.get_by_text(answer)).to_be_visible()
        expect(field).to_have_value(text)
    assert "text=" not in page.url, "so long an address cannot be opened again"
    field.fill("The queen was")
    field.press("Control+Enter")
    expect(page.get_by_text(answer)).to_have_count(0)
    expect(page.get_by_role("heading", name="How it is computed")).to_be_visible()
    expect(page).to_have_url(re.compile("text=The"))
