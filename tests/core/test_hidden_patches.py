"""Hidden patches: zero after normalisation, and what each is worth, against running the model square by square."""

import pytest
import timm
import torch

from core.errors import InputError, ModelError
from core.images import Patches, open_example
from core.vision.hidden_patches import MAX_SQUARES, hide, occlusion, probabilities, square_side
from core.zoo.image_models import Framing, ImageModel


def model_of(classes: int = 5, side: int = 64) -> ImageModel:
    torch.manual_seed(0)
    sizes = {"img_size": side, "patch_size": 16, "embed_dim": 32, "depth": 2, "num_heads": 4}
    network = timm.create_model("vit_tiny_patch16_224", pretrained=False, num_classes=classes, **sizes)
    for parameter in network.parameters():
        parameter.data.normal_(std=0.2)
    framing = Framing((3, side, side), (0.5, 0.4, 0.3), (0.2, 0.2, 0.2))
    names = tuple(f"class {number}" for number in range(classes))
    return ImageModel("tiny", "Tiny", network, framing, (16, 16), ("class",), names)


def test_a_hidden_patch_is_zero_and_everything_else_stays():
    pixels = torch.rand(2, 3, 32, 48) + 1
    hidden = hide(pixels, (16, 16), Patches(2, 3), {1, 5})
    expected = pixels.clone()
    expected[:, :, 0:16, 16:32] = 0
    expected[:, :, 16:32, 32:48] = 0
    torch.testing.assert_close(hidden, expected)
    assert (pixels > 0).all()  # the given ones are not changed


@pytest.mark.parametrize("place", [-1, 6])
def test_a_patch_outside_of_the_picture_is_an_error_that_names_it(place):
    with pytest.raises(InputError, match=f"no patch {place} to hide"):
        hide(torch.rand(1, 3, 32, 48), (16, 16), Patches(2, 3), {place})


def test_zero_after_normalisation_is_the_mean_colour():
    model = model_of()
    mean = torch.tensor(model.framing.mean).view(3, 1, 1)
    std = torch.tensor(model.framing.std).view(3, 1, 1)
    prepared = model.prepare(open_example("cat"))
    hidden = hide(prepared.pixels, model.patch, prepared.patches, {0})
    torch.testing.assert_close((hidden[0] * std + mean)[:, :16, :16], mean.expand(3, 16, 16))


def test_occlusion_is_what_the_class_loses_without_each_square():
    model = model_of()
    prepared = model.prepare(open_example("cat"))
    reports = []
    occluded = occlusion(model, prepared, 2, lambda done, count: reports.append((done, count)))
    probability = model.network(prepared.pixels).softmax(-1)[0, 2]
    assert occluded.probability == pytest.approx(float(probability), abs=1e-6)
    assert occluded.losses.shape == (4, 4)
    for row in range(4):
        for column in range(4):
            pixels = prepared.pixels.clone()
            pixels[..., 16 * row : 16 * row + 16, 16 * column : 16 * column + 16] = 0
            loss = probability - model.network(pixels).softmax(-1)[0, 2]
            assert float(occluded.losses[row, column]) == pytest.approx(float(loss), abs=1e-5)
    assert float(occluded.losses[occluded.most_important]) == float(occluded.losses.max())
    assert reports == [(0, 16)]


def test_of_many_patches_several_are_hidden_together():
    assert square_side(Patches(16, 16)) == 1
    assert square_side(Patches(17, 16)) == 2
    for grid in (Patches(40, 40), Patches(100, 3), Patches(64, 64)):
        side = square_side(grid)
        assert -(-grid.rows // side) * -(-grid.columns // side) <= MAX_SQUARES


def test_squares_of_several_patches_cover_the_grid_exactly_once(monkeypatch):
    monkeypatch.setattr("core.vision.hidden_patches.MAX_SQUARES", 4)
    model = model_of(side=80)  # 5 x 5 patches: squares of 3, and smaller ones at the border
    occluded = occlusion(model, model.prepare(open_example("cat")), 0)
    grid = Patches(5, 5)
    assert (occluded.side, tuple(occluded.losses.shape)) == (3, (2, 2))
    covered = [patch for row in range(2) for column in range(2) for patch in occluded.patches((row, column), grid)]
    assert sorted(covered) == list(range(25))


def test_a_model_without_classes_has_no_verdict_to_change():
    network = timm.create_model("vit_tiny_patch16_224", num_classes=0, embed_dim=32, depth=1, num_heads=2).eval()
    model = ImageModel("tiny", "Tiny", network, Framing((3, 224, 224), (0.5,) * 3, (0.5,) * 3), (16, 16), ("class",))
    with pytest.raises(ModelError, match="predicts nothing"):
        probabilities(model, torch.zeros(1, 3, 224, 224))
