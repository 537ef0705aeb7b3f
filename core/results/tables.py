"""The tables of this folder: costs of efficient attention, small networks trained alike, heads that follow grammar."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from ..costs.one_pass import Cost
from ..probing.grammar.relations import DIRECTIONS, FARTHEST, BestHead, Head, Measured
from ..published.table import NonNegativeInt, Percentage, PositiveFloat, PositiveInt, Proportion, Text, one_of
from .result_files import read_rows

FOLDER = Path(__file__).parent
ATTENTION_COSTS = FOLDER / "attention_costs.csv"
EFFICIENT_CHARACTERS = FOLDER / "efficient_characters.csv"
GRAMMAR_HEADS = FOLDER / "grammar_heads.csv"
SMALL_DATA = FOLDER / "small_data.csv"


@dataclass(frozen=True)
class MeasuredCosts:
    """Costs that were measured together, and the machine and the command that measured them."""

    costs: tuple[Cost, ...]
    hardware: str
    source: str


@dataclass(frozen=True)
class _Cost:
    name: Text
    tokens: PositiveInt
    seconds: PositiveFloat
    repeats: PositiveInt
    bytes: NonNegativeInt
    hardware: Text
    source: Text


def attention_costs(file: Path = ATTENTION_COSTS) -> MeasuredCosts:
    """Time and memory of exact and efficient attention; ModelError where the file is missing or a row is wrong."""
    rows = read_rows(file, _Cost, unique=("name", "tokens"), made_by="python -m benchmarks.attention_costs")
    costs = tuple(Cost(row.name, row.tokens, row.seconds, row.repeats, row.bytes) for row in rows)
    return MeasuredCosts(costs, rows[0].hardware, rows[0].source)


NEXT, HIDDEN = "next", "hidden"  # tasks: to predict what follows, and what is hidden in the midst of a text


@dataclass(frozen=True)
class EfficientRun:
    """A trained model: held-out loss in bits a character, and the multiplications of a head for `context` tokens."""

    task: Annotated[str, one_of((NEXT, HIDDEN))]
    variant: Text
    settings: Text
    context: PositiveInt
    parameters: PositiveInt
    multiplications: PositiveInt
    steps: PositiveInt
    bits: Annotated[float, Meta(gt=0, le=8)]
    seconds: NonNegativeInt
    hardware: Text
    source: Text


def efficient_characters(file: Path = EFFICIENT_CHARACTERS) -> tuple[EfficientRun, ...]:
    """Character models with each kind of efficient attention, trained alike, in the order in which they were made.

    ModelError where the file is missing or a row is wrong.
    """
    command = "python -m training.efficient_characters.train --data PATH"
    return read_rows(file, EfficientRun, unique=("task", "variant"), made_by=command)


@dataclass(frozen=True)
class SmallDataRun:
    """A network trained on `pictures` pictures: its accuracy on the 10,000 test pictures in per cent."""

    model: Text
    family: Literal["convolutional", "transformer"]
    params: PositiveInt
    pictures: PositiveInt
    epochs: PositiveInt
    learning_rate: Annotated[float, Meta(gt=0, le=1)]
    accuracy_percent: Percentage
    seconds: NonNegativeInt
    hardware: Text
    source: Text


def small_data_runs(file: Path = SMALL_DATA) -> tuple[SmallDataRun, ...]:
    """Convolutional networks and vision transformers on all or a part of CIFAR-10, in the order of the runs.

    ModelError where the file is missing or a row is wrong.
    """
    command = "python -m training.small_data.train --data PATH"
    return read_rows(file, SmallDataRun, unique=("model", "pictures"), made_by=command)


_SHARE = re.compile(r"([0-9]+)\.([0-9]+):([0-9]+(?:\.[0-9]+)?)")  # layer, head, percent


@dataclass(frozen=True)
class _BestHead:
    model: Text
    relation: Text
    direction: Annotated[str, one_of(DIRECTIONS)]
    layer: NonNegativeInt
    head: NonNegativeInt
    train_share: Proportion
    test_share: Proportion
    offset: Annotated[float, Meta(ge=-FARTHEST, le=FARTHEST)]
    offset_share: Proportion
    test_cases: PositiveInt
    earlier_share: Proportion
    clark_share: Proportion | None
    train_sentences: PositiveInt
    test_sentences: PositiveInt
    attention: Literal["causal", "both ways"]
    by_head: Text
    source: Text

    def __post_init__(self):
        if (self.layer, self.head) not in self.shares:
            raise ValueError(f"'by_head' has no share of layer {self.layer}, head {self.head}")

    @cached_property
    def shares(self) -> dict[Head, float]:
        """The shares of all heads, from `by_head`; ValueError where it is malformed."""
        shares: dict[Head, float] = {}
        for part in self.by_head.split():
            if not (match := _SHARE.fullmatch(part)):
                raise ValueError(f"'by_head' names a head as 'layer.head:percent', not '{part[:20]}'")
            if (percent := float(match[3])) > 100:
                raise ValueError(f"a share in 'by_head' is a number from 0 to 100, not {match[3]}")
            shares[int(match[1]), int(match[2])] = percent / 100
        return shares

    def best_head(self) -> BestHead:
        return BestHead(
            relation=self.relation,
            direction=self.direction,
            head=(self.layer, self.head),
            chosen_share=self.train_share,
            share=self.test_share,
            offset=int(self.offset),
            offset_share=self.offset_share,
            cases=self.test_cases,
            earlier=self.earlier_share,
            by_head=tuple(self.shares.items()),
        )


MEASURED_GRAMMAR = "make grammar DATA=PATH"


def grammar_heads(file: Path = GRAMMAR_HEADS) -> dict[str, Measured]:
    """For each model the heads that follow the relations of Universal Dependencies best, in the order of the rows.

    `by_head` of a row holds the test shares of all heads, "layer.head:percent" each. ModelError where the file is
    missing or a row is wrong.
    """
    by_model: dict[str, list[_BestHead]] = {}
    for row in read_rows(file, _BestHead, unique=("model", "relation", "direction"), made_by=MEASURED_GRAMMAR):
        by_model.setdefault(row.model, []).append(row)
    return {
        model: Measured(
            tuple(row.best_head() for row in rows),
            rows[0].attention == "causal",
            rows[0].train_sentences,
            rows[0].test_sentences,
        )
        for model, rows in by_model.items()
    }
