"""Example photographs: what is on them, what models should name, where they come from (example_pictures.toml)."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, convert

from .described_words import matched_words

Text = Annotated[str, Meta(min_length=1)]


@dataclass(frozen=True)
class ExamplePicture:
    """A photograph of scikit-image's wheel; the fields are explained in example_pictures.toml."""

    file: Text
    shows: Text
    sentence: Text
    known: tuple[Text, ...]
    source: Text
    licence: Text
    part: tuple[int, int, int, int] | None = None
    reason: str = ""

    def __post_init__(self):
        if not (self.known or self.reason):
            raise ValueError(f"{self.file} needs names that are right (known), or the reason why there are none.")

    def right_names(self, classes: tuple[str, ...]) -> tuple[str, ...]:
        """Those of `classes` that name what is on it; synonyms after the first, behind a comma, do not count."""
        return tuple(name for name in classes if name.partition(",")[0] in self.known)

    def matched_words(self, caption: str) -> tuple[str, ...]:
        """The content words of a caption that its sentence, what it shows, or the right names of classes have too."""
        return matched_words(caption, (self.sentence, self.shows, *self.known))


def _read() -> dict[str, ExamplePicture]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return convert(tables, dict[str, ExamplePicture])


EXAMPLES = _read()  # by their names in addresses; the first is on each page before anybody has chosen
