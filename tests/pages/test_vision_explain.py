"""Explanations: what is asked about, what is shown, and what is said where there is nothing to show."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.attribution import image_methods as core_explain
from core.attribution.deletion_curves import Faithfulness
from core.attribution.image_methods import explain as core_explanations
from core.images import open_example
from dashboard.cache.models import image_model
from dashboard.figures.faithfulness import area_in_latex
from dashboard.inputs.photograph import Photograph
from pages.vision.vision_transformer import explain, faithful
from pages.vision.vision_transformer.compute import TITLES, Curves, explain_photograph, take_away
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import message_text, prose

PAGE = "vision/vision_transformer"
pytestmark = pytest.mark.usefixtures("at_home")
NAMES = st.sampled_from(["attention", "rollout", "relevance", "activation"])


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Folders with tiny models of timm, by kind."""
    made = {}

    def folder(kind):
        if kind not in made:
            made[kind] = str(save_timm_model(kind, tmp_path_factory.mktemp(kind) / kind))
        return made[kind]

    return folder


@pytest.fixture
def open_section(visit):
    return lambda **query: visit(PAGE, show="Explanations", **query)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """However busy the machine is, curves are measured at once."""
    monkeypatch.setattr(faithful, "PATIENCE", float("inf"))


def test_all_explanations_and_both_curves_are_there_at_once_for_the_class_that_is_chosen(open_section, named):
    model = image_model(named("deit"))
    scores = model.network(model.prepare(open_example("cat")).pixels)[0].softmax(-1)
    best, other = scores.argsort(descending=True)[:2].tolist()
    app = open_section(network=model.name, picture="cat")
    assert not message_text(app)
    captions = " ".join(element.value for element in app.caption)
    for about in (
        "It is the same for every class.",
        "the score of this class",
        explain.SECTION.text("Scale of a map"),
        "red 124, green 116, blue 104",
    ):
        assert about in captions
    assert len(app.get("plotly_chart")) == 3 + 2 + 2  # maps, curves, the picture without patches, its classes
    assert "How it is computed" in [element.value for element in app.subheader]
    assert "the class token and the distilled token" in prose(app)
    assert f"The model says **{model.classes[best]}** ({scores[best].item():.1%})" in prose(app)
    sentence = explain.tell_verdict(model.classes, scores.tolist(), other)
    assert f"What speaks for **{model.classes[other]}** ({scores[other].item():.1%})?" in sentence
    assert f"The model itself says **{model.classes[best]}** ({scores[best].item():.1%})" in sentence
    photograph = Photograph(model.name, "cat", None)
    assert explain_photograph(photograph, other).number == other
    assert explain_photograph(photograph).identity == explain_photograph(photograph, best).identity


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_the_slider_tells_the_probability_of_the_picture_without_those_patches(named, share):
    explained = explain_photograph(Photograph(named("deit"), "coffee", None))
    _, count, says = take_away(explained, "relevance", share, insert=False)
    model = explained.model
    prepared = model.prepare(open_example("coffee"))
    explanations = core_explanations(model, prepared.pixels, prepared.patches)
    relevant = explanations.maps["relevance"][0].flatten()
    pixels = prepared.pixels.clone()
    for patch in relevant.argsort(descending=True)[: round(share * len(relevant))].tolist():
        row, column = divmod(patch, prepared.patches.columns)
        pixels[..., 16 * row : 16 * row + 16, 16 * column : 16 * column + 16] = 0.0
    torch.testing.assert_close(says, model.network(pixels)[0].softmax(-1), rtol=1e-4, atol=1e-6)
    assert count == round(share * len(relevant))


def test_a_convolutional_model_says_that_it_has_no_attention_and_shows_its_class_activation_map(
    open_section, named, monkeypatch
):
    def activation(_network, pixels, _classes):  # captum's takes seconds to import; core has its tests
        return torch.rand(len(pixels), 2, 2)

    monkeypatch.setattr(core_explain, "class_activation", activation)
    app = open_section(network=named("convnext"), picture="cat")
    assert "has no attention" in message_text(app)
    assert len(app.get("plotly_chart")) == 1 + 2 + 2
    assert not [group for group in app.get("button_group") if group.label == "Explanation"]


def test_windows_are_refused_in_one_sentence_beside_the_figures_of_our_own(open_section, named):
    app = open_section(network=named("swin"), picture="cat")
    assert "looks through windows" in message_text(app)
    assert app.get("plotly_chart")


def test_what_takes_long_waits_until_somebody_asks(open_section, monkeypatch):
    monkeypatch.setattr(faithful, "PATIENCE", -1)
    app = open_section(picture="cat", patches="8", explain_class="no such class")
    assert app.selectbox(key="explain_class").value == explain.MOST_PROBABLE
    assert len(app.get("plotly_chart")) == 3 + 2
    app.toggle(key="explain_measure").set_value(True).run()
    assert len(app.get("plotly_chart")) == 3 + 2 + 2


def test_classes_of_one_name_can_be_told_apart():
    assert explain.labels_of(("crane", "dog", "crane")) == ["crane (0)", "dog", "crane (2)"]


@pytest.mark.parametrize(
    ("values", "places"), [([[0.0, 1.0], [0.0, 0.0]], 1), ([[1.0, 1.0], [1.0, 1.0]], 2), ([[5.0, 3.0], [2.0, 1.0]], 2)]
)
def test_half_of_a_map_lies_on_so_many_places(values, places):
    assert explain.held_by(torch.tensor(values).numpy()) == places


def map_of(sides, seed, kind):
    values = np.random.default_rng(seed).random(sides)
    return {"random": values, "zeros": np.zeros(sides), "equal": np.ones(sides), "signed": values - 0.5}[kind]


MAPS = st.builds(
    map_of,
    st.tuples(st.integers(1, 4), st.integers(1, 4)),
    st.integers(0, 99),
    st.sampled_from(["random", "zeros", "equal", "signed"]),
)


@given(st.dictionaries(NAMES, MAPS, min_size=1))
def test_the_halves_that_are_told_are_the_fewest_places_that_hold_them(maps):
    (text,) = explain.tell_halves(maps)
    shares = {}
    for name, values in maps.items():
        title = TITLES[name]
        positive = sorted(values.clip(min=0).flatten().tolist(), reverse=True)
        if not any(positive):
            assert title in text.split(" everywhere")[0]
            continue
        count = next(many for many in range(1, 99) if sum(positive[:many]) >= 0.5 * sum(positive) - 1e-12)
        assert f"alf of **{title.lower()}** lies on {count} of {values.size} places" in text
        shares[title] = count / values.size
    if match := re.search(r"\. ([^.]*) is gathered on the smallest part of the picture, (.*) on the largest", text):
        lowered = {title.lower(): share for title, share in shares.items()}
        assert lowered[match[1].lower()] == min(shares.values())
        assert lowered[match[2]] == max(shares.values())
    else:
        assert len(set(shares.values())) < 2


CURVE = st.lists(st.floats(0, 1), min_size=4, max_size=4)


def curve_of(values):
    shares = torch.tensor([0.0, 0.3, 1.0])
    return Faithfulness(shares, torch.tensor([values[0], values[1], 0.1]), torch.tensor([0.1, values[2], values[3]]))


def area(heights):
    return 0.3 * (heights[0] + heights[1]) / 2 + 0.7 * (heights[1] + heights[2]) / 2


@given(st.dictionaries(NAMES, CURVE, min_size=1), st.lists(CURVE, min_size=1, max_size=3))
def test_the_most_faithful_has_the_smallest_and_the_largest_area_and_what_is_no_better_than_chance_is_said(
    explanations, draws
):
    curves = Curves({name: curve_of(curve) for name, curve in explanations.items()}, tuple(map(curve_of, draws)))
    first, *others = faithful.tell(curves)
    deletion = {name: area([curve[0], curve[1], 0.1]) for name, curve in explanations.items()}
    insertion = {name: area([0.1, curve[2], curve[3]]) for name, curve in explanations.items()}
    chance = [
        np.mean([area([curve[0], curve[1], 0.1]) for curve in draws]),
        np.mean([area([0.1, curve[2], curve[3]]) for curve in draws]),
    ]
    written_areas = [float(number) for number in re.findall(r"(?:area|random) (\d\.\d{3})", first)]
    expected = [min(deletion.values()), chance[0], max(insertion.values()), chance[1]]
    assert written_areas == pytest.approx(expected[: len(written_areas)], abs=6e-4)
    spreads = [max(areas.values()) - min(areas.values()) for areas in (deletion, insertion)]
    if len(explanations) > 1 and abs(max(spreads) - 1e-3) > 1e-5:
        assert ("no explanation is more faithful" in first) == (max(spreads) < 1e-3)
    # No better than chance is what does not lie beyond each of the random orders.
    lowest = min(area([curve[0], curve[1], 0.1]) for curve in draws)
    highest = max(area([0.1, curve[2], curve[3]]) for curve in draws)
    for side, areas, level, sign in (("deletion", deletion, lowest, 1), ("insertion", insertion, highest, -1)):
        sentence = next((other for other in others if other.startswith(f"By {side}")), "")
        for name, value in areas.items():
            if abs(value - level) > 1e-5:
                assert (TITLES[name] in sentence) == (sign * (value - level) > 0)


def test_the_area_is_written_out_with_the_numbers_of_the_curve():
    curve = curve_of([0.9, 0.5, 0.0, 0.0])
    latex = area_in_latex(curve)
    assert r"\tfrac{0.900 + 0.500}{2} \cdot 0.300" in latex
    assert r"\tfrac{0.500 + 0.100}{2} \cdot 0.700" in latex
    assert f"= {area([0.9, 0.5, 0.1]):.3f}" in latex
    single = Faithfulness(torch.tensor([0.0, 1.0]), torch.tensor([0.8, 0.2]), torch.tensor([0.2, 0.8]))
    assert "= 0.500" in area_in_latex(single)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (("class",), "the class token looks"),
        (("patches",), "the patches look, which the head reads,"),
        (("class", "distilled"), "the tokens that the head reads (class, distilled) look"),
    ],
)
def test_who_is_read_is_named(read, text):
    assert explain.name_readers(read) == text
