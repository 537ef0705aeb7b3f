"""What a test of the checklist is: templates for pairs of sentences, and what should happen to the verdict.

`[before|after]` is the place that changes, `{list}` a word of a list (the same word wherever it stands in one
template). `{list~}` is that word with two letters exchanged, `{list-}` with one left out.
"""

from dataclasses import dataclass
from typing import Literal

Mood = Literal["negative", "positive"]
Should = Literal["change", "stay", "stronger", "weaker"]
GOOD: Mood = "positive"
BAD: Mood = "negative"

KINDS = {
    "negation": "Negation",
    "negated": "Blame negated",
    "contrast": "Contrast",
    "names": "Names swapped",
    "irony": "Irony",
    "intensity": "Intensity",
    "temporal": "Then and now",
    "spelling": "Spelling",
}


@dataclass(frozen=True)
class Test:
    """Templates of one kind, what should happen to the verdict, and what both sentences think."""

    kind: str
    name: str
    should: Should
    moods: tuple[Mood, Mood]
    templates: tuple[str, ...]
