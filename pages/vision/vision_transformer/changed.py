"""What a visitor has changed, and what the model says before and after."""

from dataclasses import dataclass

import numpy as np

from core.images import Patches
from core.zoo import ImageModel
from dashboard.photograph import Photograph as Given
from dashboard.watched import Head
from pages.vision.vision_transformer.compute_changed import Verdict


@dataclass(frozen=True, eq=False)
class Changed:
    """A picture in a model as it is, and with silent heads and hidden patches."""

    given: Given
    heads: tuple[int, ...]  # of each layer
    silenced: tuple[Head, ...]
    hidden: frozenset[int]
    before: Verdict
    after: Verdict

    @property
    def model(self) -> ImageModel:
        """The model."""
        return self.before.model

    @property
    def grid(self) -> Patches:
        """How the picture is cut."""
        return self.before.given.patches

    @property
    def count(self) -> int:
        """How many patches there are."""
        return self.grid.rows * self.grid.columns

    @property
    def is_changed(self) -> bool:
        """Whether anything is."""
        return bool(self.silenced or self.hidden)

    @property
    def gains(self) -> np.ndarray:
        """By how much the probability of each class has risen."""
        return self.after.probabilities - self.before.probabilities

    def label(self, number: int) -> str:
        """The name of a class."""
        return self.model.classes[number]

    def place(self, patch: int) -> tuple[int, int]:
        """Row and column of a patch."""
        row, column = divmod(patch, self.grid.columns)
        return row, column
