"""Word alignment: links from a map of weights, and their agreement with links annotated by people.

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
    """Counts of predicted links A, annotated sure links S and possible links P (Och and Ney 2003, section 5.1).

    Counts of several texts can be added. A sure link should be predicted, a possible one may be; P includes S.
    """

    predicted: int  # |A|
    sure: int  # |S|
    predicted_sure: int  # |A and S|
    predicted_possible: int  # |A and P|

    @property
    def precision(self) -> float:
        """|A and P| / |A|; NaN without predicted links."""
        return self.predicted_possible / self.predicted if self.predicted else float("nan")

    @property
    def recall(self) -> float:
        """|A and S| / |S|; NaN without sure links."""
        return self.predicted_sure / self.sure if self.sure else float("nan")

    @property
    def error_rate(self) -> float:
        """The alignment error rate, 1 - (|A and S| + |A and P|) / (|A| + |S|): 0 is perfect; NaN without any link."""
        total = self.predicted + self.sure
        return 1 - (self.predicted_sure + self.predicted_possible) / total if total else float("nan")

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(
            self.predicted + other.predicted,
            self.sure + other.sure,
            self.predicted_sure + other.predicted_sure,
            self.predicted_possible + other.predicted_possible,
        )


NO_LINKS = Agreement(0, 0, 0, 0)


def agreement(links: Collection[Link], sure: Collection[Link], possible: Collection[Link] | None = None) -> Agreement:
    """Compare predicted links with annotated ones; without `possible`, P is S."""
    links, sure = set(links), set(sure)
    possible = sure if possible is None else set(possible) | sure
    return Agreement(len(links), len(sure), len(links & sure), len(links & possible))


def links_of(weights: Float[Tensor, "target source"], direction: Direction = "target") -> set[Link]:
    """The strongest links of a map between words.

    "target": for each target word the source word with the largest weight, if any is above 0; "source": for each source
    word the target word with the largest weight; "both": the intersection of the two; "either": their union.
    """
    finite = weights.nan_to_num(nan=0.0)
    by_target = {(source, target) for target, source in _strongest(finite)}
    by_source = {(source, target) for source, target in _strongest(finite.T)}
    links = {"target": by_target, "source": by_source, "both": by_target & by_source, "either": by_target | by_source}
    return links[direction]


def _strongest(weights: Float[Tensor, "query key"]) -> list[tuple[int, int]]:
    """(query, key with the largest weight) for each query with a weight above 0."""
    largest, keys = weights.max(dim=1)
    return [(query, key) for query, key in enumerate(keys.tolist()) if largest[query] > 0]


def diagonal(sources: int, targets: int) -> set[Link]:
    """The baseline without a model: each target word is linked to the source word at the same relative position."""
    return {(min(sources - 1, int((target + 0.5) * sources / targets)), target) for target in range(targets)}
