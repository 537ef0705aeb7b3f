"""The page Next word in a real browser: what only clicks can show; Writes has a file of its own."""

import re

from playwright.sync_api import Locator, Page, expect

TEXT = "The old man looked at the sea."


def walk(page: Page, name: str, down: int, right: int) -> Locator:
    """Go to a cell of a map by its keys; its description is what is returned."""
    cells = page.locator(f".st-key-{name} .cells")
    cells.get_by_role("grid").focus()
    for key in ("Control+Home", *["ArrowDown"] * down, *["ArrowRight"] * right):
        page.keyboard.press(key)
    return cells.get_by_role("gridcell")


def test_a_click_on_a_head_in_the_map_of_parts_shows_from_where_it_moved_its_part(visit):
    page = visit("next-word", "Why this word", text=TEXT, why_layer="0", why_head="0")
    heading = page.get_by_role("heading", name=re.compile(r"^Layer \d+, head \d+$"))
    expect(heading).to_have_text("Layer 0, head 0")
    expect(walk(page, "why_map", 2, 3)).to_have_attribute("aria-label", re.compile("layer 2, .*3: .* nats"))
    page.keyboard.press("Enter")
    expect(heading).to_have_text("Layer 2, head 3")
    expect(page).to_have_url(re.compile("why_head=3"))


def test_with_more_heads_silenced_the_second_time_costs_something_else_and_with_all_heads_the_same(visit):
    page = visit("next-word", "Copying", text=TEXT)
    figure = page.locator(".st-key-copying-summary").get_by_role("figure")
    losses = re.compile(r"all heads: \S+ and (\S+) nats; without the best (\d+): \S+ and (\S+) nats")
    expect(figure).to_have_attribute("aria-label", losses)
    baseline, count, without = losses.search(figure.get_attribute("aria-label")).groups()
    assert count == "2"
    page.get_by_role("slider", name="Ablate the best heads").press("ArrowRight")
    expect(figure).to_have_attribute("aria-label", re.compile("without the best 3"))
    baseline_again, _, without_more = losses.search(figure.get_attribute("aria-label")).groups()
    assert baseline_again == baseline
    assert without_more != without


def test_in_the_same_step_the_key_of_an_earlier_token_is_computed_anew_or_kept(visit):
    page = visit("next-word", "Cache", text=TEXT, cache_prompt="2", cache_token="4")
    expect(walk(page, "cache-without", 1, 0)).to_have_attribute("aria-label", re.compile("0 k .*: computed$"))
    expect(walk(page, "cache-with", 1, 0)).to_have_attribute("aria-label", re.compile("0 k .*: kept$"))


def test_another_word_shows_its_own_merges(visit):
    page = visit("next-word", "Tokens")
    # While the page runs again, the picture of the former word stands a moment beside that of the new one.
    drawn = page.locator(".st-key-tokens-merges[data-stale=false]")
    expect(drawn).to_contain_text("ening")
    field = page.get_by_label("Your word")
    field.fill("chased")
    field.press("Enter")
    expect(drawn).to_contain_text("ased")
    expect(drawn).not_to_contain_text("ening")


def test_other_digits_are_sorted_and_a_click_on_a_row_looks_at_that_digit(visit):
    page = visit("next-word", "Small tasks")
    field = page.get_by_role("textbox", name="Your own six digits")
    field.fill("352041")
    field.press("Enter")
    expect(page.get_by_role("heading", name="3 5 2 0 4 1 → 0 1 2 3 4 5")).to_be_visible()
    expect(walk(page, "small-probabilities-sort", 3, 0)).to_have_attribute("aria-label", re.compile("4th: 3"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("small_digit=4th"))
    reading = page.locator(".st-key-small-reading-sort").get_by_role("grid")
    expect(reading).to_have_attribute("aria-label", re.compile("before the digit “4th” is written"))
