"""Explore / Text: any text, every head, what is expected next, with and without a head."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.inputs import model_name

PAGE = "explore/text"


def bars(app: AppTest) -> dict:
    """The traces of the predictions figure by name."""
    (chart,) = app.get("plotly_chart")
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def warnings(app: AppTest) -> str:
    return " ".join(element.value for element in app.warning)


def test_the_page_is_alive_at_once(visit):
    app = visit(PAGE)
    assert app.title[0].value == "Text"
    assert list(bars(app)) == ["as it is"]
    assert any("strongest link" in element.value for element in app.markdown)


def test_a_deep_link_brings_text_and_silenced_heads(visit):
    app = visit(PAGE, text="Once upon a time there was", silenced="2.1")
    assert app.text_area(key="text").value == "Once upon a time there was"
    assert app.multiselect(key="silenced").value == ["2.1"]
    assert list(bars(app)) == ["as it is", "heads ablated"]


def test_silencing_a_head_changes_the_prediction_and_waking_it_restores_it(visit):
    app = visit(PAGE)
    before = bars(app)["as it is"]
    app.multiselect(key="silenced").set_value(["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]).run()
    assert bars(app)["as it is"]["x"] != bars(app)["heads ablated"]["x"]
    app.multiselect(key="silenced").set_value([]).run()
    assert bars(app) == {"as it is": before}


def test_what_is_to_be_noticed_is_said_of_the_maps_that_are_shown(visit):
    heads = [f"{layer}.{head}" for layer in range(6) for head in range(6)]
    app = visit(PAGE, silenced=heads[-1])
    before = {element.value for element in app.markdown}
    app.multiselect(key="silenced").set_value(heads[:24]).run()
    app.segmented_control(key="maps").set_value("heads ablated").run()
    after = {element.value for element in app.markdown}
    assert any("strongest link" in sentence for sentence in before - after)


def test_after_an_error_the_choices_are_still_made(visit):
    app = visit(PAGE, silenced="2.1", maps="heads ablated")
    app.text_area(key="text").set_value("").run()
    app.text_area(key="text").set_value("The old man looked at the sea.").run()
    assert app.multiselect(key="silenced").value == ["2.1"]
    assert app.segmented_control(key="maps").value == "heads ablated"


@pytest.mark.parametrize("text", ["   \n\t ", "\u200b"])
def test_an_empty_text_gets_one_sentence_and_the_page_stays(visit, text):
    app = visit(PAGE)
    app.text_area(key="text").set_value(text).run()
    assert not app.exception
    if not text.strip():
        assert "There is no text here yet" in warnings(app)
    app.text_area(key="text").set_value("Now there is one, and it is long enough.").run()
    assert list(bars(app)) == ["as it is"]
    assert not app.warning


def test_a_text_longer_than_the_context_is_cut_and_the_page_says_where(visit):
    app = visit(PAGE)
    app.text_area(key="text").set_value("word " * 1000).run()
    assert not app.exception
    assert "reads the first 256 of" in app.info[0].value


def test_markup_and_odd_characters_are_only_text(visit):
    app = visit(PAGE)
    text = "<script>alert(1)</script> & **bold** $x$ مرحبا 😀 \u202eabc a\x00b\x07c"
    app.text_area(key="text").set_value(text).run()
    assert not app.exception
    assert not any("<script>" in element.value for element in app.markdown if element.allow_html)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("../../etc", "Folders can be opened only"),
        ("no such model!", "cannot be the name of a model"),
        ("vit-tiny-imagenet", "reads pictures. Open it in Explore / Image"),
    ],
)
def test_a_model_that_cannot_be_had_gets_one_sentence(visit, name, sentence):
    app = visit(PAGE, model=name)
    assert sentence in warnings(app).replace("\\", "")
    assert app.text_area(key="text").value


def test_one_page_of_the_view_does_not_leak_into_another_visit(visit):
    first, second = visit(PAGE), visit(PAGE)
    first.text_area(key="text").set_value("A secret of the first visitor.").run()
    second.run()
    assert "secret" not in second.text_area(key="text").value


@pytest.mark.usefixtures("at_home")
def test_a_model_that_the_hub_does_not_give_leaves_the_figure_of_before(visit, monkeypatch):
    monkeypatch.setattr(model_name, "offered_names", lambda _: ["owner/nowhere"])
    app = visit(PAGE, model="owner/nowhere")
    first = bars(app)
    assert "cannot be reached from here" in warnings(app)
    assert "gpt-books-long" in warnings(app).replace("\\", "")
    assert "vit-tiny-imagenet" not in warnings(app).replace("\\", "")
    assert first == bars(visit(PAGE))
    app.selectbox(key="model").set_value("bert-books").run()
    chosen = bars(app)
    assert chosen != first
    app.selectbox(key="model").set_value("owner/nowhere").run()
    assert not app.exception
    assert bars(app) == chosen
    assert "Still shown: **bert-books**" in warnings(app).replace("\\", "")
