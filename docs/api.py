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
    """Write the reference of all packages of the library, under their installed names; returns these names."""
    sys.modules[NAME] = library = ModuleType(NAME)
    library.__path__ = [str(LIBRARY)]
    packages = [f"{NAME}.{module.name}" for module in pkgutil.iter_modules([str(LIBRARY)])]
    pdoc.render.configure(docformat="markdown", show_source=True, search=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a name in __all__ that is not there, a docstring that cannot be read
        pdoc.pdoc(*packages, output_directory=folder)
    return packages


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("site"))
    arguments = parser.parse_args()
    print(f"{len(write(arguments.folder))} rooms are told in {arguments.folder}/index.html.")
