"""Paths of the project's files outside this package: weights, pages, lessons.

In a clone they are beside the package; once installed they are inside it, where they cannot clash with another
package's `pages`.
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
    """Turn an OSError or ValueError about a file into a ModelError that names the command `made_by` which makes it."""
    where = file.relative_to(PROJECT) if file.is_relative_to(PROJECT) else file
    again = f"fetch the project again, or make it: {made_by}."
    try:
        yield
    except FileNotFoundError:
        raise ModelError(f"{where} is not there: {again}") from None
    except (OSError, ValueError) as error:
        reason = str(error).removeprefix(f"{file.name}, ").removesuffix(".")
        raise ModelError(f"{where} cannot be read ({reason}): {again}") from error
