"""Home: what this is, one living example, every page one click away."""

import pytest

from dashboard import contents
from dashboard.frame import layout


def test_the_page_names_every_other_page(visit):
    app = visit("explore/home")
    links = {link.proto.label for link in app.get("page_link")}
    prose = " ".join(element.value for element in app.markdown)
    for pages in contents.GROUPS.values():
        for page in pages:
            if page is not contents.HOME:
                assert page.name in links
                assert page.question in prose
                assert page.about in prose


def test_the_example_can_be_a_photograph_and_leads_to_the_page_for_one_s_own(visit):
    app = visit("explore/home")
    assert any("where the words before it are not repeated" in element.value for element in app.markdown)
    app.segmented_control(key="example").set_value("A photograph").run()
    assert not app.exception
    assert any("strongest look at the picture" in element.value for element in app.markdown)
    assert "Try it with your own photograph" in {link.proto.label for link in app.get("page_link")}


def test_the_first_path_is_numbered_and_every_station_one_click_away(visit):
    app = visit("explore/home")
    icons = [link.proto.icon for link in app.get("page_link") if "counter" in link.proto.icon]
    assert icons == [f":material/counter_{number}:" for number in range(1, len(icons) + 1)]
    assert 6 <= len(icons) <= 8
    assert f"{len(icons)} stations." in " ".join(element.value for element in app.markdown)


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
