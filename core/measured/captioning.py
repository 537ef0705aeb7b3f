"""How good the captioners are: on photographs beside baselines, on drawn scenes by whether they are true."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ModelError
from core.zoo.captioners import CAPTIONERS
from core.zoo.embedded import WEIGHTS

MADE_BY = "python -m training.captioning_report --data PATH"
SCENES = 500  # of each split
CAPTIONS = ", captions"  # behind a kind of word: how many captions have such a word
MEASURES = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "chrF", "CIDEr")


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
        return share, math.sqrt(share * (1 - share) / count), count


def caption_scores(folder: Path = WEIGHTS / "captioning") -> tuple[CaptionScores, ...]:
    """Our captioners of photographs, then the baselines."""
    results = _results(folder)
    ours = [CaptionScores(name, results[name]["results"]) for name in CAPTIONERS if _measures(results, name)]
    return (*ours, *(CaptionScores(name, scores) for name, scores in results["baselines"].items()))


def true_captions(folder: Path = WEIGHTS / "captioning") -> tuple[TrueCaptions, ...]:
    """Our captioners of scenes, split by split."""
    results, found = _results(folder), []
    for name in CAPTIONERS:
        if name in results and not _measures(results, name):
            for split, shares in results[name]["results"].items():
                counts = {kind: int(shares[f"{kind}{CAPTIONS}"]) for kind in shares if f"{kind}{CAPTIONS}" in shares}
                kinds = {kind: shares[kind] for kind in counts}
                found.append(TrueCaptions(name, split, shares["true"], kinds, counts))
    return tuple(found)


def _measures(results: Mapping[str, Any], name: str) -> bool:
    return name in results and MEASURES[0] in results[name]["results"]


def _results(folder: Path) -> dict[str, Any]:
    file = folder / "results.json"
    if not file.exists():
        raise ModelError(f"Nobody has measured this yet: {MADE_BY}.")
    return json.loads(file.read_text(encoding="utf-8"))
