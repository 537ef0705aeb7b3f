"""Receptive fields of hybrids: against how the features change with a pixel, and against known kernels."""

import pytest
import timm
import torch
from torch import nn

from core.images import open_example
from core.models import from_timm
from core.vision.patches import Projection
from core.vision.picture_sequence import layout_of
from core.vision.receptive_field import ReceptiveField, receptive_field
from core.zoo.image_models import Framing, ImageModel, PreparedPicture


class Convolutions(nn.Module):
    """A network whose `body` is made of convolutions alone."""

    def __init__(self, *layers: nn.Module):
        super().__init__()
        self.body = nn.Sequential(*layers)


def model_of(network: nn.Module, side: int, patch: int) -> ImageModel:
    framing = Framing((3, side, side), (0.5, 0.4, 0.3), (0.2, 0.25, 0.3))
    return ImageModel("tiny", "Tiny", network.double(), framing, (patch, patch))


def prepared_of(model: ImageModel) -> PreparedPicture:
    prepared = model.prepare(open_example("cat"))
    return PreparedPicture(prepared.pixels.double(), prepared.photograph, prepared.patches)


def field_of(place: tuple[int, int], *layers: nn.Module, patch: int = 4) -> ReceptiveField:
    torch.manual_seed(0)
    model = model_of(Convolutions(*layers), 32, patch)
    projection = Projection("proj", (1, 1), torch.zeros(1, 1), None, body="body")
    return receptive_field(model, prepared_of(model), projection, place)


def test_it_reaches_as_far_as_the_kernels_and_no_farther():
    # Two kernels of 3 with a stride of 2: a place sees 3 + 2 * 2 = 7 pixels, those of place 3 from 4 * 3 - 3 on.
    layers = (nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(4, 5, 3, 2, 1))
    visible_pixels = (field_of((3, 5), *layers).shares > 0).nonzero()
    assert visible_pixels.amin(dim=0).tolist() == [12 - 3, 20 - 3]
    assert visible_pixels.amax(dim=0).tolist() == [12 + 3, 20 + 3]


def test_a_body_without_overlap_sees_the_pixels_of_its_place_alone():
    field = field_of((2, 1), nn.Conv2d(3, 4, 4, 4))
    assert field.inside == pytest.approx(1)
    assert field.box == (slice(8, 12), slice(4, 8))
    assert field.side_of(1 - 1e-6) == 4
    assert float(field.over(8, 8)[2, 1]) == pytest.approx(1)


def test_the_smallest_square_around_the_middle_holds_the_share():
    shares = torch.zeros(32, 32)
    shares[8:12, 4:8] = 0.5 / 16  # the place
    shares[7, 4:8] = 0.5 / 4  # beside it: a square of 6 holds it
    field = ReceptiveField(shares, (slice(8, 12), slice(4, 8)))
    assert field.inside == pytest.approx(0.5)
    assert (field.side_of(0.49), field.side_of(0.9)) == (4, 6)


def test_it_is_how_much_the_features_of_a_hybrid_change_with_a_pixel():
    torch.manual_seed(0)
    sizes = {"img_size": 64, "embed_dim": 32, "depth": 2, "num_heads": 4, "num_classes": 5}
    network = timm.create_model("vit_tiny_r_s16_p8_224", pretrained=False, **sizes).eval()
    model = model_of(network, 64, 32)
    prepared = prepared_of(model)
    projection = layout_of(model, prepared).projection
    assert projection.body == "patch_embed.backbone"
    assert from_timm.grid_of(network, (64, 64)) == (2, 2)
    field = receptive_field(model, prepared, projection, (0, 1))

    def length(pixels: torch.Tensor) -> float:
        with torch.no_grad():
            features = network.patch_embed.backbone(pixels)
            features = features[-1] if isinstance(features, list) else features
        return float(features[0, :, :8, 8:].square().sum() / 2)

    def change(row: int, column: int) -> float:
        differences = []
        for channel in range(3):
            more, less = prepared.pixels.clone(), prepared.pixels.clone()
            more[0, channel, row, column] += 1e-6
            less[0, channel, row, column] -= 1e-6
            differences.append(abs(length(more) - length(less)) / 2e-6)
        return sum(differences)

    first, second = (10, 40), (20, 33)
    assert float(field.shares[first] / field.shares[second]) == pytest.approx(
        change(*first) / change(*second), rel=1e-3
    )
    assert float(field.shares.sum()) == pytest.approx(1)
