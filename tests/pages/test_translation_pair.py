"""Your own pair: links by clicking, agreement as it follows, surprise as the models measure it."""

import math

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.heads.relevance import join_words, word_spans
from pages.language.translation import compute as kept
from pages.language.translation import pair_links, pair_measures
from pages.language.translation import words as said
from pages.language.translation import words_pair as words
from pages.language.translation.models import TITLES

PAGE = "language/translation"
LONG = " ".join(["a"] * 500)


def prose(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown)


def told(app: AppTest, kind: str) -> str:
    return " ".join(element.value for element in getattr(app, kind)).replace("\\", "")


@pytest.fixture
def open_pair(visit):
    """Open the section, with more of the address."""
    return lambda **query: visit(PAGE, show=said.PAIR, **query)


def test_the_section_is_alive_at_once_with_a_pair_that_belongs_together(open_pair):
    app = open_pair()
    assert app.text_area(key="text").value == said.SENTENCE
    assert app.text_area(key="french").value == said.FRENCH[said.SENTENCE]
    assert not app.warning
    assert words.PAIR_NO_LINKS in told(app, "info")
    assert "What to notice" in [element.value for element in app.subheader]


def test_links_of_the_address_are_measured_as_a_person_would_count(open_pair):
    english, french, own = "The cat sleeps.", "Le chat dort.", {(0, 0), (1, 1), (2, 2)}
    app = open_pair(text=english, french=french, links="0-0,1-1,2-2")
    table = app.dataframe[0].value.set_index("")
    for name, title in TITLES.items():
        aligned = kept.align(name, english, french)
        spans = word_spans(aligned.target), word_spans(aligned.source)
        mean = sum(one.mean(dim=0) for one in aligned.cross) / len(aligned.cross)
        words = join_words(mean, *spans)[:-1, :-1]
        found = {(row.argmax().item(), place) for place, row in enumerate(words)}
        assert len(words) == 4  # three words and a full stop
        row = table.loc[f"{title}, mean" if name == "transformer" else title]
        assert row["links"] == 4
        assert row["precision"] == len(found & own) / 4
        assert row["recall"] == pytest.approx(len(found & own) / 3)
        assert row["alignment error rate"] == pytest.approx(1 - 2 * len(found & own) / 7)
    line = table.loc[pair_measures.DIAGONAL]
    assert (line["precision"], line["recall"]) == (3 / 4, 1)


def test_the_smallest_error_rate_is_the_one_that_is_named(open_pair):
    app = open_pair(text="The cat sleeps.", french="Le chat dort.", links="0-0,1-1,2-2,3-3")
    assert f"{pair_measures.DIAGONAL}** comes closest" in prose(app) or "come closest to your 4 links" in prose(app)
    assert "error rate **0%**" in prose(app)


def test_taking_the_links_of_a_model_makes_it_agree_completely(open_pair):
    app = open_pair()
    title = "Bahdanau's attention"
    app.selectbox(key="pair_start").set_value(title)
    button(app, "Take them").click().run()
    row = app.dataframe[0].value.set_index("").loc[title]
    assert (row["precision"], row["recall"], row["alignment error rate"]) == (1, 1, 0)
    assert app.query_params["links"]
    button(app, "Clear").click().run()
    assert "links" not in app.query_params
    assert not app.dataframe


def button(app: AppTest, label: str):
    return next(each for each in app.button if each.label == label)


def test_another_sentence_clears_the_links_and_says_so(open_pair):
    app = open_pair(links="0-0,1-1")
    app.text_area(key="french").set_value("Le chat dort.").run()
    assert "links" not in app.query_params
    assert "the links were cleared" in told(app, "caption")
    app.run()
    assert "the links were cleared" not in told(app, "caption")


@pytest.mark.parametrize(
    ("asked", "kept_links"),
    [("0-0,99-1", "0-0"), ("0-0,<b>,1-1", "0-0,1-1"), ("-1-2,x-y,1.5-2", None), ("4-0,0-4", None)],
)
def test_links_that_fit_no_words_are_left_out_in_a_sentence(open_pair, asked, kept_links):
    # Three words and a full stop: number 4 is the end mark, which is no word.
    app = open_pair(text="The cat sleeps.", french="Le chat dort.", links=asked)
    assert "are left out" in told(app, "info")
    found = app.query_params.get("links")
    assert (found[0] if isinstance(found, list) else found) == kept_links


def test_links_survive_the_address():
    links = frozenset({(0, 0), (12, 3), (3, 12)})
    assert pair_links.decode(pair_links.encode(links), range(13), range(13)) == (links, 0)
    assert pair_links.decode("0-0,0-0", range(1), range(1)) == (frozenset({(0, 0)}), 0)
    assert pair_links.decode("", range(9), range(9)) == (frozenset(), 0)


@pytest.mark.parametrize("direction", ["each French word", "each English word", "both agree", "either"])
def test_every_direction_can_be_chosen(open_pair, direction):
    app = open_pair(links="0-0", pair_direction=direction)
    assert app.segmented_control(key="pair_direction").value == direction
    table = app.dataframe[0].value.set_index("")
    words = {"each French word": 14, "each English word": 13}.get(direction)
    if words:
        assert table["links"].iloc[:3].tolist() == [words] * 3


def test_a_word_costs_as_many_bits_as_its_pieces_together(open_pair):
    app = open_pair(text="The cat sleeps.", french="Le chat dort.")
    text = prose(app)
    for name, title in TITLES.items():
        aligned = kept.align(name, "The cat sleeps.", "Le chat dort.")
        bits = [-value / math.log(2) for value in aligned.log_probabilities]
        words = [sum(bits[place] for place in span) for span in word_spans(aligned.target)]
        assert f"({max(words):.1f} bits)" in text
        assert f"{title} {sum(words):.0f}" in text
        assert np.isclose(sum(words), -sum(aligned.log_probabilities) / math.log(2))


def test_the_french_sentence_follows_the_english_one_until_somebody_types(open_pair):
    app = open_pair()
    app.text_area(key="text").set_value("The cat sleeps.").run()
    proposed = kept.translate("transformer", "The cat sleeps.", beam=5).text
    assert app.text_area(key="french").value == proposed
    app.text_area(key="french").set_value("Une chatte sommeille là-bas.").run()
    app.text_area(key="text").set_value("The cat is asleep.").run()
    assert app.text_area(key="french").value == "Une chatte sommeille là-bas."
    assert not app.exception


@pytest.mark.parametrize("field", ["text", "french"])
@pytest.mark.parametrize("typed", ["", "   "])
def test_an_empty_sentence_gets_one_sentence_and_the_page_stays(open_pair, field, typed):
    app = open_pair(text="The cat sleeps.", french="Le chat dort.")
    app.text_area(key=field).set_value(typed).run()
    assert not app.exception
    assert "There is no text here yet" in told(app, "warning")
    app.text_area(key=field).set_value("Bonjour").run()
    assert not app.warning


@pytest.mark.parametrize("typed", ["<b>x</b> **bold** $x$", "مرحبا 😀 \u202eabc", "x", "你好，世界", "e\u0301te\u0301"])
def test_odd_sentences_are_aligned_all_the_same(open_pair, typed):
    app = open_pair(text=typed, french=typed, links="0-0")
    assert not app.warning
    assert not app.info


@pytest.mark.parametrize(("english", "french"), [(LONG, "Le chat."), ("The cat.", LONG)])
def test_of_a_text_of_five_hundred_words_the_beginning_is_read_and_that_is_said(open_pair, english, french):
    for name in TITLES:  # here, where it may take its time
        kept.align(name, english, french)
    app = open_pair(text=english, french=french)
    assert "it reads the first 127 of 500 tokens" in told(app, "info")


def test_the_projector_shows_no_prose(open_pair):
    assert "What to notice" not in [element.value for element in open_pair(present="1").subheader]


def test_the_pair_is_measured_without_its_end_marks():
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.1, 0.6], [0.0, 0.0, 1.0]])
    found = pair_measures.found_links({"m": weights}, [0, 1], [0, 1], "target")
    assert found == {"m": {(1, 0), (0, 1)}, pair_measures.DIAGONAL: {(0, 0), (1, 1)}}
