"""The page Translation in a real browser: what only clicks can show."""

import re

from playwright.sync_api import expect

TITLES = ["Without attention", "Bahdanau's attention", "Transformer"]
SHORT = "The cat is black."


def test_a_word_of_one_translation_lights_up_what_it_looks_at_in_all_three(visit):
    page = visit("translation", "Three translators", text=SHORT)
    for title in TITLES:
        expect(page.get_by_role("region", name=title, exact=True)).to_be_visible()
    word = page.get_by_role("region", name="Transformer", exact=True).locator(".word").nth(1)
    word.hover()
    caption = page.locator(".alignment .tell")
    expect(caption).to_contain_text(f"“{word.inner_text().strip()}” (Transformer")
    expect(caption).to_contain_text("looks at")


def test_another_sentence_gives_other_translations_and_an_address_that_leads_to_them(visit):
    page = visit("translation", "Three translators", text=SHORT)
    source = page.locator(".alignment .source .word")
    expect(source).to_have_count(6)
    field = page.get_by_label("Your English sentence")
    field.fill("Two dogs sleep.")
    field.press("Control+Enter")
    expect(source.first).to_contain_text("Two")
    expect(page).to_have_url(re.compile(r"Two(\+|%20)dogs"))


def test_markup_in_the_sentence_is_shown_as_text(visit):
    page = visit("translation", "Three translators", text="<img src=x onerror=alert(1)> <b>cat</b>")
    expect(page.locator(".alignment .source")).to_contain_text("<")
    assert page.locator(".alignment img, .alignment b").count() == 0


def test_the_arrow_steps_through_the_translation(visit):
    page = visit("translation", "Word by word", text=SHORT)
    field = page.get_by_label("Step, 1 to")
    before = int(field.input_value())
    page.get_by_role("button", name="Next").click()
    expect(field).to_have_value(str(before + 1))
