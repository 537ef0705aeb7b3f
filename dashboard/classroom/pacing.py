"""News told at once, but never more often than once in so many seconds, however often something changes."""

import asyncio
from collections.abc import Callable


class Paced:
    """Calls `tell` in the event loop after `news`: at once, or when `pause` seconds have passed since the last time."""

    def __init__(self, tell: Callable[[], None], pause: float):
        self._tell, self._pause = tell, pause
        self._loop = asyncio.get_running_loop()
        self._last = -pause
        self._is_due = False

    def news(self) -> None:
        """There is something to tell; from any thread. It costs next to nothing while a telling is due already."""
        if not self._is_due:
            self._is_due = True
            self._loop.call_soon_threadsafe(self._plan)

    def _plan(self) -> None:
        self._loop.call_at(self._last + self._pause, self._now)

    def _now(self) -> None:
        self._is_due = False
        self._last = self._loop.time()
        self._tell()
