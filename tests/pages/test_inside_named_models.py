"""Any model by name or folder: its anatomy is built, every part can be looked at, nothing fails."""

import pytest

from core.errors import CaptureError
from core.interpretability.logit_lens import logit_lens
from dashboard.components.diagram import scene
from dashboard.inputs.photograph import Photograph
from pages.foundations.inside_the_transformer import compute as inside
from pages.foundations.inside_the_transformer.walk import can_be_drawn, noticed
from tests.core.saved_models import save_text_model, save_timm_model, save_vision_model

TEXT = "The quick brown fox jumps over the lazy dog."


def look_at_everything(walk: inside.Walk) -> None:
    kinds = {part.kind: part for part in walk.walked.parts.values()}  # the last part of each kind
    for outer in kinds.values():
        scene(walk.walked, outer.key, inputs=("7 tokens",), output="scores")
        for part in (outer, *outer.inner):
            arrays = inside.part_arrays(walk, part.key)
            if can_be_drawn(arrays.output):
                assert walk.labels_at(part, arrays.output.shape[-2])
    for lane in walk.walked.lanes:
        inside.residual_stream(walk, lane.name)
    assert noticed(walk)


@pytest.mark.parametrize("kind", ["llama", "bert-classifier", "bert-headless", "t5"])
def test_a_named_text_model_can_be_walked_through(kind, tmp_path):
    walk = inside.walk_text(str(save_text_model(kind, tmp_path)), TEXT)
    look_at_everything(walk)
    if kind == "bert-headless":
        with pytest.raises(CaptureError, match="no head"):
            logit_lens(walk.walked)
    else:
        lens = logit_lens(walk.walked)
        assert (lens.logits.reshape(walk.walked.logits.shape) - walk.walked.logits).abs().max() < 1e-5
        assert all(walk.label(number) is not None for number in lens.final.tolist())

    if kind == "t5":
        both_lanes_have_labels(walk)


def both_lanes_have_labels(walk: inside.Walk) -> None:
    assert list(walk.labels) == ["encoder", "decoder"]
    part = next(part for part in walk.walked.parts.values() if part.kind == "cross-attention")
    made = inside.part_arrays(walk, part.key).output
    assert walk.labels_at(part, made.shape[1]) == [label.strip() or "␣" for label in walk.labels["decoder"]]


@pytest.mark.parametrize("kind", ["deit", "swin"])
def test_a_named_picture_model_can_be_walked_through(kind, tmp_path):
    look_at_everything(inside.walk_picture(Photograph(str(save_timm_model(kind, tmp_path)), "coffee", None)))


def test_a_vision_transformer_of_transformers_can_be_walked_through(tmp_path):
    look_at_everything(inside.walk_picture(Photograph(str(save_vision_model("vit", tmp_path)), "coffee", None)))
