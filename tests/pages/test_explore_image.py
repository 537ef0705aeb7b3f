"""Explore / Image: any picture, every head, what it is taken for, with and without a head."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from core.zoo.embedded import WEIGHTS
from dashboard.inputs import photograph

PAGE = "explore/image"
VIT = "vit-tiny-imagenet"  # leaves a choice of how many patches there are


def bars(app: AppTest) -> dict:
    (chart,) = app.get("plotly_chart")
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def test_the_page_is_alive_at_once(visit):
    app = visit(PAGE)
    assert app.title[0].value == "Image"
    assert list(bars(app)) == ["as it is"]
    assert any("patches away" in element.value for element in app.markdown)


def test_a_deep_link_brings_picture_resolution_and_silenced_heads(visit):
    app = visit(PAGE, network=VIT, picture="coffee", patches="8", silenced="0.1")
    assert app.select_slider(key="patches").value == 8
    assert list(bars(app)) == ["as it is", "heads ablated"]


def test_another_picture_is_taken_for_something_else(visit):
    assert bars(visit(PAGE, picture="rocket")) != bars(visit(PAGE, picture="coffee"))


def test_of_the_hybrid_it_is_said_that_part_of_it_may_have_seen_the_pictures(visit):
    validation = json.loads((WEIGHTS / "hybrid-vit" / "results.json").read_text())["validation"]
    expected = f"enlarged to 224 × 224 pixels, it names {100 * validation['top1']:.0f} of 100 right"
    captions = " ".join(element.value for element in visit(PAGE).caption)
    assert expected in captions
    assert "did not learn from" not in captions


@pytest.mark.parametrize("picture", ["cat", "coffee", "galaxies"])
def test_a_first_answer_below_a_half_is_called_unsure(visit, picture):
    app = visit(PAGE, network=VIT, picture=picture)
    is_unsure = photograph.UNSURE in [element.value for element in app.markdown]
    assert is_unsure == (max(bars(app)["as it is"]["x"]) < 0.5)


def test_a_finer_grid_has_more_patches(visit):
    app = visit(PAGE, network=VIT, patches="16")
    assert any("257 × 257" in element.value for element in app.markdown)


def test_beside_the_verdict_stands_how_often_the_model_is_right(visit):
    measured = json.loads((WEIGHTS / VIT / "results.json").read_text())
    for patches, scores in {"8": measured["validation"], "12": measured["enlarged"]["96"]}.items():
        phrase = f"right for {100 * scores['top1']:.0f} of 100 photographs"
        side = 8 * int(patches)
        captions = [element.value for element in visit(PAGE, network=VIT, patches=patches).caption]
        assert any(phrase in caption and f"{side} × {side} pixels" in caption for caption in captions)


@pytest.mark.usefixtures("at_home")
def test_a_model_that_the_hub_does_not_give_leaves_the_figure_and_names_those_that_see(visit):
    app = visit(PAGE, network="owner/nowhere")
    (warning,) = (element.value.replace("\\", "") for element in app.warning)
    assert "cannot be reached from here" in warning
    assert VIT in warning
    assert "gpt-books" not in warning
    assert bars(app) == bars(visit(PAGE))
