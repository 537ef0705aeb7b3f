"""The page Shrinking in a real browser: what only clicks and keys can show."""

import re

from playwright.sync_api import expect


def test_a_head_that_is_chosen_is_taken_out_and_put_back(visit):
    page = visit("shrinking", "Heads", shrunk="BERT, praise or blame", heads_percent="0")
    expect(page.get_by_text("0 of 36 heads are taken out")).to_be_visible()
    grid = page.locator(".st-key-heads_grid").get_by_role("grid")
    grid.focus()
    grid.press("Enter")
    expect(page.get_by_text("1 of 36 heads are taken out")).to_be_visible()
    expect(page).to_have_url(re.compile(r"heads_changed=\d+\.\d+"))
    page.locator(".st-key-heads_grid").get_by_role("grid").press("Enter")
    expect(page.get_by_text("0 of 36 heads are taken out")).to_be_visible()


def test_a_mark_that_is_clicked_opens_its_row(visit):
    page = visit("shrinking", "All together", shrunk="GPT", together_most="all")
    picture = page.locator(".st-key-shrinking-together .js-plotly-plot")
    tables = page.get_by_test_id("stDataFrame")
    expect(picture).to_be_visible()
    expect(tables).to_have_count(1)
    picture.scroll_into_view_if_needed()
    # A mark that stands alone: that of the network with nothing but fewer bits is near many others.
    marks = picture.locator(".scatterlayer .trace").last.locator(".points path")
    marks.last.hover(force=True)
    box = marks.last.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"together_row=\d+"))
    expect(tables).to_have_count(2)
