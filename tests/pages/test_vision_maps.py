"""Vision transformer / Maps: the right layers with the right weights, how far they look, and who is sent elsewhere."""

import base64
import copy
import io
import json

import numpy as np
import pytest
import timm
import torch
from pages.vision.vision_transformer.compute_maps import Measured
from PIL import Image
from streamlit.testing.v1 import AppTest
from timm.models import save_for_hf

from core.heads import measures
from core.images import Patches
from core.vision.distance import smallest_set
from dashboard.components.photo_maps import Dense, Factors
from dashboard.components.photo_maps.packing import Wanted, pack
from dashboard.models import image_model
from dashboard.watched import watch_image
from pages.vision.vision_transformer import compute_maps as vision_maps
from pages.vision.vision_transformer import maps_notices
from pages.vision.vision_transformer import words as said
from tests.core.saved_models import save_timm_model, save_vision_model
from tests.pages.conftest import prose, told

PAGE = "vision/vision_transformer"
pytestmark = pytest.mark.usefixtures("at_home")
NAME = "vit-tiny-imagenet"


@pytest.fixture
def open_maps(visit):
    """Open the section, with more of the address, at the computer whose folders may be opened."""
    return lambda **query: visit(PAGE, show=said.MAPS, **query)


def chart(app: AppTest) -> list[dict]:
    (found,) = app.get("plotly_chart")
    return json.loads(found.proto.spec)["data"]


def picture_of(size: tuple[int, int], mode: str = "RGB", kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.new(mode, size).save(file, kind)
    return file.getvalue()


def test_the_section_is_alive_at_once_and_its_distances_are_those_of_the_recorded_maps(open_maps):
    app = open_maps(picture="cat", patches="8")
    assert not app.warning
    assert "What to notice" in [element.value for element in app.subheader]
    call_of = watch_image(NAME, "cat", 64).record.calls
    expected = [
        float(8 * measures.mean_distance_in_plane(call.weights(head), Patches(8, 8, ("class",))))
        for call in call_of
        for head in range(call.heads)
    ]
    points = next(trace for trace in chart(app) if trace["name"] == "a head")
    found = points["y"] if isinstance(points["y"], list) else np.frombuffer(_decoded(points["y"]), points["y"]["dtype"])
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    nearest = int(np.argmin(expected))
    assert f"**Layer {nearest // 4}, head {nearest % 4}** looks nearest, {min(expected):.0f} pixels away" in prose(app)


def _decoded(sent: dict) -> bytes:
    return base64.b64decode(sent["bdata"])


def test_the_head_in_view_at_first_is_the_one_whose_class_token_looks_most_narrowly():
    watched = watch_image(NAME, "cat", 64)
    last = watched.record.calls[-1]
    needed = [int(smallest_set(last.weights(head)[0, 1:], 0.6).sum()) for head in range(4)]
    scene = vision_maps.scene_of(watched)
    assert scene.start == (5, int(np.argmin(needed)))
    measured = vision_maps.measured_layers(watched)[-1]
    assert measured.holders.tolist() == needed
    rest = [float(last.weights(head)[1:, 0].mean()) for head in range(4)]
    np.testing.assert_allclose(measured.to_prefix, rest, rtol=1e-5)


def test_the_maps_are_what_timm_computes_without_its_fused_kernel(tmp_path):
    name = str(save_timm_model("dinov2", tmp_path / "model"))
    watched = watch_image(name, "coffee", None)
    scene = vision_maps.scene_of(watched)
    seen = []
    network = copy.deepcopy(image_model(name).network)
    for block in network.blocks:
        block.attn.fused_attn = False
        block.attn.attn_drop.register_forward_hook(lambda *given: seen.append(given[2][0]))
    with torch.inference_mode():
        network(watched.given.pixels)
    for layer, weights in zip(scene.layers, seen, strict=True):
        assert layer.prefix == ("class", "register 1", "register 2", "register 3", "register 4")
        assert isinstance(layer.answers, Factors)
        for head in range(layer.heads):
            np.testing.assert_allclose(layer.weights(head), weights[head], atol=1e-5)


@pytest.mark.parametrize(("kind", "prefix"), [("vit", 1), ("deit", 2), ("dinov2", 5)])
def test_any_vision_transformer_of_timm_is_shown_with_its_own_prefix_tokens(open_maps, tmp_path, kind, prefix):
    name = str(save_timm_model(kind, tmp_path))
    app = open_maps(network=name)
    assert not app.warning, told(app)
    scene = vision_maps.scene_of(watch_image(name, "coffee", None))
    assert {len(layer.prefix) for layer in scene.layers} == {prefix}
    assert all((layer.rows, layer.columns) == (4, 4) for layer in scene.layers)


def test_a_vision_transformer_of_transformers_is_shown_too(tmp_path):
    watched = watch_image(str(save_vision_model("vit", tmp_path)), "coffee", None)
    scene = vision_maps.scene_of(watched)
    assert [layer.path for layer in scene.layers] == [call.path for call in watched.record.calls]
    for layer, call in zip(scene.layers, watched.record.calls, strict=True):
        np.testing.assert_allclose(layer.weights(1), call.weights(1), atol=1e-6)


def test_where_a_bias_is_added_the_weights_themselves_are_shown(tmp_path):
    torch.manual_seed(0)
    sizes = {"img_size": 64, "embed_dim": 16, "num_heads": 2, "depth": 2}
    network = timm.create_model("beit_base_patch16_224", **sizes)
    save_for_hf(network, tmp_path, model_args=sizes, safe_serialization=True)
    watched = watch_image(str(tmp_path), "coffee", None)
    scene = vision_maps.scene_of(watched)
    for layer, call in zip(scene.layers, watched.record.calls, strict=True):
        assert isinstance(layer.answers, Dense)
        np.testing.assert_array_equal(layer.weights(1), call.weights(1))


def test_a_pooling_head_in_which_no_patch_asks_is_named_as_left_out(open_maps, tmp_path):
    app = open_maps(network=str(save_timm_model("siglip", tmp_path)))
    assert not app.warning, told(app)
    said_below = told(app, "caption").replace("`", "")
    assert "1 of 3 attention layers is not in the chooser (attn_pool)" in said_below
    assert "there a vector of the head's own, no token of the picture, alone looks at the patches" in said_below


def test_a_model_in_which_only_the_class_token_asks_says_so(open_maps, tmp_path):
    app = open_maps(network=str(save_timm_model("cait", tmp_path)))
    assert "that can be watched the class token alone looks at the patches" in told(app)


def test_nothing_is_said_to_be_left_out_where_nothing_is(open_maps):
    assert "not in the chooser" not in told(open_maps(picture="cat", patches="8"), "caption")


def test_a_model_with_windows_is_sent_to_its_own_page(open_maps, tmp_path):
    app = open_maps(network=str(save_timm_model("swin", tmp_path)))
    assert "Open it in Vision / Swin" in told(app)
    assert not app.get("plotly_chart")


def test_a_model_without_attention_is_sent_to_the_explanations(open_maps, tmp_path):
    app = open_maps(network=str(save_timm_model("resnet", tmp_path)))
    assert "no attention heads" in told(app)
    assert "“Explanations”" in told(app)


def test_sixteen_hundred_patches_fit_four_megabytes():
    scene = vision_maps.scene_of(watch_image(NAME, "cat", 320))
    assert {(layer.rows, layer.columns) for layer in scene.layers} == {(40, 40)}
    for layer in range(6):
        assert len(json.dumps(pack(scene, Wanted(layer, 0)))) < 4e6


@pytest.mark.parametrize("size", [(1, 1), (1, 5000), (5000, 1), (3, 7)])
@pytest.mark.parametrize("mode", ["RGBA", "I;16", "1"])
def test_odd_pictures_are_shown_all_the_same(size, mode):
    scene = vision_maps.scene_of(watch_image(NAME, picture_of(size, mode), 64))
    assert pack(scene, Wanted())["overview"]["picture"].startswith("data:image/")
    np.testing.assert_allclose(scene.layers[3].weights(2).sum(axis=1), 1, atol=1e-5)


def test_the_projector_shows_no_prose(open_maps):
    app = open_maps(present="1")
    assert "What to notice" not in [element.value for element in app.subheader]
    assert not app.warning


def measured(number: int, distances: list[float], holders=None, to_prefix=None) -> Measured:
    prefix = () if holders is None else ("class",)
    given = [None if values is None else np.array(values) for values in (holders, to_prefix)]
    return Measured(number, Patches(4, 4, prefix), np.array(distances), 20.0, *given)


def test_notices_are_true_of_local_heads_and_of_a_rise():
    sentences = maps_notices.noticed(
        (measured(0, [4, 18], [3, 9], [0.1, 0.2]), measured(1, [22, 20], [3, 9], [0.7, 0]))
    )
    assert "**Layer 0, head 0** looks nearest, 4 pixels" in sentences[0]
    assert "**layer 1, head 0** farthest, 22 pixels" in sentences[0]
    assert "One head of 4 looks less than half as far" in sentences[1]
    assert "from 55% of the even distance in layer 0 to 105% in layer 1" in sentences[1]
    assert "**head 0**, where 3 of 16 patches hold 60%" in sentences[2]
    assert "**layer 1, head 0** patches give 70%" in sentences[3]
    assert "One head of 4 gives more than half" in sentences[3]


def test_notices_do_not_claim_what_is_not_there():
    sentences = maps_notices.noticed((measured(0, [18, 21]), measured(1, [float("nan"), 19])))
    assert len(sentences) == 2
    assert "None of the 3 heads" in sentences[1]
    equal = maps_notices.noticed((measured(0, [8, 8], [5, 5], [0.1, 0.1]),))
    assert "does not look farther than the first" in equal[1]
    assert "5 of 16 patches, whatever the head" in equal[2]
    assert "No head gives away more than half" in equal[3]
