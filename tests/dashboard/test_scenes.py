"""A scene connects the right tokens or patches, whatever the family of the model."""

import numpy as np
import pytest

from core import zoo
from core.capture import record_attention
from core.errors import CaptureError
from core.images import open_example
from dashboard.components.attention_view import PatchSequence
from dashboard.recordings import scenes
from tests.core import saved_models
from tests.core.test_zoo_kinds import PICTURES, saved


def scene_of_text(kind: str, folder) -> scenes.Scene:
    model = zoo.load_text(str(saved_models.save_text_model(kind, folder)))
    with record_attention(model.network) as record:
        run = model.run(model.encode("the cat sat on the mat"))
    return scenes.text_scene(model, run, record, (0, 1)), record


def scene_of_picture(kind: str, folder) -> scenes.Scene:
    model = zoo.load_image(str(saved_models.save_timm_model(kind, folder)))
    prepared = model.prepare(open_example("coffee"))
    with record_attention(model.network) as record:
        run = model.run(prepared)
    return scenes.image_scene(model, prepared, run, record, (0, 0))


def test_an_encoder_decoder_has_three_groups_that_connect_source_and_target(tmp_path):
    scene, record = scene_of_text("t5", tmp_path)
    between = {layer.group: (layer.query, layer.key) for layer in scene.layers}
    assert between == {
        "source": ("source", "source"),
        "target": ("target", "target"),
        "cross": ("target", "source"),
    }
    for place, layer in enumerate(scene.layers):
        assert scenes.layer_of(scene, scenes.number_of(scene, place)) == place
        call = record.calls[scenes.number_of(scene, place)]
        np.testing.assert_array_equal(layer.weights(0), call.weights(head=0).numpy())


def test_special_tokens_are_marked_and_the_first_view_is_the_one_asked_for(tmp_path):
    scene, _ = scene_of_text("bert", tmp_path)
    assert scene.sequences["text"].special[0]
    assert scene.sequences["text"].special[-1]
    assert not any(scene.sequences["text"].special[1:-1])
    assert scene.start == (0, 1)


def test_patches_come_with_the_picture_that_the_model_sees(tmp_path):
    scene = scene_of_picture("vit", tmp_path)
    (sequence,) = scene.sequences.values()
    assert isinstance(sequence, PatchSequence)
    assert len(sequence) == scene.layers[0].weights(0).shape[1]
    assert sequence.picture.dtype == np.uint8


def test_of_windowed_layers_only_those_are_shown_whose_window_is_the_whole_picture(tmp_path):
    scene = scene_of_picture("swin", tmp_path)  # 56 pixels: four windows in the first stage, one in the second
    assert [(layer.label, layer.query) for layer in scene.layers] == [("1", "7 × 7 patches")]


def test_a_head_that_is_not_shown_is_not_where_the_view_starts(tmp_path):
    scene, _ = scene_of_text("gpt2", tmp_path)
    assert scenes.layer_of(scene, 99) is None
    with pytest.raises(IndexError):
        scenes.number_of(scene, 99)


def test_a_class_token_that_looks_alone_has_a_sequence_of_its_own(tmp_path):
    scene = scene_of_picture("cait", tmp_path)
    alone = [layer for layer in scene.layers if len(scene.sequences[layer.query]) == 1]
    assert alone
    for layer in alone:
        assert layer.weights(0).shape == (1, len(scene.sequences[layer.key]))


def test_of_a_detector_the_sentence_names_its_own_tokens_and_no_windows(tmp_path):
    model = zoo.load_image(str(saved("YolosModel", PICTURES["YolosModel"], tmp_path)))
    prepared = model.prepare(open_example("coffee"))
    with record_attention(model.network) as record:
        run = model.run(prepared)
    assert {call.query_length for call in record.calls} == {1 + 16 + 3}  # class token, patches, objects to find
    with pytest.raises(CaptureError, match=r"first has 20 queries and 20 keys") as error:
        scenes.image_scene(model, prepared, run, record, (0, 0))
    assert "window" not in str(error.value)
