"""The page Glossary: every term, the one that a link has asked for, and what a visitor looks for."""

import pytest

from dashboard.glossary import TERMS
from tests.pages.conftest import message_text, prose

ROOM = "learn/glossary"


def test_every_term_is_there_with_its_meaning_and_the_way_to_what_shows_it(visit):
    text = prose(visit(ROOM))
    for term in TERMS.values():
        assert f"**{term.name}**" in text
        assert term.says in text
        assert f"[Where to see it: {term.place}]({term.shown_at})" in text


def test_a_link_to_a_term_shows_it_first_and_one_to_nothing_shows_the_page(visit):
    assert prose(visit(ROOM, term="nats")).count("**nats**") == 2
    assert prose(visit(ROOM, term="<b>")).count("**nats**") == 1


@pytest.mark.parametrize(("sought", "first"), [("logit", "logit"), ("MAE", "masked autoencoder"), ("Bahdanau", None)])
def test_what_is_sought_is_found_by_name_and_by_meaning(visit, sought, first):
    text = prose(visit(ROOM, find=sought))
    assert sought.casefold() in text.casefold()
    assert "**quantisation**" not in text
    assert first is None or f"**{first}**" in text


def test_what_is_not_there_is_said_in_a_sentence_and_no_markup_of_a_visitor_counts(visit):
    app = visit(ROOM, find="*zebra* $x$")
    assert "No term here has “*zebra* $x$” in its name or its meaning." in message_text(app)
    assert "\\*zebra\\* \\$x\\$" in app.info[0].value
