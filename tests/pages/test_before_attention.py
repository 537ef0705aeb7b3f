"""Before attention: one's own line, a question of one's own, three ways in numbers, five models in a table."""

import csv
import json
import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.costs.layer_costs import LAYERS
from core.costs.one_pass import Cost
from core.errors import InputError
from core.reach import copy_task
from core.reach.gradient_reach import reach
from dashboard.inputs import example_texts
from pages.foundations.before_attention import compute, copies, five_models
from pages.foundations.before_attention.compute import TITLES
from pages.foundations.before_attention.copies import about_copy
from pages.foundations.before_attention.five_models import table
from pages.foundations.before_attention.prose import PAGE as PROSE
from pages.foundations.before_attention.reach import about_reach, own_curves
from tests.pages.conftest import message_text, prose

PAGE = "foundations/before_attention"
SECTIONS = ["Reach", "Copy", "Three ways", "The five models"]
LINE = example_texts.opening("characters")


def traces(app: AppTest, place: int = 0) -> dict[str, dict]:
    return {trace["name"]: trace for trace in json.loads(app.get("plotly_chart")[place].proto.spec)["data"]}


def measured(file: str) -> dict[str, dict[int, float]]:
    """A CSV of weights/characters, read without pandas: model -> distance -> value."""
    values: dict[str, dict[int, float]] = {}
    with (compute.FOLDER / file).open() as rows:
        for row in csv.DictReader(rows):
            value = row["norm"] if "norm" in row else row["accuracy"]
            values.setdefault(row["model"], {})[int(row["distance"])] = float(value)
    return values


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_alive_at_once(visit, section):
    app = visit(PAGE, show=section)
    assert app.title[0].value == "RNNs, LSTMs, convolutions"
    assert app.segmented_control(key="show").value == section
    assert "How it is computed" in [element.value for element in app.subheader]
    assert not app.warning


@pytest.mark.parametrize("section", ["Reach", "The five models"])
def test_the_projector_shows_no_prose(visit, section):
    app = visit(PAGE, show=section, present="1")
    assert PROSE.lead not in prose(app)
    assert "How it is computed" not in [element.value for element in app.subheader]


def test_what_the_page_shows_at_first_is_there_after_warming_up():
    compute.models.forget("text")
    compute.warm_up()
    assert compute.models.peek("text")


def test_half_lives_told_are_those_of_the_measured_means():
    sentence = about_reach(compute.mean_reach(), own=False, window=compute.window_of_convolution())[0]
    for name, title in (("rnn", "RNN"), ("lstm", "LSTM"), ("gru", "GRU")):
        norms = measured("reach.csv")[name]
        distances = [distance for distance, norm in sorted(norms.items()) if norm > 0]
        slope = np.polyfit(distances, np.log2([norms[distance] for distance in distances]), 1)[0]
        assert f"{title} every **{-1 / slope:.1f} characters**" in sentence


def test_the_window_told_is_the_one_that_the_gradient_shows():
    alphabet, models = compute.models("text")
    norms = reach(models["convolution"], alphabet.encode(LINE)[None])[0].flip(0)
    last = max(distance for distance, norm in enumerate(norms.tolist()) if norm > 0)
    assert compute.window_of_convolution() == last + 1 == 1 + 6 * (5 - 1)
    sentence = about_reach(own_curves(compute.read(LINE)), own=True, window=last + 1)[1]
    assert f"reaches the convolution is **{last} characters** before the last one" in sentence


def test_most_is_left_in_the_model_that_is_named():
    left = {name: values[50] / values[0] for name, values in measured("reach.csv").items()}
    sentence = about_reach(compute.mean_reach(), own=False, window=25)[2]
    assert f"Most is left in: **{TITLES[max(left, key=left.get)]}**" in sentence


def test_norms_and_expectations_are_the_models_own():
    alphabet, models = compute.models("text")
    reading = compute.read("a bad cab")
    characters = alphabet.encode("a bad cab")[None]
    for name, model in models.items():
        np.testing.assert_allclose(reading.norms[name], reach(model, characters)[0], rtol=1e-5)
        probabilities = model(characters)[0, -1].softmax(dim=-1)
        best = int(probabilities.argmax())
        assert reading.expected[name][0] == (alphabet.label(best), pytest.approx(float(probabilities[best])))


def test_unknown_characters_are_named_and_read_as_one():
    first, second = (compute.read(f"a {odd} bad cab") for odd in "é😀")
    assert (first.unknown, second.unknown) == ("é", "😀")
    np.testing.assert_allclose(first.norms["rnn"], second.norms["rnn"])


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("", "no text here yet"),
        ("   ", "no text here yet"),
        ("\u0007", "no text here yet"),
        ("a" * (compute.LONGEST + 1), rf"{compute.LONGEST + 1} characters.*at most {compute.LONGEST}"),
    ],
)
def test_a_line_that_cannot_be_read_gets_the_rule(line, rule):
    with pytest.raises(InputError, match=rule):
        compute.read(line)


def test_an_empty_line_gets_one_sentence_and_the_page_stays(visit):
    app = visit(PAGE, line="The king is dead, long live the ki", over="your line")
    assert app.text_input(key="line").value == "The king is dead, long live the ki"
    assert "in your line" in prose(app)
    app.text_input(key="line").set_value(" ").run()
    assert not app.exception
    assert "There is no text here yet" in message_text(app, "warning")
    app.text_input(key="line").set_value("x").run()
    assert not app.warning
    assert "A line of 1 characters is too short" in prose(app)


def test_unknown_characters_are_named_and_never_markup(visit):
    app = visit(PAGE, line="<b>x</b> **bold** $x$ a\u200db مرحبا 😀 \u202eabc", over="your line")
    assert "never seen" in app.info[0].value
    assert r"“\*”" in app.info[0].value
    assert not any("<b>" in element.value for element in app.markdown if element.allow_html)


def answers_to(name: str, digits: str, distance: int, draw: int = 1) -> str:
    alphabet, models = compute.models("copy")
    question = alphabet.encode(copy_task.pose(digits, distance, torch.Generator().manual_seed(draw)))
    return "".join(map(alphabet.label, models[name](question[None])[0, -5:].argmax(dim=-1).tolist()))


def test_a_question_in_the_address_is_posed_and_answered(visit):
    app = visit(PAGE, show="Copy", digits="13579", distance="30", draw="7", asked="3")
    assert app.code[0].value == copy_task.pose("13579", 30, torch.Generator().manual_seed(7))
    answer = answers_to("self_attention", "13579", 30, 7)
    right = sum(digit == wanted for digit, wanted in zip(answer, "13579", strict=True))
    assert re.search(rf"\| Self-attention \| .* \| {right} of 5 \|", prose(app))
    next(button for button in app.button if button.label == "Other letters").click().run()
    assert app.number_input(key="draw").value == 8
    assert app.code[0].value == copy_task.pose("13579", 30, torch.Generator().manual_seed(8))


def test_answers_are_the_probabilities_of_the_digits_at_the_question_marks():
    answers, (alphabet, models) = compute.ask("48203", 12, 3), compute.models("copy")
    for name, model in models.items():
        scores = model(alphabet.encode(answers.question)[None])[0, 12:].softmax(dim=-1)
        for digit in range(10):
            np.testing.assert_allclose(answers.probabilities[name][:, digit], scores[:, 1 + digit], atol=1e-6)


@pytest.mark.parametrize("digits", ["123", "<b>x<", "abcde", "٤٨٢٠٣"])
def test_what_is_no_question_gets_the_rule(digits):
    with pytest.raises(InputError, match="5 digits from 0 to 9"):
        compute.ask(digits, 20, 1)


def test_impossible_choices_in_a_link_fall_back(visit):
    assert visit(PAGE, show="none").segmented_control(key="show").value == "Reach"


def test_a_bad_question_gets_one_sentence_and_the_page_stays(visit):
    app = visit(PAGE, show="Copy", digits="123", distance="999", draw="-3", asked="9")
    assert "5 digits from 0 to 9" in message_text(app, "warning")
    app.text_input(key="digits").set_value("48203").run()
    assert not app.warning


def test_the_distances_told_are_those_of_the_measured_accuracies():
    sentences = about_copy(compute.accuracies(), compute.ask("48203", 20, 1))
    shares = measured("copy.csv")
    for name, title in (("rnn", "RNN"), ("convolution", "Convolution"), ("self_attention", "Self-attention")):
        longest = 0
        for distance in sorted(shares[name]):
            if shares[name][distance] <= 0.5:
                break
            longest = distance
        assert f"{title} **{longest or 'none'}**" in sentences[0]
    rnn = shares["rnn"].values()
    assert sentences[1].startswith(f"RNN repeats {min(rnn):.0%} to {max(rnn):.0%} of the digits, whatever the distance")
    assert not [sentence for sentence in sentences if sentence.startswith(("GRU repeats", "LSTM repeats"))]


def test_the_ways_take_their_sizes_from_the_address(visit):
    app = visit(PAGE, show="Three ways", n="256", d="64", k="3", r="16", count="sequential steps")
    assert app.table[0].value.loc["Self-attention", "operations"] == f"$O(n^2\\,d)$\u2003{256 * 256 * 64:,}"
    assert f"self-attention needs **{256 / 64:.2g} times** as many operations as recurrence" in prose(app)
    assert len(traces(app)) == 2


def test_measuring_shows_time_and_memory_for_every_layer(visit, monkeypatch):
    def measure(progress):
        progress(1, 1)
        return tuple(Cost(layer, tokens, tokens / 1e6, 5, tokens * 512) for layer in LAYERS for tokens in (1024, 2048))

    monkeypatch.setattr(compute, "measure_layers", measure)
    compute.layer_costs.forget()
    app = visit(PAGE, show="Three ways")
    assert len(app.get("plotly_chart")) == 1
    next(button for button in app.button if button.label == "Measure on this machine").click().run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 3
    assert set(traces(app, 1)) == set(traces(app, 2)) == set(LAYERS)
    assert "LSTM **2.0** and **2.0**" in prose(app)
    assert "Measure again" in [button.label for button in app.button]
    compute.layer_costs.forget()


def test_the_table_holds_the_measured_facts():
    facts, results = table(), json.loads((compute.FOLDER / "results.json").read_text())["models"]
    for row, name in enumerate(TITLES):
        assert facts["parameters"][row] == results[name]["parameters"]
        assert facts["bits per character"][row] == results[name]["bits"]
    assert facts["sees back"][3] == 24


def test_the_parameters_told_are_those_of_the_models():
    for name, model in compute.models("text")[1].items():
        assert compute.results()[name]["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    assert "about 100,000 parameters" in copies.SECTION.text("How it is computed")
    for model in compute.models("copy")[1].values():
        assert 90_000 <= sum(parameter.numel() for parameter in model.parameters()) <= 110_000


def test_the_words_name_the_sizes_that_the_models_have():
    models, copiers = compute.models("text")[1], compute.models("copy")[1]
    convolution = models["convolution"].sizes
    assert (convolution["layers"], convolution["kernel"]) == (6, 5)
    assert five_models.SECTION.text("Convolution").startswith("Six layers, each a window of five characters")
    assert models["self_attention"].sizes["layers"] == 3
    assert five_models.SECTION.text("Self-attention").startswith("Three layers")
    assert "longer than 25 characters" in PROSE.section("Reach").try_this[2]
    assert compute.window_of_convolution() == copiers["convolution"].body.reach == 25
    assert "window holds 25 characters" in copies.SECTION.try_this[0]


def test_what_there_is_to_try_with_copies_comes_out_as_it_is_hinted():
    right = {
        distance: [
            digit == wanted for digit, wanted in zip(answers_to("convolution", "48203", distance), "48203", strict=True)
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


def test_the_recurrent_networks_were_the_fastest_to_train_as_the_words_say():
    seconds = {name: result["seconds_per_epoch"] for name, result in compute.results().items()}
    assert set(sorted(seconds, key=seconds.get)[:3]) == {"rnn", "lstm", "gru"}
    assert "are the fastest here" in five_models.SECTION.try_this[1]
