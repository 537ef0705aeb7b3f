"""Names that the guides showed and that are called otherwise now: they work for one version, with a warning."""

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def former_names(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module: `names` maps each former name to the present one.

    A present name is one of the same module, or with dots a module relative to `package`, as `importlib.import_module`
    takes it. AttributeError for any other name, as of every module.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        present = names[name]
        if present.startswith("."):
            found = importlib.import_module(present, package)
            full_name = found.__name__
        else:
            found = getattr(importlib.import_module(package), present)
            full_name = f"{package}.{present}"
        warnings.warn(f"{package}.{name} is {full_name} now.", DeprecationWarning, stacklevel=2)
        return found

    return find
