"""The pages Vision transformer and Swin in a real browser: what clicks answer."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import settled

SMALL = {"vit": {"network": "vit-tiny-imagenet", "patches": "8"}, "swin": {"patches": "16"}}
PLACE = re.compile(r"row \d+, column \d+")


def photo(page: Page) -> Locator:
    return page.locator(".photos .photo canvas")


def caption(page: Page) -> Locator:
    return page.locator(".photos .told")


def test_a_clicked_patch_of_the_vision_transformer_looks_and_stays_in_the_address(visit):
    page = visit("vit", "Maps", **SMALL["vit"])
    expect(caption(page)).to_contain_text("The class token gives")
    photo(page).click(position={"x": 8, "y": 8})
    expect(caption(page)).to_contain_text("The patch in row 0, column 0 gives")
    expect(page).to_have_url(re.compile("map-place=0-0"))


def test_a_clicked_place_of_swin_looks_within_its_own_window(visit):
    page = visit("swin", "Maps", **SMALL["swin"])
    expect(caption(page)).to_contain_text("The mean over the queries of each window")
    photo(page).click(position={"x": 8, "y": 8})
    expect(caption(page)).to_contain_text("The place in row 0, column 0 looks within its window of 16 places")
    expect(page).to_have_url(re.compile("map-place=0-0"))


def test_another_block_of_swin_has_other_windows(visit):
    page = visit("swin", "Windows", **SMALL["swin"])
    drawn = page.locator(".st-key-swin-windows-cut image").first
    expect(page.get_by_text("After the cyclic shift")).to_be_visible()
    shifted = drawn.get_attribute("href")
    page.locator(".st-key-windows_block").get_by_test_id("stNumberInputStepDown").click()
    expect(page.get_by_text("After the cyclic shift")).to_have_count(0)
    expect(drawn).not_to_have_attribute("href", shifted)
    expect(page).to_have_url(re.compile("windows_block=0"))


def test_a_clicked_patch_is_followed_through_every_block(visit):
    page = visit("swin", "Reach and cost", **SMALL["swin"])
    page.locator(".reach .over").hover(position={"x": 30, "y": 60})
    expect(page.locator(".reach .tell")).to_have_text(re.compile(f"after stage 0, block 0: .*{PLACE.pattern}"))
    row, column = PLACE.search(page.locator(".reach .tell").inner_text())[0].replace("row ", "").split(", column ")
    page.locator(".reach .over").click(position={"x": 30, "y": 60})
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_label("Row", exact=True)).to_have_value(row)
    expect(page.get_by_label("Column", exact=True)).to_have_value(column)


RECONSTRUCTION = "reconstruction"


def test_painting_patches_away_changes_the_picture_and_stays_in_the_address(visit):
    page = visit(RECONSTRUCTION, "Fill the gaps", hiding="by hand", hidden="8x8_9")
    expect(page.get_by_text("1 of 64 patches is hidden")).to_have_count(1)
    visible, guessed = (page.locator(f".st-key-gaps-{name} canvas").first for name in ("seen", "guessed"))
    expect(guessed).to_be_visible()
    settled(page)
    drawn = [canvas.evaluate("canvas => canvas.toDataURL()") for canvas in (visible, guessed)]
    over = page.locator(".st-key-gaps-seen canvas.over")
    box = over.bounding_box()
    assert box is not None
    for column in (2, 3):
        over.click(position={"x": (column + 0.5) * box["width"] / 8, "y": 3.5 * box["height"] / 8})
        expect(page.get_by_text(f"{column} of 64 patches are hidden")).to_have_count(1)
    expect(page).to_have_url(re.compile("hidden=8x8_9.26-27"))
    settled(page)
    assert not {canvas.evaluate("canvas => canvas.toDataURL()") for canvas in (visible, guessed)} & set(drawn)


def test_a_click_on_a_random_picture_goes_on_by_hand(visit):
    page = visit(RECONSTRUCTION, "Fill the gaps")
    expect(page.get_by_text("48 of 64 patches are hidden")).to_have_count(1)
    page.locator(".st-key-gaps-seen canvas.over").click(position={"x": 12, "y": 12})
    expect(page.get_by_text(re.compile("4[79] of 64 patches are hidden"))).to_have_count(1)
    expect(page).to_have_url(re.compile("hidden=8x8_"))


def test_a_hidden_patch_of_the_autoencoder_looks_first_and_the_encoder_never_sees_it(visit):
    page = visit(RECONSTRUCTION, "Who told it?", hiding="by hand", hidden="8x8_27")
    expect(caption(page)).to_contain_text("The patch in row 3, column 3 gives")
    page.get_by_label("Layer", exact=True).select_option(index=0)
    expect(caption(page)).to_contain_text("The patch in row 3, column 3 is hidden: this layer never sees it.")
    photo(page).click(position={"x": 8, "y": 8})
    expect(caption(page)).to_contain_text(re.compile("The patch in row 0, column 0 gives .* to the 63 patches"))
