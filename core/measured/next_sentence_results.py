"""How often a BERT of ours is right about whether one text follows another, on pairs that it did not read."""

from dataclasses import dataclass
from pathlib import Path

from ..published.table import Whole
from .result_files import Group, error_of, read_json, share

CHANCE = 0.5  # half of the pairs do follow


@dataclass(frozen=True)
class NextSentence:
    """The share of held-out pairs for which the answer of the second head is right."""

    accuracy: float
    pairs: int

    @property
    def error(self) -> float:
        """The standard error of the accuracy."""
        return error_of(self.accuracy, self.pairs)


def next_sentence(folder: Path) -> NextSentence | None:
    """What results.json of a folder says; None where nothing was measured, ModelError where it makes no sense."""
    if not (folder / "results.json").is_file():
        return None
    fields = [Group("next_sentence", [share("accuracy"), Whole("pairs", low=1)], required=False)]
    found = read_json(folder / "results.json", fields, made_by=f"make train-{folder.name}")["next_sentence"]
    return found and NextSentence(found["accuracy"], found["pairs"])
