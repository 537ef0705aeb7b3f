"""A translation before and after the visitor's changes."""

from dataclasses import dataclass

from core.translation.translator_maps import Head
from core.zoo import Aligned
from pages.language.translation.compute import Translated
from pages.language.translation.cuts import CutLink
from pages.language.translation.word_difference import Difference, difference
from pages.language.translation.word_maps import Words


@dataclass(frozen=True, eq=False)
class Compared:
    """One model's translation before and after the changes; `again` is the first one, written by the changed model."""

    name: str
    before: Translated
    after: Translated
    again: Aligned
    source: Words
    first: Words
    second: Words
    cut: tuple[CutLink, ...]
    silenced: tuple[Head, ...]

    @property
    def is_changed(self) -> bool:
        """Whether anything was cut or silenced."""
        return bool(self.cut or self.silenced)

    @property
    def difference(self) -> Difference:
        """The words that changed."""
        return difference(self.first.labels, self.second.labels)
