"""One visitor's session: from page to page by links, as a browser goes, with all that Streamlit keeps between pages."""

from streamlit.testing.v1 import AppTest

from dashboard.contents import Page
from tests.pages.conftest import check

APP = """
from dashboard.app import frame
frame()
"""
# Any page can be opened once one has been: the first is a question, which costs less than Home.
FIRST = {"lesson": "first-twenty-minutes", "station": "3"}


def session() -> AppTest:
    """A session that is nowhere yet."""
    app = AppTest.from_string(APP, default_timeout=60)
    app.query_params = dict(FIRST)
    return check(app.run())


def follow(app: AppTest, page: Page, **query: str) -> AppTest:
    """Follow a link to a page, with choices in its address.

    A browser sends no values of the controls of the page before: `AppTest.run` would. Streamlit takes no choice from
    the address for a control that the page before has, too: leave that page for one without it first.
    """
    app._page_hash = page.streamlit_page()._script_hash
    app.query_params = dict(query)
    return check(app._run())


def controls_of(app: AppTest) -> dict[str, object]:
    """What all controls of a page hold, by their keys: those that stand in its address."""
    kinds = ("text_area", "text_input", "selectbox", "number_input", "slider", "select_slider", "multiselect")
    return {
        element.key: element.value
        for kind in (*kinds, "button_group", "toggle", "checkbox", "radio")
        for element in app.get(kind)
        if element.key
    }


def has_figure(app: AppTest) -> bool:
    """Whether a page came to its end, past all of its figures: nothing has stopped it in a sentence."""
    return not app.warning and "How it is computed" in {head.value for head in app.subheader}
