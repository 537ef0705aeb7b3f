"""Pages are run inside the frame, as a visitor reaches them, with the models that come with the atlas."""

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import contents, glossary, visitor

ROOT = contents.ROOT


@pytest.fixture
def visit():
    """Open a page: visit("explore/text", text="…") gives an AppTest that has run once, without an exception."""

    def open_page(room: str, **query: str) -> AppTest:
        # AppTest cannot be sent to a page of `st.navigation`: here the frame knows them all and runs one.
        # The first run imports what the page needs: on a busy machine that has taken more than a minute.
        app = AppTest.from_string(FRAME.format(page=ROOT / "pages" / room / "page.py"), default_timeout=300)
        for name, value in query.items():
            app.query_params[name] = value
        return check(app.run())

    return open_page


@pytest.fixture
def at_home(monkeypatch):
    """As if the visitor sat at this computer, whose folders may be opened."""
    monkeypatch.setattr(visitor, "is_at_home", lambda: True)


@pytest.fixture(autouse=True)
def sentences_as_written(monkeypatch):
    """Without the links of their terms, which tests/dashboard/test_glossary.py and the browser's tests know."""
    monkeypatch.setattr(glossary, "linked", lambda text: text)


def prose(app: AppTest) -> str:
    """All running text of a page, as it is read."""
    return " ".join(element.value for element in app.markdown).replace("\\", "")


def message_text(app: AppTest, *kinds: str) -> str:
    """What stands in boxes: "info", "warning", "caption"; without a kind the first two."""
    return " ".join(element.value for kind in kinds or ("info", "warning") for element in getattr(app, kind)).replace(
        "\\", ""
    )


def check(app: AppTest) -> AppTest:
    """The same app, if nothing went wrong in it."""
    assert not app.exception, [error.value for error in app.exception]
    return app


FRAME = """
import runpy
import streamlit as st
from dashboard import app, contents
st.navigation(contents.navigation(), position="hidden")
app.show(lambda: runpy.run_path("{page}"))
"""
