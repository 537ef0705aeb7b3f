import base64
import io

import numpy as np
import pytest
from PIL import Image

from core.view import Layer, PatchSequence, Scene, TextSequence, codec, packing
from core.view.packing import overview_of, pack
from core.view.view_request import ViewRequest


def weights(queries: int, keys: int, head: int = 0, *, causal: bool = False) -> np.ndarray:
    scores = np.random.default_rng(head).normal(size=(queries, keys)) * 3
    if causal:
        scores[~np.tri(queries, keys, dtype=bool)] = -np.inf
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)


def scene(
    tokens: int, layers: int = 1, heads: int = 1, *, causal: bool = False, pattern: np.ndarray | None = None
) -> Scene:
    def layer(number: int) -> Layer:
        def one(head: int) -> np.ndarray:
            return weights(tokens, tokens, head, causal=causal) if pattern is None else pattern

        return Layer(str(number), "text", "text", heads, one, causal=causal)

    return Scene({"text": TextSequence(tuple(map(str, range(tokens))))}, tuple(map(layer, range(layers))))


def received(text: str, code: codec.Code) -> np.ndarray:
    return codec.read(base64.b64decode(text), code)


def size(message: dict) -> int:
    return sum(len(str(part)) for part in message.values())


def test_codes_keep_to_their_stated_error():
    values = np.geomspace(1e-8, 1, 200)
    weights = values.astype(np.float32)
    for code, error in (("half", np.maximum(values / 2048, 3e-8)), ("root", np.sqrt(values) / 253 + 4e-6)):
        assert np.all(np.abs(codec.read(codec.write(weights, code), code) - values) <= error), code


@pytest.mark.parametrize("code", ["half", "root"])
def test_codes_keep_zero_one_not_allowed_and_nan(code):
    sent = np.array([0, 1, -1, np.nan], np.float32)
    np.testing.assert_array_equal(codec.read(codec.write(sent, code), code), sent)


def test_a_weight_that_rounding_pushed_above_one_is_one():
    assert codec.read(codec.write(np.array([1.0000002], np.float32), "root"), "root")[0] == 1


def test_a_small_scene_is_sent_whole_in_half_precision():
    packed = pack(scene(12, layers=2, heads=3), ViewRequest())
    layer = packed["overview"]["layers"][1]
    maps = received(layer["maps"], "half").reshape(3, 12, 12)
    assert packed["overview"]["code"] == "half"
    assert packed["chosen"] is None
    np.testing.assert_allclose(maps[2], weights(12, 12, 2), rtol=1 / 2048, atol=3e-8)


def test_a_causal_map_is_sent_without_its_upper_corner():
    layer = pack(scene(10, causal=True), ViewRequest())["overview"]["layers"][0]
    sent = received(layer["maps"], "half")
    assert sent.size == 55
    np.testing.assert_allclose(sent, weights(10, 10, causal=True)[np.tril_indices(10)], rtol=1 / 2048, atol=3e-8)


def test_ninety_six_tokens_with_144_heads_are_sent_whole_in_one_byte_each():
    packed = pack(scene(96, layers=12, heads=12), ViewRequest())
    assert packed["overview"]["code"] == "root"
    maps = received(packed["overview"]["layers"][4]["maps"], "root").reshape(12, 96, 96)
    np.testing.assert_allclose(maps[5], weights(96, 96, 5), atol=1 / 253)
    assert size(packed) < 2 * 2**20


def test_512_tokens_with_144_heads_need_less_than_two_megabytes():
    shared = weights(512, 512)
    packed = pack(scene(512, layers=12, heads=12, pattern=shared), ViewRequest(layer=7, head=3))
    assert packed["overview"]["code"] is None
    assert packed["overview"]["layers"][7]["maps"] is None
    assert size(packed) < 2_000_000
    chosen = packed["chosen"]
    assert (chosen["layer"], chosen["head"], chosen["code"]) == (7, 3, "half")
    np.testing.assert_allclose(received(chosen["cells"], "half").reshape(512, 512), shared, rtol=1 / 2048, atol=3e-8)


def test_an_overview_that_the_browser_has_is_not_sent_again():
    many = scene(512, layers=12, heads=12, pattern=weights(512, 512))
    first = pack(many, ViewRequest())
    second = pack(many, ViewRequest(layer=1, head=1, have=first["digest"]))
    assert second["overview"] is None
    assert second["chosen"]["layer"] == 1
    assert pack(many, ViewRequest(have="of another scene"))["overview"] is not None


def test_1600_patches_are_sent_in_less_than_four_megabytes():
    patches = PatchSequence(40, 40)
    shared = weights(1600, 1600)
    big = Scene({"picture": patches}, (Layer("0", "picture", "picture", 4, lambda _: shared),))
    packed = pack(big, ViewRequest())
    assert packed["chosen"]["code"] == "root"
    assert size(packed) < 4_000_000


def test_a_head_that_the_scene_has_not_is_replaced_by_the_first():
    small = scene(4, layers=2)
    assert ViewRequest(layer=5, head=1, have="x").layer_and_head(small) == (0, 0)
    assert ViewRequest(layer=1, head=0).layer_and_head(small) == (1, 0)
    for broken in (ViewRequest(layer=1, head=0, exact=9), ViewRequest(layer=5, head=1, exact=0)):
        assert pack(small, broken)["exact"] is None


def test_an_exact_row_arrives_to_the_last_bit():
    packed = pack(scene(30, heads=2), ViewRequest(head=1, exact=17))
    row = np.frombuffer(base64.b64decode(packed["exact"]["cells"]), "<f4")
    np.testing.assert_array_equal(row, weights(30, 30, 1)[17])


def test_equal_scenes_have_equal_digests_and_others_do_not():
    assert overview_of(scene(9))["digest"] == overview_of(scene(9))["digest"]
    assert overview_of(scene(9))["digest"] != overview_of(scene(10))["digest"]


def test_heads_are_computed_once_for_each_scene():
    heads = []
    counted = Scene(
        {"text": TextSequence(("a", "b"))},
        (Layer("0", "text", "text", 2, lambda head: heads.append(head) or weights(2, 2)),),
    )
    pack(counted, ViewRequest())
    pack(counted, ViewRequest())
    assert heads == [0, 1]


def test_pooling_keeps_the_largest_weight_of_each_block():
    diagonal = np.eye(100, dtype=np.float32)
    little = packing.pooled(diagonal)
    assert little.shape == (32, 32)
    np.testing.assert_array_equal(np.diag(little), 1)
    assert little.sum() < 3 * 32
    small = np.eye(5, dtype=np.float32)
    np.testing.assert_array_equal(packing.pooled(small), small)


def test_pooling_shows_nan_only_where_there_is_nothing_else():
    mixed = np.full((64, 64), np.nan, np.float32)
    mixed[0, 0] = 0.5
    little = packing.pooled(mixed)
    assert little[0, 0] == 0.5
    assert np.isnan(little).sum() == 32 * 32 - 1


def test_the_thumbnail_of_a_picture_is_the_row_of_its_class_token():
    patches = PatchSequence(2, 3, ("class",))
    pattern = weights(7, 7)
    layer = Layer("0", "picture", "picture", 1, lambda _: pattern)
    little = packing.thumbnails_of(Scene({"picture": patches}, (layer,)), layer, pattern[None])[0]
    np.testing.assert_allclose(little, pattern[0, 1:].reshape(2, 3) / pattern[0, 1:].max(), rtol=1e-6)


def test_a_photograph_is_sent_at_its_own_resolution_up_to_1600_pixels():
    for rows, columns, expected in [(30, 40, (40, 30)), (800, 1000, (1000, 800)), (1000, 4000, (1600, 400))]:
        pixels = np.zeros((rows, columns, 3), np.uint8)
        sequence = PatchSequence(2, 2, (), pixels)
        picture_scene = Scene({"p": sequence}, (Layer("0", "p", "p", 1, lambda _: weights(4, 4)),))
        picture = overview_of(picture_scene)["sequences"]["p"]["picture"]
        kind, sent = picture.split(",")
        assert Image.open(io.BytesIO(base64.b64decode(sent))).size == expected
        assert kind.startswith("data:image/")
