"""Home: what this is, one living example, every page one click away."""

from dashboard import contents


def test_the_page_names_every_other_page(visit):
    app = visit("home.py")
    labels = " ".join(link.proto.label for link in app.get("page_link"))
    for pages in contents.GROUPS.values():
        for page in pages:
            if page is not contents.HOME:
                assert page.question in labels


def test_every_page_has_a_file_and_a_short_address_of_its_own():
    pages = [page for group in contents.GROUPS.values() for page in group]
    assert all((contents.ROOT / "pages" / page.file).is_file() for page in pages)
    assert len({page.url for page in pages}) == len(pages)
    assert all(page.url == page.url.lower() and " " not in page.url for page in pages)
