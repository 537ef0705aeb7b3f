"""Students with fewer layers beside their teachers: how good, how large, how fast."""

from dataclasses import dataclass
from pathlib import Path

from core.measured.result_files import read_rows, share
from core.published.table import Columns, Number, Whole, Words
from core.shrinking.students import STUDENTS, TABLE

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
    share("as_teacher"),
)


@dataclass(frozen=True)
class Student:
    """A network as it was measured; `taught` is None of the teacher itself, `quality` the share of right answers."""

    variant: str
    layers: int
    parameters: int
    bytes: int
    milliseconds: float
    quality: float
    as_teacher: float
    taught: bool | None


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
        )
        for each in cells
    )
