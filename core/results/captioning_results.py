"""Results of the captioners: scores on photographs beside baselines, the share of true captions of drawn scenes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

from ..published.table import NonNegativeFloat, PositiveInt, Proportion
from ..scenes.sentences import KINDS
from ..scenes.things import HELD_OUT
from ..zoo.embedded import WEIGHTS
from .result_files import error_of, naming, object_of, objects_of, read_json

MADE_BY = "python -m training.captioning.report --data PATH"
FOLDER = WEIGHTS / "captioning"
SCENES = 500  # of each split
CAPTIONS = ", captions"  # behind a kind of word: how many captions have such a word
MEASURES = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "chrF", "CIDEr")
GREEDY = "greedy, "  # before a measure: of captions whose every word is the likeliest
OF_PHOTOGRAPHS, OF_SCENES = (
    tuple(f"{world}-{kind}" for kind in ("lstm", "transformer")) for world in ("photographs", "scenes")
)

GATED = "photographs-lstm"  # the captioner whose gate was measured
OPEN_FOR = ("a", "of")  # words for which the mean opening was measured
GATES = "python -m training.captioning.gates --data PATH"

_SCORES = object_of(
    dict.fromkeys(MEASURES, NonNegativeFloat)
    | {GREEDY + measure: NotRequired[NonNegativeFloat] for measure in MEASURES}
)
_SPLIT = object_of(
    {"true": Proportion}
    # A network may have no caption with a word of a kind.
    | dict.fromkeys(KINDS, NotRequired[Proportion])
    | {kind + CAPTIONS: NotRequired[PositiveInt] for kind in KINDS}
)


@dataclass(frozen=True)
class _Opening:
    mean: Proportion
    words: PositiveInt


_GATES = object_of(
    {
        "photographs": PositiveInt,
        "less than half open": PositiveInt,
        "open": object_of(dict.fromkeys(("all words", *OPEN_FOR), _Opening)),
    }
)
_OF_SCENES = object_of({"results": object_of(dict.fromkeys(HELD_OUT, _SPLIT))})
_RESULTS = object_of(
    dict.fromkeys(OF_PHOTOGRAPHS, object_of({"results": _SCORES}))
    | {GATED: object_of({"results": _SCORES, "gates": NotRequired[_GATES]})}
    | dict.fromkeys(OF_SCENES, _OF_SCENES)
    | {"baselines": objects_of(_SCORES)}
)


@dataclass(frozen=True)
class CaptionScores:
    """Scores of captions of the 1,000 test photographs of Flickr8k, by measure, of a captioner or a baseline."""

    name: str
    scores: Mapping[str, float]


@dataclass(frozen=True)
class TrueCaptions:
    """The share of true captions among those of the drawn scenes of a split: of all, and by kind of word in them."""

    name: str
    split: str
    true: float
    by_kind: Mapping[str, float]
    captions: Mapping[str, int]  # how many have a word of a kind

    def share(self, kind: str = "") -> tuple[float, float, int]:
        """The share of true captions among those with a word of `kind` ("": all), its standard error, their number."""
        share, count = (self.by_kind[kind], self.captions[kind]) if kind else (self.true, SCENES)
        return share, error_of(share, count), count


@dataclass(frozen=True)
class Gates:
    """The LSTM's gate, from 0 (shut) to 1 (open), over the words of captions of `photographs` test photographs.

    `mean` is over all `words`; `half`: for how many words it is below 0.5; `of`: the mean for each word of OPEN_FOR.
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
    measured = read_json(file, _RESULTS, made_by=MADE_BY)
    scored = {name: measured[name]["results"] for name in OF_PHOTOGRAPHS} | measured["baselines"]
    with naming(file, MADE_BY):
        true = tuple(_true(name, split, measured[name]["results"][split]) for name in OF_SCENES for split in HELD_OUT)
    scores = tuple(CaptionScores(name, of_name) for name, of_name in scored.items())
    return Results(scores, true, _gates(measured[GATED].get("gates")))


def _gates(gates: Mapping[str, Any] | None) -> Gates | None:
    if gates is None:
        return None
    every: _Opening = gates["open"]["all words"]
    means = {word: gates["open"][word].mean for word in OPEN_FOR}
    return Gates(gates["photographs"], every.words, gates["less than half open"], every.mean, means)


def _true(name: str, split: str, shares: Mapping[str, Any]) -> TrueCaptions:
    """Shares from an object of results.json; ValueError where a share lacks its count, or a count its share."""
    for kind in KINDS:
        if (kind in shares) != (kind + CAPTIONS in shares):
            missing = kind + CAPTIONS if kind in shares else kind
            raise ValueError(f"'{name}.results.{split}.{missing}' is missing")
    counts = {kind: shares[kind + CAPTIONS] for kind in KINDS if kind in shares}
    return TrueCaptions(name, split, shares["true"], {kind: shares[kind] for kind in counts}, counts)
