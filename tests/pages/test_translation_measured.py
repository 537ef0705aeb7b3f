"""Translation, Measured: tables, curve, heads and the published table, from files made up for the test."""

import csv
import json

import pytest
from streamlit.testing.v1 import AppTest

from pages.language.translation import compute as runs
from pages.language.translation import compute_measured as kept
from pages.language.translation import words as said
from pages.language.translation import words_measured as words
from tests.dashboard.measured_files import BEST, HEADS, LAYERS, head_rate, write_all, write_results

PAGE = "language/translation"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def measured(folder):
    return write_all(folder)


def prose(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown)


def warnings(app: AppTest) -> str:
    return " ".join(element.value for element in app.warning).replace("\\", "")


def charts(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


@pytest.mark.usefixtures("measured")
def test_everything_measured_is_shown_without_a_warning(visit):
    app = visit(PAGE, show=said.MEASURED)
    assert not app.warning
    assert len(charts(app)) == 4
    assert "What to notice" in [element.value for element in app.subheader]
    for sentence in (words.MEASURED_PUBLISHED, words.MEASURED_HEADS, words.MEASURED_LENGTHS):
        assert sentence in prose(app) + " ".join(element.value for element in app.caption)


def test_the_scores_are_those_of_the_file(visit, measured):
    app = visit(PAGE, show=said.MEASURED)
    table = app.dataframe[0].value.set_index("model")
    given = json.loads((measured / "results.json").read_text())
    for title, name in (("Without attention", "seq2seq"), ("Transformer", "transformer")):
        assert table.loc[title, "BLEU"] == given["models"][name]["bleu"]
        assert table.loc[title, "chrF"] == given["models"][name]["chrf"]
        assert table.loc[title, "parameters"] == given["models"][name]["parameters"]
    assert table.loc["Transformer", "training FLOPs"] == "5.0\u00a0×\u00a010¹⁵"
    captions = " ".join(element.value for element in app.caption)
    assert "Without any model (copy the source): BLEU 1.2, chrF 14.5." in captions


@pytest.mark.parametrize(("score", "column"), [("BLEU", "bleu"), ("chrF", "chrf")])
def test_the_curve_has_a_line_for_each_model_over_the_words(visit, measured, score, column):
    lines = {trace["name"]: trace for trace in charts(visit(PAGE, show=said.MEASURED, measured_score=score))[0]["data"]}
    with (measured / "length.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == "bahdanau"]
    assert list(lines) == ["Without attention", "Bahdanau's attention", "Transformer"]
    found = lines["Bahdanau's attention"]
    assert _values(found["x"]) == [float(row["words"]) for row in rows]
    assert _values(found["y"]) == pytest.approx([float(row[column]) for row in rows])


def _values(given) -> list[float]:
    """A trace's numbers; plotly writes arrays as base64."""
    if isinstance(given, dict):
        import base64

        import numpy as np

        found = np.frombuffer(base64.b64decode(given["bdata"]), dtype=given["dtype"])
        return found.reshape([int(n) for n in given["shape"].split(",")] if "shape" in given else -1).tolist()
    return list(given)


@pytest.mark.usefixtures("measured")
def test_the_alignment_table_holds_models_and_baselines_in_percent(visit):
    app = visit(PAGE, show=said.MEASURED)
    table = app.dataframe[1].value
    assert list(table["links from"]) == [
        "Without attention: influence",
        "Bahdanau's attention",
        "Transformer, layer 2, head 1",
        "Transformer, mean of all heads",
        "IBM model 1, no network",
        "Diagonal",
    ]
    assert list(table["AER, Hansards"]) == pytest.approx([85, 45, 31, 40, 37, 54])
    assert list(table["recall, Stories"]) == pytest.approx([15, 55, 69, 60, 63, 46])
    captions = " ".join(element.value for element in app.caption)
    assert "a sample of 40 pairs" in captions
    assert "3 of 400 pairs (Hansards)" in captions


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(("query", "worse"), [({}, 0.0), ({"measured_row": "writes the word"}, 0.1)])
def test_every_head_has_its_error_rate_and_the_chosen_one_an_outline(visit, query, worse):
    figure = charts(visit(PAGE, show=said.MEASURED, **query))[1]
    rates = _values(figure["data"][0]["customdata"])
    for layer in range(LAYERS):
        assert rates[layer][:HEADS] == pytest.approx([head_rate(layer, head) + worse for head in range(HEADS)])
    outline = figure["layout"]["shapes"][0]
    assert (outline["y0"] + 0.5, outline["x0"] + 0.5) == BEST


@pytest.mark.usefixtures("measured")
def test_what_is_told_follows_from_the_files(visit):
    text = prose(visit(PAGE, show=said.MEASURED))
    assert "Transformer 44.0 > Bahdanau's attention 38.2 > Without attention 21.5" in text
    assert "Transformer took **2.5 times** the training operations of Without attention" in text
    assert "Transformer read 3.0 times as many pairs in a second as Bahdanau's attention" in text
    assert "layer 2, head 1 aligns best, with an error rate of **31%**" in text
    assert "**11 of 12 heads** are worse than the diagonal (54%)" in text
    assert "Better than IBM model 1: Transformer." in text
    assert "**Without attention** loses most, **Transformer** least" in text


@pytest.mark.usefixtures("measured")
def test_the_error_rate_is_worked_out_with_its_counts(visit):
    formulas = " ".join(element.value for element in visit(PAGE, show=said.MEASURED).latex)
    assert r"\frac{690 + 690}{1,000 + 1,000}} = 0.310" in formulas or r"{690 + 690}{1,000 + 1,000} = 0.310" in formulas


@pytest.mark.usefixtures("measured")
def test_published_and_own_scores_have_scales_of_their_own(visit):
    published, own = charts(visit(PAGE, show=said.MEASURED))[2:]
    assert {trace["name"] for trace in published["data"]} == {"recurrent", "convolutional", "transformer"}
    assert {trace["name"] for trace in own["data"]} == {"Without attention", "Bahdanau's attention", "Transformer"}
    assert "newstest2014" in published["layout"]["yaxis"]["title"]["text"]
    assert "Tatoeba" in own["layout"]["yaxis"]["title"]["text"]


@pytest.mark.usefixtures("measured")
def test_the_ratio_told_is_that_of_the_published_table(visit):
    french = prose(visit(PAGE, show=said.MEASURED))
    assert "Transformer (big) leads with 41.8; the best of the others, ConvS2S ensemble with 41.29" in french
    assert f"took **{1.2e21 / 2.3e19:.2g} times**" in french
    german = prose(visit(PAGE, show=said.MEASURED, measured_language="English to German"))
    assert "Transformer (big) leads with 28.4" in german


def test_what_is_not_measured_yet_says_so_and_the_rest_is_there(visit, folder):
    app = visit(PAGE, show=said.MEASURED)
    for name in ("results.json", "length.csv", "alignment.json", "alignment.csv"):
        assert f"/{name} is not there" in warnings(app)
    assert len(charts(app)) == 1
    assert len(charts(app)[0]["data"]) == 3
    write_results(folder)
    app = visit(PAGE, show=said.MEASURED)
    assert "results.json" not in warnings(app)
    assert len(charts(app)) == 3


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("results.json", '"loss": 2.0', '"loss": "low"', "results.json cannot be read ('models.seq2seq.loss' is"),
        ("length.csv", "seq2seq", "other", "length.csv cannot be read (line 2: 'other' is none of the translators"),
        (
            "alignment.csv",
            "direction",
            "side",
            "alignment.csv cannot be read (line 1: the columns direction are",
        ),
    ],
)
def test_a_damaged_file_is_a_sentence_that_names_it(visit, measured, name, old, new, words):
    text = (measured / name).read_text()
    assert old in text
    (measured / name).write_text(text.replace(old, new))
    assert words in warnings(visit(PAGE, show=said.MEASURED))


def test_best_heads_are_those_of_the_file_and_none_without_it(folder):
    assert runs.best_heads() == {}
    write_all(folder)
    found = runs.best_heads()
    assert found["transformer"] == {"layer": BEST[0], "head": BEST[1], "shift": 1, "direction": "target"}
    assert set(found) == {"seq2seq", "bahdanau", "transformer"}


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    "odd", [{"measured_score": "x"}, {"measured_text": "Bible"}, {"measured_row": "9"}, {"measured_links": "all"}]
)
def test_impossible_choices_in_a_link_fall_back(visit, odd):
    assert not visit(PAGE, show=said.MEASURED, **odd).warning


@pytest.mark.usefixtures("measured")
def test_the_projector_shows_no_prose(visit):
    app = visit(PAGE, show=said.MEASURED, present="1")
    assert "What to notice" not in [element.value for element in app.subheader]
    assert words.MEASURED_PUBLISHED not in prose(app)
    assert not app.caption
