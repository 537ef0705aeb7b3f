"""Input made to break the atlas: pictures, texts, model folders, answers of a hub. Tests and the table try all of it.

Each module has `cases()`, and `try_one(case)`, which gives "result", or the sentence with which a case was refused.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One hostile input: its kind in words, by which the table counts; its name; its content."""

    kind: str
    name: str
    content: Any
