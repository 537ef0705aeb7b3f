"""Change it: hidden patches and silent heads, in the address and in the verdict, against the network itself."""

import json
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.capture import edit_attention, record_attention
from core.images import Patches, open_example
from core.vision.hidden_patches import Occlusion, hide
from core.zoo import load_image
from core.zoo.image_models import Framing
from dashboard.inputs import hidden_patches
from dashboard.inputs.photograph import Photograph
from pages.vision.vision_transformer import change, compute, occlusion
from pages.vision.vision_transformer.compute import colour_of_zero, hide_each, tell_colour, verdict
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import message_text, prose

PAGE = "vision/vision_transformer"
pytestmark = pytest.mark.usefixtures("at_home")
VIT = "vit-tiny-imagenet"
CAT = Photograph(VIT, "cat", 64)


def bars(app: AppTest) -> dict:
    chart = app.get("plotly_chart")[0]
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def button(app: AppTest, label: str):
    return next(widget for widget in app.button if label in widget.label)


@pytest.fixture
def open_change(visit):
    """Open the section, with more of the address."""
    return lambda **query: visit(PAGE, show="Change it", **{"network": VIT, "picture": "cat", "patches": "8", **query})


def test_the_section_is_alive_and_the_patch_that_matters_most_is_found_on_demand(open_change):
    app = open_change(change_heads="99.99")  # a head of another model
    assert not app.warning
    assert list(bars(app)) == ["as it is"]
    assert "The model says" in prose(app)
    assert button(app, "Take all back").disabled
    button(app, "Hide each of the 64").click().run()
    assert not app.exception
    before = verdict(CAT)
    occlusion_map = hide_each.peek(CAT, int(before.argmax()))
    row, column = occlusion_map.most_important
    assert f"row {row}, column {column}" in prose(app)
    assert "Hide each of the 64" not in [widget.label for widget in app.button]
    without = verdict(CAT, (), frozenset({8 * row + column}))
    assert float(occlusion_map.losses[row, column]) == pytest.approx(float((before - without).max()), abs=1e-5)


def test_changes_of_the_address_are_shown_swapped_and_all_taken_back(open_change):
    app = open_change(hidden="8x8_0-3", change_heads="0.0", change_layers="1")
    assert list(bars(app)) == ["as it is", "changed"]
    assert "4 of 64 patches hidden (6%) and 5 of 24 heads ablated" in prose(app)
    button(app, "Swap hidden and shown").click().run()
    assert app.query_params["hidden"] in ("8x8_4-63", ["8x8_4-63"])
    button(app, "Take all back").click().run()
    assert not app.exception
    assert "hidden" not in app.query_params
    assert list(bars(app)) == ["as it is"]
    assert app.multiselect(key="change_heads").value == []


def test_the_maps_after_a_change_are_those_of_the_changed_network():
    hidden, heads = frozenset({9, 10}), ((1, 0),)
    model, prepared = load_image(VIT), CAT.prepared
    pixels = prepared.pixels.clone()
    pixels[..., 8:16, 8:24] = 0  # the second and third patch of the second row
    with record_attention(model.network) as plain:
        model.run(prepared)
    silent = {(plain.calls[1].path, 0): "silence"}
    with edit_attention(model.network, silent), record_attention(model.network) as record:
        model.network(pixels)
    scene = compute.maps_after(CAT, heads, hidden)
    for layer in (0, 1, 5):
        expected = record.calls[layer].weights(head=2).numpy()
        np.testing.assert_allclose(scene.layers[layer].weights(2), expected, rtol=1e-3, atol=1e-5)


def test_the_maps_of_the_changed_run_are_one_click_away(open_change):
    assert change.CHANGED_MAPS not in [fold.label for fold in open_change().expander]
    app = open_change(change_heads="0.0", hidden="8x8_3")
    assert change.CHANGED_MAPS in [fold.label for fold in app.expander]
    assert [phrase for phrase in ("Hardly matters", "stays first", "no longer first", "Loses") if phrase in prose(app)]


def test_hidden_patches_are_hidden_from_the_network():
    model = load_image(VIT)
    pixels = model.prepare(open_example("cat"), resolution=64).pixels
    for patch in (9, 10, 20):
        row, column = divmod(patch, 8)
        pixels[..., 8 * row : 8 * row + 8, 8 * column : 8 * column + 8] = 0
    expected = model.network(pixels)[0].softmax(-1)
    probabilities = verdict(CAT, (), frozenset({9, 10, 20}))
    torch.testing.assert_close(torch.from_numpy(probabilities), expected, rtol=1e-4, atol=1e-5)


def test_silenced_heads_are_silent_in_the_network():
    model = load_image(VIT)
    prepared = model.prepare(open_example("cat"), resolution=64)
    with record_attention(model.network) as record:
        model.run(prepared)
    assert change.heads_of(CAT) == tuple(call.heads for call in record.calls)
    heads = ((1, 0), *((2, head) for head in range(record.calls[2].heads)))
    silent = {(record.calls[layer].path, head): "silence" for layer, head in heads}
    with edit_attention(model.network, silent):
        expected = model.probabilities(model.run(prepared))
    torch.testing.assert_close(torch.from_numpy(verdict(CAT, heads)), expected, rtol=1e-4, atol=1e-5)


def test_everything_may_be_hidden_and_everything_silenced():
    every = tuple((layer, head) for layer, heads in enumerate(change.heads_of(CAT)) for head in range(heads))
    assert np.isfinite(verdict(CAT, every, frozenset(range(64)))).all()


@pytest.mark.parametrize("address", ["<b>", "8x8", "9x9_3", "8x8_64", "8x8_5-2", "8x8_x.1", "8x8_1.٣", "٨x8_1"])
def test_patches_that_do_not_fit_are_left_out_in_a_sentence(address):
    hidden, notice = hidden_patches.decode(address, Patches(8, 8))
    assert "hidden" in notice.lower()
    assert hidden <= {1}


def test_patches_that_do_not_fit_leave_the_address(open_change):
    app = open_change(hidden="9x9_3")
    assert "none is hidden" in message_text(app, "info")
    assert "hidden" not in app.query_params


def test_patches_can_be_hidden_from_a_convolutional_network_too(visit, tmp_path):
    folder = save_timm_model("convnext", tmp_path / "convnext")
    app = visit(PAGE, show="Change it", network=str(folder), picture="cat", hidden="7x7_0-3")
    assert not app.multiselect
    assert change.SECTION.text("Networks without heads") in message_text(app, "caption")
    assert "4 of 49 patches hidden" in prose(app)


def test_a_model_without_classes_has_no_verdict_and_says_so(visit, tmp_path):
    folder = save_timm_model("dinov2", tmp_path / "dinov2")
    app = visit(PAGE, show="Change it", network=str(folder), picture="cat")
    assert "has no classes" in message_text(app, "info")


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


@pytest.mark.parametrize(
    "mean", [(0.485, 0.456, 0.406), (0.5, 0.5, 0.5), (0.0, 0.0, 0.0), (0.48, 0.448, 0.398), (1.0, 1.0, 1.0)]
)
def test_the_colour_that_is_told_is_what_a_hidden_patch_is_painted_in(mean):
    framing = Framing((3, 8, 8), mean, (0.3, 0.25, 0.2))
    hidden = hide(torch.randn(1, 3, 8, 8), (4, 4), Patches(2, 2), {3})[0, :, 7, 7]
    painted = [
        round(255 * (float(value) * std + one)) for value, std, one in zip(hidden, framing.std, mean, strict=True)
    ]
    colour = colour_of_zero(framing)
    assert [*colour] == painted
    caption = tell_colour(colour)
    assert re.findall(r"\d+", caption.partition("(of")[0]) == [str(part) for part in dict.fromkeys(painted)]
    assert ("grey" in caption) == (len(set(mean)) == 1)


def shares_of(weights):
    made = np.array(weights, dtype=np.float32) + 1e-3
    return made / made.sum()


CLASSES = ("cat", "dog", "<b>", "**", "bird")
SHARES = st.lists(st.floats(0, 1), min_size=5, max_size=5).map(shares_of)


@given(SHARES, SHARES)
def test_what_moved_is_told_with_the_largest_loss_and_gain(before, after):
    moved = change.tell_moves(CLASSES, before, after, "something")
    gains = [float(b) - float(a) for a, b in zip(before, after, strict=True)]
    if "tenth of a point" in moved:
        assert max(map(abs, gains)) < 6e-4
    else:
        points = [f"{round(100 * gain, 1) + 0.0:+.1f} points".replace("-", "−") for gain in (min(gains), max(gains))]
        assert re.findall(r"\(([+−][\d.]+ points)\)", moved) == points
        assert f"**{sum(gain for gain in gains if gain > 0):.0%}**" in moved


def test_a_model_of_one_class_has_a_sentence_too():
    assert change.tell_before(("cat",), np.array([1.0])).startswith("The model says **cat** (100.0%). Hide")


def test_what_was_changed_is_counted():
    assert change.tell_change(3, 64, 0, 24) == "3 of 64 patches hidden (5%)"
    assert change.tell_change(1, 4, 2, 24) == "1 of 4 patches hidden (25%) and 2 of 24 heads ablated"


@given(
    st.lists(st.lists(st.floats(-0.5, 0.5, width=32), min_size=3, max_size=3), min_size=1, max_size=3),
    st.floats(0.01, 1),
)
def test_what_single_squares_are_worth_is_counted_as_plain_loops_count_it(losses, probability):
    occlusion_map = Occlusion(0, probability, 1, torch.tensor(losses))
    first, *others = occlusion.tell(occlusion_map, "cat")
    flat = [loss for row in losses for loss in row]
    if max(flat) <= 5e-4:
        assert first == "No square hidden alone takes a tenth of a point from **cat**."
        return
    row, column = map(int, re.search(r"row (\d+), column (\d+)", first).groups())
    assert losses[row][column] == max(flat)
    strong = sum(loss >= max(flat) / 2 for loss in flat) - 1
    assert f"{sum(loss < -5e-4 for loss in flat)} raise" in first
    assert f"{strong or 'none'} of the others" in first
    assert f"all squares take {100 * sum(flat):.0f} points"[:-9] in others[0] or abs(100 * sum(flat) % 1 - 0.5) < 0.01
    if "depends on the others" in others[0]:
        assert sum(flat) > probability
