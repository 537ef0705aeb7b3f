"""The tables of this folder: costs of efficient attention, small networks trained alike, heads that follow grammar."""

from dataclasses import dataclass
from pathlib import Path

from ..costs.one_pass import Cost
from ..grammar.relations import DIRECTIONS, FARTHEST, BestHead, Head, Measured
from ..published.table import SOURCE, Column, Number, Row, Whole, Words
from .result_files import naming, read_rows, share

FOLDER = Path(__file__).parent
ATTENTION_COSTS = FOLDER / "attention_costs.csv"
EFFICIENT_CHARACTERS = FOLDER / "efficient_characters.csv"
GRAMMAR_HEADS = FOLDER / "grammar_heads.csv"
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


_GRAMMAR: tuple[Column, ...] = (
    Words("model"),
    Words("relation"),
    Words("direction", among=DIRECTIONS, kind="directions"),
    *(Whole(name, low=0) for name in ("layer", "head")),
    *(share(name) for name in ("train_share", "test_share")),
    Number("offset", low=float(-FARTHEST), high=float(FARTHEST), required=True),
    share("offset_share"),
    Whole("test_cases"),
    share("earlier_share"),
    share("clark_share", required=False),
    *(Whole(name) for name in ("train_sentences", "test_sentences")),
    Words("attention", among=("causal", "both ways"), kind="kinds of attention"),
    Words("by_head"),
    SOURCE,
)
MEASURED_GRAMMAR = "make grammar DATA=PATH"


def grammar_heads(file: Path = GRAMMAR_HEADS) -> dict[str, Measured]:
    """For each model the heads that follow the relations of Universal Dependencies best, in the order of the rows.

    `by_head` of a row holds the test shares of all heads, "layer.head:percent" each. ModelError where the file is
    missing or a row is wrong.
    """
    rows = read_rows(file, _GRAMMAR, unique=("model", "relation", "direction"), made_by=MEASURED_GRAMMAR)
    found: dict[str, Measured] = {}
    with naming(file, MEASURED_GRAMMAR):
        for model in dict.fromkeys(row.cells["model"] for row in rows):
            own = [row for row in rows if row.cells["model"] == model]
            of = own[0].cells
            heads = tuple(_best_head(row) for row in own)
            found[model] = Measured(heads, of["attention"] == "causal", of["train_sentences"], of["test_sentences"])
    return found


def _best_head(row: Row) -> BestHead:
    of = row.cells
    return BestHead(
        relation=of["relation"],
        direction=of["direction"],
        head=(of["layer"], of["head"]),
        chosen_share=of["train_share"],
        share=of["test_share"],
        offset=int(of["offset"]),
        offset_share=of["offset_share"],
        cases=of["test_cases"],
        earlier=of["earlier_share"],
        by_head=_shares(of["by_head"], (of["layer"], of["head"]), row.place),
    )


def _shares(text: str, best: Head, place: str) -> tuple[tuple[Head, float], ...]:
    """The shares of all heads; ValueError where one is none, or that of the best head is missing."""
    shares: dict[Head, float] = {}
    for part in text.split():
        name, _, percent = part.partition(":")
        layer, _, head = name.partition(".")
        if not (layer.isdecimal() and head.isdecimal()):
            raise ValueError(f"{place}: 'by_head' names a head as 'layer.head:percent', not '{part[:20]}'.")
        shares[int(layer), int(head)] = (Number("by_head", high=100.0, required=True).read(percent, place) or 0.0) / 100
    if best not in shares:
        raise ValueError(f"{place}: 'by_head' has no share of layer {best[0]}, head {best[1]}.")
    return tuple(shares.items())
