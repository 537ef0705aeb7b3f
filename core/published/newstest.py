"""What translation models reached, and what their training cost, as published."""

from dataclasses import dataclass
from pathlib import Path

from .table import FOLDER, SOURCE, Columns, Number, Row, Whole, Words, read_as, read_table

FAMILIES = ("recurrent", "convolutional", "transformer")
_BLEU = ("bleu_en_de", "bleu_en_fr")
_FLOPS = ("train_flops_en_de", "train_flops_en_fr")
COLUMNS: Columns = (
    Words("model"),
    Words("family", among=FAMILIES, kind="families"),
    *(Number(name, high=100.0, open=True) for name in _BLEU),
    *(Number(name, high=1e30, open=True) for name in _FLOPS),
    SOURCE,
)


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


def published_translators(file: Path = FOLDER / "translation_bleu.csv") -> tuple[PublishedTranslator, ...]:
    """The models in `file`, in its order. ValueError with file and line where a row cannot be right."""
    return tuple(_translator(row) for row in read_table(file, COLUMNS, unique=("model",)))


def _translator(row: Row) -> PublishedTranslator:
    of = row.cells
    if all(of[name] is None for name in _BLEU):
        raise ValueError(f"{row.place}: a row has a BLEU in one language at least.")
    return PublishedTranslator(*of.values())


@dataclass(frozen=True)
class TranslationLeader:
    """A row of NLP-progress for WMT 2014: BLEU on newstest2014 as its paper states it; None where it states none."""

    model: str
    year: int | None
    family: str
    data: str
    bleu_german: float | None
    bleu_french: float | None
    reference: str
    link: str
    source: str


_LEADERS: Columns = (
    Words("model"),
    Whole("year", low=2013, required=False),
    Words("family", among=(*FAMILIES, "other"), kind="families"),
    Words("data", among=("WMT14", "more than WMT14", "not stated"), kind="collections"),
    *(Number(name, high=100.0, open=True) for name in _BLEU),
    *(Words(name) for name in ("reference", "link")),
    SOURCE,
)


def translation_leaders(file: Path = FOLDER / "wmt14_bleu.csv") -> tuple[TranslationLeader, ...]:
    """The best of each year until 2020, as that page lists them; ValueError where a row is wrong."""
    return read_as(TranslationLeader, file, _LEADERS, unique=("model",))
