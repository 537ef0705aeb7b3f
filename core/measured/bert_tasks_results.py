"""The fine-tuned BERT: how many tags and verdicts are right, beside baselines and other ways of training it."""

from dataclasses import dataclass
from pathlib import Path

from ..fine_tuned.reading import NAME, TRAINED
from ..models.bert_tasks import TAGS
from ..published.table import Whole
from ..zoo.embedded import WEIGHTS
from .result_files import Field, Group, read_json, share

FOLDER = WEIGHTS / NAME
TUNED, FROZEN, SCRATCH = "tuned", "frozen", "scratch"

_VARIANT: tuple[Field, ...] = (
    share("tags"),
    share("verdicts"),
    share("verdicts_capital"),
    Group("by_tag", [share(tag, required=False) for tag in TAGS]),
)
_FREQUENT: tuple[Field, ...] = (
    share("tags"),
    share("unknown"),
    Group("by_tag", [share(tag, required=False) for tag in TAGS]),
    Group("cases", [Whole(tag, low=0, required=False) for tag in TAGS]),
)
_RESULTS: tuple[Field, ...] = (
    Group("variants", [Group(name, _VARIANT, required=name == TUNED) for name in (TUNED, FROZEN, SCRATCH)]),
    Group("most_frequent_tag", _FREQUENT),
    share("majority"),
    share("naive_bayes"),
    *(Whole(name, low=1) for name in ("words", "sentences", "learned_words", "learned_phrases")),
)


@dataclass(frozen=True)
class Variant:
    """Shares that are right: tags, verdicts as they are typed, verdicts with a capital first letter; tag by tag."""

    tags: float
    verdicts: float
    verdicts_capital: float
    by_tag: dict[str, float]


@dataclass(frozen=True)
class Results:
    """What was measured of each variant that was trained, and of the baselines.

    `frequent_by_tag`: by the most frequent tag of each word; `cases`: words of each tag in the test sentences.
    """

    variants: dict[str, Variant]
    most_frequent_tag: float
    frequent_by_tag: dict[str, float]
    cases: dict[str, int]
    majority: float
    naive_bayes: float
    words: int
    sentences: int
    learned_words: int
    learned_phrases: int


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    found = read_json(folder / "results.json", _RESULTS, made_by=TRAINED)
    frequent = found.pop("most_frequent_tag")
    return Results(
        variants={name: _variant(of) for name, of in found.pop("variants").items() if of},
        most_frequent_tag=frequent["tags"],
        frequent_by_tag=_there(frequent["by_tag"]),
        cases=_there(frequent["cases"]),
        **found,
    )


def _variant(of: dict) -> Variant:
    return Variant(of["tags"], of["verdicts"], of["verdicts_capital"], _there(of["by_tag"]))


def _there(found: dict) -> dict:
    return {tag: value for tag, value in found.items() if value is not None}
