"""Home: what this is, one living example, every page one click away."""

from dashboard import contents


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
    assert any("tokens away" in element.value for element in app.markdown)
    app.segmented_control(key="example").set_value("A photograph").run()
    assert not app.exception
    assert any("strongest look at the picture" in element.value for element in app.markdown)
    assert "Try it with your own photograph" in {link.proto.label for link in app.get("page_link")}


def test_every_page_has_a_file_and_a_short_address_of_its_own():
    pages = [page for group in contents.GROUPS.values() for page in group]
    assert all((contents.ROOT / "pages" / page.room / "page.py").is_file() for page in pages)
    assert len({page.url for page in pages}) == len(pages)
    assert all(page.url == page.url.lower() and " " not in page.url for page in pages)
