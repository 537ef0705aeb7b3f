"""Lets `core`, `dashboard` and `pages` be found where the app is part of a package. Imports nothing of either."""

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent.parent
PACKAGE = __package__.partition(".")[0]  # once installed `attention_atlas`, in a clone `dashboard`


def make_importable() -> None:
    """Let them be found, by the names that the app has for them.

    Once installed, the folder of `core` is that of `attention_atlas`: `core` is another name of that package then,
    and its modules are the same ones, so that a model that was wrapped there is a model here.
    """
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    if not (ROOT / "core").is_dir() and not any(isinstance(finder, _Core) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Core())


class _Core(MetaPathFinder, Loader):
    """Finds `core` and what is in it under the name of the package that is installed."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """Where a module is, if its name begins as ours."""
        return ModuleSpec(name, self) if name.partition(".")[0] == "core" else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module that has the other name."""
        module = importlib.import_module(PACKAGE + spec.name.removeprefix("core"))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run; but it is found again as what it was."""
        assert module.__spec__
        module.__spec__ = module.__spec__.loader_state
