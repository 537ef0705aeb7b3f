"""Language / Next word, Writes, in a real browser: tokens appear, a click takes another one, ways are found again."""

import re

from playwright.sync_api import Page, expect

TEXT = "The old man looked at the sea."


def pieces(page: Page) -> list[str]:
    return page.locator(".writing .piece").all_inner_texts()


def test_a_click_on_a_candidate_writes_it_and_a_click_on_it_goes_back(visit):
    page = visit("next-word", "Writes", text=TEXT)
    row = page.locator(".writing .row").nth(7)
    label = row.locator(".label").inner_text()
    row.click()
    expect(page.locator(".writing .piece")).to_have_count(1)
    assert pieces(page)[0].strip() == label
    page.locator(".writing .piece").click()
    expect(page.locator(".writing .piece")).to_have_count(0)


def test_a_written_line_break_is_seen_and_can_be_clicked(visit):
    page = visit("next-word", "Writes", text=TEXT)
    page.locator(".writing .row", has=page.get_by_text("↵", exact=True)).click()
    written = page.locator(".writing .piece")
    expect(written).to_have_count(1)
    assert written.text_content() == "\n", "the sign is no part of the text"
    written.click()
    expect(written).to_have_count(0)


def test_the_text_grows_to_the_number_that_was_asked_for_and_the_map_follows(visit):
    page = visit("next-word", "Writes", text=TEXT, writes_count="16")
    page.get_by_role("button", name="Write", exact=True).click()
    # The view shows the tokens one after the other, also those that came together.
    expect(page.locator(".writing .piece")).to_have_count(16)
    expect(page).to_have_url(re.compile(r"[?&]written=\d+(\.\d+){15}(&|$)"))
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    expect(page.locator(".atlas .reading h2")).to_contain_text(pieces(page)[-1].strip())


def test_a_way_that_was_left_is_listed_and_a_click_returns_to_it(visit):
    page = visit("next-word", "Writes", text=TEXT)
    rows, written = page.locator(".writing .row"), page.locator(".writing .piece")
    label = rows.first.locator(".label").inner_text()
    rows.first.click()
    expect(written).to_have_count(1)
    first = pieces(page)
    written.click()
    expect(written).to_have_count(0)
    rows.nth(5).click()
    expect(written).to_have_count(1)
    assert pieces(page) != first
    ways = page.locator(".writing .way")
    expect(ways).to_have_count(2)
    page.locator(".writing .way:not(.taken)").click()
    expect(page.locator(".writing .way.taken")).to_contain_text(label)
    assert pieces(page) == first


def test_what_a_filter_takes_away_stays_to_be_seen_and_can_be_taken(visit):
    page = visit("next-word", "Writes", text=TEXT, writes_top_k="3", writes_top_p="1.0")
    expect(page.locator(".writing .row.gone")).to_have_count(17)
    expect(page.locator(".writing .sum")).to_contain_text("3 of 4,096 tokens remain")
    page.locator(".writing .row.gone").first.click()
    expect(page.locator(".writing .piece")).to_have_count(1)
