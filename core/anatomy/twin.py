"""A second tree of modules over the same weights: hooks may be hung on it while others use the first."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain

from torch import nn

# Called after a module with its path, the module, its positional and its named arguments, and what it returned.
See = Callable[[str, nn.Module, tuple, dict, object], None]


def twin(model: nn.Module) -> nn.Module:
    """A copy of the modules that shares every parameter and buffer: it costs no memory and computes the same.

    What is installed on the twin stays on the twin, so other threads may run the model meanwhile.
    """
    shared = {id(tensor): tensor for tensor in chain(model.parameters(), model.buffers())}
    return copy.deepcopy(model, dict(shared))


@contextmanager
def seeing(model: nn.Module, see: See) -> Iterator[nn.Module]:
    """A twin of `model` to be run in this with-block, each of whose modules is reported to `see` when it is done."""
    double = twin(model)
    for path, module in double.named_modules():

        def report(module: nn.Module, args: tuple, kwargs: dict, output: object, path: str = path) -> None:
            see(path, module, args, kwargs, output)

        module.register_forward_hook(report, with_kwargs=True)
    yield double
