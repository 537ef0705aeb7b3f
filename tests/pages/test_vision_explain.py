"""Explanations: what is asked about, what is shown, and what is said where there is nothing to show."""

import pytest
import torch
from pages.vision.vision_transformer.explain_section import labels_of

from core.images import open_example
from core.vision.explain import explain
from dashboard.models import image_model
from pages.vision.vision_transformer import compute_explained as kept
from pages.vision.vision_transformer import explain_faithful, explain_notices
from pages.vision.vision_transformer import words as page
from pages.vision.vision_transformer import words_explain as said
from tests.core.saved_models import save_timm_model
from tests.pages.conftest import prose, told

PAGE = "vision/vision_transformer"
pytestmark = pytest.mark.usefixtures("at_home")


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
    return lambda **query: visit(PAGE, show=page.EXPLAIN, **query)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """However busy the machine is, curves are measured at once."""
    monkeypatch.setattr(explain_faithful, "PATIENCE", float("inf"))


def test_all_three_explanations_and_both_curves_are_there_at_once(open_section, named):
    app = open_section(network=named("deit"), picture="cat")
    assert not told(app)
    captions = " ".join(element.value for element in app.caption)
    for about in ("It knows nothing of the class.", "the score of this class", said.MAP_SCALE):
        assert about in captions
    assert len(app.get("plotly_chart")) == 3 + 2 + 2  # maps, curves, the picture without patches, its classes
    assert "What to notice" in [element.value for element in app.subheader]
    assert "the class token and the distilled token" in prose(app)


def test_the_most_probable_class_is_asked_about_until_another_is_chosen(open_section, named):
    name = named("deit")
    app = open_section(network=name, picture="cat")
    model = image_model(name)
    given = model.prepare(open_example("cat"))
    scores = model.network(given.pixels)[0].softmax(-1)
    best = int(scores.argmax())
    assert f"The model says **{model.classes[best]}** ({scores[best].item():.1%})" in prose(app)
    other = (best + 1) % len(model.classes)
    app = open_section(network=name, picture="cat", explain_class=model.classes[other])
    assert f"What speaks for **{model.classes[other]}** ({scores[other].item():.1%})?" in prose(app)


def test_the_slider_tells_the_probability_of_the_picture_without_those_patches(open_section, named):
    name = named("deit")
    app = open_section(network=name, picture="coffee", explain_percent="50")
    model = image_model(name)
    given = model.prepare(open_example("coffee"))
    found = explain(model, given.pixels, given.patches)
    relevant = found.maps["relevance"][0].flatten()
    pixels = given.pixels.clone()
    for patch in relevant.argsort(descending=True)[: len(relevant) // 2].tolist():
        row, column = divmod(patch, given.patches.columns)
        pixels[..., 16 * row : 16 * row + 16, 16 * column : 16 * column + 16] = 0.0
    expected = model.network(pixels)[0].softmax(-1)[int(found.classes[0])].item()
    assert app.metric[0].value == f"{expected:.1%}"
    app = open_section(network=name, picture="coffee", explain_percent="0")
    whole = model.network(given.pixels)[0].softmax(-1)[int(found.classes[0])].item()
    assert app.metric[0].value == f"{whole:.1%}"


def test_the_sentence_names_the_explanation_with_the_smallest_and_the_largest_area(open_section, named):
    name = named("vit")
    app = open_section(network=name, picture="cat")
    measured = kept.measure_picture(name, "cat", None, None)
    deletion = min(measured.curves, key=lambda each: measured.curves[each].deletion_area)
    insertion = max(measured.curves, key=lambda each: measured.curves[each].insertion_area)
    text = prose(app)
    assert f"**{said.TITLES[deletion].lower()}** is the most faithful by" in text
    assert f"{measured.curves[deletion].deletion_area:.3f}; random {measured.random.deletion_area:.3f}" in text
    assert f"{measured.curves[insertion].insertion_area:.3f}; random {measured.random.insertion_area:.3f}" in text


def test_a_convolutional_model_says_that_it_has_no_attention_and_shows_its_class_activation_map(open_section, named):
    app = open_section(network=named("resnet"), picture="cat")
    assert "it has no attention" in told(app)
    assert len(app.get("plotly_chart")) == 1 + 2 + 2
    assert not [group for group in app.get("button_group") if group.label == "Explanation"]


def test_windows_are_refused_in_one_sentence(open_section, named):
    app = open_section(network=named("swin"), picture="cat")
    assert "looks through windows" in told(app)
    assert not app.get("plotly_chart")


def test_what_takes_long_waits_until_somebody_asks(open_section, named, monkeypatch):
    monkeypatch.setattr(explain_faithful, "PATIENCE", -1)
    app = open_section(network=named("vit"), picture="cat")
    assert len(app.get("plotly_chart")) == 3 + 2
    app = open_section(network=named("vit"), picture="cat", explain_measure="true")
    assert len(app.get("plotly_chart")) == 3 + 2 + 2


def test_a_class_of_another_model_falls_back_to_the_most_probable_one(open_section, named):
    app = open_section(network=named("deit"), picture="cat", explain_class="no such class")
    assert app.selectbox(key="explain_class").value == said.MOST_PROBABLE


def test_classes_of_one_name_can_be_told_apart():
    assert labels_of(("crane", "dog", "crane")) == ["crane (0)", "dog", "crane (2)"]


@pytest.mark.parametrize(
    ("values", "places"), [([[0.0, 1.0], [0.0, 0.0]], 1), ([[1.0, 1.0], [1.0, 1.0]], 2), ([[5.0, 3.0], [2.0, 1.0]], 2)]
)
def test_half_of_a_map_lies_on_so_many_places(values, places):
    assert explain_notices.held_by(torch.tensor(values).numpy()) == places
