"""How often each classifier of reviews is fooled by our checklist, as training/sentiment_fooled.py counted it."""

from pathlib import Path

from ..published.table import SOURCE, Columns, Whole, Words
from ..verdict.checklist import KINDS, Fooled
from ..verdict.checklist_templates import WORDS
from .result_files import read_rows, share
from .tables import FOLDER

FILE = FOLDER / "sentiment_fooled.csv"
COMMAND = "python -m training.sentiment_fooled --data PATH"
COLUMNS: Columns = (
    Words("language", among=tuple(WORDS), kind="languages"),
    Words("model"),
    Words("kind", among=tuple(KINDS), kind="kinds"),
    Words("test"),
    Words("should", among=("change", "stay", "stronger", "weaker"), kind="outcomes"),
    Whole("pairs"),
    *(Whole(name, low=0) for name in ("failed", "right")),
    share("unread"),
    SOURCE,
)


def sentiment_fooled(file: Path = FILE) -> dict[str, dict[str, tuple[Fooled, ...]]]:
    """For each language and each model what was counted, test by test, in the order of the table.

    ModelError where the file is missing or a row is wrong.
    """
    found: dict[str, dict[str, tuple[Fooled, ...]]] = {}
    for row in read_rows(file, COLUMNS, unique=("model", "language", "test", "kind"), made_by=COMMAND):
        *counted, _ = (of for name, of in row.cells.items() if name not in ("language", "model"))
        models = found.setdefault(row.cells["language"], {})
        models[row.cells["model"]] = (*models.get(row.cells["model"], ()), Fooled(*counted))
    return found
