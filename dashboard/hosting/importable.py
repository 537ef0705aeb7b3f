"""Makes `core`, `dashboard` and `pages` importable where the app is part of a package. Imports none of them."""

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
    """Make `core`, `dashboard` and `pages` importable under these names.

    Once installed, the folder of `core` is that of `attention_atlas`: `core` is then an alias of that package, with the
    same module objects, so that a model wrapped there is an instance of the same classes here.
    """
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    if not (ROOT / "core").is_dir() and not any(isinstance(finder, _CoreAlias) for finder in sys.meta_path):
        sys.meta_path.insert(0, _CoreAlias())


class _CoreAlias(MetaPathFinder, Loader):
    """Finds `core` and its modules as aliases of the installed package and its modules."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """A spec for `core` and its modules; None for any other."""
        return ModuleSpec(name, self) if name.partition(".")[0] == "core" else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of the installed package."""
        module = importlib.import_module(PACKAGE + spec.name.removeprefix("core"))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec; it has run already."""
        assert module.__spec__
        module.__spec__ = module.__spec__.loader_state
