"""The modules that one forward pass runs, in order, and its additions of token vectors; the model is not changed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..capture import AttentionCall, record_attention
from ..capture.hooked_copy import hooked_copy
from ..capture.paths import ModulePaths, callers

Run = Callable[[nn.Module], object]

_SUMS = {"add", "add_"}


class Mark(NamedTuple):
    """The memory of a tensor: its address and number of elements. A view of a whole tensor has the same mark."""

    address: int
    numbers: int


@dataclass(frozen=True)
class ModuleRun:
    """A module that ran, for the `turn`-th time (counted from 0)."""

    path: str
    turn: int
    inputs: tuple[tuple[int, ...], ...]  # shapes
    outputs: tuple[tuple[int, ...], ...]
    marks: tuple[Mark, ...]  # of the outputs
    passed: bool  # whether its first output is one of its inputs


class Operand(NamedTuple):
    """One operand of an addition, or its result."""

    mark: Mark
    tensor: Tensor


@dataclass(frozen=True, eq=False)
class Addition:
    """`before + added`, in the code of the module `inside`; `before` is the older tensor of the two.

    `name` is the name of the parameter, if one was added.
    """

    inside: str
    before: Operand
    added: Operand
    after: Operand
    name: str | None


@dataclass(eq=False)
class Trace:
    """The events of one forward pass, in the order in which they ended."""

    events: list[ModuleRun | Addition] = field(default_factory=list)
    calls: tuple[AttentionCall, ...] = ()
    output: object = None


def trace(model: nn.Module, run: Run) -> Trace:
    """Call `run` on a copy of `model` and record each module and each addition of two tensors of token vectors.

    Raises CaptureError if no attention was recorded.
    """
    recorder = _EventRecorder(model)
    with torch.inference_mode(), hooked_copy(model, recorder.record_module) as copy, record_attention(copy) as record:
        recorder.paths = ModulePaths(copy)
        with _AdditionRecorder(recorder):
            output = run(copy)
    return Trace(recorder.events, record.calls, output)


def tensors_in(value: object) -> tuple[Tensor, ...]:
    """The tensors in nested tuples, lists and dicts, in order."""
    if isinstance(value, Tensor):
        return (value,)
    if isinstance(value, dict):
        return tuple(tensor for part in value.values() for tensor in tensors_in(part))
    if isinstance(value, tuple | list):
        return tuple(tensor for part in value for tensor in tensors_in(part))
    return ()


def mark(tensor: Tensor) -> Mark:
    """The mark of a tensor."""
    return Mark(tensor.data_ptr(), tensor.numel())


class _EventRecorder:
    """Collects events; it keeps every tensor alive, so that no address is used twice."""

    def __init__(self, model: nn.Module):
        self.events: list[ModuleRun | Addition] = []
        self.paths: ModulePaths | None = None
        self._born: dict[Mark, int] = {}
        self._turns: dict[str, int] = {}
        self._alive: list[object] = []
        self._parameters = {mark(weight): name for name, weight in model.named_parameters()}

    def record_module(self, path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
        del module
        inputs, outputs = tensors_in((args, kwargs)), tensors_in(output)
        turn = self._turns[path] = self._turns.get(path, -1) + 1
        marks, known = tuple(map(mark, outputs)), set(map(mark, inputs))
        for output_mark in marks:
            if output_mark not in known:
                self._born.setdefault(output_mark, len(self.events))
        self._alive += [inputs, outputs]
        passed = bool(marks) and marks[0] in known
        self.events.append(ModuleRun(path, turn, _shapes(inputs), _shapes(outputs), marks, passed))

    def record_addition(self, left: Operand, right: Operand, after: Tensor) -> None:
        """The older operand is `before`, the other `added`; a parameter is always `added`."""
        assert self.paths is not None
        inside = self.paths.path(callers())
        if inside is None:
            return

        def is_added(operand: Operand) -> tuple[bool, int]:
            return operand.mark in self._parameters, self._born.get(operand.mark, len(self.events))

        before, added = sorted((left, right), key=is_added)
        name = self._parameters.get(added.mark)
        self._born[mark(after)] = len(self.events)
        self._alive += [left, right, after]
        self.events.append(Addition(inside, before, added, Operand(mark(after), after), name))


class _AdditionRecorder(TorchFunctionMode):
    """Records `a + b` wherever both are tensors of token vectors."""

    def __init__(self, recorder: _EventRecorder):
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Call the function, and record it if it is an addition."""
        del types
        if getattr(function, "__name__", "") not in _SUMS or len(args) != 2 or kwargs or not _are_tokens(*args):
            return function(*args, **(kwargs or {}))
        left, right = args
        with torch._C.DisableTorchFunction():
            # Before the sum: it may be made in place.
            left_before = left.clone() if function.__name__ == "add_" else left
        after = function(*args)
        with torch._C.DisableTorchFunction():
            self.recorder.record_addition(Operand(mark(left), left_before), Operand(mark(right), right), after)
        return after


def _are_tokens(left: object, right: object) -> bool:
    """Whether both hold token vectors of one shape (..., token, width); leading axes may be broadcast (positions)."""
    if not (isinstance(left, Tensor) and isinstance(right, Tensor)):
        return False
    if not (left.is_floating_point() and right.is_floating_point()) or left.ndim < 2 or right.ndim < 2:
        return False
    return left.shape[-2:] == right.shape[-2:] and left.shape[-1] > 1


def tokens_of(tensor: Tensor) -> Float[Tensor, "token width"]:
    """The vectors of the first input; a grid of patches is laid out as a sequence."""
    first = tensor.detach() if tensor.ndim == 2 else tensor.detach()[0]
    return first.reshape(-1, tensor.shape[-1]).float()


def _shapes(tensors: tuple[Tensor, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(tensor.shape) for tensor in tensors)
