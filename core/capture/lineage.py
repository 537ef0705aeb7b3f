"""Do queries and keys come from one sequence? Read off which tensors were computed from which."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .paths import Caller

# A matrix product of two activations; a linear layer multiplies one by a weight.
PRODUCTS = {
    *(torch.matmul, torch.bmm, torch.baddbmm, torch.einsum),
    *(Tensor.matmul, Tensor.__matmul__, Tensor.bmm, Tensor.baddbmm),
}
PROJECTIONS = {nn.functional.linear, torch.addmm, torch.conv1d, torch.conv2d, torch.conv3d}

PLAIN = {int, float, bool, str, type(None), torch.Size, torch.dtype, torch.device}  # arguments that are no tensors

Memory = tuple[int, int]  # an address, and how many numbers are seen from there
Entered = dict[int, tuple[int, Memory]]

LONGEST = 400  # operations remembered: several times those of one attention module


class Step(NamedTuple):
    """One operation: what went in and what came out, as identities, so that no tensor is kept alive.

    An identity may be used again after its tensor is gone. Reading backwards, the latest step that made it before it
    was used is the right one; so steps that made something out of nothing are remembered too.
    """

    operation: Callable
    inputs: list[int]
    outputs: list[int]


class Lineage:
    """The latest operations of one thread."""

    def __init__(self):
        self._steps: list[Step] = []

    def note(self, operation: Callable, args: tuple, kwargs: dict, result: object) -> set[int]:
        """Remember one operation; one that returns nothing has changed its first argument.

        Gives the identities of the parameters that took part. They belong to no sequence, so they are no lineage.
        """
        parameters: set[int] = set()
        outputs = _identities(args[:1] if result is None else (result,), parameters)
        if not outputs:
            return parameters
        inputs = _identities((*args, *kwargs.values()) if kwargs else args, parameters)
        self._steps.append(Step(operation, inputs, outputs))
        if len(self._steps) > 2 * LONGEST:
            del self._steps[:LONGEST]
        return parameters

    def one_sequence(self, query: Tensor, key: Tensor, callers: list[Caller]) -> bool:
        """Whether query and key were projected from the same argument of the attention module.

        That module is the nearest one in which either was projected: a module that is handed finished queries and
        keys says nothing. Where nothing is known, equal lengths decide.
        """
        for entered in map(_entered, callers):
            first, first_steps = self._trace({id(query)}, entered)
            second, second_steps = self._trace({id(key)}, entered)
            if any(self._steps[step].operation in PROJECTIONS for step in first_steps + second_steps):
                return _main(first, entered) == _main(second, entered)
        return query.shape[-2] == key.shape[-2]

    def one_sequence_in_scores(self, scores: Tensor, callers: list[Caller]) -> bool:
        """The same, for the two factors of each matrix product that made some scores; one such product is enough."""
        for entered in map(_entered, callers):
            _, steps = self._trace({id(scores)}, entered)
            if not any(self._steps[step].operation in PROJECTIONS for step in steps):
                continue
            pairs = [self._factors(step, entered) for step in steps if self._steps[step].operation in PRODUCTS]
            known = [pair for pair in pairs if None not in pair]
            if known:
                return any(first == second for first, second in known)
        return scores.shape[-2] == scores.shape[-1]

    def _factors(self, step: int, entered: Entered) -> tuple[Memory | None, Memory | None]:
        """Where the two factors of a product came from; whatever is added to it comes before them."""
        factors = self._steps[step].inputs[-2:]
        sources = [self._trace({factor}, entered, before=step)[0] for factor in factors]
        return _main(sources[0], entered), _main(sources[-1], entered)

    def _trace(self, wanted: set[int], entered: Entered, before: int | None = None) -> tuple[set[int], list[int]]:
        """The entered tensors from which the wanted ones were computed, and the steps in between."""
        found, passed = wanted & entered.keys(), []
        wanted = wanted - found
        for index in range(len(self._steps) if before is None else before, 0, -1):
            if not wanted:
                break
            _, inputs, outputs = self._steps[index - 1]
            if wanted.isdisjoint(outputs):
                continue
            wanted.difference_update(outputs)
            passed.append(index - 1)
            for tensor in inputs:
                (found if tensor in entered else wanted).add(tensor)
        return found, passed


def _main(sources: set[int], entered: Entered) -> Memory | None:
    """The largest source: the sequence itself, not the rotary table or the scale that both sides may share."""
    largest = max(sources, key=lambda tensor: (entered[tensor][0], tensor), default=None)
    return None if largest is None else entered[largest][1]


def _identities(arguments: Iterable, parameters: set[int]) -> list[int]:
    """Those of the tensors among the arguments, also in lists; parameters are put aside."""
    found = []
    for argument in arguments:
        kind = type(argument)  # asked first: isinstance is slow for tensors, and this runs for each operation
        if kind is Tensor:
            found.append(id(argument))
        elif kind is nn.Parameter:
            parameters.add(id(argument))
        elif kind in PLAIN:
            continue
        elif isinstance(argument, Tensor):
            found.append(id(argument))
        elif isinstance(argument, tuple | list):
            found += [id(part) for part in argument if isinstance(part, Tensor)]
    return found


def _entered(caller: Caller) -> Entered:
    """Identity, size and memory of each tensor that a module was called with."""
    tensors: list[object] = []
    for argument in (*caller.args, *caller.kwargs.values()):
        tensors += argument if isinstance(argument, tuple | list) else [argument]
    return {id(tensor): (tensor.numel(), _memory(tensor)) for tensor in tensors if isinstance(tensor, Tensor)}


def _memory(tensor: Tensor) -> Memory:
    """Where its numbers are: the same for two views of one sequence, such as `x.transpose(0, 1)` taken twice."""
    try:
        return tensor.data_ptr(), tensor.numel()
    except RuntimeError:  # a tensor of torch.func stands for others and has no numbers of its own
        return id(tensor), 0
