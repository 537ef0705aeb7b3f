"""Hostile texts on a page: a few of each kind, typed one after the other; none of them stops it but with a sentence."""

import pytest

from benchmarks.hostile import texts
from dashboard.inputs.controls import LONGEST_TYPED
from tests.pages.conftest import check

OF_EACH = 3
TYPED = [
    case
    for case in texts.cases()
    # Half a pair cannot be sent: the browser's message is UTF-8.
    if isinstance(case.content, str)
    and len(case.content) <= LONGEST_TYPED
    and not any("\ud800" <= letter <= "\udfff" for letter in case.content)
]
KINDS = sorted({case.kind for case in TYPED})


def test_the_page_of_texts_takes_a_hostile_text_of_every_kind(visit):
    try_hostile_texts(visit, slice(1))


@pytest.mark.slow(seconds=8, guard="test_the_page_of_texts_takes_a_hostile_text_of_every_kind")
def test_the_page_of_texts_takes_several_hostile_texts_of_every_kind(visit):
    try_hostile_texts(visit, slice(1, OF_EACH))


def try_hostile_texts(visit, of_a_kind: slice) -> None:
    """Type those of each kind one after the other, and an honest text at the end."""
    app = visit("explore/text")
    for kind in KINDS:
        for case in [case for case in TYPED if case.kind == kind][of_a_kind]:
            check(app.text_area(key="text").set_value(case.content).run())
            assert app.title[0].value == "Text", case.name
    check(app.text_area(key="text").set_value("And an honest sentence at the end.").run())
    assert app.get("plotly_chart")
