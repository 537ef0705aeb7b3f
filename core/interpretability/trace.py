"""What ran, in which order, and what was added to what: seen once, without changing the model."""

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
    """Which numbers a tensor holds: where they lie and how many there are; a view has the mark of its whole."""

    address: int
    numbers: int


@dataclass(frozen=True)
class Ran:
    """A module that ran, for the `turn`-th time (counted from 0)."""

    path: str
    turn: int
    inputs: tuple[tuple[int, ...], ...]  # shapes
    outputs: tuple[tuple[int, ...], ...]
    marks: tuple[Mark, ...]  # of the outputs
    passed: bool  # whether it handed on what it was given


class Operand(NamedTuple):
    """One side of a sum, or the sum itself."""

    mark: Mark
    tensor: Tensor


@dataclass(frozen=True, eq=False)
class Summed:
    """`before + added`, in the code of the module `inside`; `before` is what was there earlier.

    `name` is that of a parameter, if one was added.
    """

    inside: str
    before: Operand
    added: Operand
    after: Operand
    name: str | None


@dataclass(eq=False)
class Trace:
    """Everything that ran in one forward pass, in the order in which it ended."""

    events: list[Ran | Summed] = field(default_factory=list)
    calls: tuple[AttentionCall, ...] = ()
    output: object = None


def trace(model: nn.Module, run: Run) -> Trace:
    """Run `run` on a twin of `model` and note each module and each sum of two tensors of tokens.

    Raises CaptureError if no attention was seen.
    """
    seen = _Seen(model)
    with torch.inference_mode(), hooked_copy(model, seen.ran) as double, record_attention(double) as record:
        seen.paths = ModulePaths(double)
        with _Sums(seen):
            output = run(double)
    return Trace(seen.events, record.calls, output)


def tensors_in(value: object) -> tuple[Tensor, ...]:
    """The tensors of an output, whatever a library wraps them in."""
    if isinstance(value, Tensor):
        return (value,)
    if isinstance(value, dict):
        return tuple(tensor for part in value.values() for tensor in tensors_in(part))
    if isinstance(value, tuple | list):
        return tuple(tensor for part in value for tensor in tensors_in(part))
    return ()


def mark(tensor: Tensor) -> Mark:
    """Where the numbers of a tensor lie."""
    return Mark(tensor.data_ptr(), tensor.numel())


class _Seen:
    """Collects; and keeps every tensor alive, so that no address is used twice."""

    def __init__(self, model: nn.Module):
        self.events: list[Ran | Summed] = []
        self.paths: ModulePaths | None = None
        self._born: dict[Mark, int] = {}
        self._turns: dict[str, int] = {}
        self._alive: list[object] = []
        self._parameters = {mark(weight): name for name, weight in model.named_parameters()}

    def ran(self, path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
        del module
        given, made = tensors_in((args, kwargs)), tensors_in(output)
        turn = self._turns[path] = self._turns.get(path, -1) + 1
        marks, known = tuple(map(mark, made)), set(map(mark, given))
        for each in marks:
            if each not in known:
                self._born.setdefault(each, len(self.events))
        self._alive += [given, made]
        passed = bool(marks) and marks[0] in known
        self.events.append(Ran(path, turn, _shapes(given), _shapes(made), marks, passed))

    def summed(self, left: Operand, right: Operand, after: Tensor) -> None:
        """Of two operands the older one is what was there; a parameter is always what is added."""
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
        self.events.append(Summed(inside, before, added, Operand(mark(after), after), name))


class _Sums(TorchFunctionMode):
    """Sees `a + b` wherever both are tensors of token vectors."""

    def __init__(self, seen: _Seen):
        super().__init__()
        self.seen = seen

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Run it, and note it if it is a sum."""
        del types
        if getattr(function, "__name__", "") not in _SUMS or len(args) != 2 or kwargs or not _are_tokens(*args):
            return function(*args, **(kwargs or {}))
        left, right = args
        with torch._C.DisableTorchFunction():
            # Before the sum: it may be made in place.
            kept = left.clone() if function.__name__ == "add_" else left
        after = function(*args)
        with torch._C.DisableTorchFunction():
            self.seen.summed(Operand(mark(left), kept), Operand(mark(right), right), after)
        return after


def _are_tokens(left: object, right: object) -> bool:
    """Vectors of several channels each; the second operand may be the same for all inputs (positions)."""
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
