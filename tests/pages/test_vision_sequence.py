"""Picture to sequence: the stages with their shapes, a patch that is followed, filters and positions."""

import json

import pytest
import torch
from pages.vision.vision_transformer.compute_sequence import follow_picture
from streamlit.testing.v1 import AppTest

from pages.vision.vision_transformer import sequence_notices, sequence_patch, sequence_stages
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import prose, told

PAGE = "vision/vision_transformer"
pytestmark = pytest.mark.usefixtures("at_home")
VIT = "vit-tiny-imagenet"


def charts_of(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


def test_the_section_is_alive_at_once(visit):
    app = visit(PAGE)
    assert not app.warning
    assert "What to notice" in [element.value for element in app.subheader]
    table = app.dataframe[0].value.set_index("step")
    followed = follow_picture(VIT, "coffee", 96)
    width = followed.sequence.width
    assert table.loc["Pixels", "shape"] == "3 × 96 × 96"
    assert table.loc["Patches", "shape"] == "144 × 3 × 8 × 8"
    assert table.loc["Flattened", "shape"] == "144 × 192"
    assert table.loc["Tokens", "shape"] == f"145 × {width}"
    assert table.loc["Scores", "shape"] == str(len(followed.model.classes))
    assert "145 tokens**: 12 × 12 patches and 1 more (class)" in prose(app)
    assert charts_of(app) == 5


def test_the_patch_of_the_address_is_followed_with_its_own_numbers(visit):
    app = visit(PAGE, patch="3-4", patches="8", picture="cat")
    sequence = follow_picture(VIT, "cat", 64).sequence
    assert "The patch in row 3, column 4" in [element.value for element in app.subheader]
    pixels = sequence.pixels[:, 24:32, 32:40].flatten()
    some = ", ".join(f"{round(float(value), 2) + 0.0:.2f}".replace("-", "−") for value in pixels[:12])
    assert f"it begins with {some}" in prose(app)
    weight, bias = sequence.projection.weight[0], float(sequence.projection.bias[0])
    first = float((pixels * weight).sum()) + bias
    assert any(f"= {round(first, 3) + 0.0:.3f}" in element.value for element in app.latex)


@pytest.mark.parametrize("asked", ["99-0", "0-99", "<b>", "-1-2", "3", "1.5-2", "999999-0"])
def test_a_patch_that_is_not_there_is_one_in_the_middle(visit, asked):
    app = visit(PAGE, patch=asked, patches="8")
    assert "The patch in row 4, column 4" in [element.value for element in app.subheader]


def test_the_strips_are_the_vectors_of_the_followed_patch():
    followed = follow_picture(VIT, "cat", 64)
    sequence = followed.sequence
    rows = {row.name: torch.from_numpy(row.values) for row in sequence_patch.vectors_of(followed, 28)}
    torch.testing.assert_close(rows["flattened"], sequence.pixels[:, 24:32, 32:40].flatten())
    torch.testing.assert_close(rows["projected"] + rows["position"], rows["token"], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(rows[f"after {sequence.blocks} blocks"], sequence.encoded[29])


def test_the_arrays_to_take_away_have_the_shapes_of_the_table():
    followed = follow_picture(VIT, "cat", 64)
    arrays = sequence_stages.arrays_of(followed.sequence)
    shapes = [" × ".join(f"{side:,}" for side in array.shape) for array in arrays.values()]
    assert sequence_stages.table_of(followed)["shape"].tolist() == shapes


def test_the_pixels_that_are_shown_are_those_of_the_model():
    followed = follow_picture(VIT, "cat", 64)
    shown = sequence_patch.as_rgb(followed, followed.sequence.pixels)
    framing = followed.model.framing
    back = (torch.from_numpy(shown).permute(2, 0, 1) / 255 - torch.tensor(framing.mean).view(3, 1, 1)) / torch.tensor(
        framing.std
    ).view(3, 1, 1)
    assert (back - followed.sequence.pixels).abs().max() < 0.02


def test_a_model_by_folder_with_registers_shows_all_its_tokens(visit, tmp_path):
    folder = save_timm_model("dinov2", tmp_path / "dinov2")
    app = visit(PAGE, network=str(folder), picture="cat")
    table = app.dataframe[0].value
    assert "(class, 4 registers)" in prose(app)
    steps = table["step"].tolist()
    assert steps.index("Positions") < steps.index("Joining")  # positions are added to the patches alone
    assert "the patches alone" in table.set_index("step").loc["Positions", "what happens"]
    assert "Scores" not in steps


def test_a_convolutional_network_gets_a_sentence(visit, tmp_path):
    folder = save_timm_model("resnet", tmp_path / "resnet")
    app = visit(PAGE, network=str(folder), picture="cat")
    assert "is a convolutional network" in told(app, "info")
    assert not app.dataframe


def test_the_projector_shows_no_prose(visit):
    app = visit(PAGE, present="1", patches="8")
    assert "What to notice" not in [element.value for element in app.subheader]
    assert charts_of(app) == 5


def test_every_figure_is_readable_json(visit):
    app = visit(PAGE, patches="8")
    for chart in app.get("plotly_chart"):
        assert json.loads(chart.proto.spec)["layout"]


def test_the_first_channel_is_written_out_with_true_numbers():
    sequence = follow_picture(VIT, "cat", 64).sequence
    latex = sequence_notices.written_out(sequence, 5)
    assert latex.endswith(rf"= {round(float(sequence.projected[5, 0]), 3) + 0.0:.3f} \end{{gathered}}")
    assert f"{round(float(sequence.flattened[5, 0]), 3) + 0.0:.3f}" in latex
