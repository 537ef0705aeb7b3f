"""Your own pair: links by clicking, agreement as it follows, surprise as the models measure it."""

import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.tokens.words import join_words, word_spans
from core.translation.alignment import agreement
from core.zoo import TRANSLATION as TITLES
from pages.language.translation import compute, inputs, own_links, your_own_pair
from pages.language.translation.your_own_pair import DIAGONAL
from tests.pages.conftest import message_text, prose

PAGE = "language/translation"
ENGLISH, FRENCH = "The cat sleeps.", "Le chat dort."


@pytest.fixture
def open_pair(visit):
    """Open the section, with more of the address."""
    return lambda **query: visit(PAGE, show=your_own_pair.SECTION.name, **query)


def button(app: AppTest, label: str):
    return next(widget for widget in app.button if widget.label == label)


def test_the_section_is_alive_at_once_and_links_can_be_taken_from_a_model(open_pair):
    app = open_pair()
    assert app.text_area(key="text").value == inputs.SENTENCE
    assert app.text_area(key="french").value == your_own_pair.FRENCH[inputs.SENTENCE]
    assert not app.warning
    assert your_own_pair.SECTION.text("No links yet") in message_text(app, "info")
    title = "Bahdanau's attention"
    app.selectbox(key="pair_start").set_value(title)
    button(app, "Take them").click().run()
    row = app.dataframe[0].value.set_index("").loc[title]
    assert (row["precision"], row["recall"], row["alignment error rate"]) == (100, 100, 0)  # per cent
    assert app.query_params["links"]
    app.segmented_control(key="pair_direction").set_value("each English word").run()
    assert app.dataframe[0].value["links"].iloc[:3].tolist() == [13] * 3
    button(app, "Clear").click().run()
    assert "links" not in app.query_params
    assert not app.dataframe


def test_links_of_the_address_are_measured_as_a_person_would_count(open_pair):
    own = {(0, 0), (1, 1), (2, 2)}
    app = open_pair(text=ENGLISH, french=FRENCH, links="0-0,1-1,2-2")
    table = app.dataframe[0].value.set_index("")
    for name, title in TITLES.items():
        aligned = compute.align(name, ENGLISH, FRENCH)
        spans = word_spans(aligned.target), word_spans(aligned.source)
        mean = sum(one.mean(dim=0) for one in aligned.cross) / len(aligned.cross)
        between = join_words(mean, *spans)[:-1, :-1]
        links = {(row.argmax().item(), place) for place, row in enumerate(between)}
        assert len(between) == 4  # three words and a full stop
        row = table.loc[f"{title}, mean" if name == "transformer" else title]
        assert row["links"] == 4
        assert row["precision"] == 100 * len(links & own) / 4
        assert row["recall"] == pytest.approx(100 * len(links & own) / 3)
        assert row["alignment error rate"] == pytest.approx(100 * (1 - 2 * len(links & own) / 7))
    line = table.loc[DIAGONAL]
    assert (line["precision"], line["recall"]) == (75, 100)
    assert f"with your links ({len(own)})" in prose(app)


def test_another_sentence_clears_the_links_and_the_french_one_follows_until_somebody_types(open_pair):
    app = open_pair(links="0-0,1-1")
    app.text_area(key="text").set_value(ENGLISH).run()
    assert app.text_area(key="french").value == compute.translate("transformer", ENGLISH, 5).text
    assert "links" not in app.query_params
    assert "the links were cleared" in message_text(app, "caption")
    app.text_area(key="french").set_value("Une chatte sommeille là-bas.").run()
    app.text_area(key="text").set_value("The cat is asleep.").run()
    assert app.text_area(key="french").value == "Une chatte sommeille là-bas."
    assert "the links were cleared" not in message_text(app, "caption")
    app.text_area(key="french").set_value("  ").run()
    assert "There is no text here yet" in message_text(app, "warning")


def test_links_that_fit_no_words_are_left_out_in_a_sentence_whatever_the_words_are(open_pair):
    typed = "<b>x</b> 😀 \u202eabc"
    app = open_pair(text=typed, french=typed, links="0-0,<b>,99-1")
    assert not app.warning
    assert "2 of the links in the address do not fit" in message_text(app, "info")
    assert app.query_params["links"] in ("0-0", ["0-0"])


@given(st.frozensets(st.tuples(st.integers(0, 12), st.integers(0, 12))))
def test_links_survive_the_address(links):
    text = own_links.links_to_text(links)
    assert own_links.links_from_text(text, range(13), range(13)) == (links, 0)
    inside = frozenset(link for link in links if max(link) < 5)
    assert own_links.links_from_text(text, range(5), range(5)) == (inside, len(links) - len(inside))


@pytest.mark.parametrize(
    ("address", "links", "wrong"),
    [
        ("0-0,99-1", {(0, 0)}, 1),
        ("0-0,<b>,1-1", {(0, 0), (1, 1)}, 1),
        ("-1-2,x-y,1.5-2", set(), 3),
        ("0-0,0-0", {(0, 0)}, 0),
        ("0-0,٣-٣", {(0, 0)}, 1),
    ],
)
def test_what_is_no_link_is_counted(address, links, wrong):
    assert own_links.links_from_text(address, range(4), range(4)) == (links, wrong)


def test_of_a_text_of_five_hundred_words_the_beginning_is_read_and_that_is_said(open_pair):
    app = open_pair(text=" ".join(["a"] * 500), french="Le chat.")
    assert "it reads the first 127 of 500 tokens" in message_text(app, "info")


def test_the_projector_shows_no_prose(open_pair):
    app = open_pair(text=ENGLISH, french=FRENCH, present="1")
    assert "How it is computed" not in [element.value for element in app.subheader]


def test_the_map_that_is_said_to_align_best_is_the_one_that_is_measured():
    pair, best = your_own_pair.pair_of(ENGLISH, FRENCH), compute.best_head()
    (own,) = [
        attention_map
        for attention_map in pair.panels["transformer"].maps
        if attention_map.note.startswith("aligns best")
    ]
    np.testing.assert_array_equal(own.weights, pair.candidates[f"Transformer, {own.name}"])
    aligned = pair.aligned["transformer"]
    weights = aligned.cross[best.layer][best.head]
    rows = torch.cat([weights[best.shift :], weights[len(weights) - best.shift :]])
    expected = join_words(rows, word_spans(aligned.target), word_spans(aligned.source))
    np.testing.assert_allclose(own.weights, expected, atol=1e-6)


def test_the_pair_is_measured_without_its_end_marks():
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.1, 0.6], [0.0, 0.0, 1.0]])
    links = your_own_pair.strongest_links({"m": weights}, [0, 1], [0, 1], "target")
    assert links == {"m": {(1, 0), (0, 1)}, DIAGONAL: {(0, 0), (1, 1)}}


LINKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)))


@given(st.fixed_dictionaries({"A": LINKS, "B": LINKS, DIAGONAL: LINKS}), LINKS)
def test_who_comes_closest_has_the_fewest_links_wrong(model_links, own):
    sentences = your_own_pair.about_links(
        {name: agreement(links, own) for name, links in model_links.items()}, frozenset(own)
    )
    if not own:
        assert sentences == ("No link is chosen yet: click the cells of words that belong together.",)
        return
    rates = {name: 1 - 2 * len(links & own) / (len(links) + len(own)) for name, links in model_links.items()}
    closest = re.findall(r"\*\*(.*?)\*\*", sentences[0].split("closest")[0])
    assert set(closest) == {name for name, rate in rates.items() if rate == pytest.approx(min(rates.values()))}
    assert (
        f"{len(own)} {'link' if len(own) == 1 else 'links'}: error rate **{min(rates.values()):.0%}**" in sentences[0]
    )
    worse = [name for name in model_links if name != DIAGONAL and rates[name] >= rates[DIAGONAL]]
    assert (f"No better than that: {'; '.join(worse)}." if worse else "Every model is better.") in sentences[1]
    assert ("one more can turn" in sentences[1]) == (len(own) < 5)
    assert f"has {rates[DIAGONAL]:.0%}" in sentences[1]


def test_a_word_costs_as_many_bits_as_its_pieces_together():
    pair = your_own_pair.pair_of(ENGLISH, FRENCH)
    bits = {name: -np.array(pair.target.sums(of.log_probabilities)) / np.log(2) for name, of in pair.aligned.items()}
    worst, costs = your_own_pair.about_surprises(pair.target, bits)
    totals = {}
    for name, aligned in pair.aligned.items():
        pieces = [-value / math.log(2) for value in aligned.log_probabilities]
        word_bits = [sum(pieces[place] for place in span) for span in word_spans(aligned.target)]
        totals[name] = sum(word_bits)
        label = pair.target.labels[word_bits.index(max(word_bits))].strip()
        assert f"{name} by “{label}” ({max(word_bits):.1f} bits)" in worst.replace("\\", "")
        assert f"{name} {sum(word_bits):.0f}" in costs
    least = min(totals, key=totals.get)
    assert f"**{least}** finds it most probable (log p = −{totals[least] * math.log(2):.2f})" in costs
    same = dict.fromkeys(bits, next(iter(bits.values())))
    assert "** find it most probable" in your_own_pair.about_surprises(pair.target, same)[1]
