"""Hostile files and texts in a real browser: a sentence or a result, nothing executed, and the page goes on."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from benchmarks.hostile import markup, pictures
from tests.browser.conftest import SERVER, settled

SOON = 20_000  # milliseconds until a sentence stands there: 5 s are promised on an idle machine; this one may be busy
# One file of each kind: what its name holds, the first of its kind if nothing is said; and whether it is refused.
UPLOADS = {
    "every format and colour": ("progressive-cmyk", False),
    "cut short": ("", True),
    "bytes changed": ("", True),
    "the wrong ending": ("jpeg.txt", False),
    "several pictures in one": ("", False),
    "EXIF": ("cannot be written again", False),
    "long and thin, or tiny": ("30000-by-10", True),
    "promises many pixels": ("", True),
    "keeps what it promises": ("50-million", True),
    "a file too large": ("", True),
    "progressive JPEG with many scans": ("-21.", True),
    "slow to read": ("", True),
    "packed much too well": ("", True),
    "many small parts": ("its-own-next", True),
    "real numbers": ("infinite", True),
    "no picture": ("drawing.svg", True),
}


def reading(page: Page):
    return page.locator(".atlas .reading h2")


@pytest.fixture
def browser_page(own_tab: Page) -> Page:
    """A page in which no dialog is opened: what a hole would let in leaves a mark in it."""
    own_tab.on("dialog", lambda dialog: pytest.fail(f"A dialog was opened: {dialog.message}"))
    return own_tab


@pytest.fixture
def atlas(streamlit_server) -> str:
    """The address of the server."""
    return streamlit_server(SERVER)


def test_one_upload_of_every_kind_is_tried():
    assert {case.kind for case in pictures.cases()} == set(UPLOADS)


def test_every_hostile_upload_gets_a_sentence_or_a_map_and_the_examples_still_work(browser_page, atlas):
    cases = list(pictures.cases())
    browser_page.goto(f"{atlas}/image")
    expect(reading(browser_page)).to_contain_text("looks at")
    for kind, (part, refused) in UPLOADS.items():
        name, raw = next((case.name, case.content) for case in cases if case.kind == kind and part in case.name)
        browser_page.get_by_role("button", name="Your own").click()
        place = browser_page.locator("input[type=file]")
        expect(place, kind).to_have_count(1, timeout=SOON)  # the one before goes when the page has run to its end
        place.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": raw})
        if kind == "a file too large":  # never sent: the map before it is still there
            expect(browser_page.get_by_text("File must be 20.0MB or smaller.")).to_be_visible(timeout=SOON)
            browser_page.keyboard.press("Escape")
            expect(reading(browser_page)).to_contain_text("looks at")
            continue
        expect(browser_page.get_by_role("combobox", name="Photograph"), kind).to_have_value("yours", timeout=SOON)
        if refused:
            sentence = browser_page.get_by_test_id("stMain").get_by_test_id("stAlert")
            expect(sentence, kind).to_have_count(1, timeout=SOON)
            expect(sentence, kind).to_contain_text(".")
        else:
            expect(reading(browser_page), kind).to_contain_text("looks at", timeout=SOON)
        browser_page.keyboard.press("Escape")
        browser_page.get_by_role("combobox", name="Photograph").click()
        browser_page.get_by_role("option", name="rocket").click()
        expect(browser_page).not_to_have_url(re.compile("own=1"))  # the click has reached the server; its run ends:
        expect(browser_page.get_by_test_id("stApp"), kind).to_have_attribute(
            "data-test-script-state", "notRunning", timeout=SOON
        )
        expect(reading(browser_page), kind).to_contain_text("looks at", timeout=SOON)
        expect(browser_page.get_by_test_id("stAlert"), kind).to_have_count(0)
        assert browser_page.get_by_test_id("stException").count() == 0


SHORT = [text for text in (*markup.MARKUP, *markup.MARKDOWN, *markup.LATEX) if len(text) < 70]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("text", " ".join(SHORT)),
        ("order", " ".join(SHORT[::4])),
        ("translation", markup.MARKUP[7]),  # three translators write several words for each
    ],
)
def test_markup_in_a_text_executes_nothing(browser_page, atlas, path, text):
    browser_page.goto(f"{atlas}/{path}?text={quote(text)}")
    expect(browser_page.get_by_role("heading", level=1)).to_be_visible()
    figures = browser_page.locator(".js-plotly-plot, [data-testid^=stBidiComponent]").filter(visible=True)
    expect(figures.first).to_be_visible()
    settled(browser_page)
    assert browser_page.evaluate("window.__executed") is None
    assert browser_page.locator("[onerror], [onload], [href^='javascript:'], img[src=x]").count() == 0
    assert browser_page.get_by_test_id("stException").count() == 0
