"""Translation: the points are those of the paper's table, in both languages, and the notes say what follows from it."""

import pytest

from pages.scale.scaling_comparison import words as page
from pages.scale.scaling_comparison import words_translation as said
from tests.pages.scaling import PAGE, drawn, line, original, prose, same, told

TABLE = original("translation_bleu.csv")


@pytest.fixture
def translation(visit):
    return lambda **query: visit(PAGE, show=page.TRANSLATION, **query)


@pytest.mark.parametrize(("table", "language"), [(said.GERMAN, "de"), (said.FRENCH, "fr")])
def test_bleu_stands_against_the_flops_of_the_same_language(translation, table, language):
    app = translation(translation_table=table)
    both = [
        (float(of[f"train_flops_en_{language}"]), float(of[f"bleu_en_{language}"]))
        for of in TABLE
        if of[f"train_flops_en_{language}"] and of[f"bleu_en_{language}"]
    ]
    assert same(drawn(app).values(), both)
    assert f"**{len(both)} of 10** models are shown" in prose(app)


def test_the_front_and_the_ratio_of_cost_are_those_of_the_table(translation):
    app = translation()
    x, y = line(app, "Pareto front")
    assert list(zip(x, y, strict=True)) == [(3.3e18, 27.3), (2.3e19, 28.4)]
    text = prose(app)
    assert "On the Pareto front: Transformer (base), Transformer (big). All are transformers" in text
    assert "**ConvS2S ensemble** (26.36), took 7.7\u00a0×\u00a010¹⁹: **23.3 times** as much" in text


def test_in_later_years_extra_data_are_told_apart(translation):
    app = translation(translation_table=said.YEARS)
    later = original("wmt14_bleu.csv")
    assert len(drawn(app)) == sum(bool(of["year"] and of["bleu_en_de"]) for of in later) == 12
    assert "1 has no figure for *year*" in prose(app)
    assert "**1 of 12** learned from more than WMT14" in prose(app)


def test_where_no_model_has_both_figures_a_sentence_says_so(translation):
    app = translation(bleude_search="bytenet")
    assert not app.get("plotly_chart")
    assert "Of the models that pass the filters (1), none has both" in told(app)
