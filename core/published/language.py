"""Language models: the GLUE leaderboard beside people, sentiment by small networks, how large the models became."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .table import FOLDER, NOTE, SOURCE, Columns, Number, Whole, Words, read_as, read_table

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
_MEASURES = tuple(name for names in GLUE_TASKS.values() for name in names)
_GLUE: Columns = (
    Whole("rank"),
    Words("team"),
    Words("model"),
    *(Number(name, high=100.0, required=True) for name in ("score", *_MEASURES)),
    Number("AX", low=-100.0, high=100.0),
    SOURCE,
    NOTE,
)


@dataclass(frozen=True)
class GlueEntry:
    """A row of the GLUE leaderboard: the mean over the tasks, and each measure by its column; all out of 100."""

    rank: int
    team: str
    model: str
    score: float
    measures: Mapping[str, float]
    source: str
    note: str = ""  # what is wrong in the lecture

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
    found = []
    for row in read_table(file, _GLUE, unique=("rank",)):
        of = row.cells
        measures = {name: of[name] for name in _MEASURES}
        entry = GlueEntry(of["rank"], of["team"], of["model"], of["score"], measures, of["source"], of["note"])
        mean = sum(entry.task(name) for name in GLUE_TASKS) / len(GLUE_TASKS)
        if abs(mean - entry.score) > _ROUNDED:
            raise ValueError(f"{row.place}: 'score' is {entry.score}, but the mean of the tasks is {mean:.2f}.")
        found.append(entry)
    return tuple(found)


_ROUNDED = 0.11  # all figures are rounded to 0.1


@dataclass(frozen=True)
class SentimentResult:
    """A way to tell praise from complaint: its accuracy (a share) on held-out texts; None where it was not trained."""

    language: str
    dataset: str
    model: str
    parameters: int | None
    epochs: int | None
    seconds_per_epoch: float | None
    accuracy: float
    source: str


_SENTIMENT: Columns = (
    *(Words(name) for name in ("language", "dataset", "model")),
    *(Whole(name, required=False) for name in ("trainable_params", "epochs")),
    Number("seconds_per_epoch", high=1e6, open=True),
    Number("val_accuracy", high=1.0, required=True),
    SOURCE,
)


def sentiment_results(file: Path = FOLDER / "sentiment.csv") -> tuple[SentimentResult, ...]:
    """English film reviews and Spanish tweets; ValueError where a row is wrong."""
    return read_as(SentimentResult, file, _SENTIMENT, unique=("dataset", "model"))


@dataclass(frozen=True)
class LanguageModel:
    """A language model: its parameters, and how many gigabytes of text it learned from; None where not published."""

    model: str
    year: int
    organisation: str
    parameters: float | None
    text_gigabytes: float | None
    architecture: str
    source: str
    note: str = ""  # which text the gigabytes are


ARCHITECTURES = ("recurrent encoder-decoder", "encoder-decoder", "encoder", "decoder")
_SIZES: Columns = (
    Words("model"),
    Whole("year", low=1950),
    Words("organisation"),
    Number("params", high=1e15, open=True),
    Number("training_text_gb", high=1e9, open=True),
    Words("architecture", among=ARCHITECTURES, kind="architectures"),
    SOURCE,
    NOTE,
)


def language_models(file: Path = FOLDER / "language_model_sizes.csv") -> tuple[LanguageModel, ...]:
    """From 2014 to GPT-3; ValueError where a row is wrong."""
    return read_as(LanguageModel, file, _SIZES, unique=("model",))


@dataclass(frozen=True)
class CaptionResult:
    """A captioner on the 1,000 test photographs of Flickr8k: BLEU with one to four words."""

    model: str
    bleu_1: float
    bleu_2: float
    bleu_3: float
    bleu_4: float
    source: str


_CAPTIONS: Columns = (
    Words("model"),
    *(Number(f"bleu_{order}", high=100.0, required=True) for order in range(1, 5)),
    SOURCE,
)


def caption_results(file: Path = FOLDER / "captions_flickr8k.csv") -> tuple[CaptionResult, ...]:
    """Of the paper that brought attention to captions; ValueError where a row is wrong."""
    return read_as(CaptionResult, file, _CAPTIONS, unique=("model",))
