"""Vision transformer / Maps: the right layers with the right weights, how far they look, and who is sent elsewhere."""

import base64
import copy
import functools
import io
import json
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from streamlit.testing.v1 import AppTest

from core.errors import CaptureError
from core.heads import measures
from core.images import Patches
from core.vision.distance import smallest_set
from dashboard.cache.models import image_model
from dashboard.cache.upload import Upload
from dashboard.components.photo_maps import Dense, Factors
from dashboard.components.photo_maps.packing import ViewRequest, pack
from dashboard.recordings.watched import watch_image
from pages.vision.vision_transformer import maps, photo_scene
from pages.vision.vision_transformer.photo_scene import Measured
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import message_text, prose

PAGE = "vision/vision_transformer"
pytestmark = pytest.mark.usefixtures("at_home")
NAME = "vit-tiny-imagenet"


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """The coffee in a tiny model of timm, watched: watched("deit")."""

    @functools.cache
    def watch(kind):
        return watch_image(str(save_timm_model(kind, tmp_path_factory.mktemp(kind))), "coffee", None)

    return watch


def chart(app: AppTest) -> list[dict]:
    (plot,) = app.get("plotly_chart")
    return json.loads(plot.proto.spec)["data"]


def picture_of(size: tuple[int, int], mode: str = "RGB", kind: str = "PNG") -> Upload:
    file = io.BytesIO()
    Image.new(mode, size).save(file, kind)
    return Upload(file.getvalue())


def test_the_section_is_alive_at_once_and_its_distances_are_those_of_the_recorded_maps(visit):
    app = visit(PAGE, show="Maps", network=NAME, picture="cat", patches="8")
    assert not app.warning
    assert "not in the chooser" not in message_text(app, "caption")
    assert "How it is computed" in [element.value for element in app.subheader]
    expected = [
        float(8 * measures.mean_distance_in_plane(call.weights(head), Patches(8, 8, ("class",))))
        for call in watch_image(NAME, "cat", 64).record.calls
        for head in range(call.heads)
    ]
    points = next(trace for trace in chart(app) if trace["name"] == "a head")
    distances = (
        points["y"] if isinstance(points["y"], list) else np.frombuffer(_decoded(points["y"]), points["y"]["dtype"])
    )
    np.testing.assert_allclose(distances, expected, rtol=1e-4)
    nearest = int(np.argmin(expected))
    assert f"**Layer {nearest // 4}, head {nearest % 4}** looks nearest, {min(expected):.0f} pixels away" in prose(app)


def _decoded(sent: dict) -> bytes:
    return base64.b64decode(sent["bdata"])


def test_the_projector_shows_no_prose(visit):
    app = visit(PAGE, show="Maps", network=NAME, picture="cat", patches="8", present="1")
    assert "How it is computed" not in [element.value for element in app.subheader]
    assert not app.warning


def test_a_model_without_attention_is_sent_to_the_explanations(visit, tmp_path):
    app = visit(PAGE, show="Maps", network=str(save_timm_model("resnet", tmp_path)))
    assert "no attention heads" in message_text(app)
    assert "“Explanations”" in message_text(app)


def test_the_head_in_view_at_first_is_the_one_whose_class_token_looks_most_narrowly():
    watched = watch_image(NAME, "cat", 64)
    last = watched.record.calls[-1]
    needed = [int(smallest_set(last.weights(head)[0, 1:], 0.6).sum()) for head in range(4)]
    assert photo_scene.scene_of(watched).start == (5, int(np.argmin(needed)))
    measured = photo_scene.measured_layers(watched)[-1]
    assert measured.holders.tolist() == needed
    on_class_token = [float(last.weights(head)[1:, 0].mean()) for head in range(4)]
    np.testing.assert_allclose(measured.to_prefix, on_class_token, rtol=1e-5)


def test_the_maps_are_what_timm_computes_without_its_fused_kernel(watched):
    run = watched("dinov2")
    recorded = []
    network = copy.deepcopy(image_model(run.identity[0]).network)
    for block in network.blocks:
        block.attn.fused_attn = False
        block.attn.attn_drop.register_forward_hook(lambda *arguments: recorded.append(arguments[2][0]))
    with torch.inference_mode():
        network(run.inputs.pixels)
    for layer, weights in zip(photo_scene.scene_of(run).layers, recorded, strict=True):
        assert layer.prefix == ("class", "register 1", "register 2", "register 3", "register 4")
        assert isinstance(layer.answers, Factors)
        for head in range(layer.heads):
            np.testing.assert_allclose(layer.weights(head), weights[head], atol=1e-5)


@pytest.mark.parametrize(("kind", "prefix"), [("vit", 1), ("deit", 2), ("siglip", 0)])
def test_any_vision_transformer_of_timm_is_shown_with_its_own_prefix_tokens(watched, kind, prefix):
    scene = photo_scene.scene_of(watched(kind))
    assert [(len(layer.prefix), layer.rows, layer.columns) for layer in scene.layers] == [(prefix, 4, 4)] * 2


def test_where_a_bias_is_added_the_weights_themselves_are_shown_and_the_formula_has_it(watched):
    run = watched("beit")
    for layer, call in zip(photo_scene.scene_of(run).layers, run.record.calls, strict=True):
        assert isinstance(layer.answers, Dense)
        np.testing.assert_array_equal(layer.weights(1), call.weights(1))
    formula, about = maps.weights_formula(run.record.calls[0])
    assert "+ M_{ij}" in formula
    assert about == maps.SECTION.text("Queries, keys and a bias")
    assert "M_{ij}" not in maps.weights_formula(watch_image(NAME, "cat", 64).record.calls[0])[0]


def test_layers_that_no_patch_asks_in_are_named_as_left_out(watched):
    notice = photo_scene.left_out(watched("siglip")).replace("`", "")
    assert "1 of 3 attention layers is not in the chooser (attn_pool)" in notice
    assert "there a vector of the head's own, no token of the picture, alone looks at the patches" in notice
    assert photo_scene.left_out(watch_image(NAME, "cat", 64)) is None


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("cait", "that can be watched the class token alone looks at"), ("swin", "Open it in Vision / Swin")],
)
def test_where_no_patch_looks_at_the_whole_picture_a_sentence_says_why(watched, kind, reason):
    with pytest.raises(CaptureError, match=reason):
        photo_scene.scene_of(watched(kind))


def test_sixteen_hundred_patches_fit_four_megabytes():
    scene = photo_scene.scene_of(watch_image(NAME, "cat", 320))
    assert {(layer.rows, layer.columns) for layer in scene.layers} == {(40, 40)}
    for layer in range(6):
        assert len(json.dumps(pack(scene, ViewRequest(layer, 0)))) < 4e6


@pytest.mark.parametrize(
    ("size", "mode"), [((1, 1), "RGBA"), ((1, 5000), "I;16"), ((5000, 1), "1"), ((3, 7), "RGBA"), ((3, 7), "I;16")]
)
def test_odd_pictures_are_shown_all_the_same(size, mode):
    scene = photo_scene.scene_of(watch_image(NAME, picture_of(size, mode), 64))
    assert pack(scene, ViewRequest())["overview"]["picture"].startswith("data:image/")
    np.testing.assert_allclose(scene.layers[3].weights(2).sum(axis=1), 1, atol=1e-5)


def measured(number: int, distances: list[float], holders=None, to_prefix=None, even: float = 20.0) -> Measured:
    prefix = () if holders is None else ("class",)
    arrays = [None if values is None else np.array(values) for values in (holders, to_prefix)]
    return Measured(number, Patches(4, 4, prefix), np.array(distances), even, *arrays)


def test_notices_are_true_of_local_heads_and_of_a_rise():
    sentences = maps.noticed((measured(0, [4, 18], [3, 9], [0.1, 0.2]), measured(1, [22, 20], [3, 9], [0.7, 0])))
    assert "**Layer 0, head 0** looks nearest, 4 pixels" in sentences[0]
    assert "**layer 1, head 0** farthest, 22 pixels" in sentences[0]
    assert "One head of 4 looks less than half as far" in sentences[1]
    assert "rises from 55% of the even distance in layer 0 to 105% in layer 1" in sentences[2]
    assert "**head 0**, where 3 of 16 patches hold 60%" in sentences[3]
    assert "**layer 1, head 0** patches give on average 70%" in sentences[4]
    assert "One head of 4 gives more than half" in sentences[4]


def test_the_farthest_head_is_the_farthest_in_pixels_although_another_layer_is_finer():
    sentence = maps.noticed((measured(0, [30.0, 12.0], even=50.0), measured(1, [16.0, 14.0], even=10.0)))[0]
    assert "**Layer 0, head 1** looks nearest, 12 pixels" in sentence
    assert "**layer 0, head 0** farthest, 30 pixels" in sentence
    assert "evenly over the picture would come to 50" in sentence


def test_notices_do_not_claim_what_is_not_there():
    sentences = maps.noticed((measured(0, [18, 21]), measured(1, [float("nan"), 19])))
    assert "None of the 3 heads looks less" in sentences[1]
    assert "falls from 98% of the even distance in layer 0 to 95% in layer 1" in sentences[2]
    assert len(sentences) == 3
    equal = maps.noticed((measured(0, [8, 8], [5, 5], [0.1, 0.1]),))
    assert "Each of the 2 heads looks about 8 pixels away" in equal[0]
    assert "5 of 16 patches in each of 2 heads" in equal[2]
    assert "No head gives more than half of it away" in equal[3]
    assert len(maps.noticed((measured(0, [8.0], [0], [1.0]),))) == 3  # nothing falls on patches: no sentence about it
    assert maps.noticed((measured(0, [float("nan")]),)) == ()


DISTANCES = st.lists(st.floats(0, 60) | st.just(float("nan")), min_size=1, max_size=4)


@given(st.lists(st.tuples(DISTANCES, st.floats(1, 50)), min_size=1, max_size=4))
def test_heads_that_are_named_have_the_numbers_that_are_told(given_layers):
    layers = [measured(number, values, even=even) for number, (values, even) in enumerate(given_layers)]
    sentences = maps.noticed(layers)
    text = " ".join(sentences)
    assert "nan" not in text
    finite = {
        (number, head): value
        for number, (values, _) in enumerate(given_layers)
        for head, value in enumerate(values)
        if not np.isnan(value)
    }
    if match := re.search(r"\*\*Layer (\d+), head (\d+)\*\* .* \*\*layer (\d+), head (\d+)\*\*", text):
        near, far = (tuple(map(int, match.groups()[place : place + 2])) for place in (0, 2))
        assert finite[near] == min(finite.values())
        assert finite[far] == max(finite.values())
        assert f"{finite[near]:.0f} pixels away on average" in text
        assert f"farthest, {finite[far]:.0f} pixels" in text
    local = sum(value / given_layers[number][1] < 0.5 for (number, _), value in finite.items())
    if finite:
        counted = {0: "None of the", 1: "One head of"}.get(local, f"{local} heads of")
        assert sentences[1].startswith(f"{counted} {len(finite)}")
