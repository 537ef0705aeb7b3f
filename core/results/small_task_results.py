"""Results of the small GPTs of the tasks with a known answer: how many problems each answers right."""

from dataclasses import dataclass
from pathlib import Path

from ..probing.small_tasks import TASKS
from ..probing.small_tasks.small_gpts import FOLDER, TRAINED
from ..published.table import NonNegativeFloat, NonNegativeInt, Proportion
from .result_files import object_of, read_json


@dataclass(frozen=True)
class Result:
    """Numbers of held-out problems and of problems to learn from, and of wrong answers to both; cost of the training.

    `linear` is the share of held-out problems that a linear model answers right.
    """

    parameters: NonNegativeInt
    held_out: NonNegativeInt
    held_out_wrong: NonNegativeInt
    learned: NonNegativeInt
    learned_wrong: NonNegativeInt
    linear: Proportion
    seconds: NonNegativeFloat


_RESULTS = object_of({"tasks": object_of(dict.fromkeys(TASKS, Result))})


def results(folder: Path = FOLDER) -> dict[str, Result]:
    """results.json, by the names of the tasks; ModelError where it is missing or makes no sense."""
    tasks = read_json(folder / "results.json", _RESULTS, made_by=TRAINED)["tasks"]
    return {name: tasks[name] for name in TASKS}
