"""How shapes and types are checked while tests run: by beartype, functions inside functions a few times."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from beartype import beartype

Checked = TypeVar("Checked", bound=Callable)

# A function inside a function is made anew by each call, a hook for each module of a model, say. To make its check as
# well takes milliseconds, in all a tenth of the tests' time: so the first few of each are checked.
FIRST = 3

_made: Counter[tuple[str, str]] = Counter()


def checked(function: Checked) -> Checked:
    """What `--jaxtyping-packages` checks with: beartype, but for what a function has made more than a few times."""
    if "<locals>" not in function.__qualname__:
        return beartype(function)
    name = (function.__module__, function.__qualname__)
    _made[name] += 1
    # jaxtyping asks twice for each function: for what comes in, and for what goes out.
    return beartype(function) if _made[name] <= 2 * FIRST else function
