"""Published BLEU and training FLOPs of translation models."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from .table import FOLDER, Text, one_of, read_table

FAMILIES = ("recurrent", "convolutional", "transformer")
_Bleu = Annotated[float, Meta(gt=0, le=100)]
_Flops = Annotated[float, Meta(gt=0, le=1e30)]
_BLEU = {"bleu_german": "bleu_en_de", "bleu_french": "bleu_en_fr"}
_FLOPS = {"flops_german": "train_flops_en_de", "flops_french": "train_flops_en_fr"}


@dataclass(frozen=True)
class PublishedTranslator:
    """A row of Vaswani et al. 2017, Table 2: BLEU on newstest2014 and training FLOPs; None where the table has none."""

    model: Text
    family: Annotated[str, one_of(FAMILIES)]
    bleu_german: _Bleu | None
    bleu_french: _Bleu | None
    flops_german: _Flops | None
    flops_french: _Flops | None
    source: Text

    def __post_init__(self):
        if self.bleu_german is None and self.bleu_french is None:
            raise ValueError("a row has a BLEU in one language at least")


def published_translators(file: Path = FOLDER / "translation_bleu.csv") -> tuple[PublishedTranslator, ...]:
    """The models in `file`, in its order. ValueError with file and line where a row cannot be right."""
    return read_table(file, PublishedTranslator, unique=("model",), columns=_BLEU | _FLOPS)


@dataclass(frozen=True)
class TranslationLeader:
    """A row of NLP-progress for WMT 2014: BLEU on newstest2014 as its paper states it; None where it states none."""

    model: Text
    year: Annotated[int, Meta(ge=2013)] | None
    family: Annotated[str, one_of((*FAMILIES, "other"))]
    data: Literal["WMT14", "more than WMT14", "not stated"]
    bleu_german: _Bleu | None
    bleu_french: _Bleu | None
    reference: Text
    link: Text
    source: Text


def translation_leaders(file: Path = FOLDER / "wmt14_bleu.csv") -> tuple[TranslationLeader, ...]:
    """The best of each year until 2020, as that page lists them; ValueError where a row is wrong."""
    return read_table(file, TranslationLeader, unique=("model",), columns=_BLEU)
