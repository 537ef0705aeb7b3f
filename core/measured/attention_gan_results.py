"""How good the attention GAN is: what holds in its pictures, how much they differ, how near to true ones they come.

`crowds`: many pictures of the same sentences by each way to make them, so that networks can be compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..published.table import Number, Whole
from ..zoo.attention_gans import ATTENTION_GANS, LOOKS
from ..zoo.embedded import WEIGHTS
from .dalle_results import COUNTS, HELD, Share, held_of, share_fields
from .result_files import Field, Group, Groups, naming, read_json, share

MADE_BY = "python -m training.attention_gan_report"
FOLDER = WEIGHTS / "attention-gan"
# Ways to a picture of a sentence: this network by what its places take of words, DALL-E, and scenes that are true.
DALLE, TRUE = "DALL-E", "true scenes"
CROWDS = (*LOOKS, DALLE, TRUE)

_CROWD: tuple[Field, ...] = (
    Whole("pictures"),
    Number("frechet", required=True),  # from other true scenes, as many; of true scenes it is the floor
    Number("diversity"),  # over noise, of one sentence; of true scenes over sentences
)
_PAINTER: tuple[Field, ...] = (
    Whole("parameters"),
    Group("seconds", tuple(Number(count, required=True) for count in COUNTS)),
    share("own_name", required=False),  # of pictures that CLIP finds nearer to their own text than to another
)
_RESULTS: tuple[Field, ...] = (
    Group("painters", tuple(Group(name, _PAINTER, required=False) for name in ATTENTION_GANS)),
    HELD,
    Group("looks", tuple(Group(name, share_fields(), required=False) for name in LOOKS), required=False),
    Groups("crowds", _CROWD, CROWDS, required=False),
)


@dataclass(frozen=True)
class Crowd:
    """Of so many pictures: the Fréchet distance from true scenes, and how much pictures of one sentence differ."""

    pictures: int
    frechet: float
    diversity: float


@dataclass(frozen=True)
class PainterResult:
    """Of an attention GAN: its size, seconds by how many pictures are painted at once, and what CLIP says of emoji."""

    parameters: int
    seconds: Mapping[int, float]
    own_name: float | None


@dataclass(frozen=True)
class Results:
    """What was measured; `held[split][way][kind]`, and `looks[way][kind]`, one picture of a sentence each."""

    painters: Mapping[str, PainterResult]
    held: Mapping[str, Mapping[str, Mapping[str, Share]]]
    looks: Mapping[str, Mapping[str, Share]]
    crowds: Mapping[str, Crowd]


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    found = read_json(file, _RESULTS, made_by=MADE_BY)
    with naming(file, MADE_BY):
        painters = {name: _painter(given) for name, given in found["painters"].items() if given}
        if not painters:
            raise ValueError("nothing was measured")
        held = {split: held_of(given) for split, given in (found["held"] or {}).items() if given}
        crowds = {name: Crowd(**given) for name, given in (found["crowds"] or {}).items() if given}
    return Results(painters, held, held_of(found["looks"] or {}), crowds)


def _painter(given: Mapping[str, Any]) -> PainterResult:
    seconds = {int(count): given["seconds"][count] for count in COUNTS}
    return PainterResult(given["parameters"], seconds, given["own_name"])
