"""What a visitor carries from page to page: used where the next page can use it, else dropped with one quiet line."""

from collections.abc import Iterable
from itertools import pairwise

import pytest

from dashboard import contents
from dashboard.contents import Page
from dashboard.frame.navigation import SECTION
from dashboard.inputs import example_texts
from pages.language.translation import inputs as translation
from tests.pages.conftest import check, message_text
from tests.pages.session import controls_of, follow, has_figure, session

# The pages that take a language model, each with the link that leads to a section which reads the visitor's text.
READERS = {
    contents.TEXT: {},
    contents.HEADS: {},
    contents.INSIDE: {},
    contents.NEXT_WORD: {"show": "Copying"},
    contents.MISSING_WORD: {"show": "Fill in"},
    contents.SENTIMENT: {"show": "Read"},
    contents.EFFICIENT: {"source": "Your own"},
}
SEERS = {
    contents.IMAGE: {},
    contents.HEADS: {"input": "Picture"},
    contents.INSIDE: {"machine": "Encoder"},
    contents.VISION: {},
    contents.SWIN: {},
    contents.SHRINKING: {"shrunk": "Another, for pictures"},
}
# What is chosen on a page before it is left: a model that is not its first one.
CHOSEN = {
    contents.TEXT: "bert-books",
    contents.HEADS: "bert-pairs",
    contents.INSIDE: "bert-books",
    contents.NEXT_WORD: "gpt-books-long",
    contents.MISSING_WORD: "bert-pairs",
    contents.SENTIMENT: "english-encoder",
    contents.EFFICIENT: "bert-books",
}


def click_an_example(app) -> str:
    """Click the last example above the text; the text of it."""
    pills = next(group for group in app.get("button_group") if group.key == "text_example")
    check(pills.set_value(pills.options[-1]).run())
    return app.session_state.text


def lines(app, name: str) -> list[str]:
    """The quiet lines that say what is shown instead of a model."""
    return [element.value for element in app.caption if element.value.replace("\\", "").startswith(f"{name} ")]


def ring(pages) -> list[tuple[Page, Page]]:
    """Each page once as the one that is left, and once as the one that is met."""
    return [*pairwise([*pages, next(iter(pages))])]


def others(pages, before: Page) -> list[tuple[Page, Page]]:
    """The pairs that begin at `before` and do not stand in the ring."""
    return [(before, after) for after in pages if after is not before and (before, after) not in ring(pages)]


def check_a_clicked_example_goes_along(ways: Iterable[tuple[Page, Page]]) -> None:
    app = session()
    for before, after in ways:
        follow(app, before, **READERS[before])
        text = click_an_example(app)
        follow(app, after, **READERS[after])
        assert has_figure(app), (after.url, message_text(app))
        assert controls_of(app)["text"] == text, after.url


def check_a_chosen_model_goes_along(ways: Iterable[tuple[Page, Page]]) -> None:
    app = session()
    for before, after in ways:
        name = CHOSEN[before]
        follow(app, contents.GLOSSARY)
        follow(app, before, **READERS[before], model=name)
        assert app.selectbox(key="model").value == name
        follow(app, after, **READERS[after])
        assert has_figure(app), (after.url, message_text(app))
        held = app.selectbox(key="model").value
        captions = lines(app, name)
        assert len(captions) == (held != name), (after.url, held, captions)
        assert held == name or f"{held} is shown" in captions[0].replace("\\", "")


def check_a_chosen_picture_goes_along(ways: Iterable[tuple[Page, Page]]) -> None:
    app = session()
    for before, after in ways:
        follow(app, before, **SEERS[before], picture="rocket")
        follow(app, after, **SEERS[after])
        assert has_figure(app), (after.url, message_text(app))
        assert controls_of(app)["picture"] == "rocket"


def test_after_a_click_on_an_example_every_page_for_texts_has_a_figure():
    check_a_clicked_example_goes_along(ring(READERS))


def test_a_chosen_model_is_used_on_the_next_page_or_one_line_says_what_is_shown_instead():
    check_a_chosen_model_goes_along(ring(READERS))


def test_a_chosen_picture_and_network_go_with_the_visitor():
    check_a_chosen_picture_goes_along(ring(SEERS))


@pytest.mark.slow(seconds=9, guard="test_after_a_click_on_an_example_every_page_for_texts_has_a_figure")
@pytest.mark.parametrize("before", READERS, ids=lambda page: page.url)
def test_so_it_is_between_any_two_pages_for_texts(before):
    check_a_clicked_example_goes_along(others(READERS, before))
    check_a_chosen_model_goes_along(others(READERS, before))


@pytest.mark.slow(seconds=4, guard="test_a_chosen_picture_and_network_go_with_the_visitor")
@pytest.mark.parametrize("before", SEERS, ids=lambda page: page.url)
def test_so_it_is_between_any_two_pages_for_pictures(before):
    check_a_chosen_picture_goes_along(others(SEERS, before))


def test_what_nobody_chose_is_not_carried():
    app = session()
    follow(app, contents.MISSING_WORD, show="Fill in")
    click_an_example(app)
    follow(app, contents.TEXT)
    assert app.selectbox(key="model").value == "gpt-books"
    assert not lines(app, "bert-books")


def test_a_model_that_one_page_could_not_use_is_there_again_on_the_next_that_can():
    app = session()
    follow(app, contents.TEXT, model="gpt-books-long")
    follow(app, contents.SENTIMENT)
    assert lines(app, "gpt-books-long")
    check(app.run())
    assert lines(app, "gpt-books-long"), "The line goes with the first click."
    check(app.selectbox(key="model").set_value("english-cnn").run())
    assert not lines(app, "gpt-books-long")
    check(app.selectbox(key="model").set_value("english-rnn").run())
    follow(app, contents.NEXT_WORD, show="Copying")
    assert app.selectbox(key="model").value == "gpt-books"


def test_a_section_that_cannot_use_the_model_of_the_one_before_shows_its_own():
    app = session()
    follow(app, contents.NEXT_WORD, show="Tokens", model="bert-books")
    sections = next(group for group in app.get("button_group") if group.key == SECTION)
    check(sections.set_value("Copying").run())
    assert has_figure(app), message_text(app)
    assert app.selectbox(key="model").value == "gpt-books"
    assert lines(app, "bert-books")


def test_an_address_wins_over_what_is_carried_also_where_it_names_the_usual():
    app = session()
    follow(app, contents.TEXT, text=example_texts.examples("next-word")["A pronoun"], model="bert-books")
    follow(app, contents.GLOSSARY)
    follow(app, contents.TRANSLATION, text=translation.SENTENCE)
    assert controls_of(app)["text"] == translation.SENTENCE
    follow(app, contents.GLOSSARY)
    follow(app, contents.HEADS, model="gpt-books")
    assert app.selectbox(key="model").value == "gpt-books"


def test_a_model_that_the_address_asks_for_and_the_page_cannot_use_is_answered_beside_a_figure(visit):
    app = visit("language/sentiment", model="gpt-books")
    assert len(app.warning) == 1
    assert "gives a text no class" in message_text(app)
    assert app.selectbox(key="model").value == "english-bert"
    assert "How it is computed" in {head.value for head in app.subheader}


def test_a_text_that_a_page_cannot_use_is_dropped_with_a_line_and_one_that_the_address_asks_for_is_answered():
    app = session()
    follow(app, contents.TEXT, text="I")
    follow(app, contents.EFFICIENT, source="Your own")
    assert has_figure(app), message_text(app)
    assert controls_of(app)["text"] != "I"
    assert "the text of this page is shown" in message_text(app, "caption")
    follow(app, contents.GLOSSARY)
    follow(app, contents.EFFICIENT, source="Your own", text="I")
    assert len(app.warning) == 1
    assert controls_of(app)["text"] == "I"
