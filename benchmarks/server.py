"""The real server, started as `make run` starts it, on a free port."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent


@contextmanager
def running_server(app: str = "dashboard/server.py") -> Iterator[tuple[str, float]]:
    """Start a server; give its address and the moment at which it was started (time.perf_counter)."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", app, f"--server.port={port}"]
    started = time.perf_counter()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address)
        yield address, started
    finally:
        server.terminate()
        server.wait(timeout=20)


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(address: str, patience: float = 60) -> None:
    deadline = time.perf_counter() + patience
    while time.perf_counter() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health") as answer:
            if answer.status == 200:
                return
        time.sleep(0.05)
    raise TimeoutError(f"The server did not answer within {patience:.0f} seconds.")
