"""Attention step by step: links, numbers that are changed, and sentences about one query."""

import math
import re
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.attention.worked_examples import EXAMPLES
from core.errors import InputError
from core.models.gpt import GPT, GPTConfig
from core.text import Tokens
from dashboard import contents
from pages.foundations.attention_step_by_step import dictionary, eight_steps, geometry, inputs, matrices, notes

PAGE = contents.ROOT / "pages" / contents.STEPS.folder / "page.py"


@pytest.fixture(autouse=True)
def small_model(monkeypatch):
    torch.manual_seed(0)
    network = GPT(GPTConfig(vocabulary=300, context=64, width=24, layers=3, heads=4)).eval()

    def encode(text):
        words = text.split(" ")
        ids = tuple(sum(map(ord, word)) % 300 for word in words)
        return Tokens(ids, tuple(words), (False,) * len(words), tuple(range(len(words))))

    monkeypatch.setattr(inputs, "text_model", lambda name: SimpleNamespace(name=name, network=network, encode=encode))


def visit(**address):
    """The page at an address; one without any choice is that of the eight steps, not of the dictionary."""
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    address = address or {"show": eight_steps.SECTION.name}
    for name, value in address.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def prose(page):
    return " ".join(element.value for element in (*page.markdown, *page.caption))


@pytest.mark.parametrize(
    "address",
    [
        *({key: "1"} for key in eight_steps.PARAMETERS),
        {"begin": "Your sentence", "text": "one two", "layer": "1", "head": "1", "present": "1"},
        {"step": "score", "cell": "1.1", "lookup_angle": "45"},
    ],
    ids=lambda address: " ".join(address),
)
def test_a_link_of_the_time_before_the_sections_opens_the_eight_steps_and_says_so(address):
    page = visit(**address)
    assert page.session_state.show == page.query_params["show"] == eight_steps.SECTION.name
    carried = [key for key in ("text", "step", "cell") if key in address]
    assert [page.query_params[key] for key in carried] == [address[key] for key in carried]
    page.segmented_control(key="show").set_value(dictionary.SECTION.name).run()
    assert page.session_state.show == dictionary.SECTION.name
    page.run()
    assert page.session_state.show == dictionary.SECTION.name


@pytest.mark.parametrize(
    ("address", "section"),
    [
        ({"present": "1"}, dictionary.SECTION.name),
        ({"lookup_temperature": "0"}, dictionary.SECTION.name),
        ({"query_turn": "90"}, geometry.SECTION.name),
        ({"show": geometry.SECTION.name, "begin": "Your sentence", "text": "one two"}, geometry.SECTION.name),
        ({"show": dictionary.SECTION.name, "begin": "Your sentence"}, dictionary.SECTION.name),
    ],
)
def test_other_links_open_the_section_that_they_name_or_the_dictionary(address, section):
    assert visit(**address).session_state.show == section


def test_the_page_asks_its_question_and_shows_an_example_at_once():
    page = visit()
    assert page.title[0].value == "Attention step by step"
    assert "“sleeps” gives **90%** of its attention to “cat”" in prose(page)
    assert not page.warning


def test_a_link_to_the_classic_example_leads_to_88_percent():
    page = visit(example="The classic: scores 112 and 96")
    assert "gives **88%** of its attention to itself" in prose(page)
    assert "With the scale the largest weight of “Thinking” is **0.88**, without it **1.00**" in prose(page)


def test_a_link_holds_mode_text_layer_head_token_scale_mask_and_temperature():
    page = visit(
        begin="Your sentence",
        text="one two three four",
        layer="2",
        head="3",
        token="1",
        scaled="false",
        masked="false",
        temperature="0.5",
    )
    assert page.text_input(key="text").value == "one two three four"
    assert page.slider(key="token").value == 1
    assert page.slider(key="token").label == "Query: two"
    assert page.slider(key="temperature").value == 0.5
    assert [toggle.value for toggle in page.toggle] == [False, False]
    assert "Nothing is masked: “two” may look at all 4 tokens" in prose(page)


def test_changed_numbers_come_back_from_the_address():
    page = visit(X="0x4;0x4;0x4")  # three tokens that are all nothing
    assert "“sleeps” cannot decide: all 3 tokens that it may attend to get about **33%**" in prose(page)


def test_a_broken_matrix_in_a_link_is_named_and_the_example_stays():
    page = visit(X="1,2,3")
    assert "The link holds numbers for X that cannot be used" in page.warning[0].value
    assert "“sleeps” gives **90%**" in prose(page)


@pytest.mark.parametrize("broken", ["1,0,0,zero;0x4;0x4", "1e9x4;0x4;0x4", "nanx4;0x4;0x4", "1x99;1;1", "1,2,3", ""])
def test_a_text_that_is_no_matrix_of_the_shape_is_an_error(broken):
    with pytest.raises(InputError):
        matrices.decode(broken, (3, 4))


@pytest.mark.parametrize(
    "address",
    [
        {"layer": "99", "head": "-1", "token": "7000", "temperature": "0", "begin": "Your sentence"},
        {"token": "x", "head": "[1]", "begin": "nowhere", "example": "none"},
        {"step": "dance", "cell": "9.9"},
    ],
)
def test_a_link_with_impossible_values_falls_back_to_the_usual_ones(address):
    page = visit(**address)
    assert not page.warning


def test_a_shorter_sentence_keeps_the_page_alive_when_the_chosen_token_is_gone():
    page = visit(begin="Your sentence", text="one two three four", token="3")
    page.text_input(key="text").set_value("one two").run()
    assert not page.exception
    assert page.slider(key="token").value <= 1


def test_the_slider_names_the_token_whose_row_is_followed_after_every_change_of_input():
    def check(token):
        assert page.slider(key="token").label == f"Query: {token}"
        assert f"largest weight of “{token}”" in prose(page)

    page = visit()
    check("sleeps")
    page.segmented_control(key="begin").set_value("Your sentence").run()
    check(r"tired\.")  # nobody chose: its last word
    page.slider(key="token").set_value(3).run()
    page.text_input(key="text").set_value("one two three four five six seven").run()
    check("four")  # the place that was chosen
    page.segmented_control(key="begin").set_value("Worked example").run()
    check("sleeps")  # there is no such place
    page.slider(key="token").set_value(1).run()
    page.selectbox(key="example").set_value("The classic: scores 112 and 96").run()
    check("Machines")


def test_an_example_with_fewer_heads_falls_back_to_the_first():
    page = visit(begin="Your sentence", text="one two three four", head="3")
    page.segmented_control(key="begin").set_value("Worked example").run()
    assert not page.exception
    assert "“sleeps” gives **90%**" in prose(page)


def test_a_text_that_is_too_long_to_be_told_apart_is_cut_with_a_sentence():
    page = visit(begin="Your sentence", text=" ".join(["word"] * 60))
    assert "the first 48 of 60 tokens" in page.info[0].value


def test_markup_in_a_sentence_stays_text():
    page = visit(begin="Your sentence", text="<b>bold</b> **strong** $x$", token="1")
    assert r"\*\*strong\*\*" in prose(page)


@pytest.fixture
def sentences():
    """The notices about one query of an example."""

    def about(example, *, head=0, query=0, scale=True, causal=False, temperature=1.0):
        steps, other = (
            example.steps(scale=scaled, causal=causal, temperature=temperature) for scaled in (scale, not scale)
        )
        return notes.notices(steps, other, tokens=example.tokens, head=head, query=query, scale=scale)

    return about


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [False, True])
def test_every_sentence_is_what_plain_loops_find(sentences, example, causal, scale):
    steps = {step.name: step for step in example.steps(scale=scale, causal=causal)}
    both = [
        {step.name: step for step in example.steps(scale=scaled, causal=causal)}["normalise"].operations[0].output
        for scaled in (True, False)
    ]
    for head in range(example.heads):
        for query in range(len(example.tokens)):
            choice, scaled, masked = sentences(example, head=head, query=query, causal=causal, scale=scale)
            scores = steps["score"].operations[0].output.of_head(head)[query].tolist()
            allowed = scores[: query + 1] if causal else scores
            if "highest score" in choice:
                match = re.search(r"to (itself|“(.*?)”)", choice)
                place = query if match[1] == "itself" else example.tokens.index(match[2])
                assert scores[place] == max(allowed)
                assert f"({max(allowed):.4g})".replace("-", "−") in choice
            elif "cannot decide" in choice:
                assert f"all {len(allowed)} tokens" in choice
                assert f"about **{1 / len(allowed):.0%}**" in choice
            else:
                assert len(allowed) == 1
            largest = [f"{float(output.of_head(head)[query].max()):.2f}" for output in both]
            assert largest[0] in scaled
            if "changes little" not in scaled:
                assert f"**{largest[0]}**, without it **{largest[1]}**" in scaled
                for output in both:
                    row = output.of_head(head)[query].tolist()
                    assert f"{abs(-sum(w * math.log2(w) for w in row if w)):.2f}" in scaled
            hidden = len(scores) - len(allowed)
            assert (f"hides {hidden} of {len(scores)} tokens" in masked) == (hidden > 0)
            assert ("also at those after it" in masked) == (not causal and query < len(scores) - 1)


@pytest.mark.parametrize(
    ("hidden", "query", "text"),
    [
        ([[False]], 0, "“a” is the only token"),
        ([[False, True], [False, False]], 0, "hides 1 of 2 tokens from “a”: its weight is exactly 0"),
        ([[False, True], [False, False]], 1, "hides nothing from “b”, the last token"),
        ([[False] * 3] * 3, 0, "may look at all 3 tokens, also at those after it"),
        ([[False] * 3] * 3, 2, "may look at all 3 tokens."),
        ([[False, True, True]] * 3, 0, "hides 2 of 3 tokens from “a”: their weights are"),
    ],
)
def test_the_mask_is_told_as_it_is(hidden, query, text):
    assert text in notes.tell_mask(lambda place: f"“{'abc'[place]}”", torch.tensor(hidden), query)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=6), st.floats(0.05, 1))
def test_the_slope_of_a_saturated_softmax_is_its_derivative(scores, factor):
    plain = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
    graph, scaled = plain.softmax(0), (plain.detach() * factor).softmax(0)
    unscaled = graph.detach()
    text = notes.tell_scale("“a”", scaled, unscaled)
    assert "nan" not in text
    assert "-0.00" not in text
    if "saturated" in text:
        assert float(unscaled.max()) > 0.99 > float(scaled.max())
        (slope,) = torch.autograd.grad(graph.max(), plain)
        weight = float(unscaled.max())
        assert float(slope[int(plain.argmax())]) == pytest.approx(weight * (1 - weight), abs=1e-9)
    elif "sharper" in text:
        assert float(unscaled.max()) >= float(scaled.max())
