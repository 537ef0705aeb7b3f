"""Two heads compared: the differences that are shown and the distances that are told are those of a plain loop."""

import json

import numpy as np
import pytest

from dashboard.inputs.photograph import Photograph
from pages.vision.swin import compute
from pages.vision.swin.heads_compared import about_heads_compared
from pages.vision.swin.maps import TWO_HEADS
from tests.pages.conftest import prose
from tests.pages.tiny_windows import save_windowed


@pytest.fixture(scope="module", params=["swin", "padded", "v2"])
def photograph(request, tmp_path_factory):
    return Photograph(save_windowed(request.param, tmp_path_factory.mktemp(request.param)), "coffee", None)


@pytest.mark.parametrize("block", [0, 1, 3])
def test_differences_and_distances_are_those_of_a_loop_over_places(photograph, block):
    windowed = compute.watch_windows(photograph)
    layer, call = windowed.layers[block], windowed.watched.record.calls[block]
    compared = compute.compare_heads(photograph, block, 0, 1)
    differences, distances = compared.scene.layers[0].weights(0), {}
    for window, places in enumerate(layer.places.tolist()):
        first, second = (call.weights(head, item=window).tolist() for head in (0, 1))
        for query, place in enumerate(places):
            gaps = [abs(one - other) for one, other in zip(first[query], second[query], strict=True)]
            assert differences[window, query].tolist() == pytest.approx(gaps, abs=1e-6)
            if place >= 0:
                distances[place] = sum(gaps) / 2
    assert sorted(distances) == list(range(layer.rows * layer.columns))
    most = max(distances, key=distances.get)
    sentence = about_heads_compared(compared)
    assert dict(zip(compared.places.tolist(), compared.distances.tolist(), strict=True)) == pytest.approx(
        distances, abs=1e-5
    )
    assert f"on average **{sum(distances.values()) / len(distances):.0%}** of their weight" in sentence
    where = f"row {most // layer.columns}, column {most % layer.columns}"
    assert f"differ most in {where}: **{distances[most]:.0%}**" in sentence


def test_a_head_does_not_differ_from_itself_nor_from_one_with_the_same_weights(photograph):
    itself = compute.compare_heads(photograph, 1, 1, 1)
    assert not itself.distances.any()
    assert about_heads_compared(itself) == "Head 1 of block 1 of stage 0 is compared with itself: choose another."
    places, scene = itself.places, itself.scene
    alike = compute.Compared(itself.layer, (0, 1), scene, places, np.zeros(len(places), dtype=np.float32))
    assert about_heads_compared(alike) == (
        f"Heads 0 and 1 of block 1 of stage 0 give the same weights at all {len(places):,} places."
    )


@pytest.mark.usefixtures("at_home")
def test_the_address_holds_the_switch_the_block_and_both_heads(visit, photograph):
    choices = {"maps_of": TWO_HEADS, "maps_stage": "1", "maps_block": "0", "maps_head": "1", "maps_other": "0"}
    app = visit("vision/swin", picture="coffee", show="Maps", network=photograph.name, **choices)
    (sent,) = [data for part in app.get("bidi_component") if "overview" in (data := json.loads(part.proto.json))]
    assert [layer["label"] for layer in sent["overview"]["layers"]] == ["block 0, |head 1 − head 0|"]
    assert about_heads_compared(compute.compare_heads(photograph, 2, 1, 0)) in prose(app)
    assert any(r"\bar d" in element.value for element in app.markdown)
    assert "Compared with head" not in [
        widget.label
        for widget in visit("vision/swin", picture="coffee", show="Maps", network=photograph.name).number_input
    ]
