"""Waiting for what another thread, process or browser does: no longer than it takes."""

import subprocess
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress

PAUSE = 0.02  # seconds between two looks
WITHIN = 90  # seconds: a shared machine may be busy; what comes about sooner is met sooner


def wait_until(is_so: Callable[[], object], within: float = WITHIN) -> None:
    """Return as soon as `is_so()` is true; after `within` seconds the test fails."""
    deadline = time.monotonic() + within
    while not is_so():
        assert time.monotonic() < deadline, f"It has not come about within {within} seconds."
        time.sleep(PAUSE)


def wait_until_served(address: str, server: subprocess.Popen) -> None:
    """Return as soon as the address answers; the test fails if its server has ended."""

    def answers() -> bool:
        assert server.poll() is None, f"The server of {address} has ended with code {server.returncode}."
        with suppress(OSError), urllib.request.urlopen(address) as answer:
            return answer.status == 200
        return False

    wait_until(answers)
