"""What a page says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PageWords:
    """What a page says besides its figures; everything here is Markdown written by us, never by a visitor."""

    question: str
    lead: str
    try_this: tuple[str, ...]
    references: tuple[str, ...]
