"""The page "Inside the transformer": alive at once, walked through by links, calm at odd input."""

from typing import get_args

import pytest

from core.interpretability import Kind
from core.interpretability.masks import MaskKind
from dashboard import contents
from dashboard.cache.models import translator
from pages.foundations.inside_the_transformer import compute as inside
from pages.foundations.inside_the_transformer import walk
from tests.pages.conftest import check

PAGE = contents.INSIDE.folder


@pytest.fixture
def opened(visit):
    return lambda **query: visit(PAGE, **query)


def prose(page) -> str:
    return " ".join(element.value for element in (*page.markdown, *page.caption, *page.info, *page.warning))


def test_the_page_asks_its_question_and_shows_an_example_at_once(opened):
    page = opened()
    assert page.title[0].value == "Inside the transformer"
    assert len(page.markdown[0].value.split()) <= 60
    assert page.selectbox(key="part").value == "blocks.0.attention"
    assert "Causal mask: no query may attend to a later token." in prose(page)
    assert "This model is a decoder" in prose(page)


def test_every_kind_of_part_and_of_mask_is_described():
    headings = {f"Purpose: {kind}" for kind in get_args(Kind)} | {f"Mask: {kind}" for kind in get_args(MaskKind)}
    assert {name for name in walk.SECTION.texts if name.startswith(("Purpose: ", "Mask: "))} == headings


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ("token_embedding", "The first vector of"),
        ("blocks.3.mlp", "Of 1,152 neurons"),
        ("blocks.5.attention_norm", "Ba et al. 2016, equations 3 and 4"),
        ("output", "The most probable of 4,096"),
        ("blocks.2.attention.qkv", "`Linear` with 249,696 weights"),
    ],
)
def test_a_link_leads_to_a_part(opened, part, says):
    page = opened(part=part)
    assert page.selectbox(key="part").value == part
    assert says in prose(page)


def test_the_encoder_decoder_is_the_trained_translator(opened):
    page = opened(machine="Encoder-decoder", part="decoder.blocks.1.cross_attention", text="The cat sleeps.")
    assert page.selectbox(key="part").value == "decoder.blocks.1.cross_attention"
    assert "after each sum (post-norm)" in prose(page)
    walk = inside.walk_translation("The cat sleeps.", "")
    model = translator("transformer")
    written = model.write(model.encode("The cat sleeps.")).best.tokens
    assert walk.labels["decoder"] == ("<s>", *model.tokens(written).labels[:-1])
    assert walk.walked.logits[-1].argmax().item() == written[-1]


def test_the_decoder_goes_on_from_the_french_that_a_visitor_typed(opened):
    opened(machine="Encoder-decoder", text="The cat sleeps.", target="Le chat\u202f!")
    assert "".join(inside.walk_translation("The cat sleeps.", "Le chat\u202f!").labels["decoder"]) == "<s> Le chat !"


@pytest.mark.parametrize("show", ["Walk", "Logit lens"])
def test_a_picture_passes_through_an_encoder(opened, show):
    page = opened(machine="Encoder", show=show, patches="8")
    assert not page.warning
    assert show != "Walk" or "No mask: every query may attend to every key." in prose(page)


@pytest.mark.parametrize("show", ["Stream", "Sizes"])
def test_both_texts_pass_through_the_encoder_decoder(opened, show):
    assert not opened(machine="Encoder-decoder", show=show).warning


@pytest.mark.parametrize("text", ["<b>x</b> 👩‍👩‍👧 שלום <img src=x>", "a"])
@pytest.mark.parametrize("show", ["Walk", "Logit lens"])
def test_odd_texts_are_walked_as_they_are(opened, text, show):
    page = opened(text=text, show=show)
    assert not page.warning
    assert "<b>" not in prose(page)


def test_an_empty_text_is_a_sentence(opened):
    page = opened(text=" ")
    assert "There is no text here yet" in page.warning[0].value


def test_a_long_text_is_cut_with_a_sentence(opened):
    assert "The first 40 of" in prose(opened(text="the cat sat " * 60))


@pytest.mark.parametrize(
    "query",
    [
        {"part": "blocks.99.mlp", "token": "9999", "head": "77"},
        {"show": "dance", "machine": "perpetual", "part": "blocks.0.mlp", "token": "-3"},
    ],
)
def test_a_link_with_impossible_values_falls_back_to_the_usual_ones(opened, query):
    assert not opened(**query).warning


def test_presented_there_is_no_prose(opened):
    page = opened(present="1", part="blocks.0.mlp")
    assert "Works on each token alone" not in prose(page)
    assert "How it is computed" not in [element.value for element in page.subheader]


def test_another_machine_keeps_the_page_alive_when_the_part_is_gone(opened):
    page = opened(part="blocks.4.mlp")
    page.selectbox(key="machine").set_value("Encoder-decoder").run()
    assert check(page).selectbox(key="part").value == "encoder.blocks.0.attention"
