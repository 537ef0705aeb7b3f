"""The three translators after their training: quality and cost, quality by length, and how well their maps align.

Beside them `bert-pairs`, which reads a sentence and its translation at once: what it guesses, and how well it aligns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from ..published.table import Column, Number, Whole, Words
from ..translation.alignment import Direction
from ..zoo import TRANSLATION
from ..zoo.embedded import WEIGHTS
from .result_files import Field, Group, Groups, Wholes, naming, read_json, read_rows, share

FOLDER, PAIRS_FOLDER = WEIGHTS / "translation", WEIGHTS / "bert-pairs"
TRAINED, ALIGNED = "make train-translation DATA=PATH", "make bench-alignment DATA=PATH"  # what makes the files
PAIRS_TRAINED = "make train-bert-pairs DATA=PATH"
PAIRS = "bert-pairs"
NAMES = tuple(TRANSLATION)
MEAN = "mean"  # in place of the number of a layer or head
DIRECTIONS = get_args(Direction)

_SCORES = tuple(Number(name, high=100.0, required=True) for name in ("bleu", "chrf"))
_QUALITY: tuple[Field, ...] = (
    Whole("parameters"),
    *_SCORES,
    *(Number(name, high=100.0, required=True) for name in ("bleu_greedy", "validation_bleu")),
    *(Number(name, required=True) for name in ("loss", "seconds", "epochs")),
    *(Number(name, required=True, open=True) for name in ("train_flops", "pairs_per_second")),
    Whole("steps"),
)
_RESULTS: tuple[Field, ...] = (
    Groups("models", _QUALITY, NAMES),
    Groups("baselines", _SCORES),
    Group("signature", (Words("bleu"), Words("chrf"))),
    *(Whole(name) for name in ("sentences", "references")),
    Words("hardware", required=False),
)


@dataclass(frozen=True)
class Results:
    """Quality and cost of each model, on the test sentences of their own data.

    A model has "parameters", "bleu" (beam search), "bleu_greedy", "chrf" and "validation_bleu" (0 to 100), "loss"
    (nats a token), "steps", "epochs", "seconds" and "train_flops" of its training, and "pairs_per_second".
    """

    models: Mapping[str, Mapping[str, int | float]]  # in the order of zoo.TRANSLATION
    baselines: Mapping[str, Mapping[str, float]]  # "bleu" and "chrf" of what needs no model
    signature: Mapping[str, str]  # of sacrebleu, for "bleu" and "chrf"
    sentences: int
    references: int
    hardware: str


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    return Results(**read_json(folder / "results.json", _RESULTS, made_by=TRAINED))


@dataclass(frozen=True)
class LengthScore:
    """A model on texts of `low` to `high` words (`words` on average): scores from 0 to 100."""

    model: str
    low: int
    high: int
    words: float
    sentences: int
    bleu: float
    chrf: float


_MODEL = Words("model", among=NAMES, kind="translators")
_LENGTHS: tuple[Column, ...] = (
    _MODEL,
    *(Whole(name) for name in ("low", "high")),
    Number("words", required=True, open=True),
    Whole("sentences"),
    *_SCORES,
)


def lengths(folder: Path = FOLDER) -> tuple[LengthScore, ...]:
    """length.csv: a row for each model and group of texts, by model and words; ModelError as of `results`."""
    found = read_rows(folder / "length.csv", _LENGTHS, unique=("model", "low"), covers="model", made_by=TRAINED)
    rows = (LengthScore(**row.cells) for row in found)
    return tuple(sorted(rows, key=lambda row: (row.model, row.words)))


@dataclass(frozen=True)
class Alignment:
    """How well links taken from the maps agree with those made by people.

    An agreement has "precision", "recall", "aer" (0 to 1), "pairs" and "counts" (|A|, |S|, |A and S|, |A and P|) for
    each text.
    """

    models: Mapping[str, Mapping[str, Any]]  # "layer", "head", "shift", "direction", "agreement"; "mean" or None
    baselines: Mapping[str, Mapping[str, Mapping[str, Any]]]  # name -> text -> agreement
    sets: Mapping[str, Mapping[str, int]]  # text -> "pairs" and how many were "left_out"
    chosen_on: str  # the text on which layer, head, shift and direction were chosen
    learned_from: int  # pairs, by IBM model 1


_AGREEMENT = Groups(
    "agreement", (*(share(name) for name in ("precision", "recall", "aer")), Whole("pairs"), Wholes("counts", 4))
)
_TAKEN: tuple[Field, ...] = (
    Whole("shift", low=0, high=1),
    Words("direction", among=DIRECTIONS, kind="directions"),
    _AGREEMENT,
)
_MEAN = Group("mean", (*(Words(name) for name in ("layer", "head")), *_TAKEN), required=False)
_CHOSEN: tuple[Field, ...] = (*(Whole(of, low=0) for of in ("layer", "head")), *_TAKEN, _MEAN)
_PAIRS_ALIGNMENT = Group("alignment", _CHOSEN)
_ALIGNMENT: tuple[Field, ...] = (
    *(Group(name, _CHOSEN) for name in NAMES),
    Groups("sets", (Whole("pairs"), Whole("left_out", low=0))),
    Words("chosen_on"),
    Group("baselines", (*(Group(name, (_AGREEMENT,)) for name in ("diagonal", "IBM model 1")), Whole("learned_from"))),
)


def alignment(folder: Path = FOLDER, pairs: Path = PAIRS_FOLDER) -> Alignment:
    """alignment.json, and what results.json of `bert-pairs` says of its alignment, if that file is there.

    ModelError where the first is missing, or one of them makes no sense.
    """
    file = folder / "alignment.json"
    given = read_json(file, _ALIGNMENT, made_by=ALIGNED)
    texts = (*given["sets"], given["chosen_on"])
    models = {name: _present(given[name]) for name in NAMES}
    baselines = {name: of["agreement"] for name, of in given["baselines"].items() if name != "learned_from"}
    with naming(file, ALIGNED):
        _check_texts(texts, *models.values(), *({"agreement": agreement} for agreement in baselines.values()))
    own = pairs / "results.json"
    if own.is_file():
        models[PAIRS] = _present(read_json(own, (_PAIRS_ALIGNMENT,), made_by=PAIRS_TRAINED)["alignment"])
        with naming(own, PAIRS_TRAINED):
            _check_texts(texts, models[PAIRS])
    return Alignment(models, baselines, given["sets"], given["chosen_on"], given["baselines"]["learned_from"])


def _present(taken: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in taken.items() if value is not None}


def _check_texts(texts: Sequence[str], *taken: Mapping[str, Any]) -> None:
    """ValueError where an agreement, or that of a mean, lacks one of the texts."""
    for agreement in (of["agreement"] for each in taken for of in (each, each.get("mean", each))):
        if missing := [text for text in texts if text not in agreement]:
            raise ValueError(f"an agreement on the text '{missing[0]}' is missing")


@dataclass(frozen=True)
class Guesses:
    """How well hidden tokens of one language are guessed, the same ones with the other language beside them or not."""

    tokens: int
    accuracy: float  # with the other language, 0 to 1
    accuracy_alone: float
    perplexity: float
    perplexity_alone: float


_WITH, _ALONE = "with the other language", "alone"
_GUESSED: tuple[Field, ...] = (
    Whole("tokens"),
    share("accuracy"),
    Number("perplexity", required=True, open=True),
)
_LANGUAGES = ("English", "French")
_GUESSES = Groups(
    "guesses", _GUESSED, tuple(f"{language}, {way}" for language in _LANGUAGES for way in (_WITH, _ALONE))
)


def guesses(pairs: Path = PAIRS_FOLDER) -> dict[str, Guesses]:
    """What `bert-pairs` guesses in each language, from results.json; ModelError where it is missing or makes no
    sense."""
    given = read_json(pairs / "results.json", (_GUESSES,), made_by=PAIRS_TRAINED)["guesses"]
    found = {}
    for language in _LANGUAGES:
        beside, alone = given[f"{language}, {_WITH}"], given[f"{language}, {_ALONE}"]
        found[language] = Guesses(
            beside["tokens"], beside["accuracy"], alone["accuracy"], beside["perplexity"], alone["perplexity"]
        )
    return found


@dataclass(frozen=True)
class HeadAlignment:
    """Links taken in one way from one map of a model, against those of people; None where nothing was found.

    `layer` and `head` are numbers as text, or MEAN. `shift`: 0 is the row of the step that writes a word, 1 that of
    the step that has just read it. `precision`, `recall` and `aer` (the alignment error rate) are 0 to 1.
    """

    model: str
    set: str
    layer: str
    head: str
    shift: int
    direction: str
    precision: float | None
    recall: float | None
    aer: float | None
    pairs: int


_HEADS: tuple[Column, ...] = (
    _MODEL,
    *(Words(name) for name in ("set", "layer", "head")),
    Whole("shift", low=0, high=1),
    Words("direction", among=DIRECTIONS, kind="directions"),
    *(share(name, required=False) for name in ("precision", "recall", "aer")),
    Whole("pairs"),
)


def heads(folder: Path = FOLDER) -> tuple[HeadAlignment, ...]:
    """alignment.csv: a row for each model, text, map, shift and direction; ModelError as of `alignment`."""
    unique = ("model", "set", "layer", "head", "shift", "direction")
    rows = read_rows(folder / "alignment.csv", _HEADS, unique=unique, covers="model", made_by=ALIGNED)
    return tuple(HeadAlignment(**row.cells) for row in rows)
