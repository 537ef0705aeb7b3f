"""Models whose weights are no numbers: every page says where they stand, and works on."""

from math import nan

import pytest

from benchmarks.hostile.model_files import spoiled, tiny, write
from tests.pages.conftest import message_text

pytestmark = pytest.mark.usefixtures("at_home")
TEXT = "The cat likes it."


@pytest.mark.parametrize("every", [False, True], ids=["one weight", "all weights"])
@pytest.mark.parametrize("room", ["explore/text", "foundations/many_heads", "foundations/inside_the_transformer"])
@pytest.mark.parametrize("kind", ["gpt2", "classifier", "t5"])
def test_a_text_model_with_nan_says_where_and_works_on(kind, room, every, visit, tmp_path):
    folder = write(spoiled(tiny(kind), nan, every=every), tmp_path / "model")
    app = visit(room, model=str(folder), text=TEXT)
    assert not app.exception
    assert message_text(app, "warning").count("weights that are NaN or infinite") == 1
    assert room != "explore/text" or "cannot be drawn" not in message_text(app, "warning")


@pytest.mark.parametrize("every", [False, True], ids=["one weight", "all weights"])
@pytest.mark.parametrize("room", ["explore/image", "vision/vision_transformer"])
@pytest.mark.parametrize("kind", ["vit", "timm"])
def test_a_picture_model_with_nan_says_where_and_works_on(kind, room, every, visit, tmp_path):
    folder = write(spoiled(tiny(kind), nan, every=every), tmp_path / "model")
    app = visit(room, network=str(folder))
    assert not app.exception
    assert message_text(app, "warning").count("weights that are NaN or infinite") == 1
    assert room != "explore/image" or "cannot be drawn" not in message_text(app, "warning")


@pytest.mark.parametrize("every", [False, True], ids=["one weight", "all weights"])
def test_a_translator_with_nan_says_where_and_works_on(every, visit, tmp_path):
    folder = write(spoiled(tiny("t5"), nan, every=every), tmp_path / "model")
    app = visit("language/translation", show="Any model", translator=str(folder))
    assert not app.exception
    assert message_text(app, "warning").count("weights that are NaN or infinite") == 1
