"""How shapes and types are checked while tests run: by beartype, the first calls of each function in each test."""

import functools
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from beartype import beartype

Checked = TypeVar("Checked", bound=Callable)

# What watches every operation of PyTorch is called hundreds of thousands of times, and to check a call takes longer
# than most calls: without an end to it, checks take nearly half of the tests' time.
CALLS = 20

# A function inside a function is made anew by each call, a hook for each module of a model, say. To make its check as
# well takes milliseconds, in all a tenth of the tests' time: so the first few of each are checked.
FIRST = 3

_made: Counter[tuple[str, str]] = Counter()
_calls: Counter[tuple[str, str]] = Counter()
_unchecked: list[Callable] = []


def checked(function: Checked) -> Checked:
    """What `--jaxtyping-packages` checks with: beartype, but for what a function has made more than a few times."""
    name = (function.__module__, function.__qualname__)
    if "<locals>" not in function.__qualname__:
        return _counted(beartype(function), name)
    _made[name] += 1
    # jaxtyping asks twice for each function: for what comes in, and for what goes out.
    return beartype(function) if _made[name] <= 2 * FIRST else function


def check_again() -> None:
    """Begin to count anew, for another test."""
    for function in _unchecked:
        del function.__no_type_check__  # type: ignore[attr-defined]
    _unchecked.clear()
    _calls.clear()


def _counted(check: Checked, name: tuple[str, str]) -> Checked:
    """A check that is left out once the function of this name has been called often enough."""

    @functools.wraps(check)
    def count(*args: Any, **kwargs: Any) -> Any:
        _calls[name] += 1
        # What comes in and what goes out are two checks of one call.
        if _calls[name] == 2 * CALLS and (function := _function_of(*name)):
            function.__no_type_check__ = True  # type: ignore[attr-defined]
            _unchecked.append(function)
        return check(*args, **kwargs)

    return count  # type: ignore[return-value]


def _function_of(module: str, name: str) -> Callable | None:
    """The function that jaxtyping has put in the place of one; None where its name leads to nothing of the kind."""
    value: Any = sys.modules.get(module)
    for part in name.split("."):
        value = vars(value).get(part) if hasattr(value, "__dict__") else None
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, functools.cached_property):
        value = value.func
    elif isinstance(value, classmethod | staticmethod):
        value = value.__func__
    return value if hasattr(value, "__wrapped__") and hasattr(value, "__code__") else None
