"""The page Sentiment in a real browser: what only clicks and keys can show."""

import re

from playwright.sync_api import expect


def test_a_click_on_a_word_strikes_it_out_with_all_that_come_before_it_in_the_order(visit):
    text = "A dull film and a long wait."  # eight words, the full stop among them
    page = visit("sentiment", "Faithful?", text=text, faithful_percent="0", faithful_order="Occlusion")
    words = page.locator(".st-key-faithful_words .words button")
    struck = page.locator(".st-key-faithful_words .words .struck")
    expect(words).to_have_count(8)
    expect(struck).to_have_count(0)
    words.nth(1).click()
    expect(words.nth(1)).to_have_class("struck")
    expect(page).to_have_url(re.compile(r"faithful_percent=\d+"))
    share = int(re.search(r"faithful_percent=(\d+)", page.url)[1])
    expect(struck).to_have_count(share * 8 // 100)
    page.get_by_text("kept alone", exact=True).click()
    expect(struck).to_have_count(8 - share * 8 // 100)


def test_a_row_of_failures_that_is_chosen_shows_its_pairs(visit):
    page = visit("sentiment", "Fooled", fooled_kind="Negation", fooled_page="2")
    expect(page.get_by_test_id("stTable")).to_contain_text("change")
    grid = page.locator(".st-key-fooled_map").get_by_role("grid")
    grid.focus()
    for _ in range(8):  # up to the first row, from wherever the focus was
        grid.press("ArrowUp")
    for _ in range(3):
        grid.press("ArrowDown")
    grid.press("Enter")
    expect(page).to_have_url(re.compile(r"fooled_kind=Names(\+|%20)swapped"))
    expect(page.get_by_text("the prediction should stay.")).to_be_visible()
    expect(page.get_by_test_id("stTable")).not_to_contain_text("change")


def test_a_review_that_is_typed_gets_a_verdict_and_its_words_are_tinted_by_each_explanation(visit):
    page = visit("sentiment", "Read", text="A dull film.")
    lines = page.locator(".st-key-sentiment_words")
    expect(lines).to_contain_text("dull")
    field = page.get_by_label("Your text")
    field.fill("A wonderful film.")
    field.press("Control+Enter")
    expect(page).to_have_url(re.compile("wonderful"))
    expect(lines).to_contain_text("wonderful")
    expect(lines).not_to_contain_text("dull")


def test_another_seed_permutes_the_weights_in_another_way(visit):
    page = visit("sentiment", "Swap it", text="A dull film and a long wait.")
    permuted = page.get_by_role("img", name="Permuted: divergence")
    expect(permuted).to_be_visible()
    before = permuted.get_attribute("aria-label")
    seed = page.locator(".st-key-swap_seed input")
    seed.fill("7")
    seed.press("Enter")
    expect(page).to_have_url(re.compile("swap_seed=7"))
    expect(permuted).not_to_have_attribute("aria-label", before)
