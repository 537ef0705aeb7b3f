"""Epoch AI's notable models: parameters, training compute and data by the day of publication."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from .table import FOLDER, SOURCE, Columns, Day, Number, Words, read_table

CONFIDENCES = ("Confident", "Likely", "Speculative", "Unknown", "not stated")
FIELDS = ("language", "vision", "language and vision", "image generation", "speech", "biology", "games", "other")
_SIZES = ("parameters", "training_flops", "dataset_size")
COLUMNS: Columns = (
    Words("model"),
    Words("organisation", required=False),
    Day("date"),
    Words("domain", required=False),
    *(Number(name, high=1e30, open=True) for name in _SIZES),
    Words("confidence", among=CONFIDENCES, kind="grades"),
    Words("reference", required=False),
    Words("link", required=False),
    SOURCE,
)


@dataclass(frozen=True)
class NotableModel:
    """A model as Epoch AI describes it; None where a size is not known. `data` counts datapoints, such as words."""

    model: str
    organisation: str
    date: date
    domain: str
    parameters: float | None
    training_flops: float | None
    data: float | None
    confidence: str
    reference: str
    link: str
    source: str

    @property
    def field(self) -> str:
        """One of FIELDS: the domains of Epoch, of which a model may have many, in eight groups."""
        return field_of(self.domain)


def notable_models(file: Path = FOLDER / "notable_models.csv") -> tuple[NotableModel, ...]:
    """Those of which a size is known, newest first as in Epoch's table; ValueError where a row is wrong."""
    found = []
    for row in read_table(file, COLUMNS, unique=("model",)):
        if all(row.cells[name] is None for name in _SIZES):
            raise ValueError(f"{row.place}: a row has parameters, training FLOPs or a data size.")
        found.append(NotableModel(*row.cells.values()))
    return tuple(found)


def field_of(domain: str) -> str:
    """The group of a list of domains such as "Multimodal,Language,Vision"."""
    domains = {part.strip() for part in domain.split(",")}
    if "Multimodal" in domains or {"Language", "Vision"} <= domains:
        return "language and vision"
    if domains & {"Image generation", "Video"}:
        return "image generation"
    for name, field in _GROUPS.items():
        if name in domains:
            return field
    return "other"


# In this order: a model of proteins that is also called a language model belongs to biology.
_GROUPS = {
    "Biology": "biology",
    "Medicine": "biology",
    "Games": "games",
    "Speech": "speech",
    "Audio": "speech",
    "Language": "language",
    "Vision": "vision",
}
