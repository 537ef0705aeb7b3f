"""Do queries and keys come from one sequence? Read off which tensors were computed from which."""

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
SUMS = {"add", "add_", "__add__", "__radd__", "__iadd__", "sub", "__sub__"}  # additive attention adds query and key
_PROJECTIONS = ("linear", "addmm", "conv", "_mm")  # in the name of a function; so are all kernels of torch.ops

PLAIN = {int, float, bool, str, type(None), torch.Size, torch.dtype, torch.device}  # arguments that are no tensors

Entered = dict[int, tuple[int, tuple[int, int]]]

LONGEST = 400  # operations remembered: several times those of one attention module
MOST = 10_000  # keys remembered
NOTHING: Mapping[int, Traced] = {}


class Step(NamedTuple):
    """One operation: what went in and what came out, as identities, so that no tensor is kept alive.

    An identity may be used again after its tensor is gone. Reading backwards, the latest step that made it before it
    was used is the right one; so steps that made something out of nothing are remembered too. `rows` are the numbers
    of the rows that an indexing took, if it did.
    """

    operation: Callable
    inputs: list[int]
    outputs: list[int]
    rows: Tensor | None = None


class Lineage:
    """The latest operations of one thread, and which tensors were keys of an attention."""

    def __init__(self):
        self._steps: list[Step] = []
        self._forgotten = 0  # how many steps came before these
        self._keys: dict[int, Traced] = {}  # tensors that are still those of which an earlier attention made its keys
        # Identities of what the watched models have learned or hold: no activations.
        self.constants: Collection[int] = ()
        self.chooses = False  # whether some operation chose rows

    def note(self, operation: Callable, args: tuple, kwargs: dict, result: object) -> set[int]:
        """Remember one operation; one that returns nothing has changed its first argument.

        Gives the identities of the parameters that took part. They belong to no sequence, so they are no lineage.
        """
        parameters: set[int] = set()
        outputs = _identities(args[:1] if result is None else (result,), parameters)
        if not outputs:
            return parameters
        inputs = _identities((*args, *kwargs.values()) if kwargs else args, parameters)
        # A new tensor may have the identity of one that is gone, or something went into an old one.
        if inputs != outputs:
            for output in outputs:
                self._keys.pop(output, None)
        rows = chosen_rows(operation, args)
        self.chooses |= rows is not None
        self._steps.append(Step(operation, inputs, outputs, rows))
        if len(self._steps) > 2 * LONGEST:
            del self._steps[:LONGEST]
            self._forgotten += LONGEST
        return parameters

    def of_pair(self, query: Tensor, key: Tensor, callers: list[Caller]) -> Traced:
        """Whether query and key were projected from the same argument of the attention module.

        That module is the nearest one in which either was projected: a module that is handed finished queries and
        keys says nothing.
        """
        for entered in map(_entered, callers):
            origins = self._origin(id(query), entered), self._origin(id(key), entered, keys=self._keys)
            traced = decide(*origins, few=query.numel() // query.shape[-3] if query.ndim > 2 else query.numel())
            steps = origins[0].steps + origins[1].steps
            if traced.kind == "self" or any(self._projects(step, entered) for step in steps):
                return self._remember(self._with_rows(traced, *origins, entered), id(key), origins[1], entered)
        return Traced()

    def of_scores(self, scores: Tensor, callers: list[Caller]) -> Traced:
        """The same, for the two factors of each matrix product that made some scores; one such product is enough.

        Without a product (additive attention, Bahdanau et al. 2015), for the two parts of each sum.
        """
        for entered in map(_entered, callers):
            _, _, steps = self._trace({id(scores)}, entered)
            if not any(self._projects(step, entered) for step in steps):
                continue
            products = [step for step in steps if self._multiplies(step, entered)]
            pairs = [self._pair(step, entered) for step in products]
            compared = bool(pairs)
            if not pairs:
                added = (step for step in steps if _name(self._steps[step].operation) in SUMS)
                pairs = [self._pair(step, entered) for step in added]
            decided = [(decide(*pair[:2]), pair) for pair in pairs if pair]
            chosen = next((one for one in decided if one[0].kind == "self"), None)
            chosen = chosen or next((one for one in decided if one[0].kind), decided[0] if decided else None)
            if chosen is None:  # scores of one sequence alone: where rows are not its tokens, queries are learned
                learned = scores.shape[-2] != scores.shape[-1]
                return Traced("cross" if learned else None, compared=compared, entered=entered)
            traced, (query, key, name) = chosen
            traced = self._with_rows(traced, query, key, entered)._replace(compared=compared, entered=entered)
            return self._remember(traced, name, key, entered)
        return Traced()

    def is_a_product(self, tensor: Tensor, entered: Entered) -> bool:
        """Whether a tensor was made, within the module that was called with these, by multiplying two activations."""
        return any(self._multiplies(step, entered) for step in self._trace({id(tensor)}, entered)[2])

    def is_view(self, tensor: Tensor, source: Tensor) -> bool:
        """Whether a tensor is another one, with nothing multiplied in between."""
        found, _, steps = self._trace({id(tensor)}, {id(source): (0, (0, 0))})
        operations = [self._steps[step].operation for step in steps]
        return bool(found) and not any(one in PRODUCTS or _is_projection(one) for one in operations)

    def _pair(self, step: int, entered: Entered) -> tuple[Origin, Origin, int] | None:
        """Where the two parts of a product or sum came from, and the identity of the second; None for one part."""
        parts = self._steps[step].inputs[-2:]
        if len(parts) < 2:
            return None
        first = self._origin(parts[0], entered, before=step)
        second = self._origin(parts[1], entered, before=step, keys=self._keys)
        return None if first.is_constant and second.is_constant else (first, second, parts[1])

    def _multiplies(self, step: int, entered: Entered) -> bool:
        """Whether this is a product of two tensors that both came from somewhere: not one of a weight."""
        if self._steps[step].operation not in PRODUCTS:
            return False
        pair = self._pair(step, entered)
        return pair is not None and not (pair[0].is_weight or pair[1].is_weight)

    def _projects(self, step: int, entered: Entered) -> bool:
        """Whether this multiplies with a weight: also in a kernel of one's own, such as that of 8-bit layers."""
        operation, inputs = self._steps[step].operation, self._steps[step].inputs
        if operation in PRODUCTS:
            return len(inputs) < 2 or any(self._origin(part, entered, before=step).is_weight for part in inputs[-2:])
        return _is_projection(operation)

    def _origin(
        self, tensor: int, entered: Entered, before: int | None = None, keys: Mapping[int, Traced] = NOTHING
    ) -> Origin:
        """Where a tensor came from; the trail of a key ends at the `keys` of an earlier attention."""
        sources, unmade, steps = self._trace({tensor}, entered, before, keys)
        largest = max(sources, key=lambda name: (entered[name][0], name), default=None)
        earlier = next((keys[name] for name in unmade if name in keys), None)
        missing = {name for name in unmade if name not in self.constants}
        size, sequence = (0, None) if largest is None else entered[largest]
        return Origin(sequence, size, not missing, earlier, steps)

    def _remember(self, traced: Traced, key: int, origin: Origin, entered: Entered) -> Traced:
        """Remember that these tensors are keys: the key, and what it was made of after its projection."""
        if traced.kind:
            known = Traced(traced.kind, queries=traced.queries)
            made = [
                name for step in self._since_projection(origin.steps, entered) for name in self._steps[step].outputs
            ]
            self._keys |= dict.fromkeys((key, *made), known)
            while len(self._keys) > MOST:
                del self._keys[next(iter(self._keys))]
        return traced

    def _since_projection(self, steps: list[int], entered: Entered) -> list[int]:
        """The steps of a trail from the latest one back to the projection; none without a projection."""
        for place, step in enumerate(steps):
            if self._projects(step, entered):
                return steps[: place + 1]
        return []

    def _with_rows(self, traced: Traced, query: Origin, key: Origin, entered: Entered) -> Traced:
        """Also which rows of the queries were chosen; and whether keys of an earlier attention are of this sequence."""
        rows = next((self._steps[step].rows for step in query.steps if self._steps[step].rows is not None), None)
        traced = traced._replace(rows=rows, queries=self._numbers(self._since_projection(query.steps, entered)))
        if traced.kind is None and traced.earlier == "self" and key.earlier is not None:
            start = min(query.steps, default=len(self._steps))
            before = self._rows_of(set(self._steps[start].inputs), start) if query.steps else frozenset()
            if not key.earlier.queries.isdisjoint(before | traced.queries):
                return traced._replace(kind="self")
        return traced

    def _numbers(self, steps: Iterable[int]) -> frozenset[int]:
        """Of steps among all that there were: identities of tensors may be used again, these are not."""
        return frozenset(self._forgotten + step for step in steps)

    def _rows_of(self, wanted: set[int], before: int) -> frozenset[int]:
        """The numbers of the steps whose rows became these: of an attention its queries, not the keys and values."""
        passed = []
        for index in range(before, 0, -1):
            operation, inputs, outputs, _ = self._steps[index - 1]
            if wanted.isdisjoint(outputs):
                continue
            wanted.difference_update(outputs)
            mixes = operation in PRODUCTS or operation is nn.functional.scaled_dot_product_attention
            wanted.update(inputs[:1] if mixes else inputs)
            passed.append(index - 1)
        return self._numbers(passed)

    def _trace(
        self, wanted: set[int], entered: Entered, before: int | None = None, ends: Collection[int] = ()
    ) -> tuple[set[int], set[int], list[int]]:
        """The entered tensors from which the wanted ones were computed, what nobody saw made, the steps in between.

        What is among the `ends` counts as made by nobody.
        """
        found, passed = wanted & entered.keys(), []
        ended = {tensor for tensor in wanted - found if tensor in ends}
        wanted = wanted - found - ended
        for index in range(len(self._steps) if before is None else before, 0, -1):
            if not wanted:
                break
            _, inputs, outputs, _ = self._steps[index - 1]
            if wanted.isdisjoint(outputs):
                continue
            wanted.difference_update(outputs)
            passed.append(index - 1)
            for tensor in inputs:
                (found if tensor in entered else ended if tensor in ends else wanted).add(tensor)
        return found, wanted | ended, passed


@cache
def _is_projection(operation: Callable) -> bool:
    own = type(operation).__module__ == "torch._ops"
    return own or any(part in _name(operation) for part in _PROJECTIONS)


def _name(operation: Callable) -> str:
    return getattr(operation, "__name__", "")


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


def _memory(tensor: Tensor) -> tuple[int, int]:
    """Where its numbers are: the same for two views of one sequence, such as `x.transpose(0, 1)` taken twice."""
    try:
        return tensor.data_ptr(), tensor.numel()
    except RuntimeError:  # a tensor of torch.func stands for others and has no numbers of its own
        return id(tensor), 0
