"""Windows: what the page says of them is what the model does, whatever the block, the picture and the model."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from core.errors import ModelError
from core.vision.windows import window_weights
from dashboard.inputs.photograph import Photograph
from pages.vision.swin import compute
from pages.vision.swin.merging import about_merging, stage_table
from pages.vision.swin.prose import PAGE as PROSE
from pages.vision.swin.windows import about_windows, table_of_places
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import prose
from tests.pages.tiny_windows import layer_of, save_windowed

PAGE = "vision/swin"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    kinds = ("padded", "v2")
    return {kind: save_windowed(kind, tmp_path_factory.mktemp(kind)) for kind in kinds}


@some.composite
def blocks(draw):
    """A block whose windows of any sizes and shift fill the grid."""
    window, across = (draw(some.tuples(some.integers(1, 4), some.integers(1, 4))) for _ in range(2))
    shift = tuple(draw(some.integers(0, side - 1)) for side in window)
    return layer_of((window[0] * across[0], window[1] * across[1]), window, shift)


def about(layer, window=0, others=()):
    return about_windows([layer, *others], 0, None, window)  # its call is looked at only where there is padding


@settings(deadline=None, max_examples=50)
@given(blocks())
def test_a_place_looks_at_no_more_than_is_said_and_no_window_grows(layer):
    sentence, _ = about(layer)
    if len(layer.places) == 1:
        assert sentence == f"One window fills the whole grid of {layer.rows} × {layer.columns} places."
        return
    most = max(len(set(own)) for own in layer.places.tolist())
    larger = layer_of((2 * layer.rows, 2 * layer.columns), layer.window, (0, 0))
    assert f"at most **{most}** places, those of its window: {most / layer.places.numel():.1%} of" in sentence
    assert f"would make {len(larger.places)} windows instead of {len(layer.places)}" in sentence


@settings(deadline=None, max_examples=50)
@given(blocks(), some.data())
def test_parts_and_pairs_are_counted_in_the_chosen_window(layer, data):
    window = data.draw(some.integers(0, len(layer.places) - 1))
    _, sentence = about(layer, window)
    regions = layer.regions[window].tolist()
    pairs = [first == second for first in regions for second in regions]
    if not layer.shifted:
        assert sentence.endswith("its windows start at the edge of the grid, and no block of the stage moves them.")
    elif all(pairs):
        assert "The mask leaves all pairs" in sentence
    else:
        assert f"**{len(set(regions))} parts**" in sentence
        assert f"{sum(pairs) / len(pairs):.0%} of its pairs are left" in sentence


def test_an_even_block_speaks_of_shifts_only_where_there_are_some():
    even, odd = layer_of((8, 8), (4, 4), (0, 0)), layer_of((8, 8), (4, 4), (1, 2), block=1)
    above = layer_of((4, 4), (4, 4), (2, 2), stage=1)
    assert "The next block moves them by 1 row and 2 columns" in about(even, others=[odd])[1]
    assert "no block of the stage moves them" in about(even, others=[above])[1]
    last = about_windows([even, odd, even], 2, None, 0)[1]
    assert last == "This is block 0 of stage 0: its windows start at the edge of the grid."


def test_padding_draws_the_weight_that_was_recorded(folders):
    windowed = compute.watch_windows(Photograph(folders["padded"], "coffee", None))
    layer, call = windowed.layers[1], windowed.watched.record.calls[1]
    drawn = []
    for head in range(call.heads):
        weights = window_weights(call, head)
        for window, places in enumerate(layer.places.tolist()):
            for query, place in enumerate(places):
                if place >= 0:
                    drawn.append(sum(float(weights[window, query, key]) for key in range(16) if places[key] < 0))
    sentence = about_windows(windowed.layers, 1, call, 0)[2]
    assert f"**{16 * 16 - 13 * 13} of 256 positions are padding**" in sentence
    assert float(re.search(r"take ([\d.]+)% of", sentence)[1]) == pytest.approx(
        100 * sum(drawn) / len(drawn), abs=0.051
    )


def test_every_place_of_the_grid_stands_in_the_table_once():
    table = table_of_places(layer_of((3, 5), (2, 2), (1, 1)))
    real = table[table["row"] >= 0]
    assert sorted(zip(real["row"], real["column"], strict=True)) == [
        (row, column) for row in range(3) for column in range(5)
    ]
    assert set(table[table["row"] < 0]["column"]) == {-1}


@pytest.mark.parametrize(
    ("grid", "left"), [((8, 8), "**50%** of the numbers are left, on 25% of"), ((7, 7), "**65%**")]
)
def test_merging_leaves_the_numbers_that_are_told(grid, left):
    half = tuple(-(-side // 2) for side in grid)
    before, after = layer_of(grid, (4, 4), (0, 0)), layer_of(half, (4, 4), (0, 0), stage=1)
    assert left in about_merging(before, after, 8, 16)


def test_the_table_of_stages_has_the_real_sizes_and_the_padding(folders):
    photograph = Photograph(folders["v2"], "coffee", None)  # 72 pixels: 18 x 18, 9 x 9 places, in windows of 4 x 4
    table = stage_table(compute.watch_windows(photograph), compute.take_scores_apart(photograph)).set_index("stage")
    assert list(table["grid"]) == ["18 × 18", "9 × 9"]
    assert list(table["pixels of a place"]) == ["4 × 4", "8 × 8"]
    assert list(table["windows"]) == [25, 9]
    assert list(table["padded positions"]) == [25 * 16 - 18 * 18, 9 * 16 - 9 * 9]
    assert list(table["width"]) == [8, 16]
    assert list(table["heads"]) == [2, 4]
    assert table["merging before"][1] == "2 × 2 places: 8 → 16"
    assert list(table["shift in odd blocks"]) == ["2 × 2", "2 × 2"]


def test_an_odd_grid_has_places_as_large_as_any(folders):
    windowed = compute.watch_windows(Photograph(folders["padded"], "coffee", None))
    assert [windowed.pixels_of(layer) for layer in windowed.layers] == [(4, 4), (4, 4), (8, 8), (8, 8)]


def test_only_the_pairs_grow_sixteenfold_with_twice_the_side():
    assert "four times as many patches, and sixteen times as many pairs" in PROSE.about
    for side in (7, 14):
        assert ((2 * side) ** 2, (2 * side) ** 4) == (4 * side**2, 16 * side**4)


@pytest.mark.usefixtures("at_home")
def test_the_section_opens_with_a_shifted_block_and_its_last_window(visit, folders):
    app = visit(PAGE, picture="coffee", show="Windows", network=folders["v2"])
    assert not app.warning
    assert app.number_input(key="windows_block").value == 1
    assert app.number_input(key="windows_window").value == 24
    assert "moved by **2 rows and 2 columns**" in prose(app)
    assert "positions are padding" in prose(app)
    assert any(r"16^2 = \text{256}" in element.value for element in app.markdown)
    assert any(r"\cos(Q, K)" in element.value for element in app.markdown)


@pytest.mark.usefixtures("at_home")
def test_a_link_opens_its_block_and_impossible_choices_fall_back(visit, folders):
    app = visit(
        PAGE,
        picture="coffee",
        show="Windows",
        network=folders["padded"],
        windows_stage="1",
        windows_block="0",
        windows_row="99",
    )
    assert "This is block 0 of stage 1" in prose(app)
    assert app.number_input(key="windows_row").value == 3
    assert any(r"\sqrt{d}" in element.value for element in app.markdown)


@pytest.mark.usefixtures("at_home")
def test_a_model_without_windows_is_refused_with_the_way_to_its_page(visit, tmp_path):
    folder = str(save_timm_model("vit", tmp_path))
    (warning,) = visit(PAGE, picture="coffee", show="Maps", network=folder).warning
    assert "no shifted windows" in warning.value
    assert "Vision transformer" in warning.value
    for compute_anything in (compute.watch_windows, compute.take_scores_apart):
        with pytest.raises(ModelError, match="no shifted windows"):
            compute_anything(Photograph(folder, "coffee", None))
