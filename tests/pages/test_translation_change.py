"""Cut a link: what is cut stands in the address, the changed model translates, what changed is marked."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.tokens.words import word_spans
from core.translation.decoding import limit_of
from core.zoo import TRANSLATION as TITLES
from core.zoo import Changes
from dashboard.cache.models import translator
from pages.language.translation import compute, cut_a_link, cut_effects, cuts
from pages.language.translation.cut_effects import Compared, difference, marked
from pages.language.translation.cuts import CutLink
from pages.language.translation.word_maps import Words, words_of
from tests.pages.conftest import message_text, prose

PAGE = "language/translation"
ENGLISH = "The cat sleeps on the red mat."


def button(app: AppTest, label: str):
    return next(widget for widget in app.button if label in widget.label.replace("\\", ""))


def printed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


@pytest.fixture
def open_change(visit):
    """Open the section, with more of the address."""
    return lambda **query: visit(PAGE, show=cut_a_link.SECTION.name, **{"text": ENGLISH, "beam": "1", **query})


def compared(name: str, cut: tuple[CutLink, ...] = (), silenced=(), text: str = ENGLISH) -> Compared:
    """What the section computes, for one model and a beam of 1."""
    before = compute.translate(name, text, 1)
    source, first = words_of(before.source), words_of(before.target)
    changes = Changes(cuts.links(cut, source.spans, limit_of(len(before.source))), frozenset(silenced))
    after, again = compute.translate(name, text, 1, changes), compute.align_again(name, text, 1, changes)
    return Compared(name, before, after, again, source, first, words_of(after.target), cut, tuple(silenced))


def test_a_cut_of_the_address_is_the_cut_of_the_core(open_change):
    app = open_change(cut="1-2,all-5")
    model = translator("bahdanau")
    source = model.encode(ENGLISH)
    spans = word_spans(source)
    links = {(1, place) for place in spans[2]} | {(row, place) for row in range(200) for place in spans[5]}
    changes = Changes(cut=frozenset(links))
    before, after = (model.write(source, beam=1, changes=model_changes).best for model_changes in (Changes(), changes))
    again = model.align(source, model.tokens(before.tokens), changes).log_probabilities
    assert f"log-probability {printed(before.log_probability)}" in message_text(app, "caption")
    assert f"Changed: log-probability {printed(after.log_probability)}" in message_text(app, "caption")
    assert (
        f"gives the first translation log p **{printed(sum(again))}** instead of {printed(before.log_probability)}"
        in prose(app)
    )
    lines = [re.sub(r":orange-background\[\*\*|\*\*\]|\\", "", element.value) for element in app.markdown]
    assert any(line.split() == model.text(after.tokens).split() for line in lines)


def test_the_buttons_cut_and_take_back(open_change):
    app = open_change()
    assert cut_a_link.SECTION.text("No cut yet") in message_text(app, "info")
    app.selectbox(key="change_target").set_value(1)
    app.selectbox(key="change_source").set_value(1).run()
    button(app, "Cut this link").click().run()
    span = word_spans(compute.translate("bahdanau", ENGLISH, 1).target)[1]
    assert app.query_params["cut"] == cuts.encode([CutLink(1, span.start, span.stop - 1)])
    assert cut_a_link.SECTION.text("Position of a cut") in [element.value for element in app.caption]
    button(app, "for the whole translation").click().run()
    assert app.query_params["cut"] == "all-1"
    button(app, "every word → “cat”").click().run()
    assert "cut" not in app.query_params
    assert cut_a_link.SECTION.text("No cut yet") in message_text(app, "info")


def test_each_step_can_be_undone_and_all_cuts_cleared(open_change):
    app = open_change()
    assert not any(widget.label in ("Undo", "Clear all") for widget in app.button)
    for source in (1, 2):
        app.selectbox(key="change_source").set_value(source).run()
        button(app, "Cut this link").click().run()
    both = app.query_params["cut"]
    assert len(both.split(",")) == 2
    button(app, "Clear all").click().run()
    assert "cut" not in app.query_params
    button(app, "Undo").click().run()
    assert app.query_params["cut"] == both
    button(app, "Undo").click().run()
    assert app.query_params["cut"] == both.split(",")[0]
    button(app, "Undo").click().run()
    assert "cut" not in app.query_params
    assert not any(widget.label == "Undo" for widget in app.button)


def test_a_cut_is_named_by_its_words_and_never_by_the_number_of_a_piece(open_change):
    app = open_change(text="My brother bought a small red car because it was not expensive.", beam="5", cut="13-11")
    labels = [widget.label for widget in app.button]
    assert any("→ “expensive”" in label for label in labels)
    assert not any("piece" in label for label in labels)
    assert any("You cut" in element.value and "→ “expensive”" in element.value for element in app.markdown)


def test_a_new_sentence_keeps_the_cuts_that_fit_it_and_all_are_taken_back_at_once(open_change):
    app = open_change(cut="1-6,0-1,0-0,<b>")
    assert "1 of the cuts in the address lies outside" in message_text(app, "info")
    app.text_area(key="text").set_value("The cat sleeps.").run()
    assert app.query_params["cut"] == "0-1,0-0"
    assert "lies outside this sentence of 5 words" in message_text(app, "info")
    button(app, "Clear all").click().run()
    assert "cut" not in app.query_params
    app.text_area(key="text").set_value("  ").run()
    assert "There is no text here yet" in message_text(app, "warning")


def test_silencing_heads_is_kept_in_the_address_and_told(open_change):
    app = open_change(change_model=TITLES["transformer"], change_silenced="cross 0.0")
    assert app.multiselect(key="change_silenced").value == ["cross 0.0"]
    app.multiselect(key="change_silenced").set_value(["cross 0.0", "decoder 1.2"]).run()
    after = compared("transformer", silenced=(("cross", 0, 0), ("decoder", 1, 2))).after
    assert f"Changed: log-probability {printed(after.log_probability)}" in message_text(app, "caption")


def test_odd_sentences_can_be_cut_all_the_same(open_change):
    app = open_change(text="<b>x</b> **bold** $x$ 😀", cut="0-0,all-1")
    assert not app.warning
    assert "The changed model gives the first translation log p" in prose(app)


def test_the_projector_shows_no_prose(open_change):
    assert "How it is computed" not in [element.value for element in open_change(present="1").subheader]


# Cuts


PLACES = st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(0, 3))
CUTS = st.builds(CutLink, st.integers(0, 6)) | PLACES.map(lambda at: CutLink(at[0], at[1], at[1] + at[2]))


@given(st.lists(CUTS, max_size=6, unique=True))
def test_cuts_survive_the_address(made):
    assert cuts.decode(cuts.encode(made), 7, 9) == (tuple(made), 0)
    inside = tuple(cut for cut in made if cut.source < 4 and (cut.last is None or cut.last < 5))
    assert cuts.decode(cuts.encode(made), 4, 5) == (inside, len(made) - len(inside))


@pytest.mark.parametrize(
    ("address", "left", "wrong"),
    [
        ("1-2,1-99", (CutLink(2, 1, 1),), 1),
        ("999-1", (), 1),
        ("<b>,1-2,5to3-1,all-all,-1-1", (CutLink(2, 1, 1),), 4),
        ("all-٣,1-2", (CutLink(2, 1, 1),), 1),
        ("all-50,all-2,,", (CutLink(2),), 1),
        ("0-3,4to6-2,all-1", (CutLink(3, 0, 0), CutLink(2, 4, 6), CutLink(1)), 0),
        ("", (), 0),
    ],
)
def test_what_is_no_cut_of_this_sentence_is_counted(address, left, wrong):
    assert cuts.decode(address, 4, 7) == (left, wrong)


def test_a_cut_of_words_is_the_cut_of_all_their_pieces():
    spans = (range(2), range(2, 3), range(3, 6))
    assert cuts.links([CutLink(2, 1, 2)], spans, 9) == {(row, place) for row in (1, 2) for place in (3, 4, 5)}
    assert cuts.links([CutLink(0)], spans, 3) == {(row, place) for row in range(3) for place in (0, 1)}


def test_a_cell_is_cut_only_if_all_its_pieces_are():
    # Words of the translation: pieces 0 to 1, piece 2, pieces 3 to 4.
    spans = (range(2), range(2, 3), range(3, 5))
    assert cuts.cells([CutLink(7, 0, 1)], spans) == {(0, 7)}
    assert cuts.cells([CutLink(7, 1, 3)], spans) == {(1, 7)}
    assert cuts.cells([CutLink(7, 3, 3), CutLink(7, 4, 4)], spans) == {(2, 7)}
    assert cuts.cells([CutLink(7)], spans) == {(0, 7), (1, 7), (2, 7)}


def test_a_click_on_a_cell_that_is_cut_takes_back_what_covers_it():
    links = (CutLink(1), CutLink(2, 0, 4))
    assert cuts.switched(links, range(1, 3), 2) == (CutLink(1),)
    assert cuts.switched(links, range(1, 3), 1) == (CutLink(2, 0, 4),)
    assert cuts.switched(links, range(1, 3), 3) == (*links, CutLink(3, 1, 2))


# Sentences


@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
@pytest.mark.parametrize("text", [ENGLISH, "x", "你好，世界", "It is he."])
def test_the_link_to_cut_first_is_the_strongest_of_those_that_are_named(name, text):
    comparison = compared(name, text=text)
    (sentence,) = cut_effects.noticed(comparison)
    maps = [head.numpy() for layer in comparison.before.aligned.cross for head in layer]
    mean = sum(maps) / len(maps)
    rows = {}
    for place in comparison.first.real:
        pieces = mean[list(comparison.first.spans[place])].mean(axis=0)
        columns = comparison.source.real or range(len(comparison.source.spans))
        rows[place] = max(pieces[list(comparison.source.spans[column])].sum() for column in columns)
    long = [place for place in rows if sum(letter.isalpha() for letter in comparison.first.labels[place]) >= 4]
    assert ("of 4 letters and more" in sentence) == bool(long)
    if rows:
        assert f"**{max(rows[place] for place in long or rows):.2f}**" in sentence
    assert ("in the mean of all heads" in sentence) == (name == "transformer")


@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
@pytest.mark.parametrize("cut", ["all-1", "1-1", "0-0,all-5", "all-0,all-1,all-2,all-3,all-4,all-5,all-6,all-7"])
def test_losses_and_words_that_changed_are_counted_as_by_hand(name, cut):
    cut, _ = cuts.decode(cut, 9, 99)
    comparison = compared(name, cut)
    text = " ".join(cut_effects.noticed(comparison))
    again = np.array(
        translator(name)
        .align(
            comparison.before.source, comparison.before.target, Changes(cuts.links(cut, comparison.source.spans, 200))
        )
        .log_probabilities
    )
    pieces = again - np.array(comparison.before.aligned.log_probabilities)
    lost = [sum(pieces[place] for place in span) for span in comparison.first.spans]
    assert sum(lost) == pytest.approx(sum(pieces), abs=1e-5)
    worst = int(np.argmin(lost))
    if min(lost) < -1e-3:
        assert f"The greatest loss is at {comparison.first.quoted(worst)}" in text
        touched = {row for row, _ in cuts.links(cut, comparison.source.spans, 200)}
        own = bool(touched & set(comparison.first.spans[worst]))
        assert ("one of whose own links is cut" in text) == own
        assert ("although none of its own links is cut" in text) != own
    same = [a.strip() for a in comparison.first.labels] == [b.strip() for b in comparison.second.labels]
    assert ("stays the same, word for word" in text) == same
    assert not re.search(r"\b(nan|inf)\b", text)


def test_a_word_of_which_one_piece_is_cut_has_a_link_that_is_cut():
    comparison = compared("bahdanau")
    first = comparison.first
    spans, labels = (range(2), *first.spans[2:]), ("Le chat", *first.labels[2:])
    joined = dataclasses.replace(first, spans=spans, labels=labels, real=first.real[:-1], visible=first.visible[:-1])
    worse = (-9.0, *comparison.before.aligned.log_probabilities[1:])
    again = dataclasses.replace(comparison.again, log_probabilities=worse)
    partly = dataclasses.replace(comparison, first=joined, cut=(CutLink(1, 1, 1),), again=again)
    assert not cuts.cells(partly.cut, joined.spans)
    assert "one of whose own links is cut" in cut_effects.about_loss(partly)


def test_a_loss_that_would_be_printed_as_none_is_none():
    comparison = compared("bahdanau", cuts.decode("all-1", 9, 99)[0])
    nearly = tuple(value - 1e-4 for value in comparison.before.aligned.log_probabilities)
    again = dataclasses.replace(comparison.again, log_probabilities=nearly)
    assert "greatest loss" not in cut_effects.about_loss(dataclasses.replace(comparison, again=again))


def test_silenced_heads_alone_say_nothing_of_links():
    text = " ".join(cut_effects.noticed(compared("transformer", silenced=(("cross", 0, 1), ("cross", 2, 0)))))
    assert "The changed model gives the first translation log p" in text
    assert "link" not in text


@pytest.mark.parametrize("source", range(4))
def test_what_is_left_of_a_row_is_divided_by_what_was_not_cut(source):
    comparison = compared("bahdanau", (CutLink(source, 0, 0),))
    before = comparison.before.aligned.cross[0][0, 0].clone()
    span = list(comparison.source.spans[source])
    taken = float(before[span].sum())
    before[span] = 0
    most = float(before.max())
    sentence = cut_effects.shared_out(comparison)
    assert f"had {most:.2f} and has {most:.2f} / (1 − {taken:.2f}) = **{most / (1 - taken):.2f}**" in sentence
    assert cut_effects.shared_out(compared("bahdanau")) == ""


def test_a_cut_at_whose_place_another_word_stands_now_is_told():
    comparison = compared("bahdanau", tuple(CutLink(source, 1, 1) for source in range(8)))
    was, now = (written.labels[written.at(1)].strip() for written in (comparison.first, comparison.second))
    sentences = cut_effects.about_moved_places(comparison)
    assert bool(sentences) == (was != now)
    if sentences:
        assert f"“{now}” now stands where “{was}” stood" in sentences[0]
    assert cut_effects.described(comparison, CutLink(2)) == "every word → “sleeps”"


@pytest.mark.parametrize(
    ("labels", "outcome"),
    [
        ((" chat", " dort", " ici"), "; the model wrote the word all the same."),
        ((" dort", " ici"), "; the model left the word out."),
        ((" chien", " dort", " ici"), "; the model wrote “chien” in its place."),
        ((" gros", " chien", " dort", " ici"), "; the model wrote “gros” “chien” in its place."),
        ((" dort", " ici", " chat"), "; the model wrote the word at another place."),
    ],
)
def test_what_came_of_a_cut_is_read_off_the_two_translations(labels, outcome):
    comparison = compared("bahdanau")
    first = Words((range(1), range(1, 2), range(2, 3)), (" chat", " dort", " ici"), (0, 1, 2), (0, 1, 2))
    second = Words(tuple(range(place, place + 1) for place in range(len(labels))), labels, (), ())
    changed = dataclasses.replace(comparison, first=first, second=second, cut=(CutLink(1, 0, 0),))
    assert cut_effects.about_cuts(changed) == (f"You cut “chat” → “cat”{outcome}",)


def test_words_that_stand_several_times_are_numbered_among_themselves():
    among = Words((range(1), range(1, 2), range(2, 3)), (" le", " chat", " le"), (0, 1, 2), (0, 1, 2))
    assert [among.numbered(place) for place in range(3)] == ["le (1 of 2)", "chat", "le (2 of 2)"]


def test_a_difference_is_what_no_common_run_of_words_holds():
    changed_words = difference(("The", " old", " cat", " sleeps"), ("A", " cat", " sleeps", " now"))
    assert (changed_words.gone, changed_words.new) == ((0, 1), (0, 3))
    assert not difference((" a", " b"), ("a", "b"))
    assert bool(difference(("a",), ()))


def test_words_that_are_frequent_in_long_texts_are_compared_like_others():
    many = [word for number in range(150) for word in (" la", f" vie{number}")]
    changed_words = difference(many, [*many[:100], " oh", *many[100:]])
    assert (changed_words.gone, changed_words.new) == ((), (100,))


def test_a_marked_word_reaches_the_page_as_text():
    assert marked(("<b>", " *x*"), (1,), gone=True) == r"\<b\> ~~\*x\*~~"
    assert marked(("a", " ]"), (1,), gone=False) == r"a :orange-background[**\]**]"
