"""Whether queries and keys come from one sequence, read off which tensors were computed from which."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .paths import Caller
from .provenance import Origin, Traced, decide
from .softmax_axes import chosen_rows

# A matrix product of two activations; a linear layer multiplies one by a weight.
PRODUCTS = {
    *(torch.matmul, torch.bmm, torch.baddbmm, torch.einsum),
    *(Tensor.matmul, Tensor.__matmul__, Tensor.bmm, Tensor.baddbmm),
}
# The second tensor says which rows are taken, and is not what they are computed from.
SELECTIONS = {torch.index_select, Tensor.index_select}
SUMS = {"add", "add_", "__add__", "__radd__", "__iadd__", "sub", "__sub__"}  # additive attention adds query and key
_PROJECTIONS = ("linear", "addmm", "conv", "_mm")  # in the name of a function; so are all kernels of torch.ops

NON_TENSORS = {int, float, bool, str, type(None), torch.Size, torch.dtype, torch.device}

ArgumentTensors = dict[int, tuple[int, tuple[int, int]]]  # id of a tensor: its number of elements and its memory

MAX_STEPS = 400  # operations remembered: several times those of one attention module
MAX_KEYS = 10_000  # keys remembered
NO_KEYS: Mapping[int, Traced] = {}


class Step(NamedTuple):
    """One operation: its inputs and outputs by `id`, so that no tensor is kept alive.

    An id may be reused after its tensor is freed. Reading backwards, the latest step before the use that has it as an
    output is the right one; so steps without inputs are stored too. `rows` are the row numbers that an indexing
    selected, if the operation is one.
    """

    operation: Callable
    inputs: list[int]
    outputs: list[int]
    rows: Tensor | None = None


class Lineage:
    """The latest operations of one thread, and which tensors were keys of an attention."""

    def __init__(self):
        self._steps: list[Step] = []
        self._forgotten = 0  # the number of steps dropped before these
        self._keys: dict[int, Traced] = {}  # ids of the keys of earlier attentions, and of what they were computed from
        # Ids of the parameters and buffers of the watched models: they are no activations.
        self.constants: Collection[int] = ()
        self.selects_rows = False  # whether some operation selected rows

    def remember(self, operation: Callable, args: tuple, kwargs: dict, result: object) -> set[int]:
        """Store one operation; one that returns None has changed its first argument in place.

        Returns the ids of the parameters among its arguments, which belong to no sequence and are not stored.
        """
        parameters: set[int] = set()
        outputs = _identities(args[:1] if result is None else (result,), parameters)
        if not outputs:
            return parameters
        inputs = _identities((*args, *kwargs.values()) if kwargs else args, parameters)
        if operation in SELECTIONS:
            inputs = inputs[:1]
        # A new tensor may have the id of a freed one, or the operation wrote into an old one.
        if inputs != outputs:
            for output in outputs:
                self._keys.pop(output, None)
        rows = chosen_rows(operation, args)
        self.selects_rows |= rows is not None
        self._steps.append(Step(operation, inputs, outputs, rows))
        if len(self._steps) > 2 * MAX_STEPS:
            del self._steps[:MAX_STEPS]
            self._forgotten += MAX_STEPS
        return parameters

    def trace_pair(self, query: Tensor, key: Tensor, callers: list[Caller]) -> Traced:
        """Whether query and key were projected from the same argument of the attention module.

        That module is the innermost one in which either was projected: a module that receives projected queries and
        keys as arguments does not tell.
        """
        for arguments in map(_argument_tensors, callers):
            origins = self._origin(id(query), arguments), self._origin(id(key), arguments, keys=self._keys)
            traced = decide(*origins, head_size=query.numel() // query.shape[-3] if query.ndim > 2 else query.numel())
            steps = origins[0].steps + origins[1].steps
            if traced.kind == "self" or any(self._projects(step, arguments) for step in steps):
                return self._remember_keys(self._with_rows(traced, *origins, arguments), id(key), origins[1], arguments)
        return Traced()

    def trace_scores(self, scores: Tensor, callers: list[Caller]) -> Traced:
        """As `trace_pair`, for the two factors of each matrix product that scores were computed from; one is enough.

        Without a product (additive attention, Bahdanau et al. 2015), for the two operands of each sum.
        """
        for arguments in map(_argument_tensors, callers):
            _, _, steps = self._trace({id(scores)}, arguments)
            if not any(self._projects(step, arguments) for step in steps):
                continue
            products = [step for step in steps if self._is_activation_product(step, arguments)]
            pairs = [self._operand_origins(step, arguments) for step in products]
            compared = bool(pairs)
            if not pairs:
                added = (step for step in steps if _name(self._steps[step].operation) in SUMS)
                pairs = [self._operand_origins(step, arguments) for step in added]
            decided = [(decide(*pair[:2]), pair) for pair in pairs if pair]
            decision = next((candidate for candidate in decided if candidate[0].kind == "self"), None)
            decision = decision or next(
                (candidate for candidate in decided if candidate[0].kind), decided[0] if decided else None
            )
            if decision is None:  # scores of one sequence alone: where rows are not its tokens, queries are learned
                learned = scores.shape[-2] != scores.shape[-1]
                return Traced("cross" if learned else None, compared=compared, arguments=arguments)
            traced, (query, key, name) = decision
            traced = self._with_rows(traced, query, key, arguments)._replace(compared=compared, arguments=arguments)
            return self._remember_keys(traced, name, key, arguments)
        return Traced()

    def is_activation_product(self, tensor: Tensor, arguments: ArgumentTensors) -> bool:
        """Whether a tensor was computed, within the module called with `arguments`, by multiplying two activations."""
        return any(self._is_activation_product(step, arguments) for step in self._trace({id(tensor)}, arguments)[2])

    def is_view(self, tensor: Tensor, source: Tensor) -> bool:
        """Whether a tensor was computed from `source` without a product in between."""
        sources, _, steps = self._trace({id(tensor)}, {id(source): (0, (0, 0))})
        operations = [self._steps[step].operation for step in steps]
        return bool(sources) and not any(operation in PRODUCTS or _is_projection(operation) for operation in operations)

    def _operand_origins(self, step: int, arguments: ArgumentTensors) -> tuple[Origin, Origin, int] | None:
        """The origins of the two operands of a product or sum, and the id of the second; None for one operand."""
        parts = self._steps[step].inputs[-2:]
        if len(parts) < 2:
            return None
        first = self._origin(parts[0], arguments, before=step)
        second = self._origin(parts[1], arguments, before=step, keys=self._keys)
        return None if first.is_constant and second.is_constant else (first, second, parts[1])

    def _is_activation_product(self, step: int, arguments: ArgumentTensors) -> bool:
        """Whether a step is the product of two activations, neither of which is a weight."""
        if self._steps[step].operation not in PRODUCTS:
            return False
        pair = self._operand_origins(step, arguments)
        return pair is not None and not (pair[0].is_weight or pair[1].is_weight)

    def _projects(self, step: int, arguments: ArgumentTensors) -> bool:
        """Whether a step multiplies with a weight, also in a custom kernel such as that of 8-bit layers."""
        operation, inputs = self._steps[step].operation, self._steps[step].inputs
        if operation in PRODUCTS:
            return len(inputs) < 2 or any(self._origin(part, arguments, before=step).is_weight for part in inputs[-2:])
        return _is_projection(operation)

    def _origin(
        self, tensor: int, arguments: ArgumentTensors, before: int | None = None, keys: Mapping[int, Traced] = NO_KEYS
    ) -> Origin:
        """The origin of a tensor (by id); the trail of a key ends at the `keys` of an earlier attention."""
        sources, unmade, steps = self._trace({tensor}, arguments, before, keys)
        largest = max(sources, key=lambda name: (arguments[name][0], name), default=None)
        earlier = next((keys[name] for name in unmade if name in keys), None)
        missing = {name for name in unmade if name not in self.constants}
        size, sequence = (0, None) if largest is None else arguments[largest]
        return Origin(sequence, size, not missing, earlier, steps)

    def _remember_keys(self, traced: Traced, key: int, origin: Origin, arguments: ArgumentTensors) -> Traced:
        """Store that the key is one, and so are the tensors from its projection to it; returns `traced`."""
        if traced.kind:
            keys_of = Traced(traced.kind, queries=traced.queries)
            derived = [
                name for step in self._since_projection(origin.steps, arguments) for name in self._steps[step].outputs
            ]
            self._keys |= dict.fromkeys((key, *derived), keys_of)
            while len(self._keys) > MAX_KEYS:
                del self._keys[next(iter(self._keys))]
        return traced

    def _since_projection(self, steps: list[int], arguments: ArgumentTensors) -> list[int]:
        """The steps of a trail from the latest one back to the projection; empty without a projection."""
        for place, step in enumerate(steps):
            if self._projects(step, arguments):
                return steps[: place + 1]
        return []

    def _with_rows(self, traced: Traced, query: Origin, key: Origin, arguments: ArgumentTensors) -> Traced:
        """`traced` with the selected rows of the queries, and with "self" where earlier keys are of this sequence."""
        rows = next((self._steps[step].rows for step in query.steps if self._steps[step].rows is not None), None)
        traced = traced._replace(
            rows=rows, queries=self._absolute_numbers(self._since_projection(query.steps, arguments))
        )
        if traced.kind is None and traced.earlier == "self" and key.earlier is not None:
            start = min(query.steps, default=len(self._steps))
            before = self._steps_of_rows(set(self._steps[start].inputs), start) if query.steps else frozenset()
            if not key.earlier.queries.isdisjoint(before | traced.queries):
                return traced._replace(kind="self")
        return traced

    def _absolute_numbers(self, steps: Iterable[int]) -> frozenset[int]:
        """The numbers of steps counted from the first operation: unlike ids of tensors, they are never reused."""
        return frozenset(self._forgotten + step for step in steps)

    def _steps_of_rows(self, targets: set[int], before: int) -> frozenset[int]:
        """The numbers of the steps that the rows of `targets` passed through: of an attention its queries only."""
        steps = []
        for index in range(before, 0, -1):
            operation, inputs, outputs, _ = self._steps[index - 1]
            if targets.isdisjoint(outputs):
                continue
            targets.difference_update(outputs)
            mixes = operation in PRODUCTS or operation is nn.functional.scaled_dot_product_attention
            targets.update(inputs[:1] if mixes else inputs)
            steps.append(index - 1)
        return self._absolute_numbers(steps)

    def _trace(
        self, targets: set[int], arguments: ArgumentTensors, before: int | None = None, ends: Collection[int] = ()
    ) -> tuple[set[int], set[int], list[int]]:
        """(arguments from which the targets were computed, tensors of unknown origin, steps in between), as ids.

        Tensors among the `ends` count as tensors of unknown origin.
        """
        sources, steps = targets & arguments.keys(), []
        ends_reached = {tensor for tensor in targets - sources if tensor in ends}
        targets = targets - sources - ends_reached
        for index in range(len(self._steps) if before is None else before, 0, -1):
            if not targets:
                break
            _, inputs, outputs, _ = self._steps[index - 1]
            if targets.isdisjoint(outputs):
                continue
            targets.difference_update(outputs)
            steps.append(index - 1)
            for tensor in inputs:
                (sources if tensor in arguments else ends_reached if tensor in ends else targets).add(tensor)
        return sources, targets | ends_reached, steps


@cache
def _is_projection(operation: Callable) -> bool:
    own = type(operation).__module__ == "torch._ops"
    return own or any(part in _name(operation) for part in _PROJECTIONS)


def _name(operation: Callable) -> str:
    return getattr(operation, "__name__", "")


def _identities(arguments: Iterable, parameters: set[int]) -> list[int]:
    """Ids of the tensors among the arguments, also in lists; ids of parameters are added to `parameters` instead."""
    ids = []
    for argument in arguments:
        kind = type(argument)  # asked first: isinstance is slow for tensors, and this runs for each operation
        if kind is Tensor:
            ids.append(id(argument))
        elif kind is nn.Parameter:
            parameters.add(id(argument))
        elif kind in NON_TENSORS:
            continue
        elif isinstance(argument, Tensor):
            ids.append(id(argument))
        elif isinstance(argument, tuple | list):
            ids += [id(part) for part in argument if isinstance(part, Tensor)]
    return ids


def _argument_tensors(caller: Caller) -> ArgumentTensors:
    """Size and memory of each tensor that a module was called with, by id."""
    tensors: list[object] = []
    for argument in (*caller.args, *caller.kwargs.values()):
        tensors += argument if isinstance(argument, tuple | list) else [argument]
    return {id(tensor): (tensor.numel(), _memory(tensor)) for tensor in tensors if isinstance(tensor, Tensor)}


def _memory(tensor: Tensor) -> tuple[int, int]:
    """Address and size of a tensor's memory: equal for two equal views of one sequence."""
    try:
        return tensor.data_ptr(), tensor.numel()
    except RuntimeError:  # a wrapper tensor of torch.func has no memory of its own
        return id(tensor), 0
