"""Input made to break the atlas: pictures, texts, model folders, answers of a hub. Tests and the table try all of it.

Each module has `cases()`, and `try_one(case)`, which returns "result", or the error message that refuses a case.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One hostile input: its kind, by which the table counts, its name and its content."""

    kind: str
    name: str
    content: Any
