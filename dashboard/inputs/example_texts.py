"""Example texts that pages offer: example_texts.toml has them in groups, by the labels of their buttons."""

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from msgspec import convert

from core.published.table import Text

Example = TypeVar("Example")

GROUPS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def examples(group: str) -> dict[str, str]:
    """The texts of a group by their labels, the one that opens its page first; as `examples_of` for what is wrong."""
    return convert(GROUPS[group], dict[str, Text])


def examples_of(group: str, kind: type[Example]) -> dict[str, Example]:
    """The examples of a group whose examples are several texts each, such as a dataclass, by their labels.

    KeyError for a group that is not in the file, ValueError with the place for an example that is not of its kind.
    """
    return convert(GROUPS[group], dict[str, kind])  # type: ignore[valid-type]


def opening(group: str) -> str:
    """The text of a group that is there before anybody has typed."""
    return next(iter(examples(group).values()))
