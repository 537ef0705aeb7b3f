"""Cut a link: what is cut stands in the address, the changed model translates, what changed is marked."""

import math

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.heads.relevance import word_spans
from core.translation.decoding import limit_of
from core.zoo import Changes
from pages.language.translation import compute as kept
from pages.language.translation import cuts
from pages.language.translation import words as said
from pages.language.translation import words_change as words
from pages.language.translation.cuts import CutLink
from pages.language.translation.models import TITLES
from pages.language.translation.word_difference import difference, marked

PAGE = "language/translation"
ENGLISH = "The cat sleeps on the red mat."


def prose(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown).replace("\\", "")


def told(app: AppTest, kind: str) -> str:
    return " ".join(element.value for element in getattr(app, kind)).replace("\\", "")


def button(app: AppTest, label: str):
    return next(each for each in app.button if label in each.label.replace("\\", ""))


def printed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


@pytest.fixture
def open_change(visit):
    """Open the section, with more of the address."""
    return lambda **query: visit(PAGE, show=said.CHANGE, **{"text": ENGLISH, "beam": "1", **query})


@pytest.mark.parametrize("model", ["bahdanau", "transformer"])
def test_the_section_is_alive_at_once_and_names_a_link_to_cut(open_change, model):
    app = open_change(change_model=TITLES[model])
    assert not app.warning
    assert words.CHANGE_NOTHING in told(app, "info")
    assert "The strongest link is that of" in prose(app)
    assert [each.label for each in app.multiselect] == (
        ["Silenced heads (part, layer.head)"] if model == "transformer" else []
    )


@pytest.mark.parametrize("model", ["bahdanau", "transformer"])
def test_a_cut_of_the_address_is_the_cut_of_the_core(open_change, model):
    app = open_change(change_model=TITLES[model], cut="1-2,all-5")
    translator = kept.translator(model)
    source = translator.encode(ENGLISH)
    spans = word_spans(source)
    links = {(1, place) for place in spans[2]} | {(row, place) for row in range(200) for place in spans[5]}
    changes = Changes(cut=frozenset(links))
    before, after = (translator.write(source, beam=1, changes=each).best for each in (Changes(), changes))
    again = translator.align(source, translator.tokens(before.tokens), changes).log_probabilities
    assert told(app, "caption").count(f"log-probability {printed(before.log_probability)}") >= 1
    assert f"Changed: log-probability {printed(after.log_probability)}" in told(app, "caption")
    assert f"gives it log p **{printed(sum(again))}** instead of {printed(before.log_probability)}" in prose(app)
    shown = [element.value.replace("\\", "") for element in app.markdown]
    text = translator.text(after.tokens)
    assert any(bare(line).split() == text.split() for line in shown)


def bare(line: str) -> str:
    return line.replace(":orange-background[**", "").replace("**]", "")


def test_the_buttons_cut_and_take_back(open_change):
    app = open_change()
    app.selectbox(key="change_target").set_value(1)
    app.selectbox(key="change_source").set_value(1).run()
    button(app, "Cut this link").click().run()
    span = word_spans(kept.translate("bahdanau", ENGLISH, beam=1).target)[1]
    assert app.query_params["cut"] == cuts.encode([CutLink(1, span.start, span.stop - 1)])
    assert words.CHANGE_POSITION in [element.value for element in app.caption]
    button(app, "for the whole translation").click().run()
    assert app.query_params["cut"] == "all-1"
    button(app, "No word may look at “cat”").click().run()
    assert "cut" not in app.query_params
    assert words.CHANGE_NOTHING in told(app, "info")


def test_all_cuts_are_taken_back_at_once(open_change):
    app = open_change(cut="0-1,1-2,all-3")
    button(app, "Take all back").click().run()
    assert "cut" not in app.query_params


@pytest.mark.parametrize(
    ("asked", "left", "wrong"),
    [
        ("1-2,1-99", "1-2", 1),
        ("999-1", None, 1),
        ("<b>,1-2,5to3-1,all-all,-1-1", "1-2", 4),
        ("all-50,all-2", "all-2", 1),
    ],
)
def test_a_cut_outside_the_sentence_is_dropped_in_a_sentence(open_change, asked, left, wrong):
    app = open_change(cut=asked)
    assert f"{wrong} of the cuts in the address" in told(app, "info")
    assert app.query_params.get("cut") in (left, [left])


def test_a_new_sentence_keeps_the_cuts_that_fit_it(open_change):
    app = open_change(cut="1-6,0-1")
    app.text_area(key="text").set_value("The cat sleeps.").run()
    assert app.query_params["cut"] == "0-1"
    assert "lies outside this sentence of 5 words" in told(app, "info")


def test_silencing_heads_is_kept_in_the_address_and_told(open_change):
    app = open_change(change_model=TITLES["transformer"])
    app.multiselect(key="change_silenced").set_value(["cross 0.0", "decoder 1.2"]).run()
    assert not app.exception
    changes = Changes(silenced=frozenset({("cross", 0, 0), ("decoder", 1, 2)}))
    after = kept.translate("transformer", ENGLISH, beam=1, changes=changes)
    assert f"Changed: log-probability {printed(after.log_probability)}" in told(app, "caption")
    linked = open_change(change_model=TITLES["transformer"], change_silenced="cross 0.0")
    assert linked.multiselect(key="change_silenced").value == ["cross 0.0"]


def test_what_is_left_of_a_row_is_divided_by_what_was_not_cut(open_change):
    app = open_change(cut="0-0")
    before = kept.translate("bahdanau", ENGLISH, beam=1).aligned.cross[0][0, 0]
    spans = word_spans(kept.translator("bahdanau").encode(ENGLISH))
    taken = sum(float(before[place]) for place in spans[0])
    rest = before.clone()
    rest[list(spans[0])] = 0
    most = float(rest.max())
    assert f"had {most:.2f} and has {most:.2f} / (1 − {taken:.2f}) = **{most / (1 - taken):.2f}**" in prose(app)


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_sentence_gets_one_sentence_and_the_page_stays(open_change, text):
    app = open_change(cut="0-0")
    app.text_area(key="text").set_value(text).run()
    assert not app.exception
    assert "There is no text here yet" in told(app, "warning")
    app.text_area(key="text").set_value(ENGLISH).run()
    assert not app.warning


@pytest.mark.parametrize("text", ["<b>x</b> **bold** $x$", "مرحبا 😀 \u202eabc", "x", "你好，世界"])
@pytest.mark.parametrize("model", ["bahdanau", "transformer"])
def test_odd_sentences_can_be_cut_all_the_same(open_change, text, model):
    app = open_change(text=text, change_model=TITLES[model], cut="0-0,all-1")
    assert not app.warning
    assert "Made to write its first translation" in prose(app)


def test_every_word_may_be_cut_off(open_change):
    app = open_change(text="The cat sleeps.", cut="all-0,all-1,all-2,all-3,all-4")
    assert not app.warning
    assert "Changed: log-probability" in told(app, "caption")


def test_the_projector_shows_no_prose(open_change):
    assert "What to notice" not in [element.value for element in open_change(present="1").subheader]


def test_cuts_survive_the_address():
    given = (CutLink(3, 0, 0), CutLink(2, 4, 6), CutLink(1))
    assert cuts.encode(given) == "0-3,4to6-2,all-1"
    assert cuts.decode(cuts.encode(given), 4, 7) == (given, 0)
    assert cuts.decode("0-3,0-3", 4, 7) == ((CutLink(3, 0, 0),), 1 - 1)
    assert cuts.decode("", 4, 7) == ((), 0)


def test_a_cut_of_words_is_the_cut_of_all_their_pieces():
    spans = (range(2), range(2, 3), range(3, 6))
    assert cuts.links([CutLink(2, 1, 2)], spans, 9) == {(row, place) for row in (1, 2) for place in (3, 4, 5)}
    assert cuts.links([CutLink(0)], spans, 3) == {(row, place) for row in range(3) for place in (0, 1)}


def test_a_cell_is_cut_only_if_all_its_pieces_are():
    # Words of the translation: pieces 0 to 1, piece 2, pieces 3 to 4.
    words = (range(2), range(2, 3), range(3, 5))
    assert cuts.cells([CutLink(7, 0, 1)], words) == {(0, 7)}
    assert cuts.cells([CutLink(7, 1, 3)], words) == {(1, 7)}
    assert cuts.cells([CutLink(7, 3, 3), CutLink(7, 4, 4)], words) == {(2, 7)}
    assert cuts.cells([CutLink(7)], words) == {(0, 7), (1, 7), (2, 7)}


def test_a_click_on_a_cell_that_is_cut_takes_back_what_covers_it():
    given = (CutLink(1), CutLink(2, 0, 4))
    assert cuts.switched(given, range(1, 3), 2) == (CutLink(1),)
    assert cuts.switched(given, range(1, 3), 1) == (CutLink(2, 0, 4),)
    assert cuts.switched(given, range(1, 3), 3) == (*given, CutLink(3, 1, 2))


def test_the_longest_translation_is_as_long_as_beam_search_allows():
    translator = kept.translator("bahdanau")
    source = translator.encode("a")
    everything = Changes(cut=frozenset((row, place) for row in range(99) for place in range(len(source))))
    decoded = translator.write(source, beam=1, changes=everything)
    assert len(decoded.best.tokens) <= limit_of(len(source)) == len(source) + len(source) // 2 + 10


def test_a_difference_is_what_no_common_run_of_words_holds():
    found = difference(("The", " old", " cat", " sleeps"), ("A", " cat", " sleeps", " now"))
    assert (found.gone, found.new) == ((0, 1), (0, 3))
    assert not difference((" a", " b"), ("a", "b"))
    assert bool(difference(("a",), ()))


def test_words_that_are_frequent_in_long_texts_are_compared_like_others():
    words = [word for number in range(150) for word in (" la", f" vie{number}")]
    found = difference(words, [*words[:100], " oh", *words[100:]])
    assert (found.gone, found.new) == ((), (100,))


def test_a_marked_word_reaches_the_page_as_text():
    assert marked(("<b>", " *x*"), (1,), gone=True) == r"\<b\> ~~\*x\*~~"
    assert marked(("a", " ]"), (1,), gone=False) == r"a :orange-background[**\]**]"


def test_the_losses_of_the_words_add_up_to_that_of_the_translation(open_change):
    app = open_change(cut="all-1")
    source_links = cuts.links([CutLink(1)], word_spans(kept.translator("bahdanau").encode(ENGLISH)), 200)
    before = kept.translate("bahdanau", ENGLISH, beam=1)
    again = before.model.align(before.source, before.target, Changes(cut=source_links))
    pieces = np.array(again.log_probabilities) - np.array(before.aligned.log_probabilities)
    words = [sum(pieces[place] for place in span) for span in word_spans(before.target)]
    assert math.isclose(sum(words), sum(pieces), abs_tol=1e-6)
    worst = before.target.labels[word_spans(before.target)[int(np.argmin(words))].start].strip()
    if min(words) < -0.02:
        assert f"The greatest loss is at “{worst}" in prose(app)
