"""What was measured of the three translators after their training, read from weights/translation/ and checked."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from core.errors import ModelError
from core.translation.alignment import Direction
from core.zoo import TRANSLATION
from core.zoo.embedded import WEIGHTS
from dashboard.kept import keep

FOLDER = WEIGHTS / "translation"
QUALITY = ("parameters", "bleu", "bleu_greedy", "chrf", "validation_bleu", "loss", "seconds", "train_flops")
QUALITY += ("steps", "epochs", "pairs_per_second")
LENGTH = ("model", "low", "high", "words", "sentences", "bleu", "chrf")
HEADS = ("model", "set", "layer", "head", "shift", "direction", "precision", "recall", "aer", "pairs")
MADE_BY = {
    "results.json": "make train-translation",
    "length.csv": "make train-translation",
    "alignment.json": "make bench-alignment",
    "alignment.csv": "make bench-alignment",
}


@dataclass(frozen=True)
class Results:
    """Quality and cost of each model, on the test sentences of their own data."""

    models: Mapping[str, Mapping[str, float]]  # in the order of TRANSLATION; keys are QUALITY
    baselines: Mapping[str, Mapping[str, float]]  # "bleu" and "chrf" of what needs no model
    signature: Mapping[str, str]  # of sacrebleu, for "bleu" and "chrf"
    sentences: int
    references: int
    hardware: str


@dataclass(frozen=True)
class Alignment:
    """How well links taken from the maps agree with those made by people.

    An agreement has "precision", "recall", "aer", "pairs" and "counts" (|A|, |S|, |A and S|, |A and P|), by text.
    """

    models: Mapping[str, Mapping[str, Any]]  # "layer", "head", "shift", "direction", "agreement", maybe "mean"
    baselines: Mapping[str, Mapping[str, Mapping[str, Any]]]  # name -> text -> agreement
    sets: Mapping[str, Mapping[str, int]]  # text -> "pairs" and how many were "left_out"
    chosen_on: str
    learned_from: int  # pairs, by IBM model 1


def results() -> Results:
    """results.json."""
    return _kept("results.json", _results)


def lengths() -> pd.DataFrame:
    """length.csv: one row for each model and bucket of source words."""
    return _kept("length.csv", _lengths)


def alignment() -> Alignment:
    """alignment.json."""
    return _kept("alignment.json", _alignment)


def heads() -> pd.DataFrame:
    """alignment.csv: a row for each text, model, map, shift and direction; layer and head are words, or "mean"."""
    return _kept("alignment.csv", _heads)


def _kept(name: str, read: Callable[[Path], Any]) -> Any:
    """A file, read anew when it has changed; ModelError where it is missing or makes no sense."""
    file = FOLDER / name
    if not file.exists():
        raise ModelError(
            f"weights/translation/{name} is not there: fetch the project again, or measure: {MADE_BY[name]}."
        )
    return _read(file, file.stat().st_mtime_ns, read)


@keep(computes=False)
def _read(path: Path, changed: int, read: Callable[[Path], Any]) -> Any:
    del changed  # only part of what it is kept by
    try:
        return read(path)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"weights/translation/{path.name} cannot be read ({_reason(error)}): fetch the project again, or measure: "
            f"{MADE_BY[path.name]}."
        ) from error


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _results(file: Path) -> Results:
    given = json.loads(file.read_text(encoding="utf-8"))
    models = {name: {key: _finite(given["models"][name][key], key) for key in QUALITY} for name in TRANSLATION}
    baselines = {
        name: {key: _finite(of[key], key) for key in ("bleu", "chrf")} for name, of in given["baselines"].items()
    }
    signature = {name: str(given["signature"][name]) for name in ("bleu", "chrf")}
    counts = int(given["sentences"]), int(given["references"])
    return Results(models, baselines, signature, *counts, str(given.get("hardware", "")))


def _lengths(file: Path) -> pd.DataFrame:
    rows = _table(file, LENGTH)
    _check_models(rows)
    for name in LENGTH[1:]:
        rows[name] = pd.to_numeric(rows[name])
    if not rows[["bleu", "chrf"]].stack().between(0, 100).all():
        raise ValueError("a score is not between 0 and 100")
    return rows.sort_values(["model", "words"]).reset_index(drop=True)


def _alignment(file: Path) -> Alignment:
    given = json.loads(file.read_text(encoding="utf-8"))
    sets = {text: {key: int(of[key]) for key in ("pairs", "left_out")} for text, of in given["sets"].items()}
    models = {name: given[name] for name in TRANSLATION}
    for of in models.values():
        for chosen in (of, of["mean"]) if "mean" in of else (of,):
            _check_agreement(chosen["agreement"], sets)
        if int(of["layer"]) < 0 or int(of["head"]) < 0 or of["shift"] not in (0, 1):
            raise ValueError("a layer, head or shift is impossible")
        if any(part["direction"] not in get_args(Direction) for part in (of, of.get("mean", of))):
            raise ValueError("a direction is impossible")
    baselines = {name: given["baselines"][name]["agreement"] for name in ("diagonal", "IBM model 1")}
    for agreement in baselines.values():
        _check_agreement(agreement, sets)
    if given["chosen_on"] not in sets:
        raise ValueError(f"the text '{given['chosen_on']}' is missing")
    return Alignment(models, baselines, sets, given["chosen_on"], int(given["baselines"]["learned_from"]))


def _check_agreement(agreement: Mapping[str, Mapping[str, Any]], sets: Mapping[str, object]) -> None:
    for text in sets:
        for name in ("precision", "recall", "aer"):
            if not 0 <= _finite(agreement[text][name], name) <= 1:
                raise ValueError(f"'{name}' is not between 0 and 1")
        if len(agreement[text]["counts"]) != 4:
            raise ValueError("'counts' are four numbers")


def _heads(file: Path) -> pd.DataFrame:
    rows = _table(file, HEADS, text=("layer", "head"))
    _check_models(rows)
    for name in ("shift", "precision", "recall", "aer", "pairs"):
        rows[name] = pd.to_numeric(rows[name])
    if not rows.aer.dropna().between(0, 1).all():
        raise ValueError("an error rate is not between 0 and 1")
    return rows


def _table(file: Path, columns: tuple[str, ...], text: tuple[str, ...] = ()) -> pd.DataFrame:
    rows = pd.read_csv(file, dtype=dict.fromkeys(text, str))
    if missing := set(columns) - set(rows.columns):
        raise ValueError(f"the columns {', '.join(sorted(missing))} are missing")
    return rows


def _check_models(rows: pd.DataFrame) -> None:
    if missing := TRANSLATION.keys() - set(rows.model):
        raise ValueError(f"no row of {', '.join(sorted(missing))}")


def _finite(value: Any, name: str) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"'{name}' is no number")
    return number
