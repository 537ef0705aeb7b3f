"""Before attention: one's own line, a question of one's own, three ways in numbers, five models in a table."""

import csv
import json
import math
import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.costs.layer_costs import LAYERS
from core.costs.one_pass import Cost
from core.memory import copy_task
from core.memory.gradient_reach import reach
from pages.foundations.before_attention import compute as kept
from pages.foundations.before_attention import words as said
from pages.foundations.before_attention.reading import LONGEST

PAGE = "foundations/before_attention"
SECTIONS = [said.REACH, said.COPY, said.WAYS, said.MODELS]


def prose(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown)


def warnings(app: AppTest) -> str:
    return " ".join(element.value for element in app.warning).replace("\\", "")


def traces(app: AppTest, place: int = 0) -> dict[str, dict]:
    return {trace["name"]: trace for trace in json.loads(app.get("plotly_chart")[place].proto.spec)["data"]}


def measured(file: str) -> dict[str, dict[int, float]]:
    """A CSV of weights/characters, read without pandas: model -> distance -> value."""
    values: dict[str, dict[int, float]] = {}
    with (kept.FOLDER / file).open() as rows:
        for row in csv.DictReader(rows):
            value = row["norm"] if "norm" in row else row["accuracy"]
            values.setdefault(row["model"], {})[int(row["distance"])] = float(value)
    return values


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_alive_at_once(visit, section):
    app = visit(PAGE, show=section)
    assert app.title[0].value == "What did RNN, LSTM, GRU and convolution see?"
    assert app.segmented_control(key="show").value == section
    assert "What to notice" in [element.value for element in app.subheader]
    assert not app.warning


@pytest.mark.parametrize("section", SECTIONS)
def test_the_projector_shows_no_prose(visit, section):
    app = visit(PAGE, show=section, present="1")
    assert said.BEFORE.lead not in prose(app)
    assert "What to notice" not in [element.value for element in app.subheader]


def test_the_lead_has_at_most_sixty_words():
    assert len(said.BEFORE.lead.split()) <= 60


def test_half_lives_told_are_those_of_the_measured_means(visit):
    text = prose(visit(PAGE))
    for name, title in (("rnn", "RNN"), ("lstm", "LSTM"), ("gru", "GRU")):
        norms = measured("reach.csv")[name]
        distances = [distance for distance, norm in sorted(norms.items()) if norm > 0]
        slope = np.polyfit(distances, np.log2([norms[distance] for distance in distances]), 1)[0]
        assert f"{title} every **{-1 / slope:.1f} characters**" in text


def test_the_window_told_is_the_one_that_the_gradient_shows(visit):
    alphabet, models = kept.models("text")
    line = said.LINE
    norms = reach(models["convolution"], alphabet.encode(line)[None])[0].flip(0)
    last = max(distance for distance, norm in enumerate(norms.tolist()) if norm > 0)
    assert f"last trace is **{last} characters** before the last one" in prose(visit(PAGE, over="your line"))
    assert f"exactly {1 + 6 * (5 - 1)}" in prose(visit(PAGE))


def test_most_is_left_in_the_model_that_is_named(visit):
    norms = measured("reach.csv")
    left = {name: values[50] / values[0] for name, values in norms.items()}
    titles = {
        "rnn": "RNN",
        "lstm": "LSTM",
        "gru": "GRU",
        "convolution": "Convolution",
        "self_attention": "Self-attention",
    }
    assert f"Most is left in: **{titles[max(left, key=left.get)]}**" in prose(visit(PAGE))


def test_a_deep_link_brings_line_and_curve(visit):
    app = visit(PAGE, line="The king is dead, long live the ki", over="your line")
    assert app.text_input(key="line").value == "The king is dead, long live the ki"
    assert "in your line" in prose(app)


@pytest.mark.parametrize("line", ["", "   "])
def test_an_empty_line_gets_one_sentence_and_the_page_stays(visit, line):
    app = visit(PAGE)
    app.text_input(key="line").set_value(line).run()
    assert not app.exception
    assert "There is no text here yet" in warnings(app)
    app.text_input(key="line").set_value("Good morrow, cousin").run()
    assert not app.warning


@pytest.mark.parametrize(
    "line", ["x", "ab", "<b>x</b> **bold** $x$", "مرحبا 😀 \u202eabc", "a\u200db", "e\u0301te\u0301"]
)
def test_odd_lines_are_read_and_unknown_characters_named(visit, line):
    app = visit(PAGE, line=line, over="your line")
    unknown = [character for character in line if character not in kept.models("text")[0].characters]
    assert bool(app.info) == bool(unknown)
    if unknown:
        assert "never seen" in app.info[0].value
    assert not any("<b>" in element.value for element in app.markdown if element.allow_html)


def test_markup_in_an_unknown_character_is_only_text(visit):
    assert r"“\*”" in visit(PAGE, line="a * b").info[0].value


def test_a_line_longer_than_the_models_read_gets_one_sentence(visit):
    app = visit(PAGE, line="x" * 300)
    assert not app.exception
    assert f"at most {LONGEST}" in warnings(app) or len(app.text_input(key="line").value) <= LONGEST


def test_a_question_in_the_address_is_posed_and_answered(visit):
    app = visit(PAGE, show=said.COPY, digits="13579", distance="30", draw="7", asked="3")
    question = copy_task.pose("13579", 30, torch.Generator().manual_seed(7))
    assert app.code[0].value == question
    _, models = kept.models("copy")
    answer = models["self_attention"](copy_task.ALPHABET.encode(question)[None])[0, -5:].argmax(dim=-1) - 1
    right = sum(int(digit) == wanted for digit, wanted in zip(answer.tolist(), [1, 3, 5, 7, 9], strict=True))
    assert re.search(rf"\| Self-attention \| .* \| {right} of 5 \|", prose(app))


def test_other_letters_make_another_question_with_the_same_digits(visit):
    app = visit(PAGE, show=said.COPY)
    before = app.code[0].value
    next(button for button in app.button if button.label == "Other letters").click().run()
    assert app.code[0].value != before
    assert app.code[0].value[:5] == before[:5]
    assert app.number_input(key="draw").value == 2


@pytest.mark.parametrize("digits", ["123", "<b>x<", "abcde", "٤٨٢٠٣"])
def test_what_is_no_question_gets_the_rule(visit, digits):
    app = visit(PAGE, show=said.COPY, digits=digits)
    assert "5 digits from 0 to 9" in warnings(app)
    app.text_input(key="digits").set_value("48203").run()
    assert not app.warning


@pytest.mark.parametrize(
    "odd", [{"distance": "999"}, {"draw": "-3"}, {"asked": "9"}, {"distance": "x"}, {"show": "none"}]
)
def test_impossible_choices_in_a_link_fall_back(visit, odd):
    assert not visit(PAGE, **({"show": said.COPY} | odd)).warning


def test_the_distances_told_are_those_of_the_measured_accuracies(visit):
    text = prose(visit(PAGE, show=said.COPY))
    accuracies = measured("copy.csv")
    for name, title in (("rnn", "RNN"), ("convolution", "Convolution"), ("self_attention", "Self-attention")):
        longest = 0
        for distance in sorted(accuracies[name]):
            if accuracies[name][distance] <= 0.5:
                break
            longest = distance
        assert f"{title} **{longest or 'none'}**" in text


def test_the_ways_take_their_sizes_from_the_address(visit):
    app = visit(PAGE, show=said.WAYS, n="256", d="64", k="3", r="16")
    text = prose(app)
    assert app.table[0].value.loc["Self-attention", "operations"] == f"$O(n^2\\,d)$\u2003{256 * 256 * 64:,}"
    assert f"self-attention needs **{256 / 64:.2g} times** as many operations as recurrence" in text
    assert f"{math.ceil(256 / 3)} layers of convolution, 6 if they are dilated" in text


def test_ways_that_cost_the_same_are_drawn_as_one_line(visit):
    assert "Convolution, dilated convolution" in traces(visit(PAGE, show=said.WAYS))
    steps = traces(visit(PAGE, show=said.WAYS, count="sequential steps"))
    assert len(steps) == 2


def test_measuring_shows_time_and_memory_for_every_layer(visit, monkeypatch):
    def measure(progress):
        progress(1, 1)
        return tuple(Cost(layer, tokens, tokens / 1e6, 5, tokens * 512) for layer in LAYERS for tokens in (1024, 2048))

    monkeypatch.setattr(kept, "_MEASURED", {})
    monkeypatch.setattr(kept.measured, "measure_layers", measure)
    app = visit(PAGE, show=said.WAYS)
    assert len(app.get("plotly_chart")) == 1
    next(button for button in app.button if button.label == "Measure on this machine").click().run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 3
    assert set(traces(app, 1)) == set(traces(app, 2)) == set(LAYERS)
    assert "LSTM **2.0** and **2.0**" in prose(app)
    assert "Measure again" in [button.label for button in app.button]


def test_the_table_holds_the_measured_facts(visit):
    facts = visit(PAGE, show=said.MODELS).dataframe[0].value
    results = json.loads((kept.FOLDER / "results.json").read_text())["models"]
    for row, name in enumerate(("rnn", "lstm", "gru", "convolution", "self_attention")):
        assert facts["parameters"][row] == results[name]["parameters"]
        assert facts["bits per character"][row] == results[name]["bits"]
    assert facts["sees back"][3] == 24


def test_the_parameters_told_are_those_of_the_models():
    _, models = kept.models("text")
    results = kept.results()
    for name, model in models.items():
        assert results[name]["parameters"] == sum(parameter.numel() for parameter in model.parameters())


def test_the_words_name_the_sizes_that_the_models_have():
    models, copiers = kept.models("text")[1], kept.models("copy")[1]
    convolution = models["convolution"].sizes
    assert (convolution["layers"], convolution["kernel"]) == (6, 5)
    assert said.ABOUT["convolution"].startswith("Six layers, each a window of five characters")
    assert (models["self_attention"].sizes["layers"], said.ABOUT["self_attention"][:12]) == (3, "Three layers")
    assert models["convolution"].body.reach == 25
    assert "longer than 25 characters" in said.BEFORE.try_this[2]
    assert copiers["convolution"].body.reach == 25
    assert "window holds 25 characters" in said.NOTES[said.COPY].try_this[0]


def answers_to(name: str, digits: str, distance: int, draw: int = 1) -> str:
    alphabet, models = kept.models("copy")
    question = alphabet.encode(copy_task.pose(digits, distance, torch.Generator().manual_seed(draw)))
    return "".join(map(alphabet.label, models[name](question[None])[0, -5:].argmax(dim=-1).tolist()))


def test_what_there_is_to_try_with_copies_comes_out_as_it_is_hinted():
    right = {
        distance: [
            given == wanted for given, wanted in zip(answers_to("convolution", "48203", distance), "48203", strict=True)
        ]
        for distance in (19, 24, 25)
    }
    assert sum(right[19]) >= 3
    assert right[24] == [False] * 4 + [True]
    assert not right[25][-1]
    for name in ("rnn", "lstm", "gru", "self_attention"):
        assert len({answers_to(name, "48203", 20, draw) for draw in range(1, 6)}) == 1
    assert len({answers_to("convolution", "48203", 20, draw) for draw in range(1, 6)}) > 1
    assert len({answers_to("rnn", f"{digit}8203", 20) for digit in range(10)}) > 1
    assert len({answers_to("rnn", f"4820{digit}", 20) for digit in range(10)}) == 1


def test_what_is_said_of_the_rnn_and_its_copies_is_what_was_measured(visit):
    shares = measured("copy.csv")["rnn"].values()
    text = prose(visit(PAGE, show=said.COPY))
    assert f"RNN gives {min(shares):.0%} to {max(shares):.0%} at all distances" in text
    assert "GRU gives" not in text
    assert "LSTM gives" not in text


def test_the_recurrent_networks_were_the_fastest_to_train_as_the_words_say():
    seconds = {name: result["seconds_per_epoch"] for name, result in kept.results().items()}
    assert set(sorted(seconds, key=seconds.get)[:3]) == {"rnn", "lstm", "gru"}
    assert "are the fastest here" in said.NOTES[said.MODELS].try_this[1]
