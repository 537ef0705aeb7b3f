"""Image models of timm and transformers, from tiny folders, against the libraries themselves."""

import numpy as np
import pytest
import timm
import torch
import transformers
from PIL import Image
from timm.data import create_transform, resolve_model_data_config

from core.capture import record_attention
from core.errors import ModelError
from core.images import open_example
from core.zoo import load_image, load_text
from core.zoo.image_models import LARGEST_SHOWN, Framing
from tests.core import saved_models

SHAPES = [(451, 300), (300, 451), (64, 64), (40, 30), (1, 1), (1, 700), (900, 1), (2000, 1500)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    made = {kind: saved_models.save_timm_model(kind, root / kind) for kind in saved_models.TIMM_KINDS}
    vision = {
        f"transformers-{kind}": saved_models.save_vision_model(kind, root / f"transformers-{kind}")
        for kind in ("vit", "clip-vision", "clip")
    }
    return {kind: str(folder) for kind, folder in (made | vision).items()}


def load(folders, kind, **options):
    return load_image(folders[kind], **options)


TRANSFORMERS = ["vit", "deit", "dino", "dinov2", "dinov3", "eva02", "beit", "swin", "swinv2", "cait"]
CONVOLUTIONS = ["resnet", "convnext"]


@pytest.mark.parametrize("kind", [*TRANSFORMERS, *CONVOLUTIONS])
def test_pixels_and_scores_are_those_of_timm(folders, kind):
    picture = open_example("cat")
    reference = timm.create_model(f"local-dir:{folders[kind]}", pretrained=True).eval()
    pixels = create_transform(**resolve_model_data_config(reference), is_training=False)(picture)[None]
    model = load(folders, kind, attends=kind in TRANSFORMERS)
    assert model.attends == (kind in TRANSFORMERS)
    prepared = model.prepare(picture)
    torch.testing.assert_close(prepared.pixels, pixels)
    if model.classes:
        torch.testing.assert_close(model.run(prepared).logits, reference(pixels)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "grid", "prefix"),
    [
        ("vit", (4, 4), ("class",)),
        ("deit", (4, 4), ("class", "distilled")),
        ("dinov2", (4, 4), ("class", "register 1", "register 2", "register 3", "register 4")),
        ("swin", (14, 14), ()),
        ("transformers-vit", (4, 4), ("class",)),
        ("transformers-clip-vision", (4, 4), ("class",)),
        ("transformers-clip", (4, 4), ("class",)),
    ],
)
def test_patches_and_prefix_are_counted_from_the_model(folders, kind, grid, prefix):
    patches = load(folders, kind).prepare(open_example("cat")).patches
    assert (patches.rows, patches.columns) == grid
    assert patches.prefix == prefix


@pytest.mark.parametrize(
    ("kind", "pairs"),
    [
        ("vit", [("patches", "patches")] * 2),
        ("deit", [("patches", "patches")] * 2),
        ("dinov2", [("patches", "patches")] * 2),
        ("transformers-vit", [("patches", "patches")] * 2),
        ("transformers-clip", [("patches", "patches")] * 2),
        ("swin", [None, ("7 × 7 patches", "7 × 7 patches")]),  # four windows; then one that is the picture
    ],
)
def test_calls_are_between_patches_or_belong_to_no_whole_picture(folders, kind, pairs):
    model = load(folders, kind)
    with record_attention(model.network) as record:
        run = model.run(model.prepare(open_example("cat")))
    assert [model.sequences_of(call, run) for call in record.calls] == pairs


def test_a_class_that_looks_at_the_patches_is_named(folders):
    model = load(folders, "cait")
    with record_attention(model.network) as record:
        run = model.run(model.prepare(open_example("cat")))
    pairs = [model.sequences_of(call, run) for call in record.calls if call.query_length == 1]
    assert pairs == [("prefix", "patches")] * len(pairs)
    assert pairs


@pytest.mark.parametrize("kind", ["transformers-vit", "transformers-clip-vision"])
def test_pixels_are_those_of_the_processor_of_transformers(folders, kind):
    picture = open_example("cat")
    processor = transformers.AutoImageProcessor.from_pretrained(folders[kind])
    expected = processor(picture, return_tensors="pt")["pixel_values"]
    pixels = load(folders, kind).prepare(picture).pixels
    assert pixels.shape == expected.shape
    assert (pixels - expected).abs().mean() < 0.02  # it resizes tensors, timm Pillow pictures


def test_the_names_of_classes_come_from_the_model(folders):
    vit, deit = load(folders, "vit"), load(folders, "deit")
    assert len(vit.classes) == 1000
    assert "goldfish" in vit.classes[1]
    assert deit.classes == tuple(f"class {number}" for number in range(5))
    assert load(folders, "dinov2").classes == ()
    assert load(folders, "transformers-vit").classes == ("LABEL_0", "LABEL_1", "LABEL_2")


def test_without_classes_nothing_is_predicted(folders):
    model = load(folders, "dinov2")
    assert model.predictions(model.run(model.prepare(open_example("cat")))) == ()


def test_a_network_without_attention_is_refused(folders):
    with pytest.raises(ModelError, match="not a transformer: it has no attention heads"):
        load(folders, "resnet")


def test_each_kind_of_model_has_its_page(folders):
    with pytest.raises(ModelError, match="Explore / Image"):
        load_text(folders["vit"])


@pytest.mark.parametrize("mode", ["center", "squash", "border"])
@pytest.mark.parametrize("crop", [1.0, 0.875])
@pytest.mark.parametrize("shape", SHAPES)
def test_any_shape_of_picture_fits_any_way_of_framing(mode, crop, shape):
    framing = Framing((3, 32, 48), (0.5, 0.5, 0.5), (0.5, 0.5, 0.5), crop_pct=crop, crop_mode=mode)
    picture = Image.new("RGB", shape, (200, 100, 50))
    assert framing.pixels(picture).shape == (1, 3, 32, 48)
    cropped = framing.crop(picture)
    assert cropped.dtype == np.uint8
    assert max(cropped.shape) <= LARGEST_SHOWN


@pytest.mark.parametrize("mode", ["center", "squash", "border"])
@pytest.mark.parametrize("crop", [1.0, 0.9])
@pytest.mark.parametrize("shape", [(450, 300), (300, 500), (400, 400)])
def test_what_is_shown_is_what_the_model_sees(mode, crop, shape):
    """Shrunk to the model's own size, the shown picture gives the model's pixels: no shift, no other crop."""
    framing = Framing((3, 64, 64), (0.5,) * 3, (0.5,) * 3, crop_pct=crop, crop_mode=mode)
    picture = open_example("coffee").resize(shape)
    model_pixels = framing.pixels(picture)[0].permute(1, 2, 0).numpy() * 127.5 + 127.5
    cropped = Image.fromarray(framing.crop(picture)).resize((64, 64), Image.Resampling.BICUBIC)
    difference = np.abs(np.asarray(cropped).astype(float) - model_pixels)
    assert difference.mean() < 3
    moved = np.abs(np.roll(np.asarray(cropped).astype(float), 1, axis=1) - model_pixels)
    assert moved.mean() > 2 * difference.mean()  # one pixel aside would be seen


def test_a_large_photograph_is_shown_at_a_size_for_the_browser():
    framing = Framing((3, 64, 64), (0.5,) * 3, (0.5,) * 3)
    assert framing.crop(Image.new("RGB", (3000, 2000))).shape == (1024, 1024, 3)
    assert framing.crop(Image.new("RGB", (300, 200))).shape == (200, 200, 3)


@pytest.mark.parametrize(("kind", "prefix"), [("dino", 1), ("dinov3", 5), ("eva02", 1), ("beit", 1), ("swinv2", 0)])
def test_prefix_tokens_are_counted_from_the_network(folders, kind, prefix):
    model = load(folders, kind)
    assert len(model.prefix) == prefix
    patches = model.prepare(open_example("cat")).patches
    with record_attention(model.network) as record:
        model.run(model.prepare(open_example("cat")))
    if kind != "swinv2":
        assert {call.query_length for call in record.calls} == {prefix + patches.rows * patches.columns}


@pytest.mark.parametrize("kind", CONVOLUTIONS)
def test_a_convolutional_network_is_cut_as_its_last_feature_map(folders, kind):
    model = load(folders, kind, attends=False)
    prepared = model.prepare(open_example("cat"))
    last = model.network.forward_features(prepared.pixels)
    assert (prepared.patches.rows, prepared.patches.columns) == last.shape[2:]
    assert model.prefix == ()
