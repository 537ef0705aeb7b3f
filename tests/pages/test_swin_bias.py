"""Position bias: the numbers on the page are those that the model adds."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from core.vision.position_bias import PositionBias
from core.vision.window_parts import BiasShare
from dashboard.inputs.photograph import Photograph
from pages.vision.swin import compute
from pages.vision.swin.bias_in_scores import MASKED, Pair, Score, about_shares, spelled, take_apart
from pages.vision.swin.blocks import percent
from pages.vision.swin.position_bias import about_bias, direction
from tests.pages.conftest import prose
from tests.pages.tiny_windows import layer_of, save_windowed

PAGE = "vision/swin"


@pytest.fixture(scope="module", params=["swin", "v2"])
def folder(request, tmp_path_factory):
    return save_windowed(request.param, tmp_path_factory.mktemp(request.param))


def test_the_scores_of_all_keys_add_up_to_the_weights_that_were_recorded(folder):
    photograph = Photograph(folder, "coffee", None)
    windowed, scored = compute.watch_windows(photograph), compute.take_scores_apart(photograph)
    for window in (0, len(windowed.layers[1].places) - 1):
        scores = [take_apart(windowed, scored, Pair(1, 1, 6, key), window) for key in range(16)]
        weights = torch.tensor([score.total for score in scores], dtype=torch.float64).softmax(dim=0)
        assert [score.weight for score in scores] == pytest.approx(weights.tolist(), abs=1e-5)
    assert {score.mask for score in scores} == {0.0, MASKED}
    assert scores[9].bias == pytest.approx(scored.biases[1].table[1, -1 + 3, 1 + 3].item())


@pytest.mark.usefixtures("at_home")
def test_the_section_shows_the_score_of_the_pair_in_the_address(visit, folder):
    app = visit(
        PAGE,
        picture="coffee",
        show="Position bias",
        network=folder,
        bias_head="1",
        bias_query="6",
        bias_key="9",
        bias_window="3",
    )
    row = next(frame.value for frame in app.dataframe if "weight" in frame.value).iloc[0]
    scored = compute.take_scores_apart(Photograph(folder, "coffee", None))
    assert f"**{percent(scored.shares[1].share[1].item())}** of the variance" in prose(app)
    # Row 1, column 2 looks at row 2, column 1: one row up, one column on, so number 2 x 7 + 4.
    assert any("= 18" in element.value for element in app.markdown)
    if scored.biases[1].continuous:
        assert -1.001 <= row["cosine"] <= 1.001
        assert row["× scale"] == pytest.approx(10, abs=1e-3)
        assert row["= content"] == pytest.approx(row["cosine"] * row["× scale"])
        assert "From distance to bias" in [heading.value for heading in app.subheader]
        assert 0 <= row["bias"] <= 16
    else:
        assert row["score"] == pytest.approx(row["content"] + row["bias"] + row["mask"])


def test_directions_are_seen_from_the_query():
    # The table counts query minus key: in its first cell the key is below and to the right.
    assert direction((0, 0), (4, 4)) == "3 rows below and 3 columns to the right"
    assert direction((4, 2), (4, 4)) == "1 row above and 1 column to the right"
    assert direction((3, 3), (4, 4)) == "in the same place"


@settings(deadline=None, max_examples=50)
@given(some.integers(1, 4), some.integers(1, 4), some.integers(0, 99))
def test_the_key_that_a_head_is_drawn_to_lies_where_it_is_told(rows, columns, seed):
    torch.manual_seed(seed)
    bias = PositionBias((rows, columns), torch.randn(2, 2 * rows - 1, 2 * columns - 1), None)
    sharing, drawn = about_bias(bias, 1, "block 0 of stage 0")
    assert (
        f"has {(rows * columns) ** 2:,} pairs, and each head **{len(set(bias.table[1].flatten().tolist()))}**"
        in sharing
    )
    if rows == columns == 1:
        assert "about the same at every distance" in drawn
        return
    query, key = divmod(int(bias.matrix[1].argmax()), rows * columns)
    down, across = key // columns - query // columns, key % columns - query % columns
    place = drawn.split("**")[1]
    assert ("above" in place, "below" in place) == (down < 0, down > 0)
    assert ("left" in place, "right" in place) == (across < 0, across > 0)
    assert all(str(abs(number)) in place for number in (down, across) if number)
    assert f"For the place itself it adds {bias.matrix[1, 0, 0]:.2f}".replace("-", "−") in drawn.replace(
        "−0.00", "0.00"
    )


def test_a_bias_that_is_the_same_everywhere_draws_nowhere():
    bias = PositionBias((2, 2), torch.full((1, 3, 3), -0.5), None)
    assert (
        about_bias(bias, 0, "block 0 of stage 0")[1]
        == "Head 0 of block 0 of stage 0 adds about the same at every distance: −0.50."
    )
    nearly = PositionBias((2, 2), torch.full((1, 3, 3), -0.5) + 1e-3 * torch.rand(1, 3, 3), None)
    assert "about the same at every distance" in about_bias(nearly, 0, "block 0 of stage 0")[1]


def shared(*shares: list[float]) -> tuple[list, SimpleNamespace]:
    """Blocks whose heads have these shares of place."""
    layers = [layer_of((4, 4), (2, 2), (0, 0), block=block) for block in range(len(shares))]
    tensors = [torch.tensor(of) for of in shares]
    bias_shares = tuple(BiasShare(content=of, bias=of, share=of, moved=torch.full_like(of, 0.25)) for of in tensors)
    return layers, SimpleNamespace(shares=bias_shares)


def test_the_heads_that_go_most_and_least_by_place_are_found_among_heads_of_unlike_number():
    layers, scored = shared([0.3, -0.02], [0.9], [0.5, 0.1, 0.2])
    first, second = about_shares(layers, scored, Pair(0, 0, 0, 0))
    assert "**30%** of the variance of its scores is place and 70% content. Without the bias 25%" in first
    assert second == "Of 6 heads, head 0 of block 0.1 relies most on place (90%), head 1 of block 0.0 least (−2%)."
    against = about_shares(layers, scored, Pair(0, 1, 0, 0))[0]
    assert "**−2%** of the variance of its scores is place and 102% content: the bias works against" in against


def test_heads_that_rely_on_place_alike_are_not_ranked():
    layers, scored = shared([0.3, 0.302], [0.301])
    assert about_shares(layers, scored, Pair(0, 0, 0, 0))[1] == "All 3 heads rely on place about as much, 30%."
    layers, scored = shared([-0.001, 0.9])
    assert "against" not in about_shares(layers, scored, Pair(0, 0, 0, 0))[0]


def test_scores_that_do_not_differ_have_no_share():
    layers, scored = shared([float("nan")])
    assert about_shares(layers, scored, Pair(0, 0, 0, 0)) == (
        "On this photograph its scores do not differ: there is no variance to share.",
    )


@pytest.mark.parametrize(
    ("content", "bias", "mask", "written"),
    [
        (0.5, -0.25, 0.0, "0.50 + (-0.25) = 0.25"),
        (0.494, -0.336, 0.0, r"0.49 + (-0.34) \approx 0.16"),
        (1.0, 2.0, -100.0, "1.00 + 2.00 + (-100.00) = -97.00"),
    ],
)
def test_a_sum_of_rounded_numbers_is_only_equal_where_it_is(content, bias, mask, written):
    assert spelled(Score(content, bias, mask, 0.5, None)) == written
