"""How often a BERT of ours is right about whether one text follows another, on pairs that it did not read."""

from dataclasses import dataclass
from pathlib import Path

from ..published.table import PositiveInt, Proportion
from .result_files import error_of, read_json

CHANCE = 0.5  # half of the pairs do follow


@dataclass(frozen=True)
class NextSentence:
    """The share of held-out pairs for which the answer of the second head is right."""

    accuracy: Proportion
    pairs: PositiveInt

    @property
    def error(self) -> float:
        """The standard error of the accuracy."""
        return error_of(self.accuracy, self.pairs)


@dataclass(frozen=True)
class _File:
    next_sentence: NextSentence | None = None


def next_sentence(folder: Path) -> NextSentence | None:
    """What results.json of a folder says; None where nothing was measured, ModelError where it makes no sense."""
    if not (folder / "results.json").is_file():
        return None
    return read_json(folder / "results.json", _File, made_by=f"make train-{folder.name}").next_sentence
