"""Hostile files and texts in a real browser: a sentence or a result, nothing executed, and a page that goes on working."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from benchmarks.hostile import pictures, texts
from tests.browser.conftest import SERVER, settled

SOON = 20_000  # milliseconds until a sentence stands there: 5 s are promised on an idle machine; this one may be busy
# One file of each kind, by its name, and whether it is refused.
UPLOADS = {
    "every format and colour": ("progressive-cmyk.jpg", False),
    "cut short": ("0-at-63-1.png", True),
    "bytes changed": ("0-1.png", True),
    "the wrong ending": ("really-a-jpeg.txt", False),
    "several pictures in one": ("moving.GIF", False),
    "EXIF": ("that cannot be written again.jpg", False),
    "long and thin, or tiny": ("30000-by-10.GIF", True),
    "promises many pixels": ("30000-by-30000.png", True),
    "keeps what it promises": ("50-million-of-16-bits.png", True),
    "a file too large": ("20-megabytes.jpg", True),
    "progressive JPEG with many scans": ("grey-21.jpg", True),
    "slow to read": ("a-million-comments.ppm", True),
    "packed much too well": ("profile.png", True),
    "many small parts": ("a-list-that-is-its-own-next.tiff", True),
    "real numbers": ("infinite.tiff", True),
    "no picture": ("drawing.svg", True),
}


def reading(page: Page):
    return page.locator(".atlas .reading h2")


@pytest.fixture
def atlas(browser_page: Page, streamlit_server) -> str:
    """The address of the server; what a hole would let in leaves a mark in the page."""
    browser_page.on("dialog", lambda dialog: pytest.fail(f"A dialog was opened: {dialog.message}"))
    return streamlit_server(SERVER)


def test_one_upload_of_every_kind_is_tried():
    assert {case.kind for case in pictures.cases()} == set(UPLOADS)


def test_every_hostile_upload_gets_a_sentence_or_a_map_and_the_examples_still_work(browser_page, atlas):
    cases = {(case.kind, case.name): case.content for case in pictures.cases()}
    browser_page.goto(f"{atlas}/image")
    expect(reading(browser_page)).to_contain_text("looks at")
    for kind, (name, refused) in UPLOADS.items():
        raw = cases[kind, name]
        browser_page.get_by_role("button", name="Your own").click()
        browser_page.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": "application/octet-stream", "buffer": raw}
        )
        expect(browser_page.get_by_role("radio", name="yours"), kind).to_be_checked(timeout=SOON)
        if refused:
            sentence = browser_page.get_by_test_id("stMain").get_by_test_id("stAlert")
            expect(sentence, kind).to_have_count(1, timeout=SOON)
            expect(sentence, kind).to_contain_text(".")
        else:
            expect(reading(browser_page), kind).to_contain_text("looks at", timeout=SOON)
        browser_page.keyboard.press("Escape")
        browser_page.get_by_role("radio", name="rocket").click()
        expect(reading(browser_page), kind).to_contain_text("looks at", timeout=SOON)
        expect(browser_page.get_by_test_id("stAlert"), kind).to_have_count(0)
        assert browser_page.get_by_test_id("stException").count() == 0
        browser_page.get_by_role("button", name="Your own").click()
        browser_page.get_by_role("button", name=f"Remove {name}").click()
        expect(browser_page.get_by_role("radio", name="yours"), kind).to_have_count(0)
        browser_page.keyboard.press("Escape")


@pytest.mark.parametrize("path", ["text?text=", "translation?text=", "order?text="])
def test_markup_in_a_text_executes_nothing(browser_page, atlas, path):
    everything = " ".join(text for text in (*texts.MARKUP, *texts.MARKDOWN, *texts.LATEX) if len(text) < 200)
    for text in (everything[:1500], everything[-1500:], *texts.MARKUP[7:8]):
        browser_page.goto(f"{atlas}/{path}{quote(text)}")
        expect(browser_page.get_by_role("heading", level=1)).to_be_visible()
        settled(browser_page)
        assert browser_page.evaluate("window.__executed") is None
        assert browser_page.locator("[onerror], [onload], [href^='javascript:'], img[src=x]").count() == 0
        assert browser_page.get_by_test_id("stException").count() == 0
