"""References for further reading: references.toml has each work, by subject, with its use here."""

import tomllib
from pathlib import Path

_SUBJECTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
WORKS: dict[str, str] = {name: text for works in _SUBJECTS.values() for name, text in works.items()}


def references(*names: str) -> tuple[str, ...]:
    """The works with these names in Markdown; KeyError for one that is not in the file."""
    return tuple(WORKS[name] for name in names)
