"""The fold with all classes that an image model can name, on the pages that predict one."""

import json

import numpy as np
import pytest

from core.zoo.class_pictures import drawing_of, example_of
from core.zoo.embedded import WEIGHTS
from dashboard.output import class_gallery
from tests.pages.conftest import message_text

VIT = "vit-tiny-imagenet"
CLASSES = json.loads((WEIGHTS / VIT / "config.json").read_text(encoding="utf-8"))["classes"]
PLACES = [
    ("explore/image", {}),
    ("vision/vision_transformer", {"show": "Explanations"}),
    ("vision/vision_transformer", {"show": "Change it"}),
]


@pytest.fixture
def unfolded(monkeypatch):
    """Folds are open, as if somebody had clicked them."""
    expander = class_gallery.st.expander

    def opened(label, **options):
        return expander(label, **{**options, "expanded": True})

    monkeypatch.setattr(class_gallery.st, "expander", opened)


def table(app):
    (frame,) = [element.value for element in app.dataframe if "picture" in element.value.columns]
    return frame


@pytest.mark.usefixtures("unfolded")
@pytest.mark.parametrize(("room", "query"), PLACES)
def test_all_classes_stand_in_the_fold_the_most_probable_first(visit, room, query):
    rows = table(visit(room, network=VIT, **query))
    assert sorted(rows["class"]) == sorted(CLASSES)
    shares = rows["probability"].to_numpy()
    assert (np.diff(shares) <= 0).all()
    assert shares.sum() == pytest.approx(100, abs=0.01)  # percent
    for name, picture in zip(rows["class"], rows["picture"], strict=True):
        assert isinstance(picture, str) == bool(example_of(name) or drawing_of(name)), name
        assert not isinstance(picture, str) or picture.startswith("data:image/png;base64,")


@pytest.mark.usefixtures("unfolded")
def test_a_search_leaves_what_has_it_in_its_name_and_says_when_nothing_has(visit):
    app = visit("explore/image", network=VIT, class_search="CAT")
    assert sorted(table(app)["class"]) == sorted(name for name in CLASSES if "cat" in name.lower())
    app.text_input(key="class_search").set_value("<b>unicorn</b>").run()
    assert not app.exception
    assert "“<b>unicorn</b>”" in message_text(app, "info")


def test_a_closed_fold_sends_nothing(visit):
    app = visit("explore/image", network=VIT)
    assert any("100 classes" in expander.label for expander in app.expander)
    assert not [frame for frame in app.dataframe if "picture" in frame.value.columns]


@pytest.mark.parametrize("picture", ["cat", "galaxies"])
def test_what_change_notices_of_a_flat_answer_is_that_it_is_unsure(visit, picture):
    app = visit("vision/vision_transformer", show="Change it", network=VIT, picture=picture)
    largest = max(json.loads(app.get("plotly_chart")[0].proto.spec)["data"][0]["x"])
    text = " ".join(element.value for element in app.markdown)
    assert ("It is unsure" in text) == (largest < 0.5)
