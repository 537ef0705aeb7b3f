"""Deprecated names: they work for one version, with a DeprecationWarning."""

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def former_names(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` for deprecated names; `names` maps each former name to the present one.

    A present name is an attribute of the same module, or, beginning with a dot, a module relative to `package` as for
    `importlib.import_module`. Any other name raises AttributeError.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        present = names[name]
        if present.startswith("."):
            value = importlib.import_module(present, package)
            full_name = value.__name__
        else:
            value = getattr(importlib.import_module(package), present)
            full_name = f"{package}.{present}"
        warnings.warn(f"{package}.{name} is {full_name} now.", DeprecationWarning, stacklevel=2)
        return value

    return find
