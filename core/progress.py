"""Progress of long work."""

from collections.abc import Callable

# Called with the number of steps done and their total; an exception that it raises stops the work.
Progress = Callable[[int, int], None]


def no_progress(_done: int, _total: int) -> None:
    """Report no progress."""
