"""How often a model of ours is right is told at the size of the picture that it reads."""

import json

import pytest

from dashboard.inputs.photograph import accuracy_sentence

NAME = "vit-tiny-imagenet"
RESULTS = {
    "validation": {"top1": 0.52, "top5": 0.8, "pictures": 5000},
    "enlarged": {"96": {"top1": 0.36, "top5": 0.6, "pictures": 2500}},
}


@pytest.fixture
def weights(tmp_path):
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "results.json").write_text(json.dumps(RESULTS))
    return tmp_path


@pytest.mark.parametrize(("side", "right", "pictures"), [(64, 52, "5,000"), (96, 36, "2,500")])
def test_the_share_is_that_of_the_size_in_use(weights, side, right, pictures):
    sentence = accuracy_sentence(NAME, side, weights)
    assert f"right for {right} of 100" in sentence
    assert f"{pictures} were tried" in sentence
    assert f"{side} × {side} pixels" in sentence
    assert f"give or take {2 if side == 96 else 1}" in sentence


def test_of_a_size_or_a_model_that_was_not_measured_nothing_is_said(weights):
    assert accuracy_sentence(NAME, 320, weights) == ""
    assert accuracy_sentence("resnet-tiny-imagenet", 64, weights) == ""
    assert accuracy_sentence("a model of somebody", 64, weights) == ""
