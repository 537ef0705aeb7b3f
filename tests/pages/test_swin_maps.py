"""Maps of the page Swin: what is sent, what is told and what is taken away is what the windows hold."""

import io
import json
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from core.vision.window_measures import WindowMeasures, across_edges, measure_in_windows
from core.vision.windows import stitch_query, stitch_same_place, window_weights
from dashboard.inputs.photograph import Photograph
from pages.vision.swin import compute
from pages.vision.swin.maps import about_heads, about_maps, all_windows
from tests.pages.tiny_windows import save_windowed

PAGE = "vision/swin"


@pytest.fixture(scope="module", params=["swin", "padded"])
def folder(request, tmp_path_factory):
    return save_windowed(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def mapped(folder):
    return compute.watch_maps(Photograph(folder, "coffee", None))


@pytest.mark.usefixtures("at_home")
def test_the_section_shows_a_layer_for_every_block(visit, folder):
    app = visit(PAGE, picture="coffee", show="Maps", network=folder)
    assert not app.warning
    (sent,) = [data for part in app.get("bidi_component") if "overview" in (data := json.loads(part.proto.json))]
    names = [(layer["group"], layer["label"]) for layer in sent["overview"]["layers"]]
    assert names[:2] == [("stage 0", "block 0"), ("stage 0", "block 1, shifted")]
    assert len(names) == 4
    assert "How it is computed" in [element.value for element in app.subheader]


def test_the_projector_shows_no_notes(visit):
    app = visit(PAGE, picture="coffee", show="Maps", patches="16", present="1")
    assert "How it is computed" not in [element.value for element in app.subheader]
    assert not app.get("download_button")


def test_the_scene_answers_with_the_maps_of_the_record(mapped):
    for layer, call in zip(mapped.scene.layers, mapped.windowed.watched.record.calls, strict=True):
        wanted = torch.stack([call.weights(1, item) for item in range(call.batch_size)])
        np.testing.assert_allclose(layer.weights(1), wanted, atol=1e-6)


def test_the_file_can_be_stitched_by_whoever_reads_it(mapped):
    windowed = mapped.windowed
    arrays = np.load(io.BytesIO(all_windows(windowed)), allow_pickle=False)
    for number, (layer, call) in enumerate(zip(windowed.layers, windowed.watched.record.calls, strict=True)):
        places, weights = arrays[f"places_{number}"], arrays[f"weights_{number}"]
        rows, columns = arrays[f"grid_{number}"]
        assert str(arrays[f"path_{number}"]) == call.path
        place = rows * columns - 2
        window, query = np.argwhere(places == place)[0]
        grid = np.full(rows * columns, np.nan)
        on_picture = places[window] >= 0
        grid[places[window][on_picture]] = weights[1, window, query][on_picture]
        np.testing.assert_allclose(
            grid.reshape(rows, columns), stitch_query(call, layer, 1, int(place)), atol=1e-3, equal_nan=True
        )
        forbidden = arrays[f"regions_{number}"][window] != arrays[f"regions_{number}"][window, query]
        assert weights[1, window, query][forbidden].sum() == 0

        grid = np.full(rows * columns, np.nan)
        for window, own in enumerate(places):
            if own[3] >= 0:
                grid[own[own >= 0]] = weights[0, window, 3][own >= 0]
        np.testing.assert_allclose(
            grid.reshape(rows, columns), stitch_same_place(call, layer, 0, 3), atol=1e-3, equal_nan=True
        )


def test_what_is_measured_of_a_head_is_what_its_stitched_maps_say(mapped):
    for number in (0, 1, 3):
        layer, call = mapped.windowed.layers[number], mapped.windowed.watched.record.calls[number]
        side = 4 * 2**layer.stage
        own, padding, distances = [], [], []
        row, column = np.mgrid[: layer.rows, : layer.columns]
        for place in range(layer.rows * layer.columns):
            grid = np.nan_to_num(stitch_query(call, layer, 0, place).numpy().astype(np.float64))
            gap = np.hypot(row - place // layer.columns, column - place % layer.columns) * side
            own.append(grid.flat[place])
            padding.append(1 - grid.sum())
            distances.append((grid * gap).sum() / grid.sum())
        measures = mapped.heads[number][0]
        assert measures.own == pytest.approx(np.mean(own), abs=1e-5)
        assert measures.padding == pytest.approx(np.mean(padding), abs=1e-5)
        assert measures.distance == pytest.approx(np.mean(distances), rel=1e-3)


def test_even_maps_are_measured_as_even(mapped):
    layer = mapped.windowed.layers[1]
    allowed = layer.allowed.float()
    measures = measure_in_windows(allowed / allowed.sum(-1, keepdim=True), layer, (4.0, 4.0))
    assert measures.distance == pytest.approx(measures.even)
    assert measures.strength == 0


def test_a_place_sees_no_more_of_the_picture_than_is_told(mapped):
    sentence = about_maps(mapped)[0]
    first, last = mapped.windowed.layers[0], mapped.windowed.layers[-1]
    most = [max(sum(place >= 0 for place in own) for own in layer.places.tolist()) for layer in (first, last)]
    assert f"**{most[0]} of {first.rows**2:,}** places" in sentence
    assert f"no more than {round(100 * most[1] / last.rows**2)}% of it" in sentence


def test_what_is_forbidden_is_told_and_gets_no_weight(mapped):
    text = " ".join(about_maps(mapped))
    layer, call = mapped.windowed.layers[1], mapped.windowed.watched.record.calls[1]
    far = []
    for window, places in enumerate(layer.places.tolist()):
        for query, key in product(range(16), repeat=2):
            if min(places[query], places[key]) >= 0:
                (row, column), (other, beside) = (divmod(places[position], layer.columns) for position in (query, key))
                if max(abs(row - other), abs(column - beside)) > 3:
                    far.append((window, query, key))
    assert across_edges(layer).nonzero().tolist() == [list(triple) for triple in far]
    looks = sum(float(window_weights(call)[triple]) > 1e-20 for triple in far)
    assert f"**{len({window for window, _, _ in far})} of 16** windows hold places from opposite edges" in text
    if layer.padded:  # timm's mask, cut for the padded grid, misses some
        assert f"**{looks:,} of {len(far):,}** such pairs may look at one another" in text
        most = max(head.padding for heads in mapped.heads for head in heads)
        assert f"gives most to padding, on average {most:.0%}." in text
    else:
        assert looks == 0
        assert f"the mask forbids all {len(far):,} such pairs" in text


HEADS = some.builds(
    WindowMeasures,
    distance=some.floats(0, 99),
    even=some.floats(0, 99),
    own=some.floats(0, 1),
    padding=some.floats(0, 1),
    strength=some.floats(0, 1),
)


@settings(deadline=None, max_examples=50)
@given(some.lists(HEADS, min_size=1, max_size=6))
def test_of_any_heads_those_that_are_named_stand_out(heads):
    named = [(head, f"head {number} of stage 0, block 0") for number, head in enumerate(heads)]
    sentence = about_heads(named)
    assert "nan" not in sentence
    assert "inf" not in sentence
    alone = next(head for head, name in named if f"{name.capitalize()} keeps most" in sentence)
    assert all(head.own <= alone.own for head in heads)
    if "looks nearest" in sentence:
        near = next(head for head, name in named if f", {name} looks nearest" in sentence)
        far = next(head for head, name in named if f", {name} farthest" in sentence)
        for head in heads:
            assert head.even == 0 or near.distance / near.even <= head.distance / head.even <= far.distance / far.even


def test_heads_that_look_evenly_are_not_told_apart():
    even = WindowMeasures(distance=8.0, even=8.0, own=1 / 16, padding=0.0, strength=0.0)
    assert "all heads look equally far" in about_heads([(even, "head 0 of stage 0, block 0")] * 2)
    alone = WindowMeasures(distance=0.0, even=0.0, own=1.0, padding=0.0, strength=0.0)  # windows of one place
    assert about_heads([(alone, "head 0 of stage 0, block 0")]).endswith("gives on average 100% to itself.")
