"""Captioning, CLIP and Joint in a real browser: words and places linked."""

import re

from playwright.sync_api import Page, expect

from pages.words_and_pictures.clip import why
from pages.words_and_pictures.joint import co_attention
from tests.browser.conftest import settled


def strip(page: Page):
    return page.locator(".wordmaps .strip button")


def test_a_word_under_the_pointer_is_told_and_one_that_is_clicked_stays(visit):
    page = visit("captioning", "Your own caption", own_scenes="a red star above a blue circle")
    caption = page.locator(".wordmaps .told")
    strip(page).nth(2).hover()
    expect(caption).to_contain_text("“star” gives")
    expect(caption).to_contain_text("What it means is outlined")
    strip(page).nth(5).click()
    page.mouse.move(5, 5)
    expect(caption).to_contain_text("“blue” gives")
    expect(page).to_have_url(re.compile("word=5"))


def test_a_place_under_the_pointer_says_which_words_look_there(visit):
    page = visit("captioning", "Your own caption", own_scenes="a red star above a blue circle")
    canvas = page.locator(".wordmaps .photo canvas")
    canvas.hover(position={"x": 10, "y": 10})
    expect(page.locator(".wordmaps .told")).to_contain_text(
        re.compile("^Row 0, column 0: share of each word’s map that lies here")
    )


def test_another_word_is_taken_and_the_caption_goes_on(visit):
    page = visit("captioning", "A caption")
    strip(page).nth(0).click()
    expect(page.get_by_text("Take another word", exact=False).first).to_be_visible()
    other = page.locator(".st-key-take_1 button")
    name = other.inner_text().split()[0]
    other.click()
    expect(page).to_have_url(re.compile(f"begin={name}"))
    expect(page.get_by_text("The first word comes from you")).to_be_visible()
    expect(strip(page).nth(0)).to_contain_text(name)


def test_a_thing_that_is_moved_by_the_keyboard_moves_in_the_address(visit):
    page = visit("captioning", "A caption", scene="0-0~star.red.small.plain.30.30")
    page.get_by_role("button", name="Your own").click()
    thing = page.get_by_role("button", name=re.compile("small red star: drag it"))
    thing.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"star\.red\.small\.plain\.30\.33"))


def test_a_thing_that_is_dragged_is_drawn_where_it_was_put_down(visit):
    page = visit("captioning", "A caption", scene="0-0~star.red.small.plain.30.30")
    page.get_by_role("button", name="Your own").click()
    thing = page.get_by_role("button", name=re.compile("small red star: drag it"))
    settled(page)  # until the popover has opened, what is dragged moves by itself
    thing.hover()
    box = thing.bounding_box()
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"star\.red\.small\.plain\.30\.[45]\d"))


def test_a_patch_that_is_clicked_is_covered_and_the_cosine_moves(visit):
    page = visit("clip", why.SECTION.name)
    page.locator(".st-key-clip-cover canvas.over").click(position={"x": 110, "y": 90})
    expect(page.get_by_text("Cosine with one patch covered")).to_be_visible()
    expect(page).to_have_url(re.compile(r"covered=\d+"))


TEXT = "a red star above a blue circle"


def test_a_word_is_hidden_by_a_click_and_guessed(visit):
    page = visit("joint", "Hidden words", joint_text=TEXT)
    expect(page.get_by_text("In place of “red”")).to_be_visible()
    page.get_by_role("button", name="star", exact=True).click()
    expect(page).to_have_url(re.compile("hidden=2-3"))
    expect(page.get_by_text("In place of “star”")).to_be_visible()


def test_a_patch_is_hidden_by_a_click(visit):
    page = visit("joint", "Hidden patches", joint_text=TEXT, patches="0")
    page.locator(".st-key-joint-patches canvas.over").click(position={"x": 110, "y": 90})
    expect(page).to_have_url(re.compile(r"patches=0-\d+"))
    expect(page.get_by_text("2 of 64 patches are masked")).to_be_visible()


def test_both_directions_stand_in_the_address_and_change_what_is_told(visit):
    page = visit("joint", co_attention.SECTION.name, joint_text=TEXT)
    caption = page.locator(".wordmaps .told")
    strip(page).nth(2).hover()
    expect(caption).to_contain_text("“red” gives")
    page.get_by_role("combobox", name="Direction").click()
    page.get_by_role("option", name=co_attention.PICTURE_LOOKS).click()
    expect(page).to_have_url(re.compile("joint_direction="))
    strip(page).nth(2).hover()
    expect(caption).to_contain_text("Of what all patches give to “red”")


def test_a_part_under_the_pointer_tells_its_words_and_a_word_its_readers(visit):
    page = visit("generation", "Who told it?", draw_scenes=TEXT, candidates="1")
    caption = page.locator(".sourcemaps .told")
    canvas = page.locator(".sourcemaps .photo canvas")
    canvas.hover(position={"x": 100, "y": 200})
    expect(caption).to_contain_text(re.compile(r"^Row \d+, column \d+, code \d+: .* of the look went to the sentence"))
    canvas.click(position={"x": 100, "y": 200})
    expect(page).to_have_url(re.compile(r"part=\d+-\d+"))
    page.locator(".sourcemaps .bars button").nth(2).click()
    page.mouse.move(5, 5)
    expect(caption).to_contain_text("“red” got")
    expect(page).to_have_url(re.compile("word=2"))
    page.get_by_label("Next look").click()
    expect(page).to_have_url(re.compile("map=layer"))


def test_another_code_is_taken_and_the_picture_goes_on(visit):
    page = visit("generation", "Go on", draw_scenes=TEXT, candidates="1")
    page.locator(".st-key-go-on-picture canvas.over").click(position={"x": 110, "y": 90})
    expect(page).to_have_url(re.compile(r"place=\d+-\d+"))
    page.locator("[class*='st-key-take_code_'] button:enabled").last.click()
    expect(page).to_have_url(re.compile(r"other=\d+"))
    expect(page.get_by_text("later codes change")).to_be_visible()
