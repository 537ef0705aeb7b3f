"""Language models: the GLUE leaderboard beside people, sentiment by small networks, how large the models became."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from .table import FOLDER, Percentage, PositiveInt, Proportion, Text, Year, one_of, read_table

HUMAN = "GLUE Human Baselines"
# The columns of each task, in the leaderboard's order; two measures of one task are averaged, as the leaderboard does.
GLUE_TASKS: Mapping[str, tuple[str, ...]] = {
    "CoLA": ("CoLA",),
    "SST-2": ("SST-2",),
    "MRPC": ("MRPC_f1", "MRPC_acc"),
    "STS-B": ("STS-B_pearson", "STS-B_spearman"),
    "QQP": ("QQP_f1", "QQP_acc"),
    "MNLI": ("MNLI-m", "MNLI-mm"),
    "QNLI": ("QNLI",),
    "RTE": ("RTE",),
    "WNLI": ("WNLI",),
}
_ROUNDED = 0.11  # all figures are rounded to 0.1
_MEASURES = tuple(name for names in GLUE_TASKS.values() for name in names)


@dataclass(frozen=True)
class GlueEntry:
    """A row of the GLUE leaderboard: the mean over the tasks, and each measure by its column; all out of 100."""

    rank: PositiveInt
    team: Text
    model: Text
    score: Percentage
    measures: Mapping[str, Percentage]
    source: Text
    note: str = ""  # what is wrong in the lecture

    def __post_init__(self):
        mean = sum(map(self.task, GLUE_TASKS)) / len(GLUE_TASKS)
        if abs(mean - self.score) > _ROUNDED:
            raise ValueError(f"'score' is {self.score}, but the mean of the tasks is {mean:.2f}")

    @property
    def human(self) -> bool:
        """Whether people are in this row."""
        return self.model == HUMAN

    def task(self, name: str) -> float:
        """The score of a task of GLUE_TASKS."""
        columns = GLUE_TASKS[name]
        return sum(self.measures[column] for column in columns) / len(columns)


def glue_entries(file: Path = FOLDER / "glue_leaderboard.csv") -> tuple[GlueEntry, ...]:
    """The leaderboard, best first; ValueError where a row is wrong, or its mean is not that of its tasks."""
    return read_table(file, GlueEntry, unique=("rank",), columns={"measures": _MEASURES})


@dataclass(frozen=True)
class SentimentResult:
    """A way to tell praise from complaint: its accuracy (a share) on held-out texts; None where it was not trained."""

    language: Text
    dataset: Text
    model: Text
    parameters: PositiveInt | None
    epochs: PositiveInt | None
    seconds_per_epoch: Annotated[float, Meta(gt=0, le=1e6)] | None
    accuracy: Proportion
    source: Text


def sentiment_results(file: Path = FOLDER / "sentiment.csv") -> tuple[SentimentResult, ...]:
    """English film reviews and Spanish tweets; ValueError where a row is wrong."""
    columns = {"parameters": "trainable_params", "accuracy": "val_accuracy"}
    return read_table(file, SentimentResult, unique=("dataset", "model"), columns=columns)


ARCHITECTURES = ("recurrent encoder-decoder", "encoder-decoder", "encoder", "decoder")


@dataclass(frozen=True)
class LanguageModel:
    """A language model: its parameters, and how many gigabytes of text it learned from; None where not published."""

    model: Text
    year: Year
    organisation: Text
    parameters: Annotated[float, Meta(gt=0, le=1e15)] | None
    text_gigabytes: Annotated[float, Meta(gt=0, le=1e9)] | None
    architecture: Annotated[str, one_of(ARCHITECTURES)]
    source: Text
    note: str = ""  # which text the gigabytes are


def language_models(file: Path = FOLDER / "language_model_sizes.csv") -> tuple[LanguageModel, ...]:
    """From 2014 to GPT-3; ValueError where a row is wrong."""
    columns = {"parameters": "params", "text_gigabytes": "training_text_gb"}
    return read_table(file, LanguageModel, unique=("model",), columns=columns)


@dataclass(frozen=True)
class CaptionResult:
    """A captioner on the 1,000 test photographs of Flickr8k: BLEU with one to four words."""

    model: Text
    bleu_1: Percentage
    bleu_2: Percentage
    bleu_3: Percentage
    bleu_4: Percentage
    source: Text


def caption_results(file: Path = FOLDER / "captions_flickr8k.csv") -> tuple[CaptionResult, ...]:
    """Of the paper that brought attention to captions; ValueError where a row is wrong."""
    return read_table(file, CaptionResult, unique=("model",))
