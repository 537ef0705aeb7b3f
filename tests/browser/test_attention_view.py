import csv
import io
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, later, settled, take_away

APP = Path(__file__).parent / "apps" / "attention_view_app.py"
LAST = "“tired” looks at …"  # the row in view before anything is chosen


@pytest.fixture
def view(browser_page: Page, streamlit_server):
    """Opens the app with a query, waits for the view, and returns its page."""

    def visit(query: str = "") -> Page:
        browser_page.goto(f"{streamlit_server(APP)}/?{query}")
        expect(browser_page.locator(".atlas .thumb").first).to_be_visible()
        expect(title(browser_page)).not_to_be_empty()
        return browser_page

    return visit


def title(page: Page) -> Locator:
    return page.locator(".reading h2")


def figure_name(page: Page) -> Locator:
    return page.locator(".middle .caption b")


def runs(page: Page) -> int:
    return int(page.get_by_text(re.compile(r"^runs: \d+$")).inner_text().split()[1])


def runs_after_another(page: Page) -> int:
    """How often the script has run after one more time, which the visitor asks for: nothing is on its way then."""
    page.get_by_role("button", name="Write a parameter").click()
    page.wait_for_url("**other=1**")
    settled(page)
    return runs(page)


def parameters(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def cell(page: Page, across: float, down: float) -> dict[str, float]:
    """A point on the figure, as a share of its width and height."""
    box = page.locator(".sheet .over").bounding_box()
    return {"x": box["width"] * across, "y": box["height"] * down}


def test_hovering_previews_a_row_and_leaving_brings_the_first_one_back(view):
    page = view()
    expect(title(page)).to_have_text(LAST)
    page.locator(".sheet .over").hover(position=cell(page, 0.4, 0.6))
    expect(title(page)).not_to_have_text(LAST)
    page.mouse.move(5, 5)
    expect(title(page)).to_have_text(LAST)


def test_clicking_pins_a_row_in_the_address_and_escape_unpins_it(view):
    page = view()
    page.locator(".sheet .over").click(position=cell(page, 0.4, 0.6))
    pinned = title(page).inner_text()
    page.mouse.move(5, 5)
    expect(title(page)).to_have_text(pinned)
    assert pinned != LAST
    assert "token" in parameters(page)
    page.keyboard.press("Escape")
    expect(title(page)).to_have_text(LAST)
    assert "token" not in parameters(page)


def test_layers_heads_views_and_pins_need_no_server(view):
    page = view()
    before = runs(page)
    page.get_by_role("gridcell", name="Layer 2, head 1").click()
    expect(figure_name(page)).to_have_text("Layer 2, head 1")
    for name in ("Lines", "Text", "Map"):
        page.get_by_role("button", name=name, exact=True).click()
    page.locator(".sheet .over").click(position=cell(page, 0.4, 0.6))
    assert runs_after_another(page) == before + 1


def test_arrow_keys_move_through_layers_and_heads_and_stop_at_the_ends(view):
    page = view()
    page.get_by_role("gridcell", name="Layer 0, head 0").click()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    expect(figure_name(page)).to_have_text("Layer 1, head 0")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    expect(figure_name(page)).to_have_text("Layer 3, head 0")
    expect(page.locator(".thumb:focus")).to_have_attribute("aria-label", "Layer 3, head 0")


def test_everything_can_be_done_with_the_keyboard_alone(view):
    page = view()
    page.get_by_role("button", name="Map", exact=True).focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.shadowRoot.activeElement.role") == "gridcell":
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press(",")
    page.keyboard.press(",")
    expect(title(page)).to_have_text("“was” looks at …")
    assert parameters(page) == {"layer": "0", "head": "1", "token": "10"}
    expect(page.locator("[aria-live]")).to_contain_text("Layer 0, head 1. “was” looks at")


def test_a_deep_link_restores_the_whole_view(view):
    page = view("layer=3&head=2&token=9&view=lines&scale=log")
    expect(figure_name(page)).to_have_text("Layer 3, head 2")
    expect(title(page)).to_have_text("“it” looks at …")
    expect(page.get_by_role("button", name="Lines", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Scale")).to_have_value("log")


@pytest.mark.parametrize("query", ["layer=99&head=-1&token=x", "head=7&view=picture&scale=rainbow", "token=400&layer="])
def test_a_broken_link_shows_the_view_and_is_put_right(view, query):
    page = view(query)
    expect(figure_name(page)).to_have_text("Layer 0, head 0")
    assert parameters(page) == {}


def test_back_and_forward_go_through_heads_and_views(view):
    page = view()
    page.get_by_role("gridcell", name="Layer 2, head 1").click()
    later(page, 1)
    page.get_by_role("button", name="Lines", exact=True).click()
    page.go_back()
    expect(page.get_by_role("button", name="Map", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(figure_name(page)).to_have_text("Layer 2, head 1")
    page.go_back()
    expect(figure_name(page)).to_have_text("Layer 0, head 0")
    page.go_forward()
    expect(figure_name(page)).to_have_text("Layer 2, head 1")


def test_the_address_keeps_other_parameters_and_survives_those_that_python_writes(view):
    page = view("own=kept")
    page.get_by_role("gridcell", name="Layer 2, head 1").click()
    page.get_by_role("button", name="Write a parameter").click()
    expect(page).to_have_url(re.compile("other=1"))
    expect(page).to_have_url(re.compile("layer=2"))
    assert parameters(page) == {"own": "kept", "other": "1", "layer": "2", "head": "1"}
    expect(figure_name(page)).to_have_text("Layer 2, head 1")


def test_a_widget_keeps_its_parameter_beside_ours(view):
    page = view("layer=1&head=1")
    page.get_by_role("combobox", name="Scene").click()
    page.get_by_role("option", name="cross").click()
    expect(figure_name(page)).to_have_text("Cross, layer 0, head 0")
    assert parameters(page)["scene"] == "cross"


def test_markup_in_tokens_stays_text(view):
    page = view("scene=hostile&view=text")
    expect(page.locator(".figure .token").first).to_contain_text("<script>window.broken=1</script>")
    page.get_by_text("These weights as a table").click()
    expect(page.locator(".behind th").first).to_contain_text("<img src=x")
    assert page.evaluate("window.broken") is None
    assert page.locator(".atlas img, .atlas script").count() == 0


def test_controls_and_spaces_are_shown_as_marks(view):
    page = view("scene=hostile&view=text")
    words = page.locator(".figure .token").all_inner_texts()
    assert words[1:] == ["U+202Eleft", "↵", "␣", "∅", "שלום", "‹07›", "U+D800", "=1+1"]


def test_svg_holds_every_label_as_text_and_each_cell_as_a_shape(view):
    page = view("layer=3&head=2&token=9")
    with page.expect_download() as download:
        take_away(page, "SVG")
    assert download.value.suggested_filename == "atlas-layer3-head2.svg"
    drawing = ElementTree.parse(download.value.path())
    texts = ["".join(element.itertext()) for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    for label in ("cat", "<b>chased</b>", "tired"):
        assert texts.count(label) == 2
    assert any(text.startswith("“it” looks at") for text in texts)
    assert sum(1 for _ in drawing.iter("{http://www.w3.org/2000/svg}rect")) > 60


@pytest.mark.parametrize("mode", ["map", "lines", "text"])
def test_png_has_two_pixels_for_one_of_the_svg(view, mode):
    page = view(f"view={mode}")
    with page.expect_download() as svg:
        take_away(page, "SVG")
    with page.expect_download() as png:
        take_away(page, "PNG")
    drawn = ElementTree.parse(svg.value.path()).getroot()
    width, height = Image.open(png.value.path()).size
    assert (width, height) == (2 * int(drawn.get("width")), 2 * int(drawn.get("height")))


def test_csv_holds_the_weights_that_python_computed(view):
    page = view("layer=1&head=2")
    with page.expect_download() as download:
        take_away(page, "CSV")
    lines = list(csv.reader(io.StringIO(Path(download.value.path()).read_text("utf-8-sig"))))
    sent = np.array([[float(weight or 0) for weight in line[1:]] for line in lines[1:]])
    assert lines[0][6] == "<b>chased</b>"
    np.testing.assert_allclose(sent, _weights(12, 1, 2, causal=True), atol=5e-4)


def test_a_label_that_looks_like_a_formula_is_no_formula_in_the_csv(view):
    page = view("scene=hostile")
    with page.expect_download() as download:
        take_away(page, "CSV")
    lines = list(csv.reader(io.StringIO(Path(download.value.path()).read_text("utf-8-sig"))))
    assert lines[-1][0] == "'=1+1"


def test_special_tokens_can_be_left_out_and_rows_sum_to_one_again(view):
    page = view("scene=special")
    page.get_by_label("Leave out special tokens").check()
    expect(page.locator(".notes")).to_contain_text("Special tokens are left out")
    page.get_by_role("button", name="Exact values and row sum").click()
    expect(page.locator(".reading")).to_contain_text("Row sum 1.000000")
    expect(page.locator(".reading .token")).to_have_text(["one", "two"])
    weights = _weights(4, 0, 0)[2, 1:3]
    expect(page.locator(".top td:last-child").first).to_have_text(f"{max(weights / weights.sum()):.6f}")
    assert parameters(page) == {"scene": "special", "special": "out"}


def test_a_head_above_the_limit_is_fetched_from_the_server_once(view):
    page = view("scene=long&layer=1&head=3")
    expect(page.locator(".atlas")).not_to_have_class(re.compile("waiting"))
    before = runs(page)
    page.get_by_role("gridcell", name="Layer 2, head 5").click()
    expect(page.get_by_text("Choice(layer=2, head=5")).to_be_visible()
    expect(figure_name(page)).to_have_text("Layer 2, head 5")
    assert runs(page) == before + 1
    page.get_by_role("gridcell", name="Layer 1, head 3").click()
    expect(figure_name(page)).to_have_text("Layer 1, head 3")
    assert runs_after_another(page) == before + 2


def test_a_view_that_comes_back_asks_for_what_it_lost(view):
    page = view("scene=long")
    page.get_by_role("gridcell", name="Layer 2, head 5").click()
    expect(page.get_by_text("Choice(layer=2, head=5")).to_be_visible()
    page.get_by_text("Shown").click()
    expect(page.locator(".atlas")).to_have_count(0)
    page.get_by_text("Shown").click()
    expect(figure_name(page)).to_have_text("Layer 2, head 5")


def test_exact_values_replace_rounded_ones_when_asked_for(view):
    page = view("scene=long&token=7")
    head = page.get_by_role("gridcell", name="Layer 0, head 0")
    head.focus()
    page.get_by_role("button", name="Exact values and row sum").click()
    expect(page.locator(".reading")).to_contain_text("Row sum 1.000000")
    largest = _weights(160, 0, 0)[7].max()
    expect(page.locator(".top td:last-child").first).to_have_text(f"{largest:.6f}")


@pytest.mark.parametrize("scene", ["small", "picture", "cross"])
def test_each_row_sums_to_one_up_to_the_digits_shown(view, scene):
    page = view(f"scene={scene}")
    sums = []
    page.get_by_role("button", name="Exact values and row sum").click()
    for token in range(4):
        expect(page.locator(".reading")).to_contain_text(re.compile(r"Row sum \d"))
        sums.append(page.get_by_text(re.compile("^Row sum")).inner_text())
        page.locator(".thumb[aria-selected=true]").focus()
        page.keyboard.press("," if token else "Escape")
    assert sums == ["Row sum 1.000000"] * 4


def test_the_row_under_the_resting_pointer_is_exact_too(view):
    page = view()
    page.get_by_role("button", name="Exact values and row sum").click()
    page.locator(".sheet .over").hover(position=cell(page, 0.4, 0.6))
    expect(title(page)).not_to_have_text(LAST)
    expect(page.locator(".reading")).to_contain_text("Row sum 1.000000")


def test_the_server_is_told_of_head_and_pin_when_the_page_wants_it(view):
    page = view("tell=1&layer=1&view=text")
    page.locator(".figure .token", has_text="because").click()
    expect(page.get_by_text("Choice(layer=1, head=0, token=8, key=None) silence=None")).to_be_visible()


def test_silencing_is_an_event_for_the_page(view):
    page = view("layer=1&head=2")
    page.get_by_role("button", name="Ablate this head").click()
    expect(page.get_by_text("silence=(1, 2)")).to_be_visible()


def test_cross_attention_shades_the_other_sequence(view):
    page = view("scene=cross&view=text")
    page.locator(".figure .flow.active .token", has_text="cat").hover()
    expect(title(page)).to_have_text("“cat” looks at …")
    shades = page.locator(".figure .flow:not(.active) .token").evaluate_all(
        "words => words.map((word) => word.style.backgroundColor)"
    )
    assert len(shades) == 3
    assert all(shades)


def test_tapping_a_patch_pins_its_row_over_the_photograph(view):
    page = view("scene=picture")
    expect(title(page)).to_have_text("class looks at …")
    page.locator(".sheet .over").click(position=cell(page, 0.58, 0.6))
    expect(title(page)).to_have_text("patch 2·3 looks at …")
    assert parameters(page)["token"] == str(1 + 2 * 6 + 3)
    page.locator(".figure .token", has_text="class").click()
    expect(title(page)).to_have_text("class looks at …")


def test_the_picture_says_what_it_shows_to_who_cannot_see_it(view):
    page = view("layer=3&head=2&token=9")
    image = page.get_by_role("img", name=re.compile("^Layer 3, head 2. “it” looks at “.+” 0"))
    expect(image).to_be_visible()
    page.get_by_text("These weights as a table").click()
    expect(page.locator(".behind tbody tr")).to_have_count(12)
    expect(page.locator(".behind tbody tr").first.locator("td").last).to_have_text("not allowed")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_zero_is_the_colour_of_the_page(view, scheme):
    page = view()
    page.emulate_media(color_scheme=scheme)
    paper = {"light": "rgb(251, 250, 247)", "dark": "rgb(17, 21, 27)"}[scheme]
    expect(page.locator(".atlas")).to_have_css("background-color", paper)
    assert (
        page.locator(".ramp")
        .evaluate("ramp => getComputedStyle(ramp).backgroundImage")
        .startswith(f"linear-gradient(90deg, {paper}")
    )


def test_on_a_phone_nothing_is_wider_than_the_screen(view):
    page = view()
    canvas = page.locator(".sheet canvas").first
    former = canvas.get_attribute("style")
    page.set_viewport_size(PHONE)
    expect(canvas).not_to_have_attribute("style", former)
    for part in (".heads", ".middle", ".reading"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_presented_the_view_has_no_controls_and_answers_to_keys_at_once(view):
    page = view("present=1")
    expect(page.locator(".settings")).to_be_hidden()
    expect(page.locator(".actions")).to_be_hidden()
    page.keyboard.press("ArrowDown")
    expect(figure_name(page)).to_have_text("Layer 1, head 0")


def test_the_link_is_copied(view):
    page = view("layer=2")
    take_away(page, "Copy link")
    expect(page.get_by_role("status")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def _weights(tokens: int, layer: int, head: int, *, causal: bool = False) -> np.ndarray:
    """The weights of the test app, written out once more."""
    scores = np.random.default_rng([layer, head]).normal(size=(tokens, tokens)) * 2
    if causal:
        scores[np.triu_indices(tokens, 1)] = -np.inf
    weights = np.exp(scores)
    return weights / weights.sum(axis=1, keepdims=True)


def test_the_view_starts_with_the_head_that_the_scene_suggests_and_says_so_in_the_address_only_when_left(view):
    page = view("scene=suggesting")
    expect(figure_name(page)).to_have_text("Layer 2, head 1")
    assert parameters(page) == {"scene": "suggesting"}
    page.get_by_role("gridcell", name="Layer 0, head 0").click()
    assert parameters(page) == {"scene": "suggesting", "layer": "0", "head": "0"}
    page.reload()
    expect(figure_name(page)).to_have_text("Layer 0, head 0")
