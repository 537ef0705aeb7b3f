"""Time and memory of exact and efficient attention: made by benchmarks/attention_costs.py."""

from dataclasses import dataclass
from pathlib import Path

from core.costs.one_pass import Cost
from core.published.table import SOURCE, Column, Number, Whole, Words, read_table

ATTENTION_COSTS = Path(__file__).parent / "attention_costs.csv"

_COLUMNS: tuple[Column, ...] = (
    Words("name"),
    Whole("tokens"),
    Number("seconds", required=True, open=True),
    Whole("repeats"),
    Whole("bytes", low=0),
    Words("hardware"),
    SOURCE,
)


@dataclass(frozen=True)
class MeasuredCosts:
    """All that was measured in one go, and the machine and the command that did it."""

    costs: tuple[Cost, ...]
    hardware: str
    source: str


def attention_costs(file: Path = ATTENTION_COSTS) -> MeasuredCosts:
    """What is in `file`; ValueError where a row is wrong."""
    rows = [row.cells for row in read_table(file, _COLUMNS, unique=("name", "tokens"))]
    costs = tuple(Cost(of["name"], of["tokens"], of["seconds"], of["repeats"], of["bytes"]) for of in rows)
    return MeasuredCosts(costs, rows[0]["hardware"], rows[0]["source"])
