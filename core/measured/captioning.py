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

    @property
    def error(self) -> float:
        """The standard error of `true`."""
        return math.sqrt(self.true * (1 - self.true) / SCENES)


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
                kinds = {
                    kind: share for kind, share in shares.items() if kind not in ("true", "sentences", "different")
                }
                found.append(TrueCaptions(name, split, shares["true"], kinds))
    return tuple(found)


def _measures(results: Mapping[str, Any], name: str) -> bool:
    return name in results and MEASURES[0] in results[name]["results"]


def _results(folder: Path) -> dict[str, Any]:
    file = folder / "results.json"
    if not file.exists():
        raise ModelError(f"Nobody has measured this yet: {MADE_BY}.")
    return json.loads(file.read_text(encoding="utf-8"))
