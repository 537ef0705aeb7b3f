"""Word by word: whatever the weights translate, what is shown is what was computed."""

import json
import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text import Tokens
from core.translation.decoder_step import RecurrentStep, StepAttention
from core.translation.decoding import BEGIN, PENALTY
from pages.language.translation import compute, step_attention, word_by_word
from pages.language.translation.compute import BestHead
from tests.pages.conftest import prose

PAGE = "language/translation"
CAT = "The cat sleeps."
SHORT = "Yes."
BAHDANAU, TRANSFORMER, SEQ2SEQ = "Bahdanau's attention", "Transformer", "Without attention"


@pytest.fixture
def steps(visit):
    """The section at an address."""

    def open_section(**query: str):
        return visit(PAGE, **({"show": word_by_word.SECTION.name, "text": CAT, "beam": "2"} | query))

    return open_section


def headings(app) -> list[str]:
    return [element.value for element in app.subheader]


def figure(app, name: str) -> dict:
    """The figure that has a trace of this name."""
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return next(spec for spec in figures if name in [trace.get("name") for trace in spec["data"]])


def trace_values(app, column: str) -> np.ndarray:
    trace = next(trace for trace in figure(app, "weight")["data"] if trace.get("name") == column)
    return np.array(trace["x"], dtype=float)


def own(name: str, beam: int = 2, text: str = CAT):
    return compute.translate(name, text, beam)


def before_of(translated) -> torch.Tensor:
    return torch.tensor([(BEGIN, *translated.target.ids[:-1])])


def source_of(translated) -> torch.Tensor:
    return torch.tensor([translated.source.ids])


def test_bahdanaus_step_is_shown_as_it_was_computed(steps):
    app = steps(steps_step="1", steps_word="1. The")
    assert not app.warning
    assert {"How one score is computed", "The context vector", "Beam search"} <= set(headings(app))
    assert "How it is computed" in headings(app)
    translated = own("bahdanau")
    assert trace_values(app, "weight") == pytest.approx(translated.aligned.cross[0][0, 0].numpy(), abs=1e-5)
    powers = np.exp(trace_values(app, "score") - trace_values(app, "score").max())
    assert trace_values(app, "weight") == pytest.approx(powers / powers.sum(), abs=1e-5)
    assert trace_values(app, "share of c").sum() == pytest.approx(1, abs=1e-4)
    logits = translated.model.network(source_of(translated), before_of(translated))[0, 0]
    bars = figure(app, "as it is")["data"][0]
    assert bars["x"][:8] == pytest.approx(logits.softmax(dim=-1).topk(8).values.numpy(), abs=1e-5)


def test_a_head_of_the_transformer_is_shown_as_it_was_computed(steps):
    app = steps(steps_model=TRANSFORMER, steps_step="2", steps_layer="2", steps_head="3")
    expected = own("transformer").aligned.cross[2][3, 1].numpy()
    assert trace_values(app, "weight") == pytest.approx(expected, abs=1e-5)


def test_without_attention_there_is_one_vector_and_it_is_said(steps):
    app = steps(steps_model=SEQ2SEQ, steps_step="1")
    assert word_by_word.SECTION.text("One vector") in prose(app)
    assert "How one score is computed" not in headings(app)
    assert "only the decoder's state changes" in prose(app)


def test_buttons_go_one_step_and_a_shorter_sentence_takes_its_last_step(steps):
    count = len(own("bahdanau").target)
    app = steps(steps_step="1")
    assert app.button(key="steps_previous").disabled
    app.button(key="steps_next").click().run()
    assert app.number_input(key="steps_step").value == 2
    app.button(key="steps_previous").click().run()
    assert app.number_input(key="steps_step").value == 1
    app.selectbox(key="steps_word").set_value(4)
    app.number_input(key="steps_step").set_value(count).run()
    assert app.button(key="steps_next").disabled
    app.text_area(key="text").set_value(SHORT).run()
    assert not app.exception
    assert app.number_input(key="steps_step").value == min(count, len(own("bahdanau", text=SHORT).target))
    assert app.selectbox(key="steps_word").value in (-1, 4)
    app.text_area(key="text").set_value("  ").run()
    assert "There is no text here yet" in app.warning[0].value.replace("\\", "")


@pytest.mark.parametrize(
    "odd",
    [
        {"steps_step": "999", "steps_model": "none", "steps_word": "99. no"},
        {"steps_step": "x", "steps_model": TRANSFORMER, "steps_layer": "77", "steps_head": "-1", "steps_drawn": "5"},
        {"text": "<b>x</b> **y** $z$ `q` 😀 مرحبا", "beam": "1", "steps_step": "0"},
    ],
)
def test_impossible_choices_and_odd_texts_in_a_link_fall_back(steps, odd):
    app = steps(**odd)
    assert not app.warning
    assert not any("<b>" in element.value for element in app.markdown if element.allow_html)


def test_the_projector_shows_no_prose(steps):
    app = steps(present="1")
    assert "How it is computed" not in headings(app)
    assert word_by_word.SECTION.text("The context vector") not in prose(app)
    assert "Beam search" in headings(app)


# Sentences and tables


def look_of(scores: list[float], width: int = 3, *, value: float = 1.0) -> StepAttention:
    """A step whose scores are these, as a head of a transformer would look."""
    raw = torch.tensor(scores)
    key = raw[:, None] / width * torch.ones(len(scores), width)
    weights = raw.softmax(dim=0)
    values = value * torch.randn(len(scores), width, generator=torch.Generator().manual_seed(len(scores)))
    return StepAttention(None, torch.ones(width), key, None, None, key, 1.0, raw, weights, values, weights @ values)


def source(count: int) -> Tokens:
    return Tokens(tuple(range(count)), tuple(f" s{n}" for n in range(count)), (False,) * count, tuple(range(count)))


@settings(max_examples=50)
@given(st.lists(st.floats(-40, 40, width=32), min_size=2, max_size=9))
def test_the_factor_that_is_told_is_the_ratio_of_the_weights(scores):
    look = look_of(scores)
    first, second = step_attention.about_look(look, source(len(scores)))
    powers = [math.exp(score - max(scores)) for score in scores]
    ranked = sorted(powers, reverse=True)
    strongest = re.search(r"\*\*“s(\d)”", first)[1]
    assert powers[int(strongest)] == ranked[0] == 1
    assert f"{ranked[0] / sum(powers):.1%}" in first
    if "scores are equal" in first:
        assert ranked[1] > 0.99
    else:
        difference, factor = re.search(r"e\^\{(\d+\.\d\d)\}\$ ≈ (.*)\.$", first).groups()
        printed = float(re.sub("\u00a0×\u00a010(.*)", lambda m: f"e{m[1].translate(NORMAL)}", factor).replace(",", ""))
        assert printed == pytest.approx(math.exp(float(difference)), rel=0.06)
        assert float(difference) == pytest.approx(-math.log(ranked[1]), abs=0.006)
    part = look.weights[int(strongest)] * look.value[int(strongest)]
    share = float((part * look.mixed).sum() / (look.mixed * look.mixed).sum())
    assert f"{share:.1%}" in second
    assert ("close to its weight" in second) == (abs(share - float(look.weights.max())) < step_attention.DIFFERENT)
    assert "nan" not in first + second


NORMAL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def test_equal_scores_a_single_token_and_a_mix_of_nothing_have_sentences_of_their_own():
    assert "**“s0”** (50.0%) and “s1” (50.0%)" in step_attention.about_look(look_of([1.0, 1.0]), source(2))[0]
    assert "single token" in step_attention.about_look(look_of([1.0]), source(1))[0]
    nothing = step_attention.about_look(look_of([1.0, 3.0], value=0.0), source(2))
    assert nothing[1] == "The output of the head is 0, so no word has a share of it."


@settings(max_examples=50)
@given(st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=20))
def test_what_pushes_up_and_down_makes_the_sum(terms):
    sentence = step_attention.pushes(torch.tensor(terms)).replace("−", "-")
    up, total, plus, down, minus = re.match(
        r"(\d+) of (\d+) channels push this sum up, together by (\S+), and (\d+) push it down, by (\S+)\.$", sentence
    ).groups()
    assert (int(up), int(down), int(total)) == (sum(t > 0 for t in terms), sum(t < 0 for t in terms), len(terms))
    assert float(plus) - float(minus) == pytest.approx(sum(terms), abs=0.011 + 1e-4)


@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
def test_the_summands_that_are_shown_add_up_to_the_score(name):
    look = compute.worked_step(name, CAT, 2, 0, 0, 1).known
    for place in range(len(look.scores)):
        table = step_attention.summands(look, place)
        products = dict(zip(table["channel"], table["product"], strict=True))
        summands = [value for label, value in products.items() if not label.startswith("sum")]
        assert sum(summands) == pytest.approx(products["sum"], abs=1e-3)
        assert list(products.values())[-1] == pytest.approx(float(look.scores[place]), abs=1e-3)
        for row in table[table["channel"].str.isdecimal()].to_dict("records"):
            if name == "bahdanau":
                assert row["tanh"] == pytest.approx(math.tanh(row["W s"] + row["U h"]), abs=1e-4)
                assert row["product"] == pytest.approx(row["v"] * row["tanh"], abs=1e-4)
            else:
                assert row["product"] == pytest.approx(row["q"] * row["k"], abs=1e-3)
    rows = step_attention.parts(look, own(name).source)
    assert sum(row.values for row in rows[1:]) == pytest.approx(rows[0].values, abs=1e-4)


@pytest.mark.parametrize("beam", [1, 8])
@pytest.mark.parametrize("name", ["seq2seq", "bahdanau", "transformer"])
def test_the_rival_of_a_token_is_the_most_probable_other_one(name, beam):
    translated = own(name, beam)
    logits = translated.model.network(source_of(translated), before_of(translated))[0]
    for step in range(1, len(translated.target) + 1):
        sentence = word_by_word.about_next(translated, compute.worked_step(name, CAT, beam, step - 1), step)
        probabilities = logits[step - 1].double().softmax(dim=-1).tolist()
        token = translated.target.ids[step - 1]
        rival = max((value, number) for number, value in enumerate(probabilities) if number not in (0, BEGIN, token))
        assert word_by_word.percent(rival[0]) in sentence
        assert sentence.startswith("The model writes" if rival[0] < probabilities[token] else "The beam search writes")
        if beam == 1:
            assert sentence.startswith("The model writes")


def test_the_score_in_the_formula_is_that_of_the_beam(steps):
    decoded = own("bahdanau").decoded
    app = steps(steps_step=str(len(decoded.best.tokens)))
    written = re.findall(r"= (-?\d+\.\d{3})(?:\s|$)", prose(app))
    assert float(written[-1]) == pytest.approx(decoded.best.score(PENALTY), abs=2e-3)


def test_the_turn_of_the_state_is_the_angle_between_before_and_after():
    turned = RecurrentStep(torch.ones(2), torch.tensor([2.0, 0.0]), torch.tensor([0.0, 0.5]))
    assert "Step 3 turned it by 90° (cosine 0.00)" in word_by_word.about_memory(turned, 3)
    same = RecurrentStep(torch.ones(2), torch.tensor([0.1, 0.2]), torch.tensor([0.3, 0.6]))
    assert "turned it by 0° (cosine 1.00)" in word_by_word.about_memory(same, 1)
    still = RecurrentStep(torch.ones(2), torch.zeros(2), torch.ones(2))
    assert "has no direction" in word_by_word.about_memory(still, 1)


def test_the_head_that_aligns_best_one_step_late_is_introduced_as_that():
    best = compute.best_head()
    assert best.shift == 1, "the sentence stands for a head that was measured to align one step late"
    translated, worked = own("transformer"), compute.worked_step("transformer", CAT, 2, 0, best.layer, best.head)
    assert "just read" in word_by_word.noticed(translated, worked, 1, best)[-1]
    assert "just read" not in " ".join(word_by_word.noticed(translated, worked, 1, None))
    assert word_by_word.about_best_head(BestHead(0, 1, 0)) == ()


def test_what_is_written_is_set_off_from_what_will_be():
    translated = own("bahdanau")
    first, last = (word_by_word.written(translated, step) for step in (1, len(translated.target)))
    assert first.startswith("Written so far: *nothing yet*, then :primary-background[**Le**]")
    assert ":gray[" not in last.splitlines()[0]
    assert "Step 1 writes “Le” with probability" in first
