"""What translation models reached, and what their training cost, as published."""

import csv
from dataclasses import dataclass
from pathlib import Path

FAMILIES = ("recurrent", "convolutional", "transformer")
COLUMNS = {
    "model",
    "bleu_en_de",
    "bleu_en_fr",
    "train_flops_en_de",
    "train_flops_en_fr",
    "family",
    "source",
}


@dataclass(frozen=True)
class PublishedTranslator:
    """A row of Vaswani et al. 2017, Table 2: BLEU on newstest2014 and training FLOPs; None where the table has none."""

    model: str
    family: str
    bleu_german: float | None
    bleu_french: float | None
    flops_german: float | None
    flops_french: float | None
    source: str


def published_translators(
    file: Path = Path(__file__).parent / "translation_bleu.csv",
) -> tuple[PublishedTranslator, ...]:
    """The models in `file`, in its order. ValueError with file and line where a row cannot be right."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        if missing := COLUMNS - set(rows.fieldnames or ()):
            raise ValueError(f"{file.name}, line 1: the columns {', '.join(sorted(missing))} are missing.")
        return tuple(_read(row, f"{file.name}, line {rows.line_num}") for row in rows)


def _read(row: dict[str, str | None], place: str) -> PublishedTranslator:
    words = {name: (row[name] or "").strip() for name in ("model", "family", "source")}
    for name, word in words.items():
        if not word:
            raise ValueError(f"{place}: '{name}' is empty; every row names it.")
    if words["family"] not in FAMILIES:
        raise ValueError(f"{place}: '{words['family']}' is none of the families {', '.join(FAMILIES)}.")
    found = PublishedTranslator(
        words["model"],
        words["family"],
        _number(row, "bleu_en_de", place, most=100.0),
        _number(row, "bleu_en_fr", place, most=100.0),
        _number(row, "train_flops_en_de", place, most=1e30),
        _number(row, "train_flops_en_fr", place, most=1e30),
        words["source"],
    )
    if found.bleu_german is None and found.bleu_french is None:
        raise ValueError(f"{place}: a row has a BLEU in one language at least.")
    return found


def _number(row: dict[str, str | None], name: str, place: str, most: float) -> float | None:
    text = (row[name] or "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 < number <= most:
        raise ValueError(f"{place}: '{name}' is a number from 0 to {most:.0f}, or empty, not '{text}'.")
    return number
