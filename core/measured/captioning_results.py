"""How good the captioners are: on photographs beside baselines, on drawn scenes by whether they are true."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..published.table import Number, Whole
from ..scenes.sentences import KINDS
from ..scenes.things import HELD_OUT
from ..zoo.embedded import WEIGHTS
from .result_files import Field, Group, Groups, error_of, naming, read_json, share

MADE_BY = "python -m training.captioning_report --data PATH"
FOLDER = WEIGHTS / "captioning"
SCENES = 500  # of each split
CAPTIONS = ", captions"  # behind a kind of word: how many captions have such a word
MEASURES = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "chrF", "CIDEr")
OF_PHOTOGRAPHS, OF_SCENES = (
    tuple(f"{world}-{kind}" for kind in ("lstm", "transformer")) for world in ("photographs", "scenes")
)

GATED, OPEN_FOR = (
    "photographs-lstm",
    ("a", "of"),
)  # the captioner whose gate was measured, and words of which it says so
GATES = "python -m training.captioning_gates --data PATH"

_SCORES: tuple[Field, ...] = tuple(Number(name, required=True) for name in MEASURES)
_SPLIT: tuple[Field, ...] = (
    share("true"),
    # A network may have no caption with a word of a kind.
    *(share(kind, required=False) for kind in KINDS),
    *(Whole(kind + CAPTIONS, required=False) for kind in KINDS),
)
_GATES: tuple[Field, ...] = (
    Group(
        "gates",
        (
            Whole("photographs"),
            Whole("less than half open"),
            Groups("open", (share("mean"), Whole("words")), ("all words", *OPEN_FOR)),
        ),
        required=False,
    ),
)
_RESULTS: tuple[Field, ...] = (
    *(Group(name, (Group("results", _SCORES), *(_GATES if name == GATED else ()))) for name in OF_PHOTOGRAPHS),
    *(Group(name, (Groups("results", _SPLIT, HELD_OUT),)) for name in OF_SCENES),
    Groups("baselines", _SCORES),
)


@dataclass(frozen=True)
class CaptionScores:
    """Of captions of the 1,000 test photographs of Flickr8k, by measure; `name` is a captioner or a baseline."""

    name: str
    scores: Mapping[str, float]


@dataclass(frozen=True)
class TrueCaptions:
    """Of captions of drawn scenes of a split: the share that is true, and of those that have a word of a kind."""

    name: str
    split: str
    true: float
    by_kind: Mapping[str, float]
    captions: Mapping[str, int]  # how many have a word of a kind

    def share(self, kind: str = "") -> tuple[float, float, int]:
        """The share of captions with a word of a kind (of all) that is true, its standard error, and of how many."""
        share, count = (self.by_kind[kind], self.captions[kind]) if kind else (self.true, SCENES)
        return share, error_of(share, count), count


@dataclass(frozen=True)
class Gates:
    """How far the gate of the LSTM stands open while it describes so many test photographs: 0 is shut, 1 is open.

    `words`: of how many words; `half`: of how many of them less than half; `of`: the mean over each of OPEN_FOR.
    """

    photographs: int
    words: int
    half: int
    mean: float
    of: Mapping[str, float]


@dataclass(frozen=True)
class Results:
    """Our captioners of photographs, then the baselines; our captioners of scenes, split by split; the LSTM's gates.

    `gates` is None where they were not measured.
    """

    scores: tuple[CaptionScores, ...]
    true: tuple[TrueCaptions, ...]
    gates: Gates | None = None


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    found = read_json(file, _RESULTS, made_by=MADE_BY)
    scored = {name: found[name]["results"] for name in OF_PHOTOGRAPHS} | found["baselines"]
    with naming(file, MADE_BY):
        true = tuple(
            _true(name, split, shares) for name in OF_SCENES for split, shares in found[name]["results"].items()
        )
    return Results(
        tuple(CaptionScores(name, scores) for name, scores in scored.items()), true, _gates(found[GATED]["gates"])
    )


def _gates(found: Mapping[str, Any] | None) -> Gates | None:
    if found is None:
        return None
    every = found["open"]["all words"]
    means = {word: found["open"][word]["mean"] for word in OPEN_FOR}
    return Gates(found["photographs"], every["words"], found["less than half open"], every["mean"], means)


def _true(name: str, split: str, shares: Mapping[str, Any]) -> TrueCaptions:
    """ValueError where a share stands without its number of captions, or the other way round."""
    for kind in KINDS:
        if (shares[kind] is None) != (shares[kind + CAPTIONS] is None):
            missing = kind if shares[kind] is None else kind + CAPTIONS
            raise ValueError(f"'{name}.results.{split}.{missing}' is missing")
    counts = {kind: shares[kind + CAPTIONS] for kind in KINDS if shares[kind] is not None}
    return TrueCaptions(name, split, shares["true"], {kind: shares[kind] for kind in counts}, counts)
