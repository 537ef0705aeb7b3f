from types import SimpleNamespace

import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.models.gpt import GPT, GPTConfig
from core.text import Tokens
from dashboard import contents
from pages.foundations.attention_step_by_step import inputs

PAGE = contents.ROOT / "pages" / contents.STEPS.room / "page.py"


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
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    for name, value in address.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def prose(page):
    return " ".join(element.value for element in (*page.markdown, *page.caption))


def test_the_page_asks_its_question_and_shows_an_example_at_once():
    page = visit()
    assert page.title[0].value == "How does a query find its values?"
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
    assert page.slider(key="token").label == "Query token: two"
    assert page.slider(key="temperature").value == 0.5
    assert [toggle.value for toggle in page.toggle] == [False, False]
    assert "Nothing is masked: “two” may look at all 4 tokens" in prose(page)


def test_changed_numbers_come_back_from_the_address():
    page = visit(X="0x4;0x4;0x4")  # three tokens that are all nothing
    assert "“sleeps” cannot decide: all 3 tokens it may look at get **33%**" in prose(page)


@pytest.mark.parametrize("broken", ["1,2,3", "1,0,0,zero;0x4;0x4", "1e9x4;0x4;0x4", "nanx4;0x4;0x4", "1x99;1;1"])
def test_a_broken_matrix_in_a_link_is_named_and_the_example_stays(broken):
    page = visit(X=broken)
    assert "The link holds numbers for X that cannot be used" in page.warning[0].value
    assert "“sleeps” gives **90%**" in prose(page)


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


def test_the_mask_changes_what_the_first_token_sees():
    page = visit(token="0")
    page.toggle(key="mask").set_value(True).run()
    assert "“the” may look at one token only" in prose(page)


def test_a_shorter_sentence_keeps_the_page_alive_when_the_chosen_token_is_gone():
    page = visit(begin="Your sentence", text="one two three four", token="3")
    page.text_input(key="text").set_value("one two").run()
    assert not page.exception
    assert page.slider(key="token").value <= 1


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
