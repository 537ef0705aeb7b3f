"""The API reference, made from the docstrings: `make docs` writes it into site/, where index.html is the first page."""

import argparse
import pkgutil
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pdoc

LIBRARY = Path(__file__).parents[1] / "core"
NAME = "attention_atlas"  # what the library is called where it is installed


def write(folder: Path) -> list[str]:
    """The reference of all rooms of the library, under the names that it has once installed; gives those."""
    sys.modules[NAME] = library = ModuleType(NAME)
    library.__path__ = [str(LIBRARY)]
    rooms = [f"{NAME}.{found.name}" for found in pkgutil.iter_modules([str(LIBRARY)])]
    pdoc.render.configure(docformat="markdown", show_source=True, search=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a name in __all__ that is not there, a docstring that cannot be read
        pdoc.pdoc(*rooms, output_directory=folder)
    return rooms


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("site"))
    asked = parser.parse_args()
    print(f"{len(write(asked.folder))} rooms are told in {asked.folder}/index.html.")
