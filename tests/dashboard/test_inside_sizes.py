"""The section on sizes: what it says is what it shows."""

import pytest
from streamlit.testing.v1 import AppTest

from core.published import model_sizes
from core.sizes import count_flops, count_parameters, crossing, shape_of
from core.zoo.embedded import load_embedded_text
from dashboard.numbers import amount
from pages.foundations.inside_the_transformer.famous_sizes import frame
from pages.foundations.inside_the_transformer.sizes import bill
from pages.foundations.inside_the_transformer.sizes_noticed import noticed
from tests.core import tiny_models

SECTION = """
import streamlit as st
from dashboard import examples, layout
from pages.foundations.inside_the_transformer import sizes
from pages.foundations.inside_the_transformer import compute as inside
MACHINES = {
    "text": lambda: inside.walk_text("gpt-books", examples.SENTENCE),
    "picture": lambda: inside.walk_picture("vit-tiny-imagenet", examples.PICTURE, None),
    "pair": lambda: inside.walk_translation(examples.SENTENCE, "Le chat"),
}
with layout.sentences():
    for sentence in sizes.show(MACHINES[st.query_params.get("machine", "text")]()):
        st.markdown("NOTICE " + sentence)
"""


def opened(**query: str) -> AppTest:
    app = AppTest.from_string(SECTION, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, [error.value for error in app.exception]
    return app


def test_formula_and_count_agree_on_the_shipped_example_and_the_section_says_so():
    app = opened()
    table = app.dataframe[0].value
    for title in ("parameters", "FLOPs"):
        assert (table[f"{title}, formula"] == table[f"{title}, count"]).all()
    network = load_embedded_text("gpt-books").network
    assert table["parameters, count"].iloc[-1] == sum(each.numel() for each in network.parameters())
    said = [each.value for each in app.markdown if each.value.startswith("NOTICE")]
    assert f"agree to the last digit in all {len(table) - 1} parts" in said[0]
    assert f"**{crossing(shape_of(network)):,.0f} tokens**" in said[2]
    assert "below" in said[2]


@pytest.mark.parametrize("machine", ["picture", "pair"])
def test_they_agree_for_a_picture_and_for_a_pair_of_texts(machine):
    table = opened(machine=machine).dataframe[0].value
    for title in ("parameters", "FLOPs"):
        assert (table[f"{title}, formula"] == table[f"{title}, count"]).all()


def test_a_link_leads_to_the_same_sizes():
    app = opened(own_layers="12", own_width="768", own_heads="12", own_context="1024", precision="fp32", length="2048")
    assert app.metric[0].value == "124 M"
    assert any("2,048 tokens in fp32" in each.value for each in app.subheader)


def test_heads_that_do_not_divide_the_width_get_a_sentence():
    app = opened(own_heads="7")
    assert "7 heads cannot share 12,288 channels equally" in app.warning[0].value.replace("\\", "")
    assert app.dataframe


def test_on_a_projector_there_is_no_prose():
    app = opened(present="1")
    assert not app.caption
    assert not app.expander


def test_a_model_without_formulas_is_counted_and_the_notices_do_without():
    network = tiny_models.tiny_transformers("deberta-v2")
    worked = count_flops(network, lambda net: net(tiny_models.tokens(batch=1)))
    table = bill(None, 7, count_parameters(network), worked)
    assert "parameters, formula" not in table
    assert len(noticed(None, table, 7)) == 2


def test_a_disagreement_is_said_with_its_part():
    network = tiny_models.tiny_gpt()
    counted = {**count_parameters(network), "MLP": 1}
    worked = count_flops(network, lambda net: net(tiny_models.tokens(batch=1)))
    assert "differ in MLP" in noticed(shape_of(network), bill(shape_of(network), 7, counted, worked), 7)[0]


def test_the_famous_table_has_every_published_model():
    table = frame()
    assert list(table["model"]) == [each.model for each in model_sizes()]
    assert table["difference"].abs().max() < 0.01


@pytest.mark.parametrize(("number", "words"), [(174_604_259_328, "175 G"), (4_718_592, "4.72 M"), (12, "12 ")])
def test_amounts_have_three_digits(number, words):
    assert amount(number) == words
