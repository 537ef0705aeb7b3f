"""Reconstruction, the sections of image-GPT: each opens, what is drawn stays with its address, what is told is true."""

import json
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.generation.rules import Rules
from core.published import image_densities
from core.results.image_gpt_results import FILLINGS, HIDDEN, IMAGE_GPT, NEXT, UNTRAINED, WAYS, Bits, Filled, Mean, Probe
from core.vision.pixel_attention import PixelAttention
from core.vision.pixel_drawing import NOT_DRAWN
from dashboard.cache.models import image_gpt
from dashboard.inputs.controls import FIRST_PICTURE
from dashboard.output.streaming import StepObserver
from pages.vision.reconstruction import compute_both, compute_pixels, looking_up, measured_pixels
from pages.vision.reconstruction.compute_both import MAE, MEAN, PALETTE, roughness
from pages.vision.reconstruction.pixels_sentences import (
    steps,
    tell_bits,
    tell_both,
    tell_draws,
    tell_filled,
    tell_heads,
    tell_palette,
    tell_rough,
)
from tests.pages.conftest import message_text, prose
from tests.pages.tiny_drawers import tiny_image_gpts  # noqa: F401

pytestmark = pytest.mark.usefixtures("tiny_image_gpts")
ROOM = "vision/reconstruction"
ERRORS = st.floats(1e-4, 1.0)


def test_the_rest_is_drawn_and_told_and_the_address_holds_what_was_chosen(visit):
    query = {"pixel_rows": "29", "pixel_count": "2", "pixel_seed": "3", "pixel_top_k": "20", "picture": "cat"}
    app = visit(ROOM, show="Pixel by pixel", **query)
    assert not message_text(app, "warning"), message_text(app, "warning")
    drawn = compute_pixels.draw.peek("cat", 29, 2, Rules(1.0, 20), 3)
    assert drawn is not None
    assert tell_draws(drawn.errors, drawn.even, drawn.apart, has_rows=True)[0] in prose(app)
    next(widget for widget in app.button if widget.label == "Draw again").click().run()
    assert app.number_input(key="pixel_seed").value == 4
    assert compute_pixels.draw.peek("cat", 29, 2, Rules(1.0, 20), 4) is not None


def test_hidden_pixels_are_filled_in_and_a_share_out_of_range_is_the_usual_one(visit):
    app = visit(ROOM, show="Pixel by pixel", pixel_task="hidden pixels", pixel_share="30")
    assert not message_text(app, "warning"), message_text(app, "warning")
    assert f"{round(0.3 * 1024):,} pixels are hidden." in prose(app)
    strange = visit(ROOM, show="Pixel by pixel", pixel_task="sideways", pixel_rows="31", pixel_count="1")
    assert "The completion is off by" in prose(strange)


def test_the_view_is_sent_all_heads_and_a_layer_that_looks_back(visit):
    app = visit(ROOM, show="Looking up")
    assert not message_text(app, "warning"), message_text(app, "warning")
    sent = [json.loads(part.proto.json) for part in app.get("bidi_component")]
    (maps,) = [data for data in sent if data.get("overview") and "layers" in data["overview"]]
    config = image_gpt("next").network.config
    assert [layer["heads"] for layer in maps["overview"]["layers"]] == [config.heads] * config.layers
    assert {(layer["behind"], layer["unit"], layer["kind"]) for layer in maps["overview"]["layers"]} == {
        (1, "pixel", "factors")
    }
    assert len(json.dumps(maps)) < 4e6


def test_both_fill_in_the_same_half(visit):
    app = visit(ROOM, show="Side by side", both_temperature="0.5")
    assert not message_text(app, "warning"), message_text(app, "warning")
    comparison = compute_both.both.peek(FIRST_PICTURE, 4, Rules(0.5), 0)
    assert comparison is not None
    upper = ~comparison.where
    for picture in (comparison.filled, comparison.even):
        torch.testing.assert_close(picture[:, upper], comparison.truth[:, upper])
    painted = image_gpt("next").network
    palette_picture = painted.paint(painted.read(comparison.truth[None]))[0]
    for picture in comparison.drawn:
        torch.testing.assert_close(picture[:, upper], palette_picture[:, upper])
    assert comparison.errors[PALETTE] < min(comparison.draw_errors)


def test_weights_that_are_missing_and_what_is_no_picture_get_a_sentence(visit, monkeypatch):
    from core.errors import ModelError
    from pages.vision.reconstruction import compute_pixels as module

    def missing(name):
        raise ModelError(f"Weights are missing: there is no image-gpt/{name}.safetensors.")

    monkeypatch.setattr(module, "image_gpt", missing)
    compute_pixels.look.forget("rocket")
    app = visit(ROOM, show="Looking up", picture="galaxies")
    assert "Weights are missing" in message_text(app, "warning")


def test_an_onlooker_sees_each_row_and_what_is_kept_does_not_depend_on_it():
    rows = []
    arguments = ("rocket", 28, 2, Rules(1.0, 5), 9)
    drawn = compute_pixels.draw(*arguments, observer=StepObserver(lambda _, best: rows.append(best[0])))
    assert [int((row == NOT_DRAWN).sum()) for row in rows] == [2 * 32 * left for left in (3, 2, 1, 0)]
    grey = compute_pixels.unfinished(rows[0])[:, :, 29:]
    assert torch.allclose(grey, torch.full_like(grey, compute_pixels.GREY))
    assert compute_pixels.draw(*arguments) is drawn
    painted = compute_pixels.read_picture("rocket").painted
    assert torch.equal(drawn.pictures[:, :, :28], painted[None, :, :28].expand(2, -1, -1, -1))
    lower = (drawn.pictures[1, :, 28:] - painted[:, 28:]).square().mean()
    assert drawn.errors[1] == pytest.approx(float(lower), rel=1e-4)


def test_the_map_of_a_pixel_is_the_row_of_the_token_that_asks_for_it():
    attention = compute_pixels.look("rocket")
    reader = image_gpt("next")
    calls = reader.record(compute_pixels.read_picture("rocket").colours).calls
    for layer, head, place in ((0, 1, 0), (0, 0, 40), (1, 1, 1023)):
        row = attention.scene.layers[layer].weights(head)[1 + place]
        weights = calls[layer].weights(head)[place].numpy()
        np.testing.assert_allclose(row[: place + 1], weights[: place + 1], atol=1e-5)
        assert not row[place + 1 :].any()


def test_bits_are_told_of_what_is_drawn():
    bits = np.full((4, 4), 2.0)
    bits[0, 0], bits[3, 1] = 30.0, 6.0
    first, second = tell_bits(bits, 2, 16)
    assert "below row 1 takes **2.50 bits** a pixel, less than the 4.00 of even guessing among 16 colours" in first
    assert "row 3, column 1: 6.0 bits" in second
    average, place = tell_bits(bits, 0, 4)
    assert average.startswith("The true picture takes **4.00 bits** a pixel, more than the 2.00")
    assert "row 0, column 0: 30.0 bits" in place
    even, alike = tell_bits(np.full((4, 4), 2.01), 0, 4)
    assert "about the 2.00 of even guessing" in even
    assert "All pixels there are about as surprising" in alike


@given(st.lists(ERRORS, min_size=1, max_size=8), ERRORS, st.one_of(st.none(), st.just(0.0), ERRORS), st.booleans())
def test_what_is_told_of_completions_is_so(errors, even, apart, given_rows):
    first, *second = tell_draws(errors, even, apart, has_rows=given_rows)
    many = len(errors) > 1
    nearer = sum(one < even and even - one > 0.05 * even for one in errors)
    if many:
        if number := re.match(r"Completion (\d+) ", first):
            assert errors[int(number[1]) - 1] == min(errors)
        else:
            assert max(errors) - min(errors) <= 0.05 * max(errors)
        assert f"{nearer} of {len(errors)} completions" in first
    else:
        assert ("It is nearer" in first) == bool(nearer)
    assert f"by {255 * even**0.5:.0f}." in first or (not even and "is exact." in first)
    assert ("grey" in first) == (not given_rows)
    if apart is None:
        assert not second
    elif apart == 0:
        assert second == ["All completions are the same."]
    else:
        between, away = round(255 * apart**0.5), round(255 * (sum(errors) / len(errors)) ** 0.5)
        assert ("more than" in second[0]) == (between > away)
        assert ("less than" in second[0]) == (between < away)


@given(st.lists(ERRORS, min_size=4, max_size=4), st.floats(0, 1), st.integers(1, 1023), st.floats(0, 20))
def test_what_is_told_of_filled_pixels_is_so(values, right, hidden, bits):
    errors = dict(zip(("best", "drawn", "mean", "neighbours"), values, strict=True))
    first, second, third = tell_filled(errors, right, hidden, bits, 512)
    assert f"{hidden:,} pixels are hidden" in first
    assert f"off by {255 * min(values) ** 0.5:.1f}" in first
    assert first.count(" by ") == 4
    gap = values[3] - min(values[:3])
    if abs(abs(gap) - 0.05 * values[3]) > 1e-9:
        assert ("knows more here" in second) == (gap > 0.05 * values[3])
        assert ("neighbours alone show more" in second or "is exact" in second) == (gap < -0.05 * values[3])
    assert f"for {right:.0%} of them" in third


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 3, st.floats(0, 40)), min_size=1, max_size=12))
def test_heads_are_named_by_what_they_look_at(numbers):
    looks = [PixelAttention(place // 4, place % 4, *measures) for place, measures in enumerate(numbers)]
    first, second, third = tell_heads(looks)
    named = re.findall(r"layer (\d+), head (\d+)", f"{first} {second} {third}")
    left, above, near, far, start = [looks[4 * int(layer) + int(head)] for layer, head in named]
    assert left.left == max(head.left for head in looks)
    assert above.above == max(head.above for head in looks)
    assert near.distance == min(head.distance for head in looks)
    assert far.distance == max(head.distance for head in looks)
    assert start.start == max(head.start for head in looks)
    assert len(looking_up.table_of(looks)) == len(looks)


def test_a_head_that_gives_pixels_nothing_has_no_distance_to_tell():
    assert len(tell_heads([PixelAttention(0, 0, 0.0, 0.0, 1.0, float("nan"))])) == 2


@given(st.lists(ERRORS, min_size=1, max_size=6), ERRORS, ERRORS)
def test_both_are_told_by_their_errors(draws, mae, mean):
    first, second = tell_both({MAE: mae, PALETTE: 1e-5, MEAN: mean}, draws, mae=MAE, palette=PALETTE, mean=MEAN)
    assert f"off by {255 * mae**0.5:.0f} of" in first
    assert ("in the nearest of" in first) == (len(draws) > 1)
    count = sum(one < mae and mae - one > 0.05 * mae for one in draws)
    assert second.startswith(f"{count} of {len(draws)} completions {'comes' if count == 1 else 'come'} nearer")


def test_completions_that_are_exact_have_no_share_left_by_the_palette():
    assert (
        "would be left"
        not in tell_both({MAE: 0.1, PALETTE: 0.0, MEAN: 0.1}, [0.0], mae=MAE, palette=PALETTE, mean=MEAN)[1]
    )


def test_roughness_is_the_difference_of_neighbours_within_the_part():
    picture, where = torch.zeros(3, 4, 4), torch.zeros(4, 4, dtype=torch.bool)
    where[2:] = True
    picture[:, 1], picture[:, 2, 0] = 1, 1  # the step between the halves does not count
    pairs = [0.0] * 10
    pairs[0] = pairs[1] = 1.0  # to its right, and below it
    assert roughness(picture, where) == pytest.approx(np.mean(pairs) ** 0.5)
    assert "51 steps" in tell_rough(0.2, 0.1, 0.3)
    assert "(50% of it)" in tell_rough(0.2, 0.1, 0.3)
    assert "none in the truth" in tell_rough(0.0, 0.1, 0.3)
    assert steps(0.25) == 127.5
    assert "of which this picture uses 82, each value is off by about **26**" in tell_palette(0.01, 512, 82)


def bits_of(own: float, two: float, error: float = 0.01) -> Bits:
    return Bits(1000, dict(zip(WAYS, (Mean(own, error), Mean(two, error), Mean(8.6, error)), strict=True)))


@given(st.floats(1, 8), st.floats(1, 8), st.floats(0.001, 0.5))
def test_measured_bits_are_told_with_their_doubt(own, two, error):
    first, second = measured_pixels.tell_bits_measured(bits_of(own, two, error))
    assert f"**{own:.2f} bits** a pixel ({own / 3:.2f} for" in first
    doubt = abs(two - own) <= 2 * (2 * error**2) ** 0.5
    assert ("cannot be told" in second) == doubt
    if not doubt:
        assert second.endswith("bits more." if two > own else "bits fewer.")


def test_published_bits_stand_below_ours_and_say_of_what_they_are():
    table = measured_pixels.table_of_bits(bits_of(3.3, 4.2), image_densities())
    assert table["told by"].tolist()[:3] == list(WAYS)
    assert table["one of"].unique().tolist() == ["512 colours", "256 values a channel"]
    own = table[table["told by"] == IMAGE_GPT].iloc[0]
    assert own["bits a dimension"] == pytest.approx(1.1)
    assert table["bits a pixel"].isna().sum() == len(image_densities())


def test_measured_hidden_pixels_are_told_beside_their_neighbours():
    errors = dict(zip(FILLINGS, (Mean(0.02, 1e-4), Mean(0.03, 1e-4), Mean(0.01, 1e-4), Mean(0.04, 1e-4)), strict=True))
    filled = Filled(1000, 153_600, 0.15, 0.41, 0.2, Mean(2.5, 0.1), errors)
    sentence = measured_pixels.tell_filled_measured(filled)
    assert "Of 153,600 hidden pixels the first guess is exactly the right colour for **41%**" in sentence
    assert "(mean expected) is 75% smaller than that of this mean." in sentence
    worse = Filled(1000, 9, 0.15, 0.41, 0.2, Mean(2.5, 0.1), errors | {FILLINGS[3]: Mean(0.0099, 1e-4)})
    assert "1% larger than that of this mean, which may be chance." in measured_pixels.tell_filled_measured(worse)
    assert measured_pixels.table_of_filled(filled)["the very colour"].notna().sum() == 2


def test_the_layer_that_tells_classes_best_is_named():
    layers = {NEXT: (0.2, 0.5, 0.3), HIDDEN: (0.2, 0.3, 0.4), UNTRAINED: (0.2, 0.25, 0.22)}
    first, second, third, _ = measured_pixels.tell_probe(Probe(1500, 1000, 0.3, layers))
    assert "next pixel, it tells classes best after layer 1 of 2: **50.0%**; after the last one 30.0%, −20.0" in first
    assert second.endswith("it tells classes best after the last layer: **40.0%**.")
    assert "at most 25.0%" in third
    near, *_ = measured_pixels.tell_probe(Probe(1500, 100, 0.3, {NEXT: (0.31, 0.30)}))
    assert "best before the first layer: **31.0%**" in near
    assert near.endswith("which may be chance.")
