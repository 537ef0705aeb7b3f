"""The small GPTs of the tasks with a known answer: how many of all problems each answers right."""

from dataclasses import dataclass
from pathlib import Path

from ..published.table import Number, Whole
from ..small_tasks import TASKS
from ..small_tasks.small_gpts import FOLDER, TRAINED
from .result_files import Field, Groups, read_json, share

_COUNTS = (Whole(name, low=0) for name in ("parameters", "held_out", "held_out_wrong", "learned", "learned_wrong"))
_FIGURES: tuple[Field, ...] = (*_COUNTS, share("linear"), Number("seconds", required=True))
_RESULTS = (Groups("tasks", _FIGURES, tuple(TASKS)),)


@dataclass(frozen=True)
class Result:
    """Problems that were held out, and some that were not; how many of both are answered wrong; what it took.

    `linear` is the share of held-out problems that a linear model answers right.
    """

    parameters: int
    held_out: int
    held_out_wrong: int
    learned: int
    learned_wrong: int
    linear: float
    seconds: float


def results(folder: Path = FOLDER) -> dict[str, Result]:
    """results.json, by the names of the tasks; ModelError where it is missing or makes no sense."""
    found = read_json(folder / "results.json", _RESULTS, made_by=TRAINED)["tasks"]
    return {name: Result(**of) for name, of in found.items()}
