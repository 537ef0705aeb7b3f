"""Translation, Measured: tables, curve, heads, the published table, and what is told of them."""

import csv
import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.published import published_translators
from core.translation.alignment import Direction
from core.zoo import TRANSLATION as TITLES
from dashboard.figures.costs import Point
from dashboard.output import alignment_table
from dashboard.output.alignment_table import DIRECTIONS
from dashboard.theme import LIGHT, Look
from pages.language.translation import compute, compute_measured, figures, measured_alignment, measured_quality
from tests.pages.conftest import message_text, prose
from tests.pages.measured_files import BEST, HEADS, LAYERS, TEXTS, head_rate, write_all, write_results

PAGE = "language/translation"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(compute_measured, "FOLDER", tmp_path)
    monkeypatch.setattr(compute_measured, "PAIRS_FOLDER", tmp_path / "bert-pairs")
    return tmp_path


@pytest.fixture
def measured(folder):
    return write_all(folder)


def charts(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


@pytest.mark.usefixtures("measured")
def test_everything_measured_is_shown(visit):
    app = visit(PAGE, show="Measured")
    assert not app.warning
    assert len(charts(app)) == 4
    assert "How it is computed" in [element.value for element in app.subheader]
    for heading in ("Published models", "Error rates of the heads", "Long texts"):
        assert measured_quality.SECTION.text(heading) in prose(app) + message_text(app, "caption")
    published, own = charts(app)[2:]
    assert {trace["name"] for trace in published["data"]} == {"recurrent", "convolutional", "transformer"}
    assert {trace["name"] for trace in own["data"]} == set(TITLES.values())
    assert "{690 + 690}{1{,}000 + 1{,}000} = 0.310" in prose(app)
    for title in TITLES.values():
        assert title in prose(app)


@pytest.mark.usefixtures("measured")
def test_choices_are_in_the_address_and_impossible_ones_fall_back(visit):
    odd = {"measured_score": "x", "measured_text": "Bible", "measured_links": "all"}
    app = visit(PAGE, show="Measured", measured_row="writes the word", measured_language="English to German", **odd)
    assert not app.warning
    assert app.segmented_control(key="measured_row").value == "writes the word"
    assert "Transformer (big) leads with 28.4" in prose(app)


@pytest.mark.usefixtures("measured")
def test_the_projector_shows_no_prose(visit):
    app = visit(PAGE, show="Measured", present="1")
    assert "How it is computed" not in [element.value for element in app.subheader]
    assert measured_quality.SECTION.text("Published models") in prose(app), (
        "It says that the scores cannot be compared."
    )


def test_what_is_not_measured_yet_says_so_and_the_rest_is_there(visit, folder):
    app = visit(PAGE, show="Measured")
    for name in ("results.json", "length.csv", "alignment.json", "alignment.csv"):
        assert f"/{name} is not there" in message_text(app, "warning")
    assert len(charts(app)) == 1
    assert len(charts(app)[0]["data"]) == 3
    write_results(folder)
    app.run()
    assert "results.json" not in message_text(app, "warning")
    assert len(charts(app)) == 3


def test_the_best_head_is_that_of_the_file_and_none_without_it(folder):
    assert compute.best_head() is None
    write_all(folder)
    assert compute.best_head() == compute.BestHead(*BEST, 1)


def test_the_scores_are_those_of_the_file(measured):
    results = compute_measured.results()
    table = measured_quality.scores(results).set_index("model")
    expected = json.loads((measured / "results.json").read_text())["models"]
    for name, title in TITLES.items():
        assert table.loc[title, "BLEU"] == expected[name]["bleu"]
        assert table.loc[title, "chrF"] == expected[name]["chrf"]
        assert table.loc[title, "parameters"] == expected[name]["parameters"]
    assert table.loc["Transformer", "training FLOPs"] == "5.0\u00a0×\u00a010¹⁵"
    assert "Without any model (copy the source): BLEU 1.2, chrF 14.5." in measured_quality.how_scored(results)


@pytest.mark.parametrize("column", ["bleu", "chrf"])
def test_the_curve_has_a_line_for_each_model_over_the_words(measured, column):
    lines = measured_quality.by_length(compute_measured.lengths(), column)
    with (measured / "length.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == "bahdanau"]
    assert list(lines) == list(TITLES.values())
    assert list(lines.index) == [float(row["words"]) for row in rows]
    assert list(lines["Bahdanau's attention"]) == pytest.approx([float(row[column]) for row in rows])


@pytest.mark.usefixtures("measured")
def test_the_alignment_table_holds_models_and_baselines_and_names_the_sample():
    alignment = compute_measured.alignment()
    table = alignment_table.table(alignment)
    assert list(table["links from"]) == [
        "Without attention: influence (40 pairs only)",
        "Bahdanau's attention",
        "Transformer, layer 2, head 1",
        "Transformer, mean of all heads",
        "IBM model 1, no network",
        "Diagonal",
    ]
    assert list(table["AER, Hansards"]) == pytest.approx([0.85, 0.45, 0.31, 0.40, 0.37, 0.54])
    assert list(table["recall, Stories"]) == pytest.approx([0.15, 0.55, 0.69, 0.60, 0.63, 0.46])
    how = alignment_table.describe_methods(alignment)
    assert "Transformer: links of each French word, from the step that has read the word" in how
    assert "40 (Hansards), 40 (Stories)" in how
    assert "161,227 pairs" in how
    assert "3 of 400 pairs (Hansards)" in how


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(("shift", "worse"), [(1, 0.0), (0, 0.1)])
def test_every_head_has_its_error_rate_and_the_chosen_one_an_outline(shift, worse):
    rates = measured_alignment.head_rates(compute_measured.heads(), TEXTS[1], shift, "target")
    assert list(rates.index) == ["0", "1", "2"]
    assert list(rates.columns) == ["0", "1", "2", "3", "mean"]
    for layer in range(LAYERS):
        assert list(rates.loc[str(layer)])[:HEADS] == pytest.approx([head_rate(layer, n) + worse for n in range(HEADS)])
    drawn = figures.head_rates(rates.to_numpy(), list(rates.index), list(rates.columns), BEST, Look(LIGHT))
    outline = drawn.layout.shapes[0]
    assert (outline.y0 + 0.5, outline.x0 + 0.5) == BEST


def test_every_step_and_side_can_be_chosen():
    assert set(measured_alignment.ROWS.values()) == {0, 1}
    assert set(DIRECTIONS.values()) == set(Direction.__args__) == set(alignment_table.LINK_RULES)


def test_rows_without_cost_or_quality_in_a_language_are_not_drawn():
    models = published_translators()
    german = {point.name for point in measured_quality.points(models, french=False)}
    assert len(measured_quality.points(models, french=True)) == 9
    assert german.isdisjoint({"ByteNet", "Deep-Att + PosUnk"})
    assert {model.family for model in models} == set(measured_quality.FAMILY_HUES)


# Sentences


@pytest.mark.usefixtures("measured")
def test_the_best_and_the_dearest_are_those_of_the_file():
    scores, cost = measured_quality.about_scores(compute_measured.results())
    assert "Transformer 44.0, Bahdanau's attention 38.2, Without attention 21.5" in scores
    assert "are 22.5 points apart" in scores
    assert "Transformer took **2.5 times** the training operations of Without attention" in cost
    assert "Transformer read 3.0 times as many pairs in a second as Bahdanau's attention" in cost


@pytest.mark.parametrize(("gap", "is_told"), [(5.0, True), (0.4, False)])
def test_models_within_a_point_of_bleu_are_not_ranked(gap, is_told):
    models = {
        name: {"bleu": 40 - place * gap / 2, "train_flops": 1e15, "pairs_per_second": 10.0}
        for place, name in enumerate(TITLES)
    }
    (scores,) = measured_quality.about_scores(SimpleNamespace(models=models))  # none is dearer than another
    assert (f"{gap:.1f} points apart" in scores) == is_told


SCORES = st.lists(st.floats(0, 100), min_size=2, max_size=2)


@settings(max_examples=50)
@given(st.lists(SCORES, min_size=1, max_size=5))
def test_the_model_that_loses_most_with_length_is_found(rows):
    lines = pd.DataFrame(rows, columns=["A", "B"], index=[4.0 + 9 * place for place in range(len(rows))])
    (sentence,) = measured_quality.about_lengths(lines, "BLEU")
    shares = {name: lines[name].iloc[-1] / max(lines[name]) for name in "AB" if max(lines[name])}
    for name, share in shares.items():
        assert f"{name} {lines[name].iloc[-1]:.1f} ({share:.0%} of its best)" in sentence
    apart = max(shares.values(), default=0) - min(shares.values(), default=0)
    if abs(apart - 0.05) < 1e-9:
        return
    if apart > 0.05:
        assert f"**{min(shares, key=shares.get)}** loses most, **{max(shares, key=shares.get)}** least" in sentence
    else:
        assert "loses most" not in sentence
    assert "nan" not in sentence


NAMES, FAMILIES = st.text("abc", min_size=1, max_size=2), st.sampled_from("XY")
POINTS = st.lists(st.builds(Point, NAMES, FAMILIES, st.floats(1e18, 1e21), st.floats(1, 50)), min_size=1, max_size=6)


@settings(max_examples=50)
@given(POINTS)
def test_the_rival_is_the_best_of_another_family(points):
    (sentence,) = measured_quality.about_published(points, "German")
    best = sorted(points, key=lambda point: -point.quality)[0]
    others = sorted((point for point in points if point.group != best.group), key=lambda point: -point.quality)
    assert f"{best.name} leads with {best.quality:g}" in sentence
    if others:
        assert f"best of another family, {others[0].name} with {others[0].quality:g}" in sentence
        assert f"**{others[0].cost / best.cost:.2g} times**" in sentence
    else:
        assert "all are of one family" in sentence


def test_in_german_a_transformer_is_second_and_no_rival_of_the_first():
    points = measured_quality.points(published_translators(), french=False)
    (sentence,) = measured_quality.about_published(points, "English to German")
    assert sorted(points, key=lambda point: -point.quality)[1].group == "transformer"
    assert "the best of another family, ConvS2S ensemble with 26.36" in sentence


@settings(max_examples=50)
@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=4), st.floats(0, 1))
def test_heads_worse_than_the_diagonal_are_counted(rates, straight):
    (sentence,) = measured_alignment.about_heads(np.array(rates), "Hansards", straight)
    layer, head = map(int, re.search(r"layer (\d), head (\d) aligns best", sentence).groups())
    every = [rate for row in rates for rate in row]
    assert rates[layer][head] == min(every)
    if any(abs(abs(rate - straight) - 0.01) < 1e-9 for rate in every):
        return
    worse, better = sum(rate > straight + 0.01 for rate in every), sum(rate < straight - 0.01 for rate in every)
    assert f"**{worse} of {len(every)} heads** {'is' if worse == 1 else 'are'} worse" in sentence
    assert f"and {better} better" in sentence
    assert ("no better than the diagonal" in sentence) == (not better)
    assert sentence.endswith(f"the highest rate is {max(every):.0%}.")


RATE = st.floats(0, 1)
PAIRS = st.sampled_from([37, 40, 447])


@st.composite
def alignments(draw) -> compute_measured.Alignment:
    """Each measured with any rate, on any number of the pairs of each of three texts."""

    def agreement() -> dict:
        return {text: {"aer": draw(RATE), "pairs": draw(PAIRS), "counts": [0] * 4} for text in TEXTS}

    models = {
        name: {"layer": 0, "head": 0, "shift": 0, "direction": "both", "agreement": agreement()} for name in TITLES
    }
    baselines = {name: agreement() for name in ("IBM model 1", "diagonal")}
    for text in TEXTS:
        baselines["IBM model 1"][text]["pairs"] = baselines["diagonal"][text]["pairs"]
    sets = {text: {"pairs": baselines["diagonal"][text]["pairs"], "left_out": 0} for text in TEXTS}
    return compute_measured.Alignment(models, baselines, sets, TEXTS[0], 9)


@settings(max_examples=50)
@given(alignments())
def test_only_what_was_measured_on_the_same_pairs_is_compared(alignment):
    sentences = measured_alignment.about_alignment(alignment)
    straight = alignment.baselines["diagonal"][TEXTS[1]]
    same = {name for name, of in alignment.models.items() if of["agreement"][TEXTS[1]]["pairs"] == straight["pairs"]}
    for name, title in TITLES.items():
        rate = f"{title} **{alignment.models[name]['agreement'][TEXTS[1]]['aer']:.0%}**"
        assert (rate in sentences[0]) == (name in same)
    counted = alignment.baselines["IBM model 1"][TEXTS[1]]["aer"]
    gaps = {name: alignment.models[name]["agreement"][TEXTS[1]]["aer"] - counted for name in same}
    better = [name for name, gap in gaps.items() if gap < -0.01]
    equal = [name for name, gap in gaps.items() if abs(gap) <= 0.01]
    assert ("Better than IBM model 1" in sentences[0]) == bool(better)
    assert ("Within a point" in sentences[0]) == bool(equal)
    assert ("None reaches" in sentences[0]) == (not better and not equal)
    for name in better:
        assert TITLES[name] in sentences[0].split("Better than IBM model 1:")[1]
    assert (len(sentences) == 1) == ("seq2seq" in same)
    if "seq2seq" not in same:
        chosen_on = {name: of["agreement"][TEXTS[0]]["pairs"] for name, of in alignment.models.items()}
        diagonal_pairs = alignment.baselines["diagonal"][TEXTS[0]]["pairs"]
        assert "cannot be compared" in sentences[1]
        assert ("pairs on which layer" in sentences[1]) == (chosen_on["seq2seq"] == diagonal_pairs)
        for name, pairs in chosen_on.items():
            rate = f"{TITLES[name]} {alignment.models[name]['agreement'][TEXTS[0]]['aer']:.0%}"
            if "pairs on which layer" in sentences[1] and pairs == diagonal_pairs:
                assert rate in sentences[1]
            elif pairs != diagonal_pairs:
                assert rate not in sentences[1].split("were chosen")[-1]


def test_of_the_real_files_every_comparison_is_among_equals():
    alignment = compute_measured.alignment()
    first, second = measured_alignment.about_alignment(alignment)
    assert "Hansards, 447 pairs" in first
    assert "Without attention" not in first
    assert "on 40 of these pairs only" in second
    assert "on the 37 pairs" in second
    assert {of["agreement"][alignment.chosen_on]["pairs"] for of in alignment.models.values()} == {37}
