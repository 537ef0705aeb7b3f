"""Accuracy of next-sentence prediction of this project's BERTs on held-out pairs."""

from dataclasses import dataclass
from pathlib import Path

from ..published.table import PositiveInt, Proportion
from .result_files import error_of, read_json

CHANCE = 0.5  # half of the pairs do follow


@dataclass(frozen=True)
class NextSentence:
    """Accuracy of the next-sentence head on held-out pairs."""

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
    """The accuracy in results.json of a folder; None where it was not measured, ModelError where the file is wrong."""
    if not (folder / "results.json").is_file():
        return None
    return read_json(folder / "results.json", _File, made_by=f"make train-{folder.name}").next_sentence
