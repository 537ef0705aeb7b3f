"""A copy of a model that shares its weights, for hooks that other users of the model do not see."""

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from torch import nn

# Called after a module with its path, the module, its positional and its keyword arguments, and its output.
ForwardHook = Callable[[str, nn.Module, tuple, dict, object], None]


def weight_sharing_copy(model: nn.Module, *, detached: bool = False) -> nn.Module:
    """A copy of the modules that shares every parameter and buffer: it takes no memory and computes the same.

    Hooks on the copy do not affect the model, so other threads may run it meanwhile. With `detached`, the copy's
    parameters are new ones over the same memory, which require no gradient.
    """
    memo: dict[int, Any] = {id(tensor): tensor for tensor in chain(model.parameters(), model.buffers())}
    if detached:
        memo |= {
            id(parameter): nn.Parameter(parameter.detach(), requires_grad=False) for parameter in model.parameters()
        }
    # A module has a dozen dictionaries for hooks, most of them empty: making new ones is faster than deepcopy.
    for module in model.modules():
        hook_dicts = [hooks for hooks in vars(module).values() if isinstance(hooks, OrderedDict) and not hooks]
        memo |= {id(hooks): OrderedDict() for hooks in hook_dicts}
    return copy.deepcopy(model, memo)


@contextmanager
def hooked_copy(model: nn.Module, hook: ForwardHook) -> Iterator[nn.Module]:
    """A copy of `model` to be run in this with-block; `hook` is called after each of its modules."""
    model_copy = weight_sharing_copy(model)
    for path, module in model_copy.named_modules():

        def report(module: nn.Module, args: tuple, kwargs: dict, output: object, path: str = path) -> None:
            hook(path, module, args, kwargs, output)

        module.register_forward_hook(report, with_kwargs=True)
    yield model_copy
