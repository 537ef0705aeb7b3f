"""What pages show of a class: nothing to whoever is in none, the bar and the answers to whoever is in one."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.classroom.classes import Classes
from tests.pages.conftest import visit  # noqa: F401  (a fixture)

PAGE = """
import streamlit as st
from dashboard.classroom import view as classroom_view
classroom_view.bar()
classroom_view.offer()
classroom_view.answered("q", st.radio("Which?", ["a", "b"], index=None, key="choice"))
classroom_view.answers_bars("q", ["a", "b"])
"""


@pytest.fixture
def page():
    """Run the page with this code in its address."""

    def run(code: str | None) -> AppTest:
        app = AppTest.from_string(PAGE, default_timeout=60)
        if code is not None:
            app.query_params["class"] = code
        app.run()
        assert not app.exception
        return app

    return run


def mounted(app: AppTest) -> list[dict]:
    """What the components of the page were given, without the look."""
    payloads = [json.loads(part.proto.json) for part in app.get("bidi_component")]
    return [
        {name: value for name, value in payload.items() if name not in ("palettes", "present")} for payload in payloads
    ]


def test_who_is_in_no_class_is_shown_none_and_answers_go_nowhere(page):
    app = page(None)
    app.radio(key="choice").set_value("a").run()
    assert not app.exception
    assert mounted(app) == []


def test_a_code_in_the_address_is_followed_in_large_letters_and_stays_with_the_visit(page):
    app = page(" bcdfgh")
    assert mounted(app)[0] == {"code": "BCDFGH"}
    del app.query_params["class"]
    app.run()
    assert mounted(app)[0] == {"code": "BCDFGH"}


def test_an_endless_code_is_cut(page):
    (link, _) = mounted(page("x" * 10_000))
    assert len(link["code"]) <= 12


def test_a_class_is_opened_by_the_browser_only(page):
    app = page(None)
    app.session_state["class"] = ""
    app.run()
    assert mounted(app) == [{"code": ""}]


def test_in_a_class_what_is_chosen_is_sent_and_the_bars_are_there(page):
    app = page("BCDFGH")
    bars = {"question": "q", "choice": None, "asks": True, "choices": ["a", "b"]}
    assert mounted(app)[1:] == [bars]
    app.radio(key="choice").set_value("b").run()
    assert mounted(app)[1:] == [{"question": "q", "choice": "b", "asks": False, "choices": []}, bars]


def test_every_page_offers_a_class_and_none_is_there_until_somebody_opens_it(visit):  # noqa: F811
    app = visit("foundations/order")
    assert not any(button.key == "open-class" for button in app.button)
    assert not mounted_link(app)


def mounted_link(app: AppTest) -> list[dict]:
    return [payload for payload in mounted(app) if payload.keys() == {"code"}]


def test_codes_that_are_given_out_are_those_that_an_address_can_hold(page):
    room = Classes([""]).open()
    assert mounted(page(room.code))[0] == {"code": room.code}
