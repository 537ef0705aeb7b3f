"""The tests of the checklist: templates for pairs of sentences, and the expected effect on the prediction.

`[before|after]` is the place that changes, `{list}` a word of a list (the same word everywhere in one template).
`{list~}` is that word with two letters swapped, `{list-}` with one removed.
"""

from dataclasses import dataclass
from typing import Literal

Sentiment = Literal["negative", "positive"]
Should = Literal["change", "stay", "stronger", "weaker"]
GOOD: Sentiment = "positive"
BAD: Sentiment = "negative"

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
    """Templates of one kind, the expected effect on the prediction, and the sentiment of both sentences."""

    kind: str
    name: str
    should: Should
    sentiments: tuple[Sentiment, Sentiment]
    templates: tuple[str, ...]
