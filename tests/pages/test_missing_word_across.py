"""Missing word / Across languages: the section, its address, and the claims of its sentences."""

import json
import math
import re
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core import zoo
from core.probing.masked_words.across_languages import GuessPair
from core.probing.masked_words.masked_places import MaskedToken
from core.results.translator_results import PAIRS, Alignment, Guesses
from dashboard.output import alignment_table
from dashboard.output.alignment_table import TITLES
from pages.language.missing_word import across, compute_across, hidden_words, inputs
from pages.language.missing_word.across_sentences import (
    about_alignment,
    about_all,
    about_gap,
    about_links,
    about_measured,
)
from tests.pages.conftest import check, message_text, prose
from tests.pages.measured_files import TEXTS, agreement, write_alignment

PAGE = "language/missing_word"
open_section = partial(dict, show="Across languages")


def test_the_section_is_alive_at_once_with_a_word_hidden(visit):
    app = visit(PAGE, **open_section())
    assert not app.warning
    assert not app.info
    titles = [element.value for element in app.subheader]
    assert titles[:3] == [
        "What stands behind the mask?",
        "Which word attends to which?",
        "Do the links agree with those of people?",
    ]
    text = prose(app)
    assert "With the French sentence, the masked word has a probability of" in text
    assert "The masked token's first prediction is **right** with the other language" in text
    assert f"“{across.FIRST.english.split()[5]}”" in text  # the word that is hidden, in the formula
    assert "of its attention to the English words on average" in text
    assert "Over the held-out sentences: English" in text


def test_the_table_is_that_of_translation(visit):
    app = visit(PAGE, **open_section())
    table = app.dataframe[-1].value
    expected = alignment_table.table(compute_across.alignment())
    assert list(table["links from"]) == list(expected["links from"])
    assert any(name.startswith("BERT on both sentences, layer") for name in table["links from"])
    assert {"Bahdanau's attention", "IBM model 1, no network"} <= set(table["links from"])
    assert list(table["AER, Hansards"]) == pytest.approx([100 * value for value in expected["AER, Hansards"]])


def test_a_word_that_the_model_cannot_read_is_not_the_first_to_be_hidden():
    pair = compute_across.read("The sea 🙂🙂🙂🙂 is calm.", "La mer est calme.")
    (unread,) = pair.unknown_english
    assert pair.sides[0][unread].label.strip() not in "The sea is calm."
    (hidden,) = hidden_words.first_hidden(pair.sides[0], pair.unknown_english)
    assert pair.sides[0][hidden].label.strip() == "calm"


def test_a_link_holds_sentences_gaps_and_head(visit):
    app = visit(
        PAGE,
        **open_section(
            english="She is a doctor.",
            french="Elle est médecin.",
            hide_english="3",
            hide_french="0.2",
            across_head=across.ANY,
            across_layer="1",
            across_number="2",
            across_gaps="true",
        ),
    )
    assert not app.warning
    assert "masked tokens**" in prose(app)
    options = app.segmented_control(key="across_gap").options
    assert options[0].startswith("1. doctor")
    assert any("Elle" in option for option in options)
    assert "**Layer 1, head 2**: a French word gives" in prose(app)
    assert app.toggle(key="across_gaps").value


def test_an_example_brings_its_own_gaps(visit):
    app = visit(PAGE, **open_section(hide_english="1", hide_french="1"))
    check(app.pills(key="across_example").set_value("He or she?").run())
    assert app.text_input(key="french").value == "Elle est médecin."
    assert dict(app.query_params)["hide_french"] in ("0", ["0"])
    assert dict(app.query_params)["hide_english"] in (hidden_words.NONE, [hidden_words.NONE])
    assert "With the English sentence, the masked word" in prose(app)


def test_nothing_hidden_leaves_the_map_and_the_table(visit):
    app = visit(PAGE, **open_section(hide_english="none", hide_french="none"))
    assert "Click a word of either sentence" in prose(app)
    assert "What stands behind the mask?" not in [element.value for element in app.subheader]
    assert across.SECTION.text("No masked word") in prose(app)


@pytest.mark.parametrize("side", ["english", "french"])
def test_an_empty_side_is_one_sentence(visit, side):
    app = visit(PAGE, **open_section(**{side: "  "}))
    assert message_text(app, "warning") == "There is no text here yet. Type a sentence or open a file."


def test_sentences_that_are_too_long_together_are_told_with_numbers(visit):
    app = visit(PAGE, **open_section(french="Le chat dort dans le jardin. " * 30))
    assert re.search(r"have \d+ tokens together; this model reads at most 128 at once", message_text(app, "warning"))
    assert len(app.warning) == 1


def test_words_that_the_tokenizer_cannot_read_are_named(visit):
    app = visit(PAGE, **open_section(french="Le 猫 dort 😀.", hide_english="0"))
    assert not app.warning
    (notice,) = [element.value for element in app.info]
    assert "“猫”" in notice
    assert "“😀”" in notice
    assert "8,004 pieces" in notice


@pytest.mark.parametrize("french", ["<b>x</b> **y** $z$", "[SEP] [MASK]", "مرحبا"])
def test_odd_sentences_are_read_like_any_other(visit, french):
    assert not visit(PAGE, **open_section(french=french)).warning


def test_gaps_that_the_sentences_do_not_have_are_left_out(visit):
    app = visit(PAGE, **open_section(english="A cat.", french="Un chat.", hide_english="1.40", hide_french="x"))
    notices = message_text(app, "info")
    assert "1 of the masked words in the address is not among the 3 words of the English sentence" in notices
    assert "words of the French sentence, and" in notices
    assert "The masked token's first prediction is **" in prose(app)


def test_what_is_not_measured_says_so_and_the_rest_is_there(visit, monkeypatch, tmp_path):
    monkeypatch.setattr(compute_across, "PAIRS_FOLDER", tmp_path)
    app = visit(PAGE, **open_section())
    assert across.SECTION.text("Unmeasured alignment") in message_text(app, "caption")
    assert not any("BERT" in name for name in app.dataframe[-1].value["links from"])
    assert "held-out sentences" not in prose(app)
    assert "**Layer 0, head 0**" in prose(app)


def test_a_model_that_is_not_there_is_one_sentence(visit, monkeypatch):
    monkeypatch.delitem(zoo.TEXT, PAIRS)
    app = visit(PAGE, **open_section())
    assert message_text(app, "warning") == across.SECTION.text("Missing weights")


def test_the_projector_shows_no_prose_below(visit):
    app = visit(PAGE, **open_section(present="1"))
    assert "How it is computed" not in [element.value for element in app.subheader]


def test_a_click_hides_a_word_and_keeps_the_gaps_of_the_other_sentence(monkeypatch):
    address = dict[str, str]()
    monkeypatch.setattr(hidden_words.st, "query_params", address)
    across._switch("French", frozenset({1}), ((4,), (1,)), 2)
    assert address == {"hide_english": "4", "hide_french": "1.2"}
    across._switch("English", frozenset({4}), ((4,), (1, 2)), 4)
    assert address == {"hide_english": "none", "hide_french": "1.2"}


def test_every_example_hides_words_that_it_has():
    assert len(across.EXAMPLES) >= 4
    for example in across.EXAMPLES.values():
        pair = compute_across.read(example.english, example.french)
        hidden = (example.hidden_english, example.hidden_french)
        assert any(hidden)
        for words, numbers in zip(pair.sides, hidden, strict=True):
            assert all(words[number].has_letters for number in numbers)
        assert not inputs.unknown_characters(pair.tokens.ids, pair.english + pair.french, compute_across.model())


# Sentences

SHARES = st.lists(st.floats(0.001, 1), min_size=4, max_size=4).map(lambda parts: [part / sum(parts) for part in parts])


def twice(beside: list[float], alone: list[float], true: int | None = 0) -> GuessPair:
    return GuessPair(*(MaskedToken(1, true, torch.tensor(shares, dtype=torch.float64)) for shares in (beside, alone)))


@settings(max_examples=50)
@given(SHARES, SHARES)
def test_a_gap_is_told_with_both_probabilities_both_ranks_and_the_bits_between(beside, alone):
    sentence = about_gap(twice(beside, alone), "French")
    ranks = [1 + sum(share > shares[0] for share in shares[1:]) for shares in (beside, alone)]
    assert sentence.startswith("With the English sentence, the masked word")
    for shares, rank in zip((beside, alone), ranks, strict=True):
        assert f"**{'less than 0.1%' if shares[0] < 0.0005 else format(shares[0], '.1%')}**" in sentence
        assert re.search(rf"{rank}(st|nd|rd|th) prediction", sentence)
    bits = math.log(beside[0], 2) - math.log(alone[0], 2)
    if 0.049 < abs(bits) < 0.051:
        return
    if bits >= 0.05:
        assert f"worth **{bits:.1f} bits**" in sentence
    elif bits <= -0.05:
        assert f"a loss of **{-bits:.1f} bits**" in sentence
    else:
        assert "changes almost nothing" in sentence


def test_a_mask_of_the_visitors_own_claims_nothing():
    own = twice([0.5, 0.5], [0.5, 0.5], None)
    assert "no true word is known" in about_gap(own, "English")
    assert about_all((own,), ()).startswith("Click a word")


@settings(max_examples=50)
@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=5))
def test_right_guesses_and_bits_are_counted_over_both_languages(shares):
    gaps = [twice(beside, alone) for beside, alone in shares]
    sentence = about_all(gaps[:2], gaps[2:])
    right = [
        sum(max(probabilities) == probabilities[0] for probabilities in side) for side in zip(*shares, strict=True)
    ]
    if len(shares) == 1:
        with_other, without = ("right" if count else "wrong" for count in right)
        assert f"is **{with_other}** with the other language and **{without}** without it" in sentence
    else:
        assert f"Of **{len(shares)} masked tokens**" in sentence
        assert f"right for **{right[0]}** with the other language and for **{right[1]}** without it" in sentence
    bits = math.log2(math.prod(beside[0] for beside, _ in shares) / math.prod(alone[0] for _, alone in shares))
    if abs(bits) < 0.049:
        assert "the other language changes almost nothing" in sentence
    elif abs(bits) > 0.051:
        amount = float(re.search(r"is worth (\d+\.\d) bits" if bits > 0 else r"costs (\d+\.\d) bits", sentence)[1])
        assert amount == pytest.approx(abs(bits), abs=0.051)


@settings(max_examples=50)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_links_that_cross_are_counted_pair_by_pair(french, english, seed):
    weights = np.random.default_rng(seed).dirichlet(np.ones(english + 1), size=french)[:, :english]
    sentence = about_links(
        weights, [f" f{n}" for n in range(french)], [f" e{n}" for n in range(english)], "Layer 0, head 1"
    )
    links = [(row, max(range(english), key=lambda column: weights[row, column])) for row in range(french)]
    links = [link for link in links if weights[link] >= 0.05]
    pairs = [(a, b) for a in links for b in links if a[0] < b[0]]
    crossing = [pair for pair in pairs if pair[0][1] > pair[1][1]]
    has_order = len({column for _, column in links}) > 1
    assert ("Nothing can be said of the order" in sentence) == (not has_order)
    if has_order:
        assert f"**{len(crossing) or 'None'} of {len(pairs)}** pairs of links" in sentence
    row, column = max(((r, c) for r in range(french) for c in range(english)), key=lambda cell: weights[cell])
    assert f"“f{row}” gives {weights[row, column]:.0%} to “e{column}”" in sentence
    assert f"a French word gives {sum(map(sum, weights)) / french:.0%} of its attention" in sentence


def test_the_order_of_a_turned_pair_is_told():
    assert "**3 of 3** pairs of links cross." in about_links(np.fliplr(np.eye(3)), "abc", "xyz", "H")
    assert "**None of 3** pairs of links crosses" in about_links(np.eye(3), "abc", "xyz", "H")


@pytest.mark.parametrize(
    "weights",
    [
        np.array([[0.9], [0.8], [0.5], [0.7]]),  # four French words, one English word
        np.array([[0.2, 0.7]]),  # one French word
        np.array([[0.1, 0.7], [0.2, 0.6]]),  # all look at the same word
        np.full((3, 3), 0.01),  # a head that looks at its own sentence
        np.zeros((0, 2)),
    ],
)
def test_of_fewer_than_two_links_no_order_is_told(weights):
    sentence = about_links(weights, "abcd"[: len(weights)], "xyz"[: weights.shape[1]], "H")
    assert "pairs of links" not in sentence
    assert "othing can" in sentence


RATE = st.floats(0, 1)


@st.composite
def alignments(draw) -> Alignment:
    """Each measured with any rate, some on a part of the pairs."""

    def measured() -> dict:
        pairs = draw(st.sampled_from([400, 90]))
        return {text: {"aer": draw(RATE), "pairs": pairs, "counts": [0] * 4} for text in TEXTS}

    taken = {"layer": 3, "head": 1, "shift": 0, "direction": "both"}
    models = {name: taken | {"agreement": measured()} for name in TITLES}
    baselines = {
        name: {text: {"aer": draw(RATE), "pairs": 400, "counts": [0] * 4} for text in TEXTS}
        for name in ("IBM model 1", "diagonal")
    }
    return Alignment(models, baselines, {text: {"pairs": 400, "left_out": 0} for text in TEXTS}, TEXTS[0], 9)


@settings(max_examples=50)
@given(alignments())
def test_the_chosen_head_is_compared_with_what_was_measured_on_the_same_pairs(alignment):
    for text, sentence in zip(TEXTS[1:], about_alignment(alignment), strict=True):
        own = alignment.models[PAIRS]["agreement"][text]
        assert f"{own['aer']:.0%}" in sentence
        if own["pairs"] != 400:
            assert "on 90 of 400 pairs only" in sentence
            continue
        agreements = {TITLES[name]: of["agreement"] for name, of in alignment.models.items() if name != PAIRS}
        agreements |= {
            "IBM model 1": alignment.baselines["IBM model 1"],
            "the diagonal": alignment.baselines["diagonal"],
        }
        for title, of in agreements.items():
            assert (f"{title} {of[text]['aer']:.0%}" in sentence) == (of[text]["pairs"] == 400)
            if of[text]["pairs"] == 400:
                (part,) = [part for part in re.split(r"; ", sentence) if f"{title} {of[text]['aer']:.0%}" in part]
                apart = of[text]["aer"] - own["aer"]
                side = "within a point of it" if abs(apart) <= 0.01 else "below it" if apart < 0 else "above it"
                assert part.rstrip(".").endswith(side)


def test_without_a_measurement_nothing_is_compared(tmp_path):
    write_alignment(tmp_path)
    alignment = compute_across.translator_results.alignment(tmp_path, tmp_path / "none")
    assert about_alignment(alignment) == ()
    assert not any("BERT" in name for name in alignment_table.agreements_by_method(alignment))


def test_the_row_of_both_languages_stands_between_the_models_and_what_needs_none(tmp_path):
    write_alignment(tmp_path)
    own = {"layer": 4, "head": 2, "shift": 0, "direction": "both", "agreement": agreement(0.25)}
    (tmp_path / "results.json").write_text(json.dumps({"alignment": own}))
    alignment = compute_across.translator_results.alignment(tmp_path, tmp_path)
    table = alignment_table.table(alignment).set_index("links from")
    assert list(table.index)[-3:] == ["BERT on both sentences, layer 4, head 2", "IBM model 1, no network", "Diagonal"]
    assert table.loc["BERT on both sentences, layer 4, head 2", "AER, Stories"] == pytest.approx(0.25)
    assert "BERT on both sentences: links that both sides agree on" in alignment_table.describe_methods(alignment)


def test_held_out_guesses_are_told_by_language():
    sentence = about_measured(
        {"English": Guesses(2500, 0.62, 0.41, 6.1, 31.54), "French": Guesses(9, 0.5, 0.25, 2.0, 4.0)}
    )
    assert "English, 2,500 hidden tokens: **41%** right alone, **62%** with the French sentence" in sentence
    assert "(perplexity 31.5 and 6.1)" in sentence
    assert "French, 9 hidden tokens: **25%** right alone, **50%** with the English sentence" in sentence
