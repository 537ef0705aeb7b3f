"""Reach and cost of the page Swin: the strips, the curves and the notices say what core computed."""

import json
from base64 import b64decode

import numpy as np
import pytest

from core.vision.window_cost import PIXELS, BlockSizes, Timing, global_cost, window_cost
from core.vision.window_rollout import blocks_of, growing_limit, growing_reach, spread_of
from dashboard.components.attention_view import codec
from dashboard.components.reach_row import patch_of
from pages.vision.swin import compute_cost as swin_cost
from pages.vision.swin import words as said
from pages.vision.swin.compute import watch_windows
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import prose
from tests.pages.tiny_windows import save_windowed

PAGE = "vision/swin"
pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_windowed("padded", tmp_path_factory.mktemp("padded"))


@pytest.fixture
def open_reach(visit, folder, monkeypatch):
    monkeypatch.setattr(swin_cost, "_MEASURED", {})
    return lambda **query: visit(PAGE, show=said.REACH, **({"network": folder} | query))


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


def known(folder):
    windowed = watch_windows(folder, "coffee", None)
    return blocks_of(windowed.layers, windowed.watched.record)


def test_every_block_has_a_tile_and_the_vision_transformer_too(open_reach):
    app = open_reach()
    assert not app.warning
    windows, whole = strips(app)
    assert [tile["label"] for tile in windows["tiles"]] == [
        "stage 0, block 0",
        "stage 0, block 1, shifted",
        "stage 1, block 0",
        "stage 1, block 1, shifted",
    ]
    assert [tile["label"] for tile in whole["tiles"]] == [f"block {number}" for number in range(6)]
    assert (windows["grid"], windows["chosen"]) == ([13, 13], [6, 6])


def test_the_tiles_hold_the_reach_of_the_chosen_place(open_reach, folder):
    app = open_reach(reach_row="2", reach_column="11")
    blocks = known(folder)
    reach, limit = growing_reach(blocks, 2, 11).numpy(), growing_limit(blocks, 2, 11).numpy()
    for found, shares, can in zip(maps(strips(app)[0]), reach, limit, strict=True):
        assert ((found >= 0) == can).all()
        np.testing.assert_allclose(found[can], shares[can], rtol=2e-3, atol=1e-6)
    for shares in maps(strips(app)[1]):
        assert (shares >= 0).all()


def test_forwards_every_tile_has_the_grid_of_its_block(open_reach, folder):
    app = open_reach(reach_follow="where this patch has come", reach_row="0", reach_column="0")
    spread = spread_of(known(folder), 0, 0)
    found = maps(strips(app)[0])
    assert [each.shape for each in found] == [(13, 13), (13, 13), (7, 7), (7, 7)]
    np.testing.assert_allclose(np.maximum(found[-1], 0), spread[-1].numpy(), rtol=2e-3, atol=1e-6)


def test_the_curves_are_the_shares_of_the_tiles(open_reach):
    app = open_reach()
    drawn = traces(app, "reach-shares")
    windows = maps(strips(app)[0])
    name = next(name for name in drawn if name.endswith(": can") and not name.startswith("Vision"))
    np.testing.assert_allclose(drawn[name][1:5], [(each >= 0).mean() for each in windows])
    assert drawn[name][0] == pytest.approx(1 / 169)
    assert drawn["Vision transformer: can"][1] == 1


def test_one_head_can_be_followed_alone(open_reach, folder):
    windowed = watch_windows(folder, "coffee", None)
    blocks = blocks_of(windowed.layers, windowed.watched.record, 1)
    found = maps(strips(open_reach(reach_head="head 1"))[0])
    np.testing.assert_allclose(np.maximum(found[-1], 0), growing_reach(blocks, 6, 6)[-1].numpy(), rtol=2e-3, atol=1e-6)


def test_impossible_choices_in_a_link_fall_back(open_reach):
    app = open_reach(reach_row="99", reach_column="-1", reach_head="head 77")
    assert not app.warning
    assert strips(app)[0]["chosen"] == [6, 6]


@pytest.mark.parametrize(
    "message", [None, 3, {}, {"down": "0", "across": 0.1}, {"down": 1, "across": 0}, {"down": -0.1, "across": 0.5}]
)
def test_a_strange_message_of_the_browser_chooses_nothing(message):
    assert patch_of(message) is None
    assert patch_of({"down": 0.5, "across": 0}) == (0.5, 0.0)


def test_the_counted_costs_are_the_two_equations(open_reach):
    app = open_reach()
    drawn = traces(app, "swin-cost")
    assert list(drawn) == ["In windows, counted", "Over the whole grid, counted"]
    least = window_cost(16, 16, 8, (4, 4))
    wanted = [window_cost(side // 4, side // 4, 8, (4, 4)) / least for side in PIXELS]
    np.testing.assert_allclose(drawn["In windows, counted"], wanted)
    wanted = [global_cost(side // 4, side // 4, 8) / least for side in PIXELS]
    np.testing.assert_allclose(drawn["Over the whole grid, counted"], wanted)
    ratio = global_cost(13, 13, 8) / window_cost(13, 13, 8, (4, 4))
    assert f"**{ratio:.1f} times**" in prose(app)


def test_measuring_puts_points_over_the_lines(open_reach, monkeypatch):
    def measure(_, progress):
        progress(1, 1)
        return tuple(Timing(side, side**2 / 1e6, side**3 / 1e7, 5) for side in PIXELS[:-1])

    monkeypatch.setattr(swin_cost, "measure", measure)
    assert "Measure on this machine" in [button.label for button in open_reach().button]
    swin_cost.measure_timings(BlockSizes(8, 2, (4, 4), 4), lambda *_: None)
    app = open_reach()
    points = traces(app, "swin-ratio")["Whole grid / windows, measured"]
    np.testing.assert_allclose(points[:-1], [side / 10 for side in PIXELS[:-1]])
    assert np.isnan(points[-1])
    assert f"Measured here at {PIXELS[-2]} pixels" in prose(app)
    assert "Measure again" in [button.label for button in app.button]


def test_a_model_without_windows_is_refused_in_one_sentence(visit, tmp_path):
    app = visit(PAGE, show=said.REACH, network=str(save_timm_model("vit", tmp_path)))
    assert len(app.warning) == 1
    assert "Vision transformer" in app.warning[0].value
