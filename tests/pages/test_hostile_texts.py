"""Hostile texts on a page: a few of each kind, typed one after the other; none of them stops it but with a sentence."""

from benchmarks.hostile import texts
from dashboard.controls import LONGEST_TYPED
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


def test_the_page_of_texts_takes_every_kind_of_hostile_text(visit):
    app = visit("explore/text")
    for kind in KINDS:
        for case in [case for case in TYPED if case.kind == kind][:OF_EACH]:
            check(app.text_area(key="text").set_value(case.content).run())
            assert app.title[0].value == "Who listens to whom?", case.name
    check(app.text_area(key="text").set_value("And an honest sentence at the end.").run())
    assert app.get("plotly_chart")
