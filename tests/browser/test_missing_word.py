"""The page Missing word in a real browser: what only clicks can show."""

import re

from playwright.sync_api import expect

TEXT = "The old man saw the sea from his window."


def test_a_click_on_a_word_hides_it_and_below_it_stands_the_best_guess(visit):
    page = visit("missing-word", "Fill in", text=TEXT, hide="none")
    word = page.locator(".st-key-fill_words .words button").nth(4)
    expect(word).to_have_attribute("aria-pressed", "false")
    word.click()
    expect(word).to_have_attribute("aria-pressed", "true")
    expect(word.locator(".below")).not_to_be_empty()
    expect(page).to_have_url(re.compile("hide=4"))


def test_arcs_are_drawn_and_change_with_the_relations_that_are_chosen(visit):
    page = visit("missing-word", "Grammar", text=TEXT, grammar_least="0")
    figure = page.locator(".st-key-grammar-arcs")
    drawn, named = figure.locator(".scatterlayer path.js-line"), figure.get_by_role("figure")
    relations = page.locator(".st-key-grammar_relations").get_by_role("button", name=re.compile("^Remove "))
    expect(drawn).not_to_have_count(0)
    before, removed = drawn.count(), relations.first.get_attribute("aria-label").removeprefix("Remove ")
    expect(named).to_have_attribute("aria-label", re.compile(rf"strongest links of {removed} to"))
    relations.first.click()
    expect(named).not_to_have_attribute("aria-label", re.compile(rf"{removed} to"))
    expect(drawn).not_to_have_count(before)


def test_a_click_on_a_word_puts_its_row_in_view_before_and_after_fine_tuning(visit):
    page = visit("missing-word", "Tasks", tasks_text=TEXT, tasks_word="1")
    word, rows = page.locator(".st-key-tasks_words .words button").nth(4), page.locator(".st-key-tasks_row .text")
    word.click()
    expect(word).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("tasks_word=4"))
    expect(rows).to_have_count(2)
    for row in (rows.first, rows.last):
        expect(row.locator(".odd")).to_have_text(re.compile("the"))
        expect(row).to_be_in_viewport()


def test_a_click_hides_a_word_of_the_other_sentence_and_below_it_stands_the_guess(visit):
    page = visit("missing-word", "Across languages", hide_english="none", hide_french="none")
    word = page.locator(".st-key-across_french .words button").nth(7)
    expect(word).to_have_attribute("aria-pressed", "false")
    word.click()
    expect(word).to_have_attribute("aria-pressed", "true")
    expect(word.locator(".below")).not_to_be_empty()
    expect(page).to_have_url(re.compile("hide_french=7"))
    expect(page.locator(".st-key-across_english .words [aria-pressed=true]")).to_have_count(0)
