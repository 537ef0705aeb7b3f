"""What photo_maps sends: every map can be told from it, and it fits."""

import base64
import json

import numpy as np
import pytest

from core.view import codec
from dashboard.components.photo_maps import Dense, Factors, PhotoLayer, PhotoScene, Windows
from dashboard.components.photo_maps.packing import (
    BUDGET,
    ViewRequest,
    factors,
    kind_of,
    overview_of,
    pack,
    size_of,
    thumbnails,
)
from tests.browser.apps.photo_maps_app import PLACES, large, many_factors, scene, window_weights, windowed

PICTURE = np.zeros((8, 12, 3), np.uint8)


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def numbers(text: str, kind: str = "<f2") -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind)


def dense_layer(tokens: int = 13, heads: int = 2) -> PhotoLayer:
    maps = softmax(np.random.default_rng(0).normal(size=(heads, tokens, tokens)))
    return PhotoLayer("0", heads, 3, 4, Dense(maps.__getitem__), ("class",))


def test_a_small_scene_is_sent_at_once_and_only_once():
    small_scene = scene("small")
    message = pack(small_scene, ViewRequest())
    assert message["overview"]["whole"]
    assert message["answers"] is None
    again = pack(small_scene, ViewRequest(have=message["digest"]))
    assert again["overview"] is None
    assert again["answers"] is None


def test_dense_answers_are_the_weights_as_float16():
    layer = dense_layer()
    message = pack(PhotoScene(PICTURE, (layer,)), ViewRequest())
    for head in range(2):
        sent = numbers(message["overview"]["layers"][0]["answers"][str(head)]["weights"]).reshape(13, 13)
        np.testing.assert_array_equal(sent, layer.weights(head).astype(np.float16))


def test_factors_give_the_weights_of_the_softmax_they_stand_for():
    answers = many_factors(0, 5, 6, 8)
    layer = PhotoLayer("0", 4, 5, 6, answers, ("class",))
    exact = softmax(
        np.einsum("hqe,hke->hqk", *(part.astype(np.float64) for part in (answers.query, answers.key))) / 8**0.5
    )
    for head in range(4):
        np.testing.assert_allclose(layer.weights(head), exact[head], atol=1e-6)


@pytest.mark.parametrize("behind", [0, 1, 3])
def test_factors_that_look_back_give_nothing_to_later_tokens_and_always_see_the_first(behind):
    free = many_factors(0, 5, 6, 8)
    exact = Factors(free.query, free.key, free.scale, behind).weights(2)
    for query, row in enumerate(free.weights(2)):
        visible = max(1, query + 1 - behind)
        np.testing.assert_allclose(exact[query, :visible], row[:visible] / row[:visible].sum(), rtol=1e-4)
        assert not exact[query, visible:].any()
    layer = PhotoLayer("0", 4, 5, 6, Factors(free.query, free.key, free.scale, behind), ("start",), unit="pixel")
    (sent,) = overview_of(PhotoScene(PICTURE, (layer,)))["layers"]
    assert (sent["behind"], sent["unit"]) == (behind, "pixel")


@pytest.mark.parametrize("common", [0.0, 3.0, 300.0])
def test_rows_from_factors_are_exact_to_three_digits_whatever_all_keys_have_in_common(common):
    answers = many_factors(1, 12, 12, 32)
    answers = Factors(answers.query, answers.key + common, answers.scale)
    layer = PhotoLayer("0", 4, 12, 12, answers, ("class",))
    assert kind_of(layer) == "factors"
    sent = pack(PhotoScene(PICTURE, (layer,)), ViewRequest())["overview"]["layers"][0]["answers"]["2"]
    query, key = (numbers(sent[name]).astype(np.float32).reshape(145, 32) for name in ("query", "key"))
    exact = softmax(answers.query[2].astype(float) @ answers.key[2].astype(float).T * answers.scale)
    weights = softmax(query @ key.T)
    np.testing.assert_allclose(weights, exact, atol=2e-3 * exact.max())
    np.testing.assert_allclose(numbers(sent["mean"], "<f4"), exact.mean(axis=0), rtol=1e-3)


def test_few_tokens_travel_as_maps_because_they_are_smaller_than_their_factors():
    few = PhotoLayer("0", 4, 5, 6, many_factors(0, 5, 6, 32), ("class",))
    assert kind_of(few) == "dense"
    assert size_of(few) == 2 * 31 * 31


def test_factors_too_large_for_float16_travel_as_maps():
    answers = many_factors(0, 12, 12, 8)
    enormous = answers.query.copy()
    enormous[1, 3, 5] = 1e6
    assert kind_of(PhotoLayer("0", 4, 12, 12, answers, ("class",))) == "factors"
    assert kind_of(PhotoLayer("0", 4, 12, 12, Factors(enormous, answers.key, 0.1), ("class",))) == "dense"


def test_of_sixteen_hundred_tokens_one_layer_is_sent_and_fits_four_megabytes():
    large_scene = PhotoScene(PICTURE, tuple(map(large, range(3))))
    message = pack(large_scene, ViewRequest())
    assert len(json.dumps(message)) < 4e6
    assert not message["overview"]["whole"]
    assert message["overview"]["layers"][1]["answers"] is None
    assert message["answers"]["layer"] == 0
    assert set(message["answers"]["heads"]) == {"0", "1", "2", "3"}
    later = pack(large_scene, ViewRequest(2, 1, message["digest"]))
    assert later["overview"] is None
    assert later["answers"]["layer"] == 2
    query, _ = factors(large_scene.layers[2].answers, 1)
    sent = numbers(later["answers"]["heads"]["1"]["query"]).reshape(query.shape)
    np.testing.assert_array_equal(sent, query.astype(np.float16))


def test_of_a_layer_too_large_for_one_message_the_wished_head_is_sent():
    tokens = 1 + 31 * 31
    even = np.full((6, tokens, tokens), 1 / tokens, np.float32)
    layer = PhotoLayer("0", 6, 31, 31, Dense(even.__getitem__), ("class",))
    assert size_of(layer) < BUDGET < 6 * size_of(layer)
    answers = pack(PhotoScene(PICTURE, (layer,)), ViewRequest(0, 4))["answers"]
    assert list(answers["heads"]) == ["4"]


def test_maps_too_large_even_alone_travel_in_one_byte_a_weight():
    even = np.full((1, 1601, 1601), 1 / 1601, np.float32)
    layer = PhotoLayer("0", 1, 40, 40, Dense(even.__getitem__), ("class",))
    assert kind_of(layer) == "rough"
    assert len(json.dumps(pack(PhotoScene(PICTURE, (layer,)), ViewRequest()))) < 4e6


def test_little_rows_are_the_mean_over_queries_and_the_rows_of_prefix_tokens():
    maps = softmax(np.random.default_rng(3).normal(size=(2, 14, 14)))
    layer = PhotoLayer("0", 2, 3, 4, Dense(maps.__getitem__), ("class", "register"))
    sent = pack(PhotoScene(PICTURE, (layer,)), ViewRequest())["overview"]["layers"][0]
    rows = codec.read(base64.b64decode(sent["little"]), "root").reshape(2, 3, 14) * np.reshape(sent["tops"], (2, 3, 1))
    expected = np.stack([np.stack([head_map.mean(axis=0), head_map[0], head_map[1]]) for head_map in maps])
    np.testing.assert_allclose(rows, expected, atol=expected.max() / 250)


def test_in_windows_each_place_gets_the_mean_over_the_queries_that_have_a_place():
    layer, weights = windowed(), window_weights(1)
    (thumbnail,) = thumbnails(layer, weights)
    for place in range(12):
        window, position = np.argwhere(place == PLACES)[0]
        asking = [query for query in range(4) if PLACES[window, query] >= 0]
        assert thumbnail[place] == pytest.approx(
            np.mean([weights[window, query, position] for query in asking]), rel=1e-5
        )


def test_windows_travel_with_their_places():
    sent = pack(scene("windows"), ViewRequest())["overview"]["layers"][0]
    assert (sent["windows"]["count"], sent["windows"]["positions"]) == (4, 4)
    np.testing.assert_array_equal(numbers(sent["windows"]["places"], "<i4").reshape(4, 4), PLACES)
    weights = numbers(sent["answers"]["0"]["weights"]).reshape(4, 4, 4)
    np.testing.assert_array_equal(weights, window_weights(0).astype(np.float16))


def test_weights_that_are_no_numbers_travel_and_do_not_spoil_the_little_rows():
    maps = np.full((1, 13, 13), np.nan)
    sent = pack(PhotoScene(PICTURE, (PhotoLayer("0", 1, 3, 4, Dense(maps.__getitem__), ("class",)),)), ViewRequest())
    layer = sent["overview"]["layers"][0]
    assert np.isnan(numbers(layer["answers"]["0"]["weights"])).all()
    assert json.loads(json.dumps(layer["tops"], allow_nan=False))


@pytest.mark.parametrize(
    "wanted",
    [ViewRequest(), ViewRequest(99, 0), ViewRequest(0, 99), ViewRequest(None, 7), ViewRequest(99, 99, "another scene")],
)
def test_a_wish_for_a_head_that_there_is_not_gives_the_one_at_the_start(wanted):
    large_scene = PhotoScene(PICTURE, tuple(map(large, range(3))), start=(1, 2))
    message = pack(large_scene, wanted)
    assert message["answers"]["layer"] == 1
    assert message["overview"] is not None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"rows": 0}, "0 x 4 patches"),
        ({"answers": many_factors(0, 2, 2, 4), "heads": 4}, "4 heads and 13 tokens"),
        ({"answers": Windows(window_weights, PLACES)}, "no prefix token"),
        ({"answers": Windows(window_weights, np.where(PLACES == 11, 12, PLACES)), "prefix": ()}, "holds 12"),
        ({"answers": Windows(window_weights, np.zeros((4, 4), int)), "prefix": ()}, "one window only"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_its_numbers(arguments, sentence):
    fields = {"label": "0", "heads": 2, "rows": 3, "columns": 4, "answers": dense_layer().answers, "prefix": ("class",)}
    with pytest.raises(ValueError, match=sentence):
        PhotoLayer(**fields | arguments)


def test_weights_of_another_shape_are_refused():
    layer = PhotoLayer("0", 1, 3, 3, dense_layer().answers, ("class",))
    with pytest.raises(ValueError, match=r"shape \(13, 13\); its patches need \(10, 10\)"):
        layer.weights(0)
    with pytest.raises(ValueError, match="heads 0 to 0; head 3"):
        layer.weights(3)


def test_a_scene_cannot_start_with_a_head_that_it_does_not_have():
    with pytest.raises(ValueError, match="layer 0, head 5"):
        PhotoScene(PICTURE, (dense_layer(),), start=(0, 5))
