"""Reach and cost of the page Swin: the strips, the curves and the notices say what core computed."""

import json
from base64 import b64decode
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

from core.view import codec
from core.vision.window_cost import PIXELS, BlockSizes, Timing
from core.vision.window_rollout import blocks_of, reach_by_block, reach_limit_by_block, spread_by_block
from dashboard.components.reach_row import patch_of
from dashboard.inputs.photograph import Photograph
from pages.vision.swin import compute
from pages.vision.swin.blocks import percent
from pages.vision.swin.cost import Costs, about_cost
from pages.vision.swin.reach import Reached, about_reach, through_all, through_windows
from tests.pages.conftest import prose
from tests.pages.tiny_windows import save_windowed

PAGE = "vision/swin"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_windowed("padded", tmp_path_factory.mktemp("padded"))


@pytest.fixture(scope="module")
def given_photograph(folder):
    return Photograph(folder, "coffee", None)


@pytest.fixture
def open_reach(visit, folder, at_home):  # noqa: ARG001
    return lambda **query: visit(PAGE, picture="coffee", show="Reach and cost", network=folder, **query)


def strips(app) -> list[dict]:
    (sent,) = [data for part in app.get("bidi_component") if "strips" in (data := json.loads(part.proto.json))]
    return sent["strips"]


def maps(strip: dict) -> list[np.ndarray]:
    return [
        codec.read(b64decode(tile["shares"]), "half").reshape(tile["rows"], tile["columns"]) for tile in strip["tiles"]
    ]


def traces(app, name: str) -> dict[str, np.ndarray]:
    (chart,) = [chart for chart in app.get("plotly_chart") if chart.proto.id.endswith(f"-{name}")]
    return {trace["name"]: numbers(trace["y"]) for trace in json.loads(chart.proto.spec)["data"]}


def numbers(sent) -> np.ndarray:
    """Plotly sends an array as its bytes."""
    if isinstance(sent, dict):
        return np.frombuffer(b64decode(sent["bdata"]), sent["dtype"])
    return np.array(sent, dtype=float)


def test_every_block_has_a_tile_with_its_reach_and_the_curves_are_their_shares(open_reach, given_photograph):
    app = open_reach(reach_row="2", reach_column="11")
    assert not app.warning
    windows, vit = strips(app)
    assert [tile["label"] for tile in windows["tiles"]] == [
        "stage 0, block 0",
        "stage 0, block 1, shifted",
        "stage 1, block 0",
        "stage 1, block 1, shifted",
    ]
    assert [tile["label"] for tile in vit["tiles"]] == [f"block {number}" for number in range(6)]
    assert (windows["grid"], windows["chosen"]) == ([13, 13], [2, 11])
    blocks = compute.blocks(given_photograph, None)
    reach, limit = reach_by_block(blocks, 2, 11).numpy(), reach_limit_by_block(blocks, 2, 11).numpy()
    for tile, shares, can in zip(maps(windows), reach, limit, strict=True):
        assert ((tile >= 0) == can).all()
        np.testing.assert_allclose(tile[can], shares[can], rtol=2e-3, atol=1e-6)
    assert all((shares >= 0).all() for shares in maps(vit))
    drawn = traces(app, "reach-shares")
    name = next(name for name in drawn if name.endswith(": can") and not name.startswith("Vision"))
    np.testing.assert_allclose(drawn[name][:5], [1 / 169, *((tile >= 0).mean() for tile in maps(windows))])
    assert drawn["Vision transformer: can"][1] == 1
    cost = traces(app, "swin-cost")
    assert list(cost) == ["In windows, counted", "Over the whole grid, counted"]
    assert cost["In windows, counted"][1] == pytest.approx((96 / 64) ** 2)


def test_one_head_is_followed_forwards_from_the_address_on_the_grid_of_every_block(open_reach, given_photograph):
    app = open_reach(reach_follow="where this patch has come", reach_head="head 1", reach_row="0", reach_column="0")
    windowed = compute.watch_windows(given_photograph)
    spread = spread_by_block(blocks_of(windowed.layers, windowed.watched.record, 1), 0, 0)
    tiles = maps(strips(app)[0])
    assert [tile.shape for tile in tiles] == [(13, 13), (13, 13), (7, 7), (7, 7)]
    np.testing.assert_allclose(np.maximum(tiles[-1], 0), spread[-1].numpy(), rtol=2e-3, atol=1e-6)


def test_impossible_choices_in_a_link_fall_back(open_reach):
    app = open_reach(reach_row="99", reach_column="-1", reach_head="head 77")
    assert not app.warning
    assert strips(app)[0]["chosen"] == [6, 6]


def test_a_patch_has_the_same_place_in_both_models(given_photograph):
    windows = through_windows(given_photograph, None, (12, 0), "back")
    vit = through_all(given_photograph, None, (12.5 / 13, 0.5 / 13), "back")
    assert vit.chosen == (vit.grid[0] - 1, 0)
    assert windows.besides == "padding"
    assert vit.besides == "the class token"


@pytest.mark.parametrize(
    "message", [None, 3, {}, {"down": "0", "across": 0.1}, {"down": 1, "across": 0}, {"down": -0.1, "across": 0.5}]
)
def test_a_strange_message_of_the_browser_chooses_nothing(message):
    assert patch_of(message) is None
    assert patch_of({"down": 0.5, "across": 0}) == (0.5, 0.0)


def reached(shares: np.ndarray, limits: np.ndarray, besides: str = "") -> Reached:
    """Blocks with maps (block, row, column); the patch in the corner is the chosen one."""
    labels = tuple(map(str, range(len(shares))))
    return Reached("Model", SimpleNamespace(), labels, tuple(shares), tuple(limits), (0, 0), shares.shape[1:], besides)


@settings(deadline=None, max_examples=50)
@given(arrays(np.float32, (3, 2, 4), elements=some.floats(0.0625, 1, width=32)), some.booleans())
def test_what_arrives_is_told_as_a_loop_counts_it(shares, padded):
    shares = shares / shares.sum(axis=(1, 2), keepdims=True) * (0.8 if padded else 1)
    sentences = about_reach(*[reached(shares, shares > 0, "padding" if padded else "")] * 2, "back")
    last, needed, held = sorted(shares[-1].ravel().tolist(), reverse=True), 0, 0.0
    while held < (0.9 - 1e-6) * sum(last):
        held, needed = held + last[needed], needed + 1
    assert f"**{percent(needed / 8)}** of the patches hold 90% of what arrives" in sentences[1]
    own = float(shares[-1][0, 0] / shares[-1].sum())
    assert f"the chosen patch itself {percent(own)}" in sentences[1]
    assert ("does not mean arriving" in sentences[1]) == (needed / 8 < 0.9 * float((shares[-1] > 0).mean()))
    assert ("20% of the place comes from padding" in sentences[-1]) == padded
    assert len(sentences) == 2 + padded


def test_where_nothing_arrives_no_share_is_told():
    nothing = reached(np.zeros((2, 2, 4)), np.ones((2, 2, 4), dtype=bool))
    assert about_reach(nothing, nothing, "back")[1:] == ("Nothing arrives from any patch in the Model.",)


@pytest.mark.parametrize(
    ("within", "phrase"),
    [
        ([2, 4, 8], "**25%** of the picture can have reached the chosen place: no more than one window. The whole "),
        ([2, 4, 8], "picture can after **3** of 3 blocks."),
        ([2, 4, 4], "After all 3 blocks it is 50%: the rest stays out of reach."),
        ([8, 8, 8], "**100%** of the picture can have reached the chosen place: no more than one window. That is the "),
    ],
)
def test_when_the_whole_picture_is_within_reach_is_counted(within, phrase):
    limits = np.array([np.arange(8).reshape(2, 4) < count for count in within])
    windows = reached(limits / limits.sum(axis=(1, 2), keepdims=True), limits)
    assert phrase in about_reach(windows, windows, "back")[0]
    (forwards,) = about_reach(windows, windows, "forth")
    assert "can hold something of the chosen patch" in forwards


@settings(deadline=None, max_examples=50)
@given(*[some.integers(1, 6)] * 2, some.sampled_from([8, 64]), some.integers(1, 40))
def test_counted_costs_are_those_of_matrices_multiplied_one_by_one(high, wide, width, grid):
    def products(queries: int, keys: int) -> int:
        return 2 * queries * keys * width  # scores, then the sum of values

    places = grid**2
    windows = 4 * places * width**2 + products(places, high * wide)
    full_grid = 4 * places * width**2 + products(places, places)
    (sentence,) = about_cost(Costs(BlockSizes(width, 2, (high, wide), 4), 4 * grid))
    assert f"At {4 * grid} × {4 * grid} pixels" in sentence
    digits = 1 if full_grid / windows >= 1.05 else 2
    assert (f"**{full_grid / windows:.{digits}f} times** as many" in sentence) == (full_grid != windows)
    assert ("**as many**" in sentence) == (full_grid == windows)
    assert "windows cost 4.0 times as many as before" in sentence
    more = 16 * places * width**2 + products(4 * places, 4 * places)
    assert f"the whole grid {more / full_grid:.1f} times." in sentence


def test_measuring_puts_points_over_the_lines(visit, monkeypatch):
    def measure(_, progress):
        progress(1, 1)
        return tuple(Timing(side, side**2 / 1e6, side**3 / 1e7, 5) for side in PIXELS[:-1])

    monkeypatch.setattr(compute, "measure", measure)
    app = visit(PAGE, picture="coffee", show="Reach and cost", patches="16")
    next(button for button in app.button if button.label == "Measure on this machine").click().run()
    assert not app.exception
    points = traces(app, "swin-ratio")["Whole grid / windows, measured"]
    np.testing.assert_allclose(points[:-1], [side / 10 for side in PIXELS[:-1]])
    assert np.isnan(points[-1])
    assert f"Measured here at {PIXELS[-2]} pixels" in prose(app)
    assert "Measure again" in [button.label for button in app.button]
    compute.timings.forget(BlockSizes(80, 2, (4, 4), 4))
