"""Where the files lie that come with the project and are no part of this package: weights, pages, lessons.

In a clone they stand beside it; once installed they lie below it, where they cannot meet another package's `pages`.
"""

from pathlib import Path

_PACKAGE = Path(__file__).parent
_INSTALLED = _PACKAGE / "app"

PROJECT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
WEIGHTS = PROJECT / "weights"
