"""The section on sizes: what it says is what it shows."""

import pytest

from core.costs import Shape, count_flops, count_parameters, crossing, flops, shape_of
from core.costs.bill import CROSS, SCORES
from core.published import model_sizes
from core.zoo.embedded import load_embedded_text
from dashboard.inputs import example_texts
from dashboard.number_format import amount
from pages.foundations.inside_the_transformer import compute
from pages.foundations.inside_the_transformer.longer_and_larger import famous
from pages.foundations.inside_the_transformer.sizes import bill, noticed
from tests.core import tiny_models
from tests.pages.conftest import prose


@pytest.fixture
def opened(visit):
    return lambda **query: visit("foundations/inside_the_transformer", show="Sizes", **query)


def test_formula_and_count_agree_on_the_shipped_example_and_the_section_says_so(opened):
    app = opened()
    table = app.dataframe[0].value
    for title in ("parameters", "FLOPs"):
        assert (table[f"{title}, formula"] == table[f"{title}, count"]).all()
    model = load_embedded_text("gpt-books")
    network, count = model.network, len(model.encode(example_texts.opening("next-word")))
    assert table["parameters, count"].iloc[-1] == sum(weight.numel() for weight in network.parameters())
    assert f"agree exactly in all {len(table) - 1} parts" in prose(app)
    assert f"**{crossing(shape_of(network)):,.0f} tokens**. Your input of {count} tokens is below that" in prose(app)


def test_they_agree_for_a_pair_of_texts_whose_cross_attention_is_told_apart():
    walk = compute.walk_translation("The cat sleeps.", "Le chat")
    shape, lengths = shape_of(walk.network), [len(labels) for labels in walk.labels.values()]
    worked = compute.counted_flops(walk)
    table = bill(shape, lengths[0], count_parameters(walk.network), worked, target=lengths[1])
    for title in ("parameters", "FLOPs"):
        assert (table[f"{title}, formula"] == table[f"{title}, count"]).all()
    sentence = noticed(shape, table, lengths)[2]
    assert f"need {worked[SCORES] / sum(worked.values()):.1%} of the FLOPs" in sentence
    assert f"cross-attention, its scores included, needs {worked[CROSS] / sum(worked.values()):.1%} more" in sentence


@pytest.mark.parametrize(("lengths", "where"), [([3, 9], "on both sides of"), ([3], "below"), ([9], "above")])
def test_the_crossing_is_where_scores_cost_as_much_as_the_mlp(lengths, where):
    shape = Shape(2, 8, 2, 4, 6, vocabulary=20)  # an MLP so narrow that few tokens are enough
    worked = {line.part: line.value for line in flops(shape, 6)}
    assert worked[SCORES] == worked["MLP"]
    table = bill(shape, lengths[0], {"MLP": 1}, {SCORES: 1, "MLP": 3})
    sentence = noticed(shape, table, lengths)[2]
    assert "**6 tokens**" in sentence
    assert f"is {where} that: scores and weighted sums need 25.0% of the FLOPs." in sentence


def test_a_link_leads_to_the_same_sizes(opened):
    app = opened(own_layers="12", own_width="768", own_heads="12", own_context="1024", precision="fp32", length="2048")
    assert app.metric[0].value == "124 M"
    assert any("2,048 tokens in fp32" in heading.value for heading in app.subheader)


def test_heads_that_do_not_divide_the_width_get_a_sentence(opened):
    app = opened(own_heads="7")
    assert "7 heads cannot share 12,288 channels equally" in app.warning[0].value.replace("\\", "")
    assert app.dataframe


def test_on_a_projector_there_is_no_prose_but_what_is_not_counted_is_said(opened):
    app = opened(present="1")
    assert any("matrix products" in caption.value for caption in app.caption)
    assert not app.expander


def test_a_model_without_formulas_is_counted_and_the_notices_do_without():
    network = tiny_models.tiny_transformers("deberta-v2")
    worked = count_flops(network, lambda net: net(tiny_models.tokens(batch=1)))
    table = bill(None, 7, count_parameters(network), worked)
    assert "parameters, formula" not in table
    assert len(noticed(None, table, [7])) == 2


def test_a_disagreement_is_said_with_its_part():
    network = tiny_models.tiny_gpt()
    counted = {**count_parameters(network), "MLP": 1}
    worked = count_flops(network, lambda net: net(tiny_models.tokens(batch=1)))
    assert "differ in MLP" in noticed(shape_of(network), bill(shape_of(network), 7, counted, worked), [7])[1]


def test_the_famous_table_has_every_published_model():
    table = famous()
    assert list(table["model"]) == [model.model for model in model_sizes()]
    assert table["difference"].abs().max() < 0.01


@pytest.mark.parametrize(("number", "words"), [(174_604_259_328, "175 G"), (4_718_592, "4.72 M"), (12, "12 ")])
def test_amounts_have_three_digits(number, words):
    assert amount(number) == words
