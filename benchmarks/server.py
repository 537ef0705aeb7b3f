"""The real server, started as `make run` starts it, on a free port."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent
EMPTY = "benchmarks/apps/empty.py"
ATLAS = "dashboard/hosting/server.py"
QUIET = 10.0  # seconds of rest: longer than the pause that the server makes before its second round of warming up


@dataclass(frozen=True)
class Server:
    """A running server: its address, its process, and the moment at which it was started (time.perf_counter)."""

    address: str
    process: subprocess.Popen
    started: float = field(default_factory=time.perf_counter)

    def processes(self) -> list[psutil.Process]:
        """The server and its child processes."""
        server = psutil.Process(self.process.pid)
        return [server, *server.children(recursive=True)]

    def processor_seconds(self) -> float:
        """Processor time so far of the server and of its children, including ended ones, in seconds."""
        total = 0.0
        for process in self.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
        return total

    def resident_bytes(self) -> int:
        """Memory that the server and its children hold."""
        total = 0
        for process in self.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss
        return total

    def wait_until_served(self, patience: float = 60) -> None:
        """Wait until the server answers; TimeoutError after `patience` seconds."""
        deadline = time.perf_counter() + patience
        while time.perf_counter() < deadline:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.address}/_stcore/health") as answer:
                if answer.status == 200:
                    return
            time.sleep(0.05)
        raise TimeoutError(f"The server did not answer within {patience:.0f} seconds.")

    def wait_until_idle(self, quiet: float = QUIET, patience: float = 240) -> None:
        """Wait until the server has been idle for `quiet` seconds; TimeoutError after `patience` seconds."""
        deadline, calm = time.perf_counter() + patience, 0.0
        before = self.processor_seconds()
        while calm < quiet:
            if time.perf_counter() > deadline:
                raise TimeoutError(f"The server was not at rest within {patience:.0f} seconds.")
            time.sleep(1)
            now = self.processor_seconds()
            calm = calm + 1 if now - before < 0.1 else 0.0
            before = now

    def stop(self) -> None:
        """Terminate the server, and wait until it has ended."""
        self.process.terminate()
        self.process.wait(timeout=20)


@contextmanager
def running_server(app: str = ATLAS) -> Iterator[tuple[str, float]]:
    """Start a server; give its address and the moment at which it was started (time.perf_counter)."""
    with serving(app) as server:
        yield server.address, server.started


@contextmanager
def serving(app: str = ATLAS, settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Start a server with further settings of its environment, and stop it at the end."""
    server = start(app, settings)
    try:
        yield server
    finally:
        server.stop()


def start(app: str = ATLAS, settings: Mapping[str, str] | None = None, port: int | None = None) -> Server:
    """Start a server in a group of processes of its own, and wait until it answers."""
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", app, f"--server.port={port}"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | dict(settings or {})
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    server = Server(f"http://127.0.0.1:{port}", process, started)
    try:
        server.wait_until_served()
    except TimeoutError:
        server.stop()
        raise
    return server


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
