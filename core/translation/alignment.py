"""Which word comes from which: links from a map of weights, and how well they agree with links made by people.

A link is (source word, target word), both counted from 0.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float
from torch import Tensor

Link = tuple[int, int]
Direction = Literal["target", "source", "both", "either"]


@dataclass(frozen=True)
class Agreement:
    """Found links against those made by people (Och and Ney 2003, section 5.1); counts, so that texts can be summed.

    A sure link must be found, a possible one may be; `possible` includes the sure ones.
    """

    found: int  # |A|
    sure: int  # |S|
    found_sure: int  # |A and S|
    found_possible: int  # |A and P|

    @property
    def precision(self) -> float:
        """|A and P| / |A|; NaN where nothing was found."""
        return self.found_possible / self.found if self.found else float("nan")

    @property
    def recall(self) -> float:
        """|A and S| / |S|; NaN where nothing is sure."""
        return self.found_sure / self.sure if self.sure else float("nan")

    @property
    def error_rate(self) -> float:
        """The alignment error rate, 1 - (|A and S| + |A and P|) / (|A| + |S|): 0 is perfect; NaN without any link."""
        total = self.found + self.sure
        return 1 - (self.found_sure + self.found_possible) / total if total else float("nan")

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(
            self.found + other.found,
            self.sure + other.sure,
            self.found_sure + other.found_sure,
            self.found_possible + other.found_possible,
        )


NO_LINKS = Agreement(0, 0, 0, 0)


def agreement(found: Collection[Link], sure: Collection[Link], possible: Collection[Link] | None = None) -> Agreement:
    """Compare links; without `possible`, only the sure ones may be found."""
    found, sure = set(found), set(sure)
    possible = sure if possible is None else set(possible) | sure
    return Agreement(len(found), len(sure), len(found & sure), len(found & possible))


def links_of(weights: Float[Tensor, "target source"], direction: Direction = "target") -> set[Link]:
    """The strongest links of a map between words.

    "target": for each target word the source word with the largest weight, if any is above 0; "source": for each source
    word the target word that looks at it most; "both": only links found from both sides; "either": those found from
    any.
    """
    known = weights.nan_to_num(nan=0.0)
    by_target = {(source, target) for target, source in _strongest(known)}
    by_source = {(source, target) for source, target in _strongest(known.T)}
    found = {"target": by_target, "source": by_source, "both": by_target & by_source, "either": by_target | by_source}
    return found[direction]


def _strongest(weights: Float[Tensor, "query key"]) -> list[tuple[int, int]]:
    """Each query with its strongest key, but for those that give nothing to any."""
    most, keys = weights.max(dim=1)
    return [(query, key) for query, key in enumerate(keys.tolist()) if most[query] > 0]


def diagonal(sources: int, targets: int) -> set[Link]:
    """The baseline without any model: each target word comes from the source word at the same share of the way."""
    return {(min(sources - 1, int((target + 0.5) * sources / targets)), target) for target in range(targets)}
