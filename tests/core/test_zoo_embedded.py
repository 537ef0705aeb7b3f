"""The models that come with the project, from tiny folders of the same form."""

import json

import pytest
import torch
from timm.models.vision_transformer import VisionTransformer

from core.capture import record_attention
from core.errors import ModelError
from core.images import open_example
from core.models.gpt import GPT, GPTConfig
from core.zoo import IMAGE, TEXT
from core.zoo.embedded import BODY, load_embedded_image, load_embedded_text, save_image, save_text
from tests.core import saved_models

VIT = {"img_size": 64, "patch_size": 8, "embed_dim": 16, "depth": 2, "num_heads": 2, "num_classes": 3}


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    torch.manual_seed(0)
    tokenizer = saved_models.byte_level_tokenizer()
    gpt = GPT(GPTConfig(vocabulary=tokenizer.get_vocab_size(), context=24, width=16, layers=2, heads=2))
    save_text(gpt, tokenizer, folder / "gpt-books")
    look = {"mean": (0.5, 0.4, 0.3), "deviation": (0.2, 0.3, 0.4), "classes": ("cat", "dog", "bee")}
    save_image(VisionTransformer(**VIT), folder / "vit-tiny-imagenet", architecture="vit", sizes=VIT, **look)
    return folder


def test_there_is_a_model_for_text_and_one_for_pictures():
    assert "gpt-books" in TEXT
    assert "vit-tiny-imagenet" in IMAGE


def test_a_saved_gpt_comes_back_with_half_precision_numbers(weights):
    model = load_embedded_text("gpt-books", weights=weights)
    tokens = model.encode("Who listens to whom?")
    run = model.run(tokens)
    assert run.logits.shape == (len(tokens), 320)
    assert run.logits.dtype == torch.float32
    assert model.parameters == sum(weight.numel() for weight in model.network.parameters())
    assert not any(weight.is_meta or weight.requires_grad for weight in model.network.parameters())
    half = model.network.token_embedding.weight.half().float()
    torch.testing.assert_close(model.network.token_embedding.weight, half, rtol=0, atol=0)


def test_predictions_are_the_softmax_of_the_position(weights):
    model = load_embedded_text("gpt-books", weights=weights)
    run = model.run(model.encode("Who listens to whom?"))
    best = model.predictions(run, position=2, top=3)
    expected = run.logits[2].softmax(-1).sort(descending=True).values[:3]
    assert [prediction.probability for prediction in best] == pytest.approx(expected.tolist())
    assert sum(prediction.probability for prediction in model.predictions(run, top=10_000)) == pytest.approx(1)


def test_the_number_of_a_prediction_finds_its_probability_and_its_label(weights):
    model = load_embedded_text("gpt-books", weights=weights)
    run = model.run(model.encode("Who listens to whom?"))
    probabilities = model.probabilities(run, position=2)
    for prediction in model.predictions(run, position=2, top=3):
        assert probabilities[prediction.number] == pytest.approx(prediction.probability)
        assert model.label(prediction.number) == prediction.label


def test_a_long_text_is_cut_at_the_context(weights):
    model = load_embedded_text("gpt-books", weights=weights)
    tokens = model.encode("Who listens to whom? " * 30)
    assert len(tokens) == model.context == 24
    assert tokens.cut.length == 24
    assert model.run(tokens).logits.shape[0] == 24


def test_a_photograph_becomes_patches_of_the_chosen_size(weights):
    model = load_embedded_image("vit-tiny-imagenet", weights=weights)
    assert model.resolutions == (64, 96, 128, 192, 256, 320)
    picture = open_example("coffee")  # 600 x 400
    for resolution, side in [(None, 8), (64, 8), (96, 12), (256, 32)]:
        prepared = model.prepare(picture, resolution=resolution)
        assert (prepared.patches.rows, prepared.patches.columns) == (side, side)
        assert prepared.photograph.shape == (400, 400, 3)
        with record_attention(model.network) as record:
            run = model.run(prepared)
        assert [model.sequences_of(call, run) for call in record.calls] == [("patches", "patches")] * 2
        assert record.calls[0].query_length == len(prepared.patches) == side * side + 1
        assert {prediction.label for prediction in model.predictions(run)} == {"cat", "dog", "bee"}


def test_a_resolution_that_is_not_offered_is_an_error(weights):
    model = load_embedded_image("vit-tiny-imagenet", weights=weights)
    with pytest.raises(ValueError, match="not 100"):
        model.prepare(open_example("cat"), resolution=100)


def test_pixels_are_normalised_as_in_training(weights):
    from PIL import Image

    model = load_embedded_image("vit-tiny-imagenet", weights=weights)
    pixels = model.prepare(Image.new("RGB", (64, 64), (255, 0, 51))).pixels
    expected = [(1 - 0.5) / 0.2, (0 - 0.4) / 0.3, (0.2 - 0.3) / 0.4]
    torch.testing.assert_close(pixels[0, :, 5, 7], torch.tensor(expected))


def test_missing_weights_are_a_sentence_that_says_how_to_get_them(tmp_path):
    with pytest.raises(ModelError, match="make train-gpt-books"):
        load_embedded_text("gpt-books", weights=tmp_path)


def test_a_model_of_the_wrong_kind_is_a_sentence(weights):
    with pytest.raises(ModelError, match="not a model of the kind"):
        load_embedded_text("vit-tiny-imagenet", weights=weights)


def test_the_configuration_can_be_read_by_people(weights):
    config = json.loads((weights / "gpt-books" / "config.json").read_text())
    assert config == {
        "architecture": "gpt",
        "vocabulary": 320,
        "context": 24,
        "width": 16,
        "layers": 2,
        "heads": 2,
    }


def test_the_hybrid_has_the_stages_and_the_classifier_of_efficientnet():
    hybrid, body = load_embedded_image("hybrid-vit"), load_embedded_image(BODY)
    stages = hybrid.network.get_submodule("patch_embed.backbone").state_dict()
    for name, weight in body.network.state_dict().items():
        if name in stages:
            torch.testing.assert_close(stages[name], weight)
    theirs = body.network.get_submodule("classifier").state_dict()
    torch.testing.assert_close(hybrid.network.get_submodule("head.2").state_dict(), theirs)
    assert len(stages) > 200
    assert hybrid.classes == body.classes


@pytest.mark.parametrize(("picture", "label"), [("cat", "cat"), ("motorcycle", "moped"), ("photographer", "tripod")])
def test_the_hybrid_knows_photographs_that_pages_begin_with(picture, label):
    model = load_embedded_image("hybrid-vit")
    best, *_ = model.predictions(model.run(model.prepare(open_example(picture))))
    assert label in best.label


@pytest.mark.parametrize(("name", "resolution"), [("vit-tiny-imagenet", 96), ("swin-tiny-imagenet", 128)])
def test_the_photograph_that_pages_begin_with_is_recognised(name, resolution):
    model = load_embedded_image(name)
    best, *_ = model.predictions(model.run(model.prepare(open_example("cat"), resolution=resolution)))
    assert best.label in {"Egyptian cat", "tabby"}
