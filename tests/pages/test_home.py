"""Home: one living example, three doors, every page in the fold of its task."""

import pytest

from dashboard import contents
from dashboard.frame import layout
from dashboard.lessons import player
from dashboard.lessons.form import TOUR
from tests.pages.conftest import prose


def test_the_page_names_every_other_page(visit):
    app = visit("explore/home")
    links = {link.proto.label for link in app.get("page_link")}
    text = " ".join(element.value for element in app.markdown)
    for pages in contents.GROUPS.values():
        for page in pages:
            if page is not contents.HOME:
                assert page.name in links
                assert page.question in text
                assert page.about in text


def test_the_example_can_be_a_photograph_and_leads_to_the_page_for_one_s_own(visit):
    app = visit("explore/home")
    assert any("where the words before it are not repeated" in element.value for element in app.markdown)
    app.segmented_control(key="example").set_value("A photograph").run()
    assert not app.exception
    assert any("strongest look at the picture" in element.value for element in app.markdown)
    assert "Try it with your own photograph" in {link.proto.label for link in app.get("page_link")}


def test_three_doors_lead_to_the_first_lesson_to_own_input_and_to_what_a_teacher_needs(visit):
    app = visit("explore/home")
    ways = {(link.proto.page, link.proto.query_string) for link in app.get("page_link")}
    tour = player.find(TOUR)
    assert (tour.stations[0].page.url, f"lesson={TOUR}&station=1") in ways
    assert {(page.url, "") for page in (contents.TEXT, contents.IMAGE, contents.LESSONS)} <= ways
    assert (contents.TEXT.url, "present=1") in ways
    assert f"{len(tour.stations)} stations" in prose(app)
    app.button(key="open-class-home").click().run()
    assert not app.exception
    assert app.session_state["class"] == ""
    assert not any(button.key == "open-class-home" for button in app.button)


def test_on_a_projector_the_example_stands_alone(visit):
    app = visit("explore/home", present="1")
    assert app.segmented_control(key="example").value
    assert not app.expander
    assert len(app.get("page_link")) == 1  # from the example to one's own sentence


def test_the_pages_are_folded_by_task_and_each_stands_in_one_fold(visit):
    app = visit("explore/home")
    folded = [[link.proto.page for link in fold.get("page_link")] for fold in app.expander]
    assert folded == [[page.url for page in group if page is not contents.HOME] for group in contents.GROUPS.values()]


@pytest.mark.parametrize(("count", "most", "lengths"), [(5, 3, [3, 2]), (4, 3, [2, 2]), (5, 2, [2, 2, 1]), (1, 3, [1])])
def test_no_row_of_cards_is_half_empty(count, most, lengths):
    rows = layout.rows_of(count, most)
    assert [len(row) for row in rows] == lengths
    assert [place for row in rows for place in row] == list(range(count))


def test_every_page_has_a_file_and_a_short_address_of_its_own():
    pages = [page for group in contents.GROUPS.values() for page in group]
    assert all((contents.ROOT / "pages" / page.folder / "page.py").is_file() for page in pages)
    assert len({page.url for page in pages}) == len(pages)
    assert all(page.url == page.url.lower() and " " not in page.url for page in pages)
