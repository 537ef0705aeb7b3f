"""Results of the three translators: quality and cost, quality by length, and alignment error rates of their maps.

Beside them `bert-pairs`, which reads a sentence and its translation at once: its guesses, and its alignment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NotRequired, get_args

from msgspec import Meta

from ..published.table import (
    NonNegativeFloat,
    NonNegativeInt,
    Percentage,
    PositiveFloat,
    PositiveInt,
    Proportion,
    Text,
    one_of,
)
from ..translation.alignment import Direction
from ..zoo import TRANSLATION
from ..zoo.embedded import WEIGHTS
from .result_files import naming, object_of, objects_of, read_json, read_rows

FOLDER, PAIRS_FOLDER = WEIGHTS / "translation", WEIGHTS / "bert-pairs"
TRAINED, ALIGNED = "make train-translation DATA=PATH", "make bench-alignment DATA=PATH"  # what makes the files
PAIRS_TRAINED = "make train-bert-pairs DATA=PATH"
PAIRS = "bert-pairs"
NAMES = tuple(TRANSLATION)
MEAN = "mean"  # in place of the number of a layer or head
DIRECTIONS = get_args(Direction)

_Model = Annotated[str, one_of(NAMES)]
_Direction = Annotated[str, one_of(DIRECTIONS)]
_Shift = Annotated[int, Meta(ge=0, le=1)]

_SCORES = {"bleu": Percentage, "chrf": Percentage}
_QUALITY = object_of(
    {"parameters": PositiveInt, "steps": PositiveInt}
    | dict.fromkeys((*_SCORES, "bleu_greedy", "validation_bleu"), Percentage)
    | dict.fromkeys(("loss", "seconds", "epochs"), NonNegativeFloat)
    | dict.fromkeys(("train_flops", "pairs_per_second"), PositiveFloat)
    | {"bleu_greedy_error": NotRequired[Percentage]}
)
_RESULTS = object_of(
    {
        "models": object_of(dict.fromkeys(NAMES, _QUALITY)),
        "baselines": objects_of(object_of(_SCORES)),
        "signature": object_of(dict.fromkeys(_SCORES, Text)),
        "sentences": PositiveInt,
        "references": PositiveInt,
        "hardware": NotRequired[str],
    }
)


@dataclass(frozen=True)
class Results:
    """Quality and cost of each model, on the test sentences of their own data.

    A model has "parameters", "bleu" (beam search), "bleu_greedy", "chrf" and "validation_bleu" (0 to 100), "loss"
    (nats a token), "steps", "epochs", "seconds" and "train_flops" of its training, and "pairs_per_second"; it may have
    "bleu_greedy_error", a standard error.
    """

    models: Mapping[str, Mapping[str, int | float]]  # in the order of zoo.TRANSLATION
    baselines: Mapping[str, Mapping[str, float]]  # "bleu" and "chrf" of what needs no model
    signature: Mapping[str, str]  # of sacrebleu, for "bleu" and "chrf"
    sentences: int
    references: int
    hardware: str = ""


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    measured = read_json(folder / "results.json", _RESULTS, made_by=TRAINED)
    return Results(**measured | {"models": {name: measured["models"][name] for name in NAMES}})


@dataclass(frozen=True)
class LengthScore:
    """A model on texts of `low` to `high` words (`words` on average): scores from 0 to 100."""

    model: _Model
    low: PositiveInt
    high: PositiveInt
    words: PositiveFloat
    sentences: PositiveInt
    bleu: Percentage
    chrf: Percentage


def lengths(folder: Path = FOLDER) -> tuple[LengthScore, ...]:
    """length.csv: a row for each model and group of texts, by model and words; ModelError as of `results`."""
    rows = read_rows(
        folder / "length.csv", LengthScore, unique=("model", "low"), covers={"model": NAMES}, made_by=TRAINED
    )
    return tuple(sorted(rows, key=lambda row: (row.model, row.words)))


@dataclass(frozen=True)
class Alignment:
    """Agreement of links read from attention maps with links annotated by people.

    An agreement has "precision", "recall", "aer" (0 to 1), "pairs" and "counts" (|A|, |S|, |A and S|, |A and P|) for
    each text.
    """

    models: Mapping[str, Mapping[str, Any]]  # "layer", "head", "shift", "direction", "agreement"; "mean" or None
    baselines: Mapping[str, Mapping[str, Mapping[str, Any]]]  # name -> text -> agreement
    sets: Mapping[str, Mapping[str, int]]  # text -> "pairs" and how many were "left_out"
    chosen_on: str  # the text on which layer, head, shift and direction were chosen
    learned_from: int  # pairs, by IBM model 1


_AGREEMENT = objects_of(
    object_of(
        dict.fromkeys(("precision", "recall", "aer"), Proportion)
        | {"pairs": PositiveInt, "counts": tuple[NonNegativeInt, NonNegativeInt, NonNegativeInt, NonNegativeInt]}
    )
)
_TAKEN = {"shift": _Shift, "direction": _Direction, "agreement": _AGREEMENT}
_MEAN = object_of({"layer": Text | NonNegativeInt, "head": Text | NonNegativeInt} | _TAKEN)  # a number, or MEAN
_CHOSEN = object_of({"layer": NonNegativeInt, "head": NonNegativeInt} | _TAKEN | {"mean": NotRequired[_MEAN]})
_PAIRS_ALIGNMENT = object_of({"alignment": _CHOSEN})
_BASELINE = object_of({"agreement": _AGREEMENT})
_ALIGNMENT = object_of(
    dict.fromkeys(NAMES, _CHOSEN)
    | {
        "sets": objects_of(object_of({"pairs": PositiveInt, "left_out": NonNegativeInt})),
        "chosen_on": Text,
        "baselines": object_of({"diagonal": _BASELINE, "IBM model 1": _BASELINE, "learned_from": PositiveInt}),
    }
)


def alignment(folder: Path = FOLDER, pairs: Path = PAIRS_FOLDER) -> Alignment:
    """The alignments in alignment.json, and that of `bert-pairs` in its results.json, if that file exists.

    ModelError where the first file is missing, or one of them is wrong.
    """
    file = folder / "alignment.json"
    measured = read_json(file, _ALIGNMENT, made_by=ALIGNED)
    texts = (*measured["sets"], measured["chosen_on"])
    models = {name: _with_text(measured[name]) for name in NAMES}
    baselines = {name: measured["baselines"][name]["agreement"] for name in ("diagonal", "IBM model 1")}
    with naming(file, ALIGNED):
        _check_texts(texts, *models.values(), *({"agreement": agreement} for agreement in baselines.values()))
    own = pairs / "results.json"
    if own.is_file():
        models[PAIRS] = _with_text(read_json(own, _PAIRS_ALIGNMENT, made_by=PAIRS_TRAINED)["alignment"])
        with naming(own, PAIRS_TRAINED):
            _check_texts(texts, models[PAIRS])
    return Alignment(models, baselines, measured["sets"], measured["chosen_on"], measured["baselines"]["learned_from"])


def _with_text(alignment: dict[str, Any]) -> dict[str, Any]:
    """A copy of an alignment in which "layer" and "head" of its mean are texts, as in `HeadAlignment`."""
    if mean := alignment.get("mean"):
        return alignment | {"mean": mean | {"layer": str(mean["layer"]), "head": str(mean["head"])}}
    return alignment


def _check_texts(texts: Sequence[str], *alignments: Mapping[str, Any]) -> None:
    """ValueError where an agreement, or that of a mean, lacks one of the texts."""
    for alignment in alignments:
        for agreement in (alignment["agreement"], alignment.get("mean", alignment)["agreement"]):
            if missing := [text for text in texts if text not in agreement]:
                raise ValueError(f"an agreement on the text '{missing[0]}' is missing")


@dataclass(frozen=True)
class Guesses:
    """Guesses for masked tokens of one language, the same tokens with and without the other language in the input."""

    tokens: int
    accuracy: float  # with the other language, 0 to 1
    accuracy_alone: float
    perplexity: float
    perplexity_alone: float


_WITH, _ALONE = "with the other language", "alone"
_LANGUAGES = ("English", "French")


@dataclass(frozen=True)
class _Guessed:
    tokens: PositiveInt
    accuracy: Proportion
    perplexity: PositiveFloat


_GUESSES = object_of(
    {"guesses": object_of({f"{language}, {way}": _Guessed for language in _LANGUAGES for way in (_WITH, _ALONE)})}
)


def guesses(pairs: Path = PAIRS_FOLDER) -> dict[str, Guesses]:
    """The guesses of `bert-pairs` in each language, from results.json; ModelError where it is missing or wrong."""
    measured: dict[str, _Guessed] = read_json(pairs / "results.json", _GUESSES, made_by=PAIRS_TRAINED)["guesses"]
    languages = {}
    for language in _LANGUAGES:
        with_other, alone = measured[f"{language}, {_WITH}"], measured[f"{language}, {_ALONE}"]
        languages[language] = Guesses(
            with_other.tokens, with_other.accuracy, alone.accuracy, with_other.perplexity, alone.perplexity
        )
    return languages


@dataclass(frozen=True)
class HeadAlignment:
    """Links read in one way from one map of a model, against those annotated by people; None where there was no link.

    `layer` and `head` are numbers as text, or MEAN. `shift`: 0 is the row of the step that writes a word, 1 that of
    the step that has just read it. `precision`, `recall` and `aer` (the alignment error rate) are 0 to 1.
    """

    model: _Model
    set: Text
    layer: Text
    head: Text
    shift: _Shift
    direction: _Direction
    precision: Proportion | None
    recall: Proportion | None
    aer: Proportion | None
    pairs: PositiveInt


def heads(folder: Path = FOLDER) -> tuple[HeadAlignment, ...]:
    """alignment.csv: a row for each model, text, map, shift and direction; ModelError as of `alignment`."""
    unique = ("model", "set", "layer", "head", "shift", "direction")
    covers = {"model": NAMES}
    return read_rows(folder / "alignment.csv", HeadAlignment, unique=unique, covers=covers, made_by=ALIGNED)
