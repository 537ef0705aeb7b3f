"""Uncertainty of a fitted law by the bootstrap: fits to resamples of the runs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray

from ..errors import InputError
from ..progress import Progress
from .law import Law, Points

DRAWS = 100
LEVEL = 0.9  # of the intervals


@dataclass(frozen=True)
class Bootstrap:
    """A law fitted to all points, and to resamples of them (Efron 1979)."""

    best: Law
    drawn: tuple[Law, ...]

    def intervals(self, level: float = LEVEL) -> dict[str, tuple[float, float]]:
        """The interval of each coefficient that contains the middle `level` of the resamples."""
        values = np.array([law.values() for law in self.drawn])
        low, high = np.quantile(values, ((1 - level) / 2, (1 + level) / 2), axis=0)
        return {name: (float(low[i]), float(high[i])) for i, name in enumerate(self.best.names())}

    def band(
        self, flops: Float[ndarray, " point"], level: float = LEVEL
    ) -> tuple[Float[ndarray, " point"], Float[ndarray, " point"]]:
        """The interval of the law's lowest loss at each compute (not of the loss of a single run): low and high."""
        losses = np.array([law.lowest(flops) for law in self.drawn])
        low, high = np.quantile(losses, ((1 - level) / 2, (1 + level) / 2), axis=0)
        return low, high


def bootstrap(
    law: type[Law],
    points: Points,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Bootstrap:
    """Fit to all points, then to `draws` resamples of as many points with replacement.

    `progress` is called with the number of fits done and `draws`. InputError for too few points; a resample with too
    few different points to be fitted is drawn again.
    """
    best = law.fit(points)
    random = np.random.default_rng(seed)
    drawn: list[Law] = []
    for _ in range(4 * draws):
        if len(drawn) == draws:
            break
        try:
            drawn.append(law.fit(points.where(random.integers(len(points), size=len(points))), start=best))
        except InputError:
            continue
        if progress is not None:
            progress(len(drawn), draws)
    return Bootstrap(best, tuple(drawn))
