"""Texts to click: each lies in its field, and the page shows it without a word of refusal."""

import pytest

from dashboard.inputs import example_texts
from dashboard.inputs.picture_input import PHOTOGRAPHS
from pages.foundations.attention_step_by_step.inputs import SENTENCES as FOLLOWED
from pages.foundations.before_attention.reach import LINES
from pages.foundations.order.order_controls import SENTENCES as SHUFFLED
from pages.words_and_pictures.clip.inputs import SENTENCES

PLACES = {
    "explore/text": ({}, "text", example_texts.examples("next-word")),
    "foundations/many_heads": ({}, "text", example_texts.examples("next-word")),
    "foundations/inside_the_transformer": ({}, "text", example_texts.examples("next-word")),
    "foundations/attention_step_by_step": ({"begin": "Your sentence"}, "text", FOLLOWED),
    "foundations/order": ({}, "text", SHUFFLED),
    "foundations/before_attention": ({}, "line", LINES),
    "language/translation": ({}, "text", example_texts.examples("translation")),
    "words_and_pictures/clip": ({"world": PHOTOGRAPHS}, "texts_photographs", SENTENCES[PHOTOGRAPHS]),
}


@pytest.mark.parametrize("room", PLACES)
def test_an_example_is_read_and_nothing_is_refused(visit, room):
    query, field, offered = PLACES[room]
    name, text = list(offered.items())[-1]
    app = visit(room, **query)
    (pills,) = (group for group in app.get("button_group") if list(group.options) == list(offered))
    pills.set_value([name] if isinstance(pills.value, list) else name).run()
    assert not app.exception
    assert not app.error
    assert not app.warning
    typed = next(box for box in (*app.text_area, *app.text_input) if box.key == field)
    assert typed.value == text
