"""Where the files lie that come with the project and are no part of this package: weights, pages, lessons.

In a clone they stand beside it; once installed they lie below it, where they cannot meet another package's `pages`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import ModelError

_PACKAGE = Path(__file__).parent
_INSTALLED = _PACKAGE / "app"

PROJECT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
WEIGHTS = PROJECT / "weights"


@contextmanager
def naming(file: Path, made_by: str) -> Iterator[None]:
    """Turn what goes wrong with a file (OSError, ValueError) into one ModelError; `made_by` is the command to run."""
    where = file.relative_to(PROJECT) if file.is_relative_to(PROJECT) else file
    again = f"fetch the project again, or make it: {made_by}."
    try:
        yield
    except FileNotFoundError:
        raise ModelError(f"{where} is not there: {again}") from None
    except (OSError, ValueError) as error:
        reason = str(error).removeprefix(f"{file.name}, ").removesuffix(".")
        raise ModelError(f"{where} cannot be read ({reason}): {again}") from error
