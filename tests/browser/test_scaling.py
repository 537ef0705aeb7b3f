"""The published results in a real browser: clicks choose models, links lead back to them."""

import re

from playwright.sync_api import expect


def click(page, place):
    """Click a point of the picture: in the middle of its mark, when the page is no longer being computed."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    point = page.locator(".js-plotly-plot .scatterlayer .points path").nth(place)
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    across, down = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(across - 3, down)
    page.mouse.move(across, down)
    expect(page.locator(".hoverlayer .hovertext")).to_have_count(1)  # the picture knows what is below the pointer
    page.mouse.click(across, down)


def test_a_click_opens_a_card_a_second_one_compares_and_the_address_keeps_both(visit):
    page = visit("scaling", "Translation")
    expect(page.locator(".js-plotly-plot .scatterlayer .points path")).to_have_count(7)
    cards = page.locator(".st-key-bleude_cards")
    click(page, 0)
    expect(cards).to_contain_text("Vaswani et al. 2017, Table 2")
    expect(page.locator(".js-plotly-plot .scatterlayer .points path")).to_have_count(8)  # the ring of the chosen one
    click(page, 3)
    expect(cards.locator("th")).to_have_count(3)
    expect(page).to_have_url(re.compile("bleude_chosen=.*bleude_chosen="))
    names = cards.locator("th").all_inner_texts()[1:]
    page.goto(page.url)
    expect(cards.locator("th").nth(1)).to_have_text(names[0])
    expect(cards.locator("th").nth(2)).to_have_text(names[1])


def test_clicked_once_more_a_model_is_taken_away(visit):
    page = visit("scaling", "Translation", bleude_chosen="ConvS2S")
    cards = page.locator(".st-key-bleude_cards")
    expect(cards).to_be_visible()
    click(page, 0)  # ConvS2S is the first of the first family
    expect(cards).to_have_count(0)


def test_below_the_pointer_stand_name_values_and_source(visit):
    page = visit("scaling", "Translation")
    expect(page.locator(".js-plotly-plot .scatterlayer .points path")).to_have_count(7)
    point = page.locator(".js-plotly-plot .scatterlayer .points path").nth(0)
    point.scroll_into_view_if_needed()
    point.hover(force=True)
    hover_text = page.locator(".hoverlayer .hovertext")
    expect(hover_text).to_contain_text("ConvS2S")
    expect(hover_text).to_contain_text("25.16")
    expect(hover_text).to_contain_text("Vaswani et al. 2017, Table 2")


def test_markup_in_the_search_is_shown_as_text(visit):
    page = visit("scaling", "Images", images_search="<img src=x onerror=alert(1)>")
    expect(page.get_by_text("None of the 1,556 results passes these filters")).to_be_visible()
    assert page.locator("main img[src='x']").count() == 0
