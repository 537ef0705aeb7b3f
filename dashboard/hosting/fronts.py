"""Several fronts behind a proxy, and the server of classes that they share; what ends is started again.

A visitor stays with the front of the first answer, by a cookie that says which one it was. Of a front that does not
answer, HAProxy gives its visitors to another one: a page comes back by its address, in the same view.
"""

import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from dashboard.classroom.websocket import ADDRESS as CLASSES
from dashboard.contents import ROOT
from dashboard.hosting.class_server import HEALTH

HERE = "127.0.0.1"
COOKIE = "atlas_front"
WATCH_PAUSE = 0.2  # seconds between two checks that all processes run
ENDING = 10.0  # seconds that a process may take to end

# A connection that is open may be silent: the socket of a page that nobody touches.
PROXY = """
defaults
    mode http
    timeout connect 5s
    timeout client 1h
    timeout server 1h
    timeout tunnel 24h
    timeout check 2s
    option forwardfor
    option redispatch
    retries 3
    default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
frontend visitors
    bind {address}:{port}
    use_backend classes if {{ path {classes} }}
    default_backend fronts
backend classes
    option httpchk GET {class_health}
    server classes {here}:{class_port}
backend fronts
    balance leastconn
    cookie {cookie} insert indirect nocache httponly attr SameSite=Lax
    option httpchk GET /_stcore/health
{servers}
"""


NO_OTHERS: Mapping[str, Sequence[str]] = {}


class Fronts:
    """All processes that serve visitors at one address, from `with` to its end.

    `environment` is that of the processes; `haproxy` is the path of the program; `others` are commands of further
    processes that fronts need, by their names: they begin, and are started again as fronts are.
    """

    def __init__(
        self,
        count: int,
        *,
        address: str,
        port: int,
        environment: Mapping[str, str],
        haproxy: str,
        others: Mapping[str, Sequence[str]] = NO_OTHERS,
    ):
        self.ports = [free_port() for _ in range(count)]
        self.class_port = free_port()
        self.processes: dict[str, subprocess.Popen] = {}
        # One secret for all fronts: an upload may reach another one than its page did. And one for all starts of the
        # server of classes, which so opens them again.
        names = ("STREAMLIT_SERVER_COOKIE_SECRET", "ATLAS_CLASS_SECRET")
        self._environment = {**environment, **{name: secrets.token_hex(32) for name in names}}
        self._folder = tempfile.TemporaryDirectory(prefix="atlas-fronts-")
        uvicorn = ["-m", "uvicorn", "dashboard.hosting.class_server:app", "--host", HERE, "--log-level", "warning"]
        self._commands: dict[str, Sequence[str]] = {
            **others,
            "classes": [sys.executable, *uvicorn, "--port", str(self.class_port)],
            **{name: _front(front_port) for name, front_port in self.names.items()},
            "proxy": [haproxy, "-f", str(self._write_configuration(address, port))],
        }

    @property
    def names(self) -> dict[str, int]:
        """The fronts by their names, with their ports."""
        return {f"front-{number}": port for number, port in enumerate(self.ports, start=1)}

    def __enter__(self) -> "Fronts":
        for name in self._commands:
            self._start(name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(ENDING)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._folder.cleanup()

    def restart_ended(self) -> list[str]:
        """Start what has ended again; its names."""
        ended = [name for name, process in self.processes.items() if process.poll() is not None]
        for name in ended:
            self._start(name)
        return ended

    def watch(self) -> NoReturn:
        """Start again what ends, until an exception, such as that of Ctrl+C."""
        while True:
            for name in self.restart_ended():
                print(f"'{name}' has ended and is started again.", file=sys.stderr, flush=True)
            time.sleep(WATCH_PAUSE)

    def _start(self, name: str) -> None:
        self.processes[name] = subprocess.Popen(
            self._commands[name], cwd=ROOT, env=self._environment, stdout=subprocess.DEVNULL
        )

    def _write_configuration(self, address: str, port: int) -> Path:
        file = Path(self._folder.name) / "haproxy.cfg"
        servers = [f"    server {name} {HERE}:{front_port} cookie {name}" for name, front_port in self.names.items()]
        file.write_text(
            PROXY.format(
                address=address,
                port=port,
                here=HERE,
                cookie=COOKIE,
                classes=CLASSES,
                class_port=self.class_port,
                class_health=HEALTH,
                servers="\n".join(servers),
            )
        )
        return file


def _front(port: int) -> list[str]:
    settings = [f"--server.port={port}", f"--server.address={HERE}"]
    return [sys.executable, "-m", "streamlit", "run", "dashboard/hosting/server.py", *settings]


def free_port() -> int:
    """A port of this computer that nothing listens to."""
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return probe.getsockname()[1]
