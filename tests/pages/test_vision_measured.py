"""Measured: tables and figures say what the files say, and what is missing is said to be missing."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.results import classifier_results as reader
from core.results.classifier_results import Area, Faithful, Quality
from pages.vision.vision_transformer import measured
from tests.pages.conftest import message_text, prose

PAGE = "vision/vision_transformer"
NO_MODELS = measured.SECTION.text("Models not yet measured")
NO_EXPLANATIONS = measured.SECTION.text("Explanations not yet measured")


def quality(top1, **more):
    return {"validation": {"top1": top1, "top5": min(1.0, top1 + 0.2), "pictures": 5000}, **more}


def areas(deletion, insertion, against=None):
    sides = {
        "deletion": {"mean": deletion, "standard_error": 0.01},
        "insertion": {"mean": insertion, "standard_error": 0.01},
    }
    for side, mean in zip(sides, against or (), strict=False):
        sides[side]["against_random"] = {"mean": mean, "standard_error": 0.005}
    return sides


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
    for name in ("qualities", "faithfulness"):
        monkeypatch.setattr(measured, name, partial(getattr(reader, name), tmp_path))

    def write(model, file, content):
        (tmp_path / model).mkdir(exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / model / file).write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def open_section(visit):
    return lambda: visit(PAGE, show="Measured")


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
            **{"top-1": 50, "top-5": 70, "parameters": 4_800_000, "million MACs": 300},
            **{"pictures per second": 300, "training, minutes": 70, "epochs": 10},
        }
    )
    text = prose(app)
    assert (
        "**Residual network** (60.0%) is right most often, before **Plain convolutions** (55.0%), by more than" in text
    )
    assert "2.0 times as much, for +10.0 points of top-1" in text
    assert "with shortcuts come to 60.0%, those without to 55.0%: +5.0 points" in text
    assert "Not measured yet: Swin transformer." in " ".join(element.value for element in app.caption)
    assert "both measures: deletion 0.200 (random 0.300), insertion 0.500 (random 0.400)" in text
    assert "attention, last layer cannot be told from chance by deletion" in text
    assert len(app.get("plotly_chart")) == 3
    assert "A machine" in " ".join(element.value for element in app.caption)


def test_what_nobody_has_measured_has_no_column_and_no_figure(open_section, weights):
    weights("vit-tiny-imagenet", "results.json", quality(0.5))
    weights("plain-tiny-imagenet", "results.json", {"plan": {"steps": 100}, "seconds": 60.0})  # trained, not measured
    app = open_section()
    assert list(app.dataframe[0].value.columns) == ["model", "top-1", "top-5"]
    assert list(app.dataframe[0].value["model"]) == ["Vision transformer"]
    assert "Plain convolutions" in message_text(app, "caption")
    assert not app.get("plotly_chart")
    assert NO_EXPLANATIONS in message_text(app)


def test_without_any_file_the_page_says_how_to_make_one(open_section, weights):
    del weights
    app = open_section()
    assert NO_MODELS in message_text(app)
    assert NO_EXPLANATIONS in message_text(app)


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("results.json", {"parameters": 3}, "'validation' is missing"),
        ("faithfulness.json", {**FAITHFUL, "explanations": {"random": areas(0.3, 0.4)}}, "explanations"),
    ],
)
def test_a_damaged_file_is_named_in_one_sentence_and_the_other_part_stays(open_section, weights, file, content, reason):
    weights("vit-tiny-imagenet", file, content)
    app = open_section()
    assert f"vit-tiny-imagenet/{file} cannot be read" in message_text(app)
    assert reason in message_text(app)
    assert len(app.warning) == 1
    other = NO_EXPLANATIONS if file == "results.json" else NO_MODELS
    assert other in message_text(app)


def test_a_model_measured_anew_is_read_anew(weights):
    weights("vit-tiny-imagenet", "results.json", quality(0.5))
    assert measured.qualities()[0].top1 == 0.5
    weights("vit-tiny-imagenet", "results.json", quality(0.61, parameters=7))
    assert measured.qualities()[0].top1 == 0.61


def test_differences_from_random_stand_in_the_table(weights):
    weights("vit-tiny-imagenet", "faithfulness.json", FAITHFUL)
    table = measured.faithfulness_table(measured.faithfulness()).set_index("explanation")
    assert table.loc["Gradient × attention", "deletion, against random"] == -0.1
    assert table.loc[measured.AT_RANDOM].isna()["deletion, against random"]


@given(st.floats(0, 1), st.floats(0, 1), st.integers(10, 10_000))
def test_a_lead_is_called_clear_from_two_standard_errors_of_the_difference(one, two, pictures):
    models = [Quality("vit-tiny-imagenet", one, 1.0, pictures), Quality("swin-tiny-imagenet", two, 1.0, pictures)]
    (sentence,) = measured.tell_quality(models)
    error = (one * (1 - one) / pictures + two * (1 - two) / pictures) ** 0.5
    if abs(abs(one - two) - 2 * error) > 1e-9:
        assert ("cannot be decided" in sentence) == (abs(one - two) < 2 * error)
    best = "Vision" if one >= two else "Swin"
    assert f"**{best} transformer** ({max(one, two):.1%})" in sentence


@pytest.mark.parametrize(("other", "doubt"), [(0.49, True), (0.4, False)])
def test_what_more_work_brings_is_in_doubt_within_two_standard_errors_of_the_difference(other, doubt):
    models = [
        Quality("vit-tiny-imagenet", 0.5, 1.0, 5000, macs=2e8),
        Quality("swin-tiny-imagenet", other, 1.0, 5000, macs=1e8),
    ]
    assert ("which may be chance" in measured.tell_quality(models)[1]) == doubt


@pytest.mark.parametrize(
    ("difference", "phrase"),
    [(-0.1, None), (-0.004, "cannot be told from chance"), (0.009, "cannot be told"), (0.1, "is worse than chance")],
)
def test_an_explanation_is_called_no_better_than_chance_only_where_it_is(difference, phrase):
    area = {"deletion": Area(0.2, 0.01), "insertion": Area(0.3, 0.01)}
    against = {"deletion": Area(difference, 0.005), "insertion": Area(0.1, 0.005)}
    one = Faithful("plain-tiny-imagenet", {"activation": area, "random": area}, {"activation": against}, 200, 0.5)
    sentences = measured.tell_faithfulness(one)
    assert len(sentences) == (1 if phrase is None else 2)
    assert phrase is None or phrase in sentences[1]


@pytest.mark.parametrize(("deletion", "near"), [(0.05, False), (0.09, True)])
def test_an_explanation_that_is_not_clearly_behind_the_best_is_named(deletion, near):
    def areas(value):
        return {"deletion": Area(value, 0.01), "insertion": Area(0.5 - value, 0.001)}

    known = {"rollout": areas(0.1), "relevance": areas(deletion), "random": areas(0.3)}
    against = {key: {side: Area(-0.2, 0.005) for side in ("deletion", "insertion")} for key in ("rollout", "relevance")}
    sentences = measured.tell_faithfulness(Faithful("vit-tiny-imagenet", known, against, 200, 0.5))
    assert (
        any("By deletion, rollout cannot be told from gradient × attention" in sentence for sentence in sentences)
        == near
    )
    assert not any("By insertion" in sentence for sentence in sentences)


def test_the_models_that_come_with_the_atlas_were_trained_as_the_page_says():
    results = {name: json.loads((reader.WEIGHTS / name / "results.json").read_text()) for name in measured.MODELS}
    qualities = {one.name: one for one in reader.qualities()}
    vit = results.pop("vit-tiny-imagenet")
    assert vit["teacher"] == "resnet"
    assert all(model["teacher"] is None and model["pictures"] == vit["pictures"] for model in results.values())
    assert all(qualities["vit-tiny-imagenet"].epochs > qualities[name].epochs for name in results)
    assert len({qualities[name].epochs for name in results}) == 1
