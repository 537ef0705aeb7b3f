"""The books that come with the page."""

import gzip
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "books"
BOOKS = ("The Time Machine", "Sherlock Holmes")


@cache
def book_text(name: str) -> str:
    """The text of a book; KeyError for one that does not come along."""
    if name not in BOOKS:
        raise KeyError(name)
    return gzip.decompress((FOLDER / f"{name.lower().replace(' ', '-')}.txt.gz").read_bytes()).decode("utf-8")
