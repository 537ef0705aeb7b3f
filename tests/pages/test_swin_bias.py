"""Position bias: the numbers on the page are those that the model adds."""

import pytest

from pages.vision.swin import bias_notices
from pages.vision.swin import compute as kept
from pages.vision.swin.words import BIAS
from tests.core import saved_models
from tests.core.saved_windows import save_windowed
from tests.pages.conftest import prose

PAGE = "vision/swin"
pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def open_bias(visit, tmp_path):
    """Open the section with a tiny model of random weights: `kind` is "v1" or "v2"."""

    def open_section(kind="v1", **query):
        folder = str(save_windowed(kind, tmp_path))
        return visit(PAGE, show=BIAS, network=folder, **query), kept.take_scores_apart(folder, "coffee", None), folder

    return open_section


def score_table(app):
    return next(frame.value for frame in app.dataframe if "weight" in frame.value)


def test_the_score_of_a_pair_adds_up_to_the_weight_that_was_recorded(open_bias):
    app, scored, folder = open_bias(bias_head="1", bias_query="6", bias_key="9", bias_window="3")
    row = score_table(app).iloc[0]
    windowed = kept.watch_windows(folder, "coffee", None)
    assert row["bias"] == pytest.approx(scored.biases[1].table[1, -1 + 3, 1 + 3].item())
    assert row["score"] == pytest.approx(row["content"] + row["bias"] + row["mask"])
    assert row["weight"] == pytest.approx(windowed.watched.record.calls[1].weights(1, item=3)[6, 9].item())
    # Row 1, column 2 looks at row 2, column 1: one row up, one column on, so number 2 x 7 + 4.
    assert any("= 18" in formula.value for formula in app.latex)


def test_swin_v2_shows_cosine_and_scale_and_where_the_bias_comes_from(open_bias):
    app, scored, _ = open_bias("v2")
    row = score_table(app).iloc[0]
    assert -1.001 <= row["cosine"] <= 1.001
    assert row["× scale"] == pytest.approx(10, abs=1e-3)
    assert row["= content"] == pytest.approx(row["cosine"] * row["× scale"])
    assert "From distance to bias" in [heading.value for heading in app.subheader]
    assert 0 <= row["bias"] <= 16
    assert scored.biases[1].continuous is not None


def test_the_share_of_place_that_is_told_is_the_one_that_was_computed(open_bias):
    app, scored, _ = open_bias(bias_head="1")
    share = scored.shares[1].share[1].item()
    assert f"**{share:.0%}** of the variance".replace("-", "−") in prose(app)
    assert "Of all 12 heads" in prose(app)


def test_directions_are_seen_from_the_query():
    # The table counts query minus key: in its first cell the key is below and to the right.
    assert bias_notices.direction((0, 0), (4, 4)) == "3 rows below and 3 columns to the right"
    assert bias_notices.direction((4, 2), (4, 4)) == "1 row above and 1 column to the right"
    assert bias_notices.direction((3, 3), (4, 4)) == "in the same place"


def test_a_model_without_windows_is_refused(visit, tmp_path):
    app = visit(PAGE, show=BIAS, network=str(saved_models.save_timm_model("vit", tmp_path)))
    (warning,) = app.warning
    assert "no shifted windows" in warning.value
