"""How long work says how far it is."""

from collections.abc import Callable

# Is told how many steps are done, and of how many; what it raises stops the work.
Progress = Callable[[int, int], None]


def no_progress(_done: int, _total: int) -> None:
    """For work that nobody waits for."""
