"""Books that come along: public domain, entire."""

import gzip
from pathlib import Path

FOLDER = Path(__file__).parent / "books"
BOOKS = {"The Time Machine": "the_time_machine", "Sherlock Holmes": "sherlock_holmes"}  # and their files


def book_text(name: str) -> str:
    """The text of one of BOOKS."""
    return gzip.decompress((FOLDER / f"{BOOKS[name]}.txt.gz").read_bytes()).decode("utf-8")
