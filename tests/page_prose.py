"""The prose of a page of the table of contents."""

from dashboard.contents import ROOT, Page
from dashboard.frame.prose import PageProse, read_prose


def prose_of(page: Page) -> PageProse:
    """The question, the lead, the sections and the texts of a page."""
    return read_prose(str(ROOT / "pages" / page.folder / "page.py"))


def sections_of(page: Page) -> set[str]:
    """The names of the sections of a page, without those of their parts."""
    return {name for name in prose_of(page).sections if ": " not in name}
