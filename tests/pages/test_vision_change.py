"""Change it: hidden patches and silent heads, in the address and in the verdict, against the network itself."""

import json

import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.capture import edit_attention, record_attention
from core.images import Patches, open_example
from core.zoo import load_image
from pages.vision.vision_transformer import compute_changed as kept
from pages.vision.vision_transformer import hidden_patches
from pages.vision.vision_transformer import words as said
from pages.vision.vision_transformer import words_change as words
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import prose, told

PAGE = "vision/vision_transformer"
pytestmark = pytest.mark.usefixtures("at_home")
VIT = "vit-tiny-imagenet"


def bars(app: AppTest) -> dict:
    chart = app.get("plotly_chart")[0]
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def button(app: AppTest, label: str):
    return next(each for each in app.button if label in each.label)


@pytest.fixture
def open_change(visit):
    """Open the section, with more of the address."""
    return lambda **query: visit(PAGE, show=said.CHANGE, **{"picture": "cat", "patches": "8", **query})


def test_the_section_is_alive_at_once(open_change):
    app = open_change()
    assert not app.warning
    assert list(bars(app)) == ["as it is"]
    assert "The model says" in prose(app)
    assert button(app, "Take all back").disabled


def test_hidden_patches_of_the_address_are_hidden_from_the_network(open_change):
    app = open_change(hidden="8x8_9-10.20")
    assert list(bars(app)) == ["as it is", "changed"]
    model = load_image(VIT)
    pixels = model.prepare(open_example("cat"), resolution=64).pixels
    for patch in (9, 10, 20):
        row, column = divmod(patch, 8)
        pixels[..., 8 * row : 8 * row + 8, 8 * column : 8 * column + 8] = 0
    expected = model.network(pixels)[0].softmax(-1)
    seen = kept.verdict(VIT, "cat", 64, (), frozenset({9, 10, 20}))
    torch.testing.assert_close(torch.from_numpy(seen.probabilities), expected, rtol=1e-4, atol=1e-5)
    assert "3 of 64 patches hidden (5% of the picture)" in prose(app)


def test_silenced_heads_and_layers_are_silent_in_the_network(open_change):
    app = open_change(change_heads="1.0", change_layers="2")
    model = load_image(VIT)
    prepared = model.prepare(open_example("cat"), resolution=64)
    with record_attention(model.network) as record:
        model.run(prepared)
    silent = [(record.calls[1].path, 0), *((record.calls[2].path, head) for head in range(record.calls[2].heads))]
    with edit_attention(model.network, dict.fromkeys(silent, "silence")):
        expected = model.probabilities(model.run(prepared))
    heads = ((1, 0), *((2, head) for head in range(record.calls[2].heads)))
    seen = kept.verdict(VIT, "cat", 64, heads)
    torch.testing.assert_close(torch.from_numpy(seen.probabilities), expected, rtol=1e-4, atol=1e-5)
    assert f"{len(heads)} of {sum(call.heads for call in record.calls)} heads silenced" in prose(app)


def test_all_is_taken_back_at_once(open_change):
    app = open_change(hidden="8x8_0-3", change_heads="0.0", change_layers="1")
    button(app, "Take all back").click().run()
    assert not app.exception
    assert "hidden" not in app.query_params
    assert list(bars(app)) == ["as it is"]
    assert app.multiselect(key="change_heads").value == []


def test_hidden_and_shown_patches_change_places(open_change):
    app = open_change(hidden="8x8_0-3")
    button(app, "Swap hidden and shown").click().run()
    assert app.query_params["hidden"] in ("8x8_4-63", ["8x8_4-63"])


def test_the_patch_that_matters_most_is_found_on_demand(open_change):
    app = open_change()
    button(app, "Hide each of the 64").click().run()
    assert not app.exception
    seen = kept.verdict(VIT, "cat", 64)
    found = kept.known_occlusion(seen, seen.first)
    row, column = found.most
    assert f"row {row}, column {column}" in prose(app)
    assert "Hide each of the 64" not in [each.label for each in app.button]
    whole = seen.probabilities[seen.first]
    without = kept.verdict(VIT, "cat", 64, (), frozenset({8 * row + column})).probabilities[seen.first]
    assert float(found.losses[row, column]) == pytest.approx(float(whole - without), abs=1e-5)


@pytest.mark.parametrize("asked", ["<b>", "8x8", "9x9_3", "8x8_64", "8x8_5-2", "8x8_x.1"])
def test_patches_that_do_not_fit_are_left_out_in_a_sentence(open_change, asked):
    app = open_change(hidden=asked)
    assert "hidden" in told(app, "info").lower()
    assert app.query_params.get("hidden") in (None, "8x8_1", ["8x8_1"])


def test_heads_that_another_model_does_not_have_are_left_out(open_change):
    app = open_change(change_heads="99.99")
    assert not app.exception
    assert list(bars(app)) == ["as it is"]


def test_everything_may_be_hidden_and_everything_silenced(open_change):
    layers = len(kept.heads_of(VIT, "cat", 64))
    app = open_change(hidden="8x8_0-63", change_layers=",".join(map(str, range(layers))))
    assert not app.exception
    assert "100% of the picture" in prose(app)


def test_patches_can_be_hidden_from_a_convolutional_network_too(visit, tmp_path):
    folder = save_timm_model("convnext", tmp_path / "convnext")
    app = visit(PAGE, show=said.CHANGE, network=str(folder), picture="cat", hidden="7x7_0-3")
    assert not app.multiselect
    assert words.NO_HEADS in told(app, "caption")
    assert "4 of 49 patches hidden" in prose(app)


def test_a_model_without_classes_has_no_verdict_and_says_so(visit, tmp_path):
    folder = save_timm_model("dinov2", tmp_path / "dinov2")
    app = visit(PAGE, show=said.CHANGE, network=str(folder), picture="cat")
    assert "names no class" in told(app, "info")


def test_the_projector_shows_no_prose(open_change):
    assert "What to notice" not in [element.value for element in open_change(present="1").subheader]


@pytest.mark.parametrize(
    ("hidden", "text"),
    [({3, 4, 5, 17}, "12x12_3-5.17"), ({0}, "12x12_0"), (set(range(144)), "12x12_0-143"), ({1, 3, 5}, "12x12_1.3.5")],
)
def test_hidden_patches_survive_the_address(hidden, text):
    grid = Patches(12, 12)
    assert hidden_patches.encode(hidden, grid) == text
    assert hidden_patches.decode(text, grid) == (frozenset(hidden), "")


def test_a_chequered_grid_of_forty_fits_the_letters_that_are_read():
    grid = Patches(40, 40)
    chequered = frozenset(place for place in range(1600) if (place // 40 + place) % 2)
    text = hidden_patches.encode(chequered, grid)
    assert len(text) <= hidden_patches.LONGEST
    assert hidden_patches.decode(text, grid)[0] == chequered
