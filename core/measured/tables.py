"""The tables of this folder: costs of efficient attention, and small networks trained alike."""

from dataclasses import dataclass
from pathlib import Path

from core.costs.one_pass import Cost
from core.measured.result_files import read_rows
from core.published.table import SOURCE, Column, Number, Whole, Words

FOLDER = Path(__file__).parent
ATTENTION_COSTS = FOLDER / "attention_costs.csv"
EFFICIENT_CHARACTERS = FOLDER / "efficient_characters.csv"
SMALL_DATA = FOLDER / "small_data.csv"


@dataclass(frozen=True)
class MeasuredCosts:
    """All that was measured in one go, and the machine and the command that did it."""

    costs: tuple[Cost, ...]
    hardware: str
    source: str


_COSTS: tuple[Column, ...] = (
    Words("name"),
    Whole("tokens"),
    Number("seconds", required=True, open=True),
    Whole("repeats"),
    Whole("bytes", low=0),
    Words("hardware"),
    SOURCE,
)


def attention_costs(file: Path = ATTENTION_COSTS) -> MeasuredCosts:
    """Time and memory of exact and efficient attention; ModelError where the file is missing or a row is wrong."""
    found = read_rows(file, _COSTS, unique=("name", "tokens"), made_by="python -m benchmarks.attention_costs")
    rows = [row.cells for row in found]
    costs = tuple(Cost(of["name"], of["tokens"], of["seconds"], of["repeats"], of["bytes"]) for of in rows)
    return MeasuredCosts(costs, rows[0]["hardware"], rows[0]["source"])


NEXT, HIDDEN = "next", "hidden"  # tasks: to predict what follows, and what is hidden in the midst of a text


@dataclass(frozen=True)
class EfficientRun:
    """A trained model: held-out loss in bits a character, and the products of one head in a text of `context`."""

    task: str
    variant: str
    settings: str
    context: int
    parameters: int
    multiplications: int
    steps: int
    bits: float
    seconds: int
    hardware: str
    source: str


_EFFICIENT: tuple[Column, ...] = (
    Words("task", among=(NEXT, HIDDEN), kind="tasks"),
    Words("variant"),
    Words("settings"),
    *(Whole(name) for name in ("context", "parameters", "multiplications", "steps")),
    Number("bits", high=8.0, required=True, open=True),
    Whole("seconds", low=0),
    Words("hardware"),
    SOURCE,
)


def efficient_characters(file: Path = EFFICIENT_CHARACTERS) -> tuple[EfficientRun, ...]:
    """Character models with each kind of efficient attention, trained alike, in the order in which they were made.

    ModelError where the file is missing or a row is wrong.
    """
    command = "python -m training.efficient_characters --data PATH"
    rows = read_rows(file, _EFFICIENT, unique=("task", "variant"), made_by=command)
    return tuple(EfficientRun(**row.cells) for row in rows)


@dataclass(frozen=True)
class SmallDataRun:
    """A network trained on so many of the pictures: its accuracy on the 10,000 test pictures in per cent."""

    model: str
    family: str
    params: int
    pictures: int
    epochs: int
    learning_rate: float
    accuracy_percent: float
    seconds: int
    hardware: str
    source: str


_SMALL_DATA: tuple[Column, ...] = (
    Words("model"),
    Words("family", among=("convolutional", "transformer"), kind="families"),
    *(Whole(name) for name in ("params", "pictures", "epochs")),
    Number("learning_rate", high=1.0, required=True, open=True),
    Number("accuracy_percent", high=100.0, required=True),
    Whole("seconds", low=0),
    Words("hardware"),
    SOURCE,
)


def small_data_runs(file: Path = SMALL_DATA) -> tuple[SmallDataRun, ...]:
    """Convolutional networks and vision transformers on CIFAR-10, whole and in parts, in the order of the runs.

    ModelError where the file is missing or a row is wrong.
    """
    command = "python -m training.small_data --data PATH"
    rows = read_rows(file, _SMALL_DATA, unique=("model", "pictures"), made_by=command)
    return tuple(SmallDataRun(**row.cells) for row in rows)
