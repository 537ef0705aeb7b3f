"""Measured: tables and figures say what the files say, and what is missing is said to be missing."""

import json

import pytest

from pages.vision.vision_transformer import compute_measured as kept
from pages.vision.vision_transformer import measured_faithful, measured_quality
from pages.vision.vision_transformer import words as page
from pages.vision.vision_transformer import words_measured as said
from tests.pages.conftest import prose, told

PAGE = "vision/vision_transformer"


def quality(top1, **more):
    return {"validation": {"top1": top1, "top5": min(1.0, top1 + 0.2), "pictures": 5000}, **more}


def areas(deletion, insertion, against=None):
    found = {
        "deletion": {"mean": deletion, "standard_error": 0.01},
        "insertion": {"mean": insertion, "standard_error": 0.01},
    }
    for side, mean in zip(found, against or (), strict=False):
        found[side]["against_random"] = {"mean": mean, "standard_error": 0.005}
    return found


FAITHFUL = {
    "explanations": {
        "attention": areas(0.29, 0.41, against=(-0.004, 0.01)),
        "relevance": areas(0.2, 0.5, against=(-0.1, 0.1)),
        "random": areas(0.3, 0.4),
    },
    "pictures": 200,
    "correct": 0.5,
}


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """Write a file of a model: weights("vit-tiny-imagenet", "results.json", {...})."""
    monkeypatch.setattr(kept, "WEIGHTS", tmp_path)

    def write(model, file, given):
        (tmp_path / model).mkdir(exist_ok=True)
        text = given if isinstance(given, str) else json.dumps(given)
        (tmp_path / model / file).write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def open_section(visit):
    return lambda: visit(PAGE, show=page.MEASURED)


def test_the_table_and_the_sentences_say_what_the_files_say(open_section, weights):
    more = {"images_per_second": 300.0, "seconds": 4200.0, "epochs": 10.0, "hardware": "A machine"}
    weights("vit-tiny-imagenet", "results.json", quality(0.50, parameters=4_800_000, macs=300e6, **more))
    weights("resnet-tiny-imagenet", "results.json", quality(0.60, parameters=5_000_000, macs=600e6, **more))
    weights("plain-tiny-imagenet", "results.json", quality(0.55, parameters=4_900_000, macs=590e6, **more))
    weights("vit-tiny-imagenet", "faithfulness.json", FAITHFUL)
    app = open_section()
    table = app.dataframe[0].value.set_index("model")
    assert list(table.index) == ["Vision transformer", "Residual network", "Plain convolutions"]
    assert table.loc["Vision transformer"].to_dict() == pytest.approx(
        {
            **{"top-1": 0.5, "top-5": 0.7, "parameters": 4_800_000, "million MACs": 300},
            **{"pictures per second": 300, "training, minutes": 70, "epochs": 10},
        }
    )
    text = prose(app)
    assert (
        "**Residual network** is right most often (60.0%), before **Plain convolutions** (55.0%): more than chance"
        in text
    )
    assert "2.0 times as much, for +10.0 points of top-1" in text
    assert "worth +5.0 points of top-1" in text
    assert "Not measured yet: Swin transformer." in " ".join(element.value for element in app.caption)
    assert "both measures: deletion 0.200 (random 0.300), insertion 0.500 (random 0.400)" in text
    assert "attention, last layer cannot be told from chance by deletion" in text
    assert len(app.get("plotly_chart")) == 3
    assert "A machine" in " ".join(element.value for element in app.caption)


def test_a_lead_within_two_standard_errors_is_not_called_clear(weights):
    weights("vit-tiny-imagenet", "results.json", quality(0.500))
    weights("resnet-tiny-imagenet", "results.json", quality(0.505))
    assert "so little that it may be chance" in measured_quality.about(kept.qualities())[0]


def test_what_nobody_has_measured_has_no_column_and_no_figure(open_section, weights):
    weights("vit-tiny-imagenet", "results.json", quality(0.5))
    app = open_section()
    assert list(app.dataframe[0].value.columns) == ["model", "top-1", "top-5"]
    assert not app.get("plotly_chart")
    assert said.NOT_FAITHFUL_YET in told(app)


def test_without_any_file_the_page_says_how_to_make_one(open_section, weights):
    del weights
    app = open_section()
    assert said.NOTHING in told(app)
    assert said.NOT_FAITHFUL_YET in told(app)


@pytest.mark.parametrize(
    ("file", "given", "reason"),
    [
        ("results.json", quality(1.4), "'top1' is a number from 0 to 1, not '1.4'"),
        ("faithfulness.json", {**FAITHFUL, "explanations": {"random": areas(0.3, 0.4)}}, "random orders"),
    ],
)
def test_a_damaged_file_is_named_in_one_sentence_and_the_other_part_stays(open_section, weights, file, given, reason):
    weights("vit-tiny-imagenet", file, given)
    app = open_section()
    assert f"vit-tiny-imagenet/{file} cannot be read" in told(app)
    assert reason in told(app)
    assert len(app.warning) == 1
    other = said.NOT_FAITHFUL_YET if file == "results.json" else said.NOTHING
    assert other in told(app)


def test_a_model_that_is_trained_but_not_measured_yet_is_said_to_be_so(open_section, weights):
    weights("vit-tiny-imagenet", "results.json", quality(0.5))
    weights("plain-tiny-imagenet", "results.json", {"plan": {"steps": 100}, "seconds": 60.0})
    app = open_section()
    assert list(app.dataframe[0].value["model"]) == ["Vision transformer"]
    assert "Plain convolutions" in told(app, "caption")
    assert not app.warning


def test_a_model_measured_anew_is_read_anew(weights):
    weights("vit-tiny-imagenet", "results.json", quality(0.5))
    assert kept.qualities()[0].top1 == 0.5
    weights("vit-tiny-imagenet", "results.json", quality(0.61, parameters=7))
    assert kept.qualities()[0].top1 == 0.61


def test_differences_from_random_stand_in_the_table(weights):
    weights("vit-tiny-imagenet", "faithfulness.json", FAITHFUL)
    table = measured_faithful.table(kept.faithfulness()).set_index("explanation")
    assert table.loc["Gradient × attention", "deletion, against random"] == -0.1
    assert table.loc[said.RANDOM].isna()["deletion, against random"]
