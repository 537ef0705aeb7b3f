"""The books that come along; see books/NOTES.md."""

import gzip
from functools import cache
from pathlib import Path

BOOKS = {"The Time Machine": "the-time-machine", "Sherlock Holmes": "sherlock-holmes"}
_FOLDER = Path(__file__).with_suffix("")


@cache
def book_text(name: str) -> str:
    """The text of one of BOOKS."""
    return gzip.decompress((_FOLDER / f"{BOOKS[name]}.txt.gz").read_bytes()).decode()
