"""Windows: what the page says of them is what the model does, whatever the block, the picture and the model."""

import pytest

from pages.vision.swin import compute as kept
from pages.vision.swin.words import WINDOWS
from tests.core import saved_models
from tests.core.saved_windows import save_windowed
from tests.pages.conftest import prose

PAGE = "vision/swin"
pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def open_windows(visit, tmp_path):
    """Open the section with a tiny model of random weights: `kind` is "v1" or "v2"."""

    def open_section(kind="v1", **query):
        folder = str(save_windowed(kind, tmp_path))
        return visit(PAGE, show=WINDOWS, network=folder, **query), folder

    return open_section


def test_a_shifted_block_says_by_how_much_and_what_the_mask_leaves(open_windows):
    app, folder = open_windows()
    layer = kept.watch_windows(folder, "coffee", None).layers[1]
    assert app.number_input(key="windows_block").value == layer.block == 1
    last = len(layer.places) - 1
    assert app.number_input(key="windows_window").value == last
    left = layer.allowed[last].float().mean().item()
    assert "moved by **2 rows and 2 columns**" in prose(app)
    assert f"{left:.0%} of its pairs are left" in prose(app)
    assert any("16^2 = 256" in formula.value for formula in app.latex)


def test_the_table_of_stages_has_the_real_sizes_and_the_padding(open_windows):
    app, _ = open_windows()  # 72 pixels: 18 x 18, 9 x 9 places, in windows of 4 x 4
    table = app.dataframe[0].value.set_index("stage")
    assert list(table["grid"]) == ["18 × 18", "9 × 9"]
    assert list(table["windows"]) == [25, 9]
    assert list(table["padded positions"]) == [25 * 16 - 18 * 18, 9 * 16 - 9 * 9]
    assert list(table["width"]) == [8, 16]
    assert list(table["heads"]) == [2, 4]
    assert table["merging before"][1] == "2 × 2 places: 8 → 16"
    assert "positions are padding" in prose(app)


def test_merging_halves_the_numbers(open_windows):
    app, _ = open_windows()
    assert "18 × 18 places of 8 numbers into 9 × 9 places of 16: **50%**" in prose(app)


def test_an_even_block_announces_the_shift_of_the_next(open_windows):
    app, _ = open_windows(windows_block="0")
    assert "The next block moves them by 2 rows and 2 columns" in prose(app)


def test_swin_v2_is_shown_in_the_same_way(open_windows):
    app, _ = open_windows("v2", windows_stage="1")
    assert not app.warning
    assert "This is block 0 of stage 1" in prose(app) or "All windows are moved" in prose(app)


def test_a_model_without_windows_is_refused_with_the_way_to_its_page(visit, tmp_path):
    folder = str(saved_models.save_timm_model("vit", tmp_path))
    app = visit(PAGE, show=WINDOWS, network=folder)
    (warning,) = app.warning
    assert "no shifted windows" in warning.value
    assert "Vision transformer" in warning.value
