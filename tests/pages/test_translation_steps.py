"""Word by word: whatever the weights translate, what is shown is what was computed."""

import json
import math
import re

import numpy as np
import pytest
import torch

from core.translation.decoding import BEGIN, PENALTY
from pages.language.translation import compute as kept
from pages.language.translation import words as said
from pages.language.translation import words_steps as words

PAGE = "language/translation"
CAT = "The cat sleeps."
SHORT = "Yes."
BAHDANAU, TRANSFORMER, SEQ2SEQ = "Bahdanau's attention", "Transformer", "Without attention"


@pytest.fixture
def steps(visit):
    """The section at an address."""

    def open_section(**query: str):
        return visit(PAGE, **({"show": said.STEPS, "text": CAT, "beam": "2"} | query))

    return open_section


def prose(app) -> str:
    return " ".join(element.value for element in app.markdown)


def headings(app) -> list[str]:
    return [element.value for element in app.subheader]


def figures(app) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def figure(app, name: str) -> dict:
    """The figure that has a trace of this name."""
    return next(spec for spec in figures(app) if name in [trace.get("name") for trace in spec["data"]])


def numbers(values) -> np.ndarray:
    """Plotly sends arrays as base64 or as lists."""
    if isinstance(values, dict):
        import base64

        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).astype(float)
    return np.array(values, dtype=float)


def shown(app, name: str, column: str) -> np.ndarray:
    trace = next(trace for trace in figure(app, name)["data"] if trace.get("name") == column)
    return numbers(trace["x"])


def read(cell: str) -> float:
    return float(cell.replace("−", "-")) if cell else math.nan


def own(name: str, beam: int = 2, text: str = CAT):
    return kept.translate(name, text, beam=beam)


def before_of(translated) -> torch.Tensor:
    return torch.tensor([(BEGIN, *translated.target.ids[:-1])])


def source_of(translated) -> torch.Tensor:
    return torch.tensor([translated.source.ids])


@pytest.mark.parametrize("model", [BAHDANAU, TRANSFORMER, SEQ2SEQ])
def test_every_model_can_be_stepped_through(steps, model):
    app = steps(steps_model=model)
    assert not app.warning
    assert {"What may come next", "The beam", "What to notice"} <= set(headings(app))
    assert ("Where it looks" in headings(app)) == (model != SEQ2SEQ)


def test_without_attention_there_is_one_vector_and_it_is_said(steps):
    app = steps(steps_model=SEQ2SEQ, steps_step="1")
    assert words.ONE_VECTOR in prose(app)
    translated = own("seq2seq")
    rows = figure(app, "summary")["data"]
    summary = translated.model.network.read(source_of(translated))["summary"][0]
    assert numbers(rows[0]["z"] if isinstance(rows[0]["z"], dict) else rows[0]["z"][0]) == pytest.approx(
        summary.numpy(), abs=1e-5
    )


def test_weights_of_bahdanau_are_those_of_the_aligned_pair(steps):
    translated = own("bahdanau")
    app = steps(steps_step="1")
    assert shown(app, "weight", "weight") == pytest.approx(translated.aligned.cross[0][0, 0].numpy(), abs=1e-5)
    scores = shown(app, "weight", "score")
    powers = np.exp(scores - scores.max())
    assert shown(app, "weight", "weight") == pytest.approx(powers / powers.sum(), abs=1e-5)
    assert shown(app, "weight", "share of c").sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (2, 3)])
def test_weights_of_a_head_are_those_of_the_aligned_pair(steps, layer, head):
    translated = own("transformer")
    app = steps(steps_model=TRANSFORMER, steps_step="2", steps_layer=str(layer), steps_head=str(head))
    expected = translated.aligned.cross[layer][head, 1].numpy()
    assert shown(app, "weight", "weight") == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("model", [BAHDANAU, TRANSFORMER])
def test_the_summands_that_are_shown_add_up_to_the_score_that_is_shown(steps, model):
    app = steps(steps_model=model, steps_step="1", steps_word="1. The")
    table = next(each.value for each in app.dataframe if "product" in each.value)
    table = table.apply(lambda column: column if column.name == "channel" else column.map(read))
    products = dict(zip(table["channel"], table["product"], strict=True))
    summands = [value for name, value in products.items() if not name.startswith("sum")]
    assert sum(summands) == pytest.approx(products["sum"], abs=1e-3)
    assert list(products.values())[-1] == pytest.approx(shown(app, "weight", "score")[0], abs=1e-3)
    for row in table[table["channel"].str.isdecimal()].to_dict("records"):
        if model == BAHDANAU:
            assert row["tanh"] == pytest.approx(math.tanh(row["W s"] + row["U h"]), abs=2e-4)
            assert row["product"] == pytest.approx(row["v"] * row["tanh"], abs=2e-4)
        else:
            assert row["product"] == pytest.approx(row["q"] * row["k"], abs=1e-3)


@pytest.mark.parametrize(("name", "model"), [("bahdanau", BAHDANAU), ("seq2seq", SEQ2SEQ)])
def test_probabilities_of_the_next_token_are_the_models(steps, name, model):
    translated = own(name)
    app = steps(steps_model=model, steps_step="1")
    logits = translated.model.network(source_of(translated), before_of(translated))[0, 0]
    expected = logits.softmax(dim=-1).topk(8).values.numpy()
    bars = figure(app, "as it is")["data"][0]
    assert numbers(bars["x"])[:8] == pytest.approx(expected, abs=1e-5)


def test_the_score_in_the_formula_is_that_of_the_beam(steps):
    decoded = own("bahdanau").decoded
    last = len(decoded.best.tokens)
    app = steps(steps_step=str(last))
    formula = " ".join(element.value for element in app.latex)
    written = re.findall(r"= (-?\d+\.\d{3})(?:\s|$)", formula)
    assert float(written[-1]) == pytest.approx(decoded.best.score(PENALTY), abs=2e-3)


def test_buttons_go_one_step_and_stop_at_both_ends(steps):
    count = len(own("bahdanau").target)
    app = steps(steps_step="1")
    assert app.button(key="steps_previous").disabled
    app.button(key="steps_next").click().run()
    assert not app.exception
    assert app.number_input(key="steps_step").value == 2
    app.button(key="steps_previous").click().run()
    assert app.number_input(key="steps_step").value == 1
    app.number_input(key="steps_step").set_value(count).run()
    assert app.button(key="steps_next").disabled


def test_a_shorter_sentence_takes_its_last_step(steps):
    count = len(own("bahdanau").target)
    app = steps(steps_step=str(count))
    app.text_area(key="text").set_value(SHORT).run()
    assert not app.exception
    fewer = len(own("bahdanau", text=SHORT).target)
    assert app.number_input(key="steps_step").value == min(count, fewer)


@pytest.mark.parametrize(
    "odd",
    [
        {"steps_step": "999"},
        {"steps_step": "0"},
        {"steps_step": "x"},
        {"steps_model": "none"},
        {"steps_word": "99. no"},
        {"steps_model": TRANSFORMER, "steps_layer": "77", "steps_head": "-1"},
        {"steps_drawn": "5"},
    ],
)
def test_impossible_choices_in_a_link_fall_back(steps, odd):
    assert not steps(**odd).warning


def test_another_sentence_forgets_a_source_word_that_it_does_not_have(steps):
    app = steps()
    app.selectbox(key="steps_word").set_value(4).run()
    assert not app.exception
    app.text_area(key="text").set_value(SHORT).run()
    assert not app.exception
    assert app.selectbox(key="steps_word").value in (-1, 4)


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_sentence_gets_one_sentence(steps, text):
    app = steps()
    app.text_area(key="text").set_value(text).run()
    assert not app.exception
    assert "There is no text here yet" in app.warning[0].value.replace("\\", "")


@pytest.mark.parametrize("text", ["<b>x</b> **y** $z$ `q`", "😀 مرحبا", "a"])
def test_odd_texts_are_stepped_through(steps, text):
    app = steps(text=text, beam="1")
    assert not app.warning
    assert not any("<b>" in element.value for element in app.markdown if element.allow_html)


def test_the_projector_shows_no_prose(steps):
    app = steps(present="1")
    assert "What to notice" not in headings(app)
    assert words.HANDED_ON not in prose(app)
    assert "The beam" in headings(app)


def test_a_beam_of_one_keeps_one_candidate_and_says_so(steps):
    app = steps(beam="1", steps_step="1")
    assert "**2 candidates** in this step and kept 1" in prose(app)


def test_the_head_that_aligns_best_one_step_late_is_introduced_as_that(steps):
    best = kept.best_heads()["transformer"]
    assert best["shift"] == 1, "the sentence stands for a head that was measured to align one step late"
    assert "just read" in prose(steps(steps_model=TRANSFORMER))
    other = str((best["head"] + 1) % 4)
    assert "just read" not in prose(steps(steps_model=TRANSFORMER, steps_head=other))
