"""How good the networks of words and patches are: hidden words with three pictures, lies that are noticed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import ModelError
from core.zoo.embedded import WEIGHTS
from core.zoo.joint import JOINT

MADE_BY = "python -m training.vilbert_report"


@dataclass(frozen=True)
class Joint:
    """Of one network, by split: `words`: what was shown -> kind -> share guessed; `match`: kind -> share noticed."""

    name: str
    words: Mapping[str, Mapping[str, Mapping[str, float]]]
    match: Mapping[str, Mapping[str, float]]


def joint_results(folder: Path = WEIGHTS / "vilbert") -> tuple[Joint, ...]:
    """Both networks; ModelError while nobody has measured."""
    file = folder / "results.json"
    if not file.exists():
        raise ModelError(f"Nobody has measured this yet: {MADE_BY}.")
    results = json.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Joint(
            name,
            {
                split: {shown: kinds for shown, kinds in found.items() if shown != "match"}
                for split, found in results[name]["results"].items()
            },
            {split: found["match"] for split, found in results[name]["results"].items()},
        )
        for name in JOINT
        if name in results
    )
