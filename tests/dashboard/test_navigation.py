"""Ways on from a page: every page is on the way through all of them, and builds on what came before."""

from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from dashboard import app as frame
from dashboard import contents
from dashboard.frame import navigation
from tests.pages.conftest import visit  # noqa: F401  (a fixture)


def test_next_leads_through_all_pages_once():
    walked, page = [], contents.pages()[0]
    while page is not None:
        walked.append(page)
        before, after = navigation.neighbours(page)
        assert after is None or navigation.neighbours(after)[0] == page
        page = after
    assert walked == contents.pages()
    assert before is not None


def test_the_table_of_contents_begins_with_the_core_path_and_has_every_page_once():
    core = ("", "text", "steps", "heads", "order", "inside", "next-word")
    assert tuple(page.url for page in contents.pages())[: len(core)] == core
    assert tuple(page.url for page in contents.CORE) == core
    folders = [page.folder for page in contents.pages()]
    files = (contents.ROOT / "pages").glob("*/*/page.py")
    assert sorted(folders) == sorted(file.parent.relative_to(contents.ROOT / "pages").as_posix() for file in files)


def test_the_core_path_builds_on_nothing_beyond_it():
    assert all(prerequisite in contents.CORE for page in contents.CORE for prerequisite in page.builds_on)


def test_the_table_of_contents_is_folded_and_unfolds_once_at_the_first_page_beyond_the_core_path(monkeypatch):
    monkeypatch.setattr(frame.st, "session_state", {})
    monkeypatch.setattr(frame.st, "sidebar", Mock())
    for page, expected in (
        (contents.TEXT, [7]),
        (contents.SWIN, [7, True]),
        (contents.SWIN, [7]),  # whoever folded it keeps it folded
        (contents.GLOSSARY, [7]),
    ):
        drawn = Mock(return_value=SimpleNamespace(url_path=page.url))
        monkeypatch.setattr(frame.st, "navigation", drawn)
        assert frame.show_contents().url_path == page.url
        assert [call.kwargs["expanded"] for call in drawn.call_args_list] == expected


@pytest.mark.parametrize("page", contents.pages(), ids=lambda page: page.name)
def test_a_page_builds_on_pages_that_come_before_it(page):
    order = contents.pages()
    assert all(order.index(prerequisite) < order.index(page) for prerequisite in page.builds_on)


def test_every_page_is_known_by_its_address_and_by_its_question():
    for page in contents.pages():
        assert contents.page_at(page.url) is page
        assert contents.page_asking(page.question) is page


def test_the_button_enters_the_projector_s_view_and_the_bar_leaves_it(visit):  # noqa: F811
    app = visit("foundations/order", show="Waves")
    app.button(key="present-this").click().run()
    assert not app.exception
    assert app.query_params["present"] == "1"
    assert app.query_params["show"] == "Waves"
    app.button(key="leave").click().run()
    assert "present" not in app.query_params


def test_on_a_projector_sections_turn_one_by_one_and_end_at_both_ends(visit):  # noqa: F811
    app = visit("vision/swin", present="1")
    assert app.button(key="turn-Left").disabled
    app.button(key="turn-Right").click().run()
    assert not app.exception
    assert app.session_state.show == "Maps"
    app.button(key="turn-Left").click().run()
    assert app.session_state.show == "Windows"


def test_a_section_of_another_page_is_as_none(visit):  # noqa: F811
    app = visit("vision/swin")
    app.session_state.show = "Explanations"
    app.run()
    assert not app.exception
    assert app.session_state.show == "Windows"
