"""Find the calling modules on the Python stack, so that nothing is installed on the model.

Hooks would be visible to other threads that use the model, and torch's own ModuleTracker hooks every module of the
process. The stack belongs to this thread alone and needs no cleaning up.
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
    """A module that is being called, with its arguments."""

    module: nn.Module
    args: tuple
    kwargs: dict


def callers() -> list[Caller]:
    """The modules that are being called in this thread, innermost first."""
    calling: list[Caller] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code is _CALL:
            frame_locals = frame.f_locals
            # nn.Softmax only wraps a function: its caller counts instead.
            if not isinstance(frame_locals["self"], nn.Softmax):
                calling.append(Caller(frame_locals["self"], frame_locals["args"], frame_locals["kwargs"]))
        frame = frame.f_back
    return calling


def checkpoint_pass() -> Literal["first", "again"] | None:
    """The pass of gradient checkpointing that this runs in: "first" (forward), "again" (recomputation) or None."""
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
    """The innermost module whose first tensor is a sequence (batch, token, width), and that sequence."""
    for caller in calling:
        for argument in (*caller.args, *caller.kwargs.values()):
            if isinstance(argument, Tensor) and argument.ndim == 3 and argument.is_floating_point():
                return caller, argument
            if isinstance(argument, Tensor):
                break  # its first tensor is no sequence
    return None


class ModulePaths:
    """The paths of a model's modules, as in `named_modules`; raises CaptureError for anything but a module."""

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
    def is_compiled(self) -> bool:
        """Whether some module was compiled or scripted, so that no Python runs in it."""
        return any(
            isinstance(module, torch.jit.ScriptModule) or module._compiled_call_impl or hasattr(module, "_orig_mod")
            for module in self.model.modules()
        )

    @property
    def is_flexible(self) -> bool:
        """Whether some module may call torch's flex_attention: by its settings in transformers, or in its code."""
        setting = getattr(getattr(self.model, "config", None), "_attn_implementation", "")
        codes = (
            getattr(module_class.forward, "__code__", None)
            for module_class in {type(module) for module in self.model.modules()}
        )
        return setting == "flex_attention" or any(code and "flex_attention" in code.co_names for code in codes)

    def __iter__(self) -> Iterator[str]:
        return (path for paths in self._paths.values() for path in paths)

    def path(self, calling: Iterable[Caller]) -> str | None:
        """The path of the innermost caller that belongs to the model; None if none does.

        A module that the model holds under several paths has the one that continues its caller's path.
        """
        names: list[str] = []
        for caller in calling:
            outer = self._paths.get(id(caller.module), [])
            if names and outer:
                names = [name for name in names if any(_inside(name, index) for index in outer)] or names
            names = names or outer
            if len(names) == 1:
                break
        return names[0] if names else None


def matches(named: str, path: str) -> bool:
    """Whether a path is equal to `named`, or matches it as a pattern such as `blocks.*.attention`."""
    return named == path or (any(sign in named for sign in "*?[") and fnmatchcase(path, named))


def near(path: str, existing: Iterable[str]) -> str:
    """The existing paths most similar to `path`, as the end of a sentence."""
    existing = list(dict.fromkeys(existing))
    close = get_close_matches(path, existing, n=3, cutoff=0.5) or existing[:3]
    listed = ", ".join(f"'{name}'" for name in close)
    more = len(existing) - len(close)
    return f"{listed} and {more} more" if more > 0 else listed


def _inside(path: str, index: str) -> bool:
    return index == "" or path.startswith(index + ".")
