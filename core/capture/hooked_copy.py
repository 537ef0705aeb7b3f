"""A second tree of modules over the same weights: hooks may be hung on it while others use the first."""

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from torch import nn

# Called after a module with its path, the module, its positional and its named arguments, and what it returned.
ForwardHook = Callable[[str, nn.Module, tuple, dict, object], None]


def weight_sharing_copy(model: nn.Module, *, detached: bool = False) -> nn.Module:
    """A copy of the modules that shares every parameter and buffer: it costs no memory and computes the same.

    What is installed on the twin stays on the twin, so other threads may run the model meanwhile. The parameters of a
    `detached` one are others over the same memory, which need no gradient whatever those of the model need.
    """
    known: dict[int, Any] = {id(tensor): tensor for tensor in chain(model.parameters(), model.buffers())}
    if detached:
        known |= {id(one): nn.Parameter(one.detach(), requires_grad=False) for one in model.parameters()}
    # A module has a dozen places for hooks, most of them empty. To copy one takes Python longer than to make a new one.
    for module in model.modules():
        places = [hooks for hooks in vars(module).values() if isinstance(hooks, OrderedDict) and not hooks]
        known |= {id(hooks): OrderedDict() for hooks in places}
    return copy.deepcopy(model, known)


@contextmanager
def hooked_copy(model: nn.Module, hook: ForwardHook) -> Iterator[nn.Module]:
    """A twin of `model` to be run in this with-block, each of whose modules is reported to `hook` when it is done."""
    double = weight_sharing_copy(model)
    for path, module in double.named_modules():

        def report(module: nn.Module, args: tuple, kwargs: dict, output: object, path: str = path) -> None:
            hook(path, module, args, kwargs, output)

        module.register_forward_hook(report, with_kwargs=True)
    yield double
