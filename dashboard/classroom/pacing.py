"""A callback that follows requests at once, but is called at most once in so many seconds."""

import asyncio
from collections.abc import Callable


class RateLimited:
    """Calls `call` in the event loop after `request`: at once, or `pause` seconds after the last call."""

    def __init__(self, call: Callable[[], None], pause: float):
        self._call, self._pause = call, pause
        self._loop = asyncio.get_running_loop()
        self._last = -pause
        self._is_due = False

    def request(self) -> None:
        """Request a call, from any thread. It costs next to nothing while a call is due already."""
        if not self._is_due:
            self._is_due = True
            self._loop.call_soon_threadsafe(self._schedule)

    def _schedule(self) -> None:
        self._loop.call_at(self._last + self._pause, self._call_now)

    def _call_now(self) -> None:
        self._is_due = False
        self._last = self._loop.time()
        self._call()
