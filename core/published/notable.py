"""Epoch AI's notable models: parameters, training compute and data by the day of publication."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from .table import FOLDER, Text, one_of, read_table

CONFIDENCES = ("Confident", "Likely", "Speculative", "Unknown", "not stated")
FIELDS = ("language", "vision", "language and vision", "image generation", "speech", "biology", "games", "other")
_Size = Annotated[float, Meta(gt=0, le=1e30)]


@dataclass(frozen=True)
class NotableModel:
    """A model as Epoch AI describes it; None where a size is not known. `data` counts datapoints, such as words."""

    model: Text
    organisation: str
    date: date
    domain: str
    parameters: _Size | None
    training_flops: _Size | None
    data: _Size | None
    confidence: Annotated[str, one_of(CONFIDENCES)]
    reference: str
    link: str
    source: Text

    def __post_init__(self):
        if self.parameters is None and self.training_flops is None and self.data is None:
            raise ValueError("a row has parameters, training FLOPs or a data size")

    @property
    def field(self) -> str:
        """One of FIELDS: the domains of Epoch, of which a model may have many, in eight groups."""
        return field_of(self.domain)


def notable_models(file: Path = FOLDER / "notable_models.csv") -> tuple[NotableModel, ...]:
    """Those of which a size is known, newest first as in Epoch's table; ValueError where a row is wrong."""
    return read_table(file, NotableModel, unique=("model",), columns={"data": "dataset_size"})


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
