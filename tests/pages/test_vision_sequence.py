"""Picture to sequence: the stages with their shapes, a patch that is followed, filters and positions, all sentences."""

import functools
import itertools
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.images import Patches, open_example
from core.order.learned_positions import patch_similarity, similarity
from dashboard.cache.models import image_model
from dashboard.inputs.photograph import Photograph
from dashboard.output.position_kinds import ORDER_CLAUSES
from pages.vision.vision_transformer import filters_and_positions, sequence, stages
from pages.vision.vision_transformer.compute import as_colours, follow
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import message_text, prose

PAGE = "vision/vision_transformer"
pytestmark = pytest.mark.usefixtures("at_home")
VIT = "vit-tiny-imagenet"
SIDES = st.integers(1, 6)
PREFIXES = st.sampled_from([(), ("class",), ("class", "distilled"), ("class", "register 1", "register 2")])


@pytest.fixture(scope="module")
def cat():
    """The cat in 8 x 8 patches of our vision transformer."""
    return follow(Photograph(VIT, "cat", 64))


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """The coffee, followed through a tiny model of timm: named("swin")."""

    @functools.cache
    def open_model(kind):
        return Photograph(str(save_timm_model(kind, tmp_path_factory.mktemp(kind) / kind)), "coffee", None)

    return open_model


def test_the_section_is_alive_and_follows_the_patch_of_the_address(visit, cat):
    app = visit(PAGE, network=VIT, patch="3-4", patches="8", picture="cat")
    assert not app.warning
    width = cat.sequence.width
    table = app.dataframe[0].value.set_index("step")["shape"]
    expected = {"Pixels": "3 × 64 × 64", "Patches": "64 × 3 × 8 × 8", "Flattened": "64 × 192"}
    assert {name: table[name] for name in expected} == expected
    assert table["Tokens"] == f"65 × {width}"
    assert table["Scores"] == str(len(cat.model.classes))
    assert "The patch in row 3, column 4" in [element.value for element in app.subheader]
    pixels = cat.sequence.pixels[:, 24:32, 32:40].flatten()
    some = ", ".join(f"{round(float(value), 2) + 0.0:.2f}".replace("-", "−") for value in pixels[:12])
    assert f"it begins with {some}" in prose(app)
    projection = cat.sequence.projection
    first = float((pixels * projection.weight[0]).sum()) + float(projection.bias[0])
    assert any(f"= {round(first, 3) + 0.0:.3f}" in element.value for element in app.markdown)
    assert "65 tokens**: 8 × 8 patches and 1 more (class)" in prose(app)
    charts = app.get("plotly_chart")
    assert len(charts) == 5
    assert all(json.loads(chart.proto.spec)["layout"] for chart in charts)


def test_of_a_hybrid_what_a_place_has_seen_is_drawn_in_place_of_its_pixels(visit):
    app = visit(PAGE, patch="3-4", picture="cat")
    table = app.dataframe[0].value.set_index("step")["shape"]
    expected = {"Pixels": "3 × 224 × 224", "Features": "320 × 14 × 14", "Flattened": "196 × 320", "Scores": "1,000"}
    assert {name: table[name] for name in expected} == expected
    assert "Patches" not in table
    assert "What its features depend on" in app.get("plotly_chart")[0].proto.spec
    model = image_model("hybrid-vit")
    pixels = model.prepare(open_example("cat")).pixels.requires_grad_()
    features = model.network.patch_embed.backbone(pixels)[0, :, 3, 4]
    (gradient,) = torch.autograd.grad(features.square().sum(), pixels)
    inside = gradient[0, :, 48:64, 64:80].abs().sum() / gradient.abs().sum()
    assert f"own 16 × 16 pixels for only **{float(inside):.0%}**" in prose(app)


def test_the_projector_shows_no_prose(visit):
    app = visit(PAGE, network=VIT, present="1", patches="8")
    assert "How it is computed" not in [element.value for element in app.subheader]
    assert len(app.get("plotly_chart")) == 5


def test_a_network_without_attention_gets_a_sentence(visit, named):
    app = visit(PAGE, network=named("resnet").name)
    assert "has no attention" in message_text(app, "info")
    assert not app.dataframe


@pytest.mark.parametrize("address", ["", "99-0", "0-99", "<b>", "-1-2", "3", "1.5-2", "999999-0", "8-0", "0-7x", "٣-٣"])
def test_a_patch_that_is_not_there_is_one_in_the_middle(address):
    assert sequence.place_in(address, Patches(8, 7)) == (4, 3)
    assert sequence.place_in("7-6", Patches(8, 7)) == (7, 6)


def test_the_strips_are_the_vectors_of_the_followed_patch(cat):
    picture_sequence = cat.sequence
    rows = {row.name: torch.from_numpy(row.values) for row in sequence.vectors_of(picture_sequence, 28)}
    torch.testing.assert_close(rows["flattened"], picture_sequence.pixels[:, 24:32, 32:40].flatten())
    torch.testing.assert_close(rows["projected"] + rows["position"], rows["token"], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(rows[f"after {picture_sequence.blocks} blocks"], picture_sequence.encoded[29])


def test_the_arrays_to_take_away_have_the_shapes_of_the_table(cat):
    arrays = stages.arrays_of(cat.sequence)
    shapes = [" × ".join(f"{side:,}" for side in array.shape) for array in arrays.values()]
    assert stages.table_of(cat.sequence)["shape"].tolist() == shapes


def test_the_pixels_that_are_shown_are_those_of_the_model(cat):
    framing = cat.model.framing
    colours = torch.from_numpy(as_colours(framing, cat.sequence.pixels)).permute(2, 0, 1) / 255
    mean, deviation = (torch.tensor(values).view(3, 1, 1) for values in (framing.mean, framing.std))
    assert ((colours - mean) / deviation - cat.sequence.pixels).abs().max() < 0.02


def test_a_model_by_folder_with_registers_shows_all_its_tokens(named):
    picture_sequence = follow(named("dinov2")).sequence
    table = stages.table_of(picture_sequence).set_index("step")["what happens"]
    assert table["Joining"].endswith("the same for every picture: class, 4 registers")
    steps = table.index.tolist()
    assert steps.index("Positions") < steps.index("Joining")  # positions are added to the patches alone
    assert "the patches alone" in table["Positions"]
    assert "Scores" not in steps


def test_the_first_channel_is_written_out_with_true_numbers(cat):
    picture_sequence = cat.sequence
    latex = sequence.written_out(picture_sequence, 5)
    assert latex.endswith(rf"= {round(float(picture_sequence.projected[5, 0]), 3) + 0.0:.3f} \end{{gathered}}")
    assert f"{round(float(picture_sequence.flattened[5, 0]), 3) + 0.0:.3f}" in latex
    assert sequence.token_formula(picture_sequence) == r"x_p E + b + \text{pos}_p"


def test_the_formula_of_swin_has_the_norm_and_no_position_that_swin_has_and_has_not(named):
    assert sequence.token_formula(follow(named("swin")).sequence) == r"\operatorname{norm}(x_p E + b)"


def number(pattern: str, text: str) -> int:
    return int(re.search(pattern, text)[1].replace(",", ""))


@pytest.mark.parametrize("kind", ["vit", "deit", "dinov2", "siglip", "swin", "beit"])
def test_the_pairs_that_are_told_are_those_that_the_model_compares(named, kind):
    photograph = named(kind)
    followed, record = follow(photograph), photograph.watched().record
    first = record.calls[0]
    compared = sum(first.weights(0, item).numel() for item in range(first.batch_size))
    text = sequence.tell_length(followed.sequence.patches, followed.sequence.calls)
    assert number(r"([\d,]+) pairs", text) == compared
    if kind == "swin":
        assert f"{first.batch_size} windows of {first.key_length} places" in text
        assert f"not all {len(followed.sequence.encoder_input) ** 2:,}" in text
        assert "times as many" not in text
    else:
        layers = len(record.calls)
        phrase = f"{layers - 1} of the {layers}" if kind == "siglip" else f"each of the {layers}"
        assert f"Each head of {phrase} attention layers compares" in text


@given(rows=SIDES, columns=SIDES, prefix=PREFIXES)
def test_twice_as_many_patches_on_a_side_are_counted_with_the_prefix_tokens(rows, columns, prefix):
    small, large = Patches(rows, columns, prefix), Patches(2 * rows, 2 * columns, prefix)
    text = sequence.tell_length(small, [(1, len(small), len(small))] * 2)
    pairs = [sum(1 for _ in itertools.product(range(len(patches)), repeat=2)) for patches in (small, large)]
    assert number(r"compares ([\d,]+) pairs", text) == pairs[0]
    assert number(r"would compare ([\d,]+), ", text) == pairs[1]
    assert f"{pairs[1] / pairs[0]:.1f} times as many" in text


@pytest.mark.parametrize("way", ORDER_CLAUSES)
def test_the_order_is_told_by_what_the_model_adds_and_does(way):
    assert ORDER_CLAUSES[way] in sequence.tell_order(False, way)
    added = sequence.tell_order(True, way)
    assert "a position to each patch" in added
    assert (ORDER_CLAUSES[way] in added) == (way != "unknown")


@given(st.floats(0, 100, width=32), st.floats(0, 100, width=32))
def test_the_longer_of_content_and_position_is_named(content, position):
    lengths = [torch.tensor([[0.0, length]]) for length in (content, position)]
    made = SimpleNamespace(projected=lengths[0], embedded=None, positions=SimpleNamespace(patches=lengths[1]))
    (text,) = sequence.tell_weight(made, 0)
    assert not re.search(r"\b(nan|inf)\b", text)
    assert f"{round(content, 2):.2f}**, its position **{round(position, 2):.2f}" in text
    if match := re.search(r": (the projection|the position) is ([\d.]+) times", text):
        longer, shorter = (content, position) if match[1].startswith("the projection") else (position, content)
        assert float(match[2]) == pytest.approx(longer / shorter, abs=0.06)
        assert longer > shorter
    made.positions = None
    assert sequence.tell_weight(made, 0) == ()


@given(rows=SIDES, columns=SIDES, seed=st.integers(0, 99), equal=st.booleans())
def test_the_sentence_about_positions_is_what_loops_over_all_pairs_find(rows, columns, seed, equal):
    grid = Patches(rows, columns)
    vectors = torch.randn(rows * columns, 4, generator=torch.Generator().manual_seed(seed))
    alike = similarity(torch.ones_like(vectors) if equal else vectors)
    place = (seed % rows, seed % columns)
    sentences = filters_and_positions.tell_positions(grid, alike, patch_similarity((rows, columns), alike), place)
    assert len(sentences) == (rows * columns > 1)
    if not sentences:
        return
    places = list(itertools.product(range(rows), range(columns)))
    touching, far = [], []
    for (one, (down, across)), (two, (row, column)) in itertools.product(enumerate(places), repeat=2):
        if abs(down - row) + abs(across - column) == 1:
            touching.append(float(alike[one, two]))
        if np.hypot(down - row, across - column) >= min(rows, columns) / 2:
            far.append(float(alike[one, two]))
    best = max(
        (float(alike[places.index(place), number]) for number, other in enumerate(places) if other != place), default=0
    )
    row, column = map(int, re.search(r"is row (\d+), column (\d+), (a|no) neighbour", sentences[0]).groups()[:2])
    assert float(alike[places.index(place), places.index((row, column))]) == pytest.approx(best)
    assert (" a neighbour" in sentences[0]) == (max(abs(row - place[0]), abs(column - place[1])) == 1)
    gap = np.mean(touching) - np.mean(far)
    if abs(abs(gap) - 0.05) > 1e-5:
        how = "the more alike" if gap > 0.05 else "the less alike" if gap < -0.05 else "not the more alike"
        assert sentences[0].endswith(f"neighbours are {how}.")
    assert f"touch have {round(np.mean(touching), 2) + 0.0:.2f}".replace("-", "−")[:-1] in sentences[0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=28), st.integers(2, 40), st.integers(1, 40))
def test_the_directions_that_are_told_hold_what_is_told(sizes, count, numbers):
    variance = torch.tensor(sorted(sizes, reverse=True)[: min(count - 1, numbers)])
    shares = 0.95 * variance / variance.sum().clamp_min(1e-6)
    sentences = filters_and_positions.tell_filters(shares, (count, numbers))
    assert (not sentences) == (float(shares.sum()) == 0)
    if sentences and "directions" in sentences[0]:
        needed, most = map(int, re.match(r"\*\*(\d+)\*\* of at most (\d+)", sentences[0]).groups())
        assert most == min(count - 1, numbers)
        assert float(shares[:needed].sum()) >= 0.9 - 1e-5
        assert float(shares[: needed - 1].sum()) < 0.9 + 1e-5
