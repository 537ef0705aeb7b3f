"""Sentiment / Faithful?: the section opens, its address works, and bad input gets one sentence."""

from functools import partial

import pytest

from core.attribution.token_methods import METHODS
from core.zoo import REVIEWERS
from pages.language.sentiment import compute_faithful, faithful
from pages.language.sentiment import faithful_sentences as sentences
from pages.language.sentiment.faithful import NAMES
from pages.language.sentiment.reviews import EXAMPLES
from tests.pages.conftest import check, message_text, prose

PAGE = "language/sentiment"
FIRST = next(iter(EXAMPLES["english"].values()))
RNN = "english-rnn"
SHORT = "A warm and brilliant film, and a dull ending."

open_section = partial(dict, show="Faithful?", model=RNN)


def plainly(text: str) -> str:
    return text.replace("\\", "")


def test_the_section_is_alive_at_once_and_claims_what_was_computed(visit):
    app = visit(PAGE, **open_section())
    assert not app.warning
    explained = compute_faithful.explained(RNN, FIRST)
    curves = compute_faithful.curves(explained)
    for sentence in (
        sentences.about_best(curves, NAMES),
        sentences.about_ends(curves, explained.verdict.label),
        sentences.about_chance(curves, NAMES, "insertion"),
        sentences.about_agreement(compute_faithful.agreement(explained, strength=False), NAMES),
        sentences.about_measured(compute_faithful.measured()[RNN], NAMES, "deletion"),
    ):
        assert plainly(sentence) in prose(app)
    count = 20 * len(explained.words) // 100
    after = compute_faithful.taken(explained, next(iter(explained.scores)), count, keep=False)
    assert f"Without the {count} most important of {len(explained.words)} words" in prose(app)
    assert app.metric[0].value == f"{float(after[explained.target]):.1%}"


def test_a_link_holds_the_order_the_share_and_what_becomes_of_the_words(visit):
    query = {"faithful_order": METHODS["occlusion"], "faithful_percent": "50", "faithful_how": faithful.KEEP}
    app = visit(PAGE, **open_section(text=SHORT, faithful_ranked=faithful.STRENGTH, **query))
    assert app.slider(key="faithful_percent").value == 50
    explained = compute_faithful.explained(RNN, SHORT)
    count = len(explained.words) // 2
    after = compute_faithful.taken(explained, "occlusion", count, keep=True)
    assert f"From the {count} most important of {len(explained.words)} words alone" in prose(app)
    assert f"**{float(after[explained.target]):.1%}**" in prose(app)
    alike = compute_faithful.agreement(explained, strength=True)
    assert plainly(sentences.about_agreement(alike, NAMES)) in prose(app)


def test_nothing_taken_away_leaves_the_verdict_and_all_taken_away_leaves_that_of_no_words(visit):
    explained = compute_faithful.explained(RNN, SHORT)
    ends = [compute_faithful.taken(explained, "occlusion", count, keep=False) for count in (0, len(explained.words))]
    assert float(ends[0][explained.target]) == pytest.approx(explained.probability, abs=1e-6)
    for method in explained.scores:
        all_gone = compute_faithful.taken(explained, method, len(explained.words), keep=False)
        assert all_gone.tolist() == pytest.approx(ends[1].tolist(), abs=1e-6)
        alone = compute_faithful.taken(explained, method, len(explained.words), keep=True)
        assert alone.tolist() == pytest.approx(ends[0].tolist(), abs=1e-6)
    app = visit(PAGE, **open_section(text=SHORT, faithful_percent="0"))
    assert f"**{explained.probability:.1%}**, as from the whole text" in prose(app)


@pytest.mark.parametrize("model", [name for name in REVIEWERS["english"] if name.endswith(("cnn", "encoder"))])
def test_each_network_is_explained_in_the_ways_that_it_has(visit, model):
    app = visit(PAGE, **open_section(model=model, text=SHORT))
    explained = compute_faithful.explained(model, SHORT)
    assert app.button_group(key="faithful_order").options == [METHODS[name] for name in explained.scores]
    assert ("attention" in explained.scores) == model.endswith("encoder")


def test_spanish_is_not_compared_with_what_was_measured_in_english(visit):
    app = visit(PAGE, show="Faithful?", language="Spanish")
    assert not app.warning
    assert "This model was not measured over many reviews" in message_text(app, "caption")


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_text_is_one_sentence(visit, text):
    app = visit(PAGE, **open_section())
    check(app.text_area(key="text").set_value(text).run())
    assert "There is no text here yet" in message_text(app)


@pytest.mark.parametrize("text", ["great", "😀", "<b>x</b> **y** $z$ ~~w~~", "[UNK] [MASK]", "مرحبا"])
def test_odd_and_single_words_are_read_like_any_other(visit, text):
    assert not visit(PAGE, **open_section(text=text)).warning


def test_the_projector_gets_figures_without_notes(visit):
    app = visit(PAGE, **open_section(present="1", text=SHORT))
    assert not app.warning
    assert len(app.get("plotly_chart")) == 3
    assert "How it is computed" not in prose(app)


def test_curves_that_would_take_long_are_measured_when_somebody_asks(visit, monkeypatch):
    monkeypatch.setattr(faithful, "PATIENCE", -1)
    app = visit(PAGE, **open_section(text=SHORT))
    assert not app.get("plotly_chart")
    assert "How it is computed" in [subheader.value for subheader in app.subheader]
    check(app.toggle(key="faithful_long").set_value(True).run())
    assert len(app.get("plotly_chart")) == 3
