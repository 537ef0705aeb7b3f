"""Students with fewer layers beside their teachers: how good, how large, how fast."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..published.table import Columns, Number, Whole, Words
from ..shrinking.students import STUDENTS, TABLE
from .result_files import read_rows, share

MADE_BY = "python -m training.shrinking_students_report --data PATH"

_COLUMNS: Columns = (
    Words("model", among=tuple(STUDENTS)),
    Words("variant"),
    Whole("parameters"),
    Whole("bytes"),
    Number("milliseconds", required=True, open=True),
    share("quality"),
    Words("measure", among=("masked words", "accuracy")),
    Whole("layers"),
    Words("taught", required=False, among=("", "yes", "no")),
    *(share(name) for name in ("as_teacher", "same_mistakes")),
    Whole("questions"),
    share("error"),
    *(Number(name, -1.0, 1.0) for name in ("lead", "lead_error", "gain", "gain_error")),
)


@dataclass(frozen=True)
class Difference:
    """A difference of two shares of right answers to the same questions, and its standard error."""

    value: float
    error: float

    @property
    def is_clear(self) -> bool:
        """Whether it is more than twice its error: not what another draw of questions may turn around."""
        return abs(self.value) > 2 * self.error


@dataclass(frozen=True)
class Student:
    """A network as it was measured; `taught` is None of the teacher itself, `quality` the share of right answers.

    `error` is the standard error of `quality`; `as_teacher` the share of questions that get the teacher's answer, and
    `same_mistakes` the same among those that it answers wrongly. `lead`: over the teacher, None of itself. `gain`: of a
    taught one, over the one of its size that was not.
    """

    variant: str
    layers: int
    parameters: int
    bytes: int
    milliseconds: float
    quality: float
    as_teacher: float
    taught: bool | None
    same_mistakes: float
    questions: int
    error: float
    lead: Difference | None
    gain: Difference | None


def students(teacher: str, file: Path = TABLE) -> tuple[Student, ...]:
    """The teacher first, then its students; ModelError where the file is missing or makes no sense."""
    rows = read_rows(file, _COLUMNS, unique=("model", "variant"), made_by=MADE_BY, covers="model")
    cells = [row.cells for row in rows if row.cells["model"] == teacher]
    return tuple(
        Student(
            variant=each["variant"],
            layers=each["layers"],
            parameters=each["parameters"],
            bytes=each["bytes"],
            milliseconds=each["milliseconds"],
            quality=each["quality"],
            as_teacher=each["as_teacher"],
            taught={"yes": True, "no": False}.get(each["taught"]),
            same_mistakes=each["same_mistakes"],
            questions=each["questions"],
            error=each["error"],
            lead=_difference(each, "lead"),
            gain=_difference(each, "gain"),
        )
        for each in cells
    )


def _difference(cells: Mapping[str, Any], name: str) -> Difference | None:
    value, error = cells[name], cells[f"{name}_error"]
    return None if value is None or error is None else Difference(value, error)
