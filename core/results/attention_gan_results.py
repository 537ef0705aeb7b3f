"""Results of the attention GAN: statements that hold in its pictures, their diversity, their distance from true scenes.

`crowds`: many pictures of the same sentences by each way to make them, so that networks can be compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..published.table import NonNegativeFloat, PositiveInt, Proportion
from ..zoo.attention_gans import WORD_ATTENTION
from ..zoo.embedded import WEIGHTS
from .dalle_results import Share, check_seconds
from .result_files import naming, read_json

MADE_BY = "python -m training.attention_gan.report"
FOLDER = WEIGHTS / "attention-gan"
# Ways to a picture of a sentence: this network by what its places take of words, DALL-E, and scenes that are true.
DALLE, TRUE = "DALL-E", "true scenes"
CROWDS = (*WORD_ATTENTION, DALLE, TRUE)


@dataclass(frozen=True)
class Crowd:
    """`pictures` pictures: their Fréchet distance from true scenes, and how much pictures of one sentence differ."""

    pictures: PositiveInt
    frechet: NonNegativeFloat  # from other true scenes, as many; of true scenes it is the floor
    diversity: NonNegativeFloat  # over noise, of one sentence; of true scenes over sentences


@dataclass(frozen=True)
class PainterResult:
    """An attention GAN: its size, seconds by the number of pictures painted at once, and accuracy of CLIP on emoji."""

    parameters: PositiveInt
    seconds: Mapping[int, NonNegativeFloat]
    own_name: Proportion | None = None  # of pictures that CLIP finds nearer to their own text than to another


@dataclass(frozen=True)
class Results:
    """All results; `held[split][way][kind]`, and `looks[way][kind]` with one picture for each sentence."""

    painters: Mapping[str, PainterResult]
    held: Mapping[str, Mapping[str, Mapping[str, Share]]] = field(default_factory=dict)
    looks: Mapping[str, Mapping[str, Share]] = field(default_factory=dict)
    crowds: Mapping[str, Crowd] = field(default_factory=dict)


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    measured = read_json(file, Results, made_by=MADE_BY)
    with naming(file, MADE_BY):
        if not measured.painters:
            raise ValueError("nothing was measured")
        check_seconds("painters", {name: painter.seconds for name, painter in measured.painters.items()})
        if measured.crowds and (missing := [name for name in CROWDS if name not in measured.crowds]):
            raise ValueError(f"'crowds.{missing[0]}' is missing")
    return measured
