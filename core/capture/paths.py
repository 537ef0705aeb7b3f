"""Which module is calling? Read off the Python stack, so that nothing is installed on the model.

Hooks would have to be put on a model that other threads are using, and torch's own ModuleTracker hooks every
module of the process. The stack belongs to this thread alone and cleans up after itself.
"""

import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from types import FrameType
from typing import Literal, NamedTuple

import torch
import torch.utils.checkpoint
from torch import Tensor, nn

from ..errors import CaptureError

_CALL = nn.Module._call_impl.__code__  # every call of a module passes through this function
_CHECKPOINTS = torch.utils.checkpoint.__file__


class Caller(NamedTuple):
    """A module that is being called, and what it was called with."""

    module: nn.Module
    args: tuple
    kwargs: dict


def callers() -> list[Caller]:
    """The modules that are being called in this thread, innermost first."""
    found: list[Caller] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code is _CALL:
            local = frame.f_locals
            # nn.Softmax is a function in a module's coat: whoever calls it is meant.
            if not isinstance(local["self"], nn.Softmax):
                found.append(Caller(local["self"], local["args"], local["kwargs"]))
        frame = frame.f_back
    return found


def checkpointing() -> Literal["first", "again"] | None:
    """Whether this runs under gradient checkpointing: forward, or once more while a gradient goes backward."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == _CHECKPOINTS:
            if frame.f_code.co_name in ("backward", "unpack_hook"):
                return "again"
            if frame.f_code.co_name in ("checkpoint", "forward"):
                return "first"
        frame = frame.f_back
    return None


def sequence_in(calling: Iterable[Caller]) -> tuple[Caller, Tensor] | None:
    """The innermost module that was called with a sequence (batch, token, width), and that sequence: its first one."""
    for caller in calling:
        for argument in (*caller.args, *caller.kwargs.values()):
            if isinstance(argument, Tensor) and argument.ndim == 3 and argument.is_floating_point():
                return caller, argument
            if isinstance(argument, Tensor):
                break  # what it is called with first is no sequence
    return None


class ModulePaths:
    """The names of a model's modules."""

    def __init__(self, model: nn.Module):
        if not isinstance(model, nn.Module):
            raise CaptureError(f"What is watched is a torch.nn.Module, not {model!r:.60}: load the model first.")
        self.model = model
        self._paths: dict[int, list[str]] = {}
        for path, module in model.named_modules(remove_duplicate=False):
            self._paths.setdefault(id(module), []).append(path)

    def __contains__(self, path: str) -> bool:
        return path in iter(self)

    @property
    def hidden(self) -> bool:
        """Whether some module was compiled, so that no Python runs in it."""
        return any(
            isinstance(module, torch.jit.ScriptModule) or module._compiled_call_impl or hasattr(module, "_orig_mod")
            for module in self.model.modules()
        )

    @property
    def is_flexible(self) -> bool:
        """Whether some module may call torch's flex_attention: by its settings in transformers, or in its code."""
        setting = getattr(getattr(self.model, "config", None), "_attn_implementation", "")
        codes = (getattr(kind.forward, "__code__", None) for kind in {type(module) for module in self.model.modules()})
        return setting == "flex_attention" or any(code and "flex_attention" in code.co_names for code in codes)

    def __iter__(self) -> Iterator[str]:
        return (path for paths in self._paths.values() for path in paths)

    def path(self, calling: Iterable[Caller]) -> str | None:
        """The path of the nearest caller that belongs to the model; None if none does.

        A module that the model owns under several names has the one that continues its caller's path.
        """
        names: list[str] = []
        for caller in calling:
            outer = self._paths.get(id(caller.module), [])
            if names and outer:
                names = [name for name in names if any(_inside(name, place) for place in outer)] or names
            names = names or outer
            if len(names) == 1:
                break
        return names[0] if names else None


def matches(named: str, path: str) -> bool:
    """Whether a path is the one that somebody named, or fits the pattern: `blocks.*.attention`."""
    return named == path or (any(sign in named for sign in "*?[") and fnmatchcase(path, named))


def near(path: str, existing: Iterable[str]) -> str:
    """The paths that somebody may have meant, as the end of a sentence."""
    existing = list(dict.fromkeys(existing))
    close = get_close_matches(path, existing, n=3, cutoff=0.5) or existing[:3]
    listed = ", ".join(f"'{name}'" for name in close)
    more = len(existing) - len(close)
    return f"{listed} and {more} more" if more > 0 else listed


def _inside(path: str, place: str) -> bool:
    return place == "" or path.startswith(place + ".")
