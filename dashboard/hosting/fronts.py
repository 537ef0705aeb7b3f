"""Several fronts behind a proxy, and what they share: the server of classes, files. What ends is started again.

A visitor stays with the front of the first answer, by a cookie that says which one it was. Of a front that does not
answer, HAProxy gives its visitors to another one: a page comes back by its address, in the same view, and finds the
visitor's own file in a folder of all fronts.
"""

import csv
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NoReturn

import psutil

from dashboard.cache.shared_files import SharedFiles
from dashboard.classroom.websocket import ADDRESS as CLASSES
from dashboard.contents import ROOT
from dashboard.hosting.class_server import HEALTH

HERE = "127.0.0.1"
COOKIE = "atlas_front"
HEALTH_OF_FRONT = "/_stcore/health"
STARTING = 60.0  # seconds that a front may take until it answers
WATCH_PAUSE = 0.2  # seconds between two checks that all processes run
ENDING = 10.0  # seconds that a process may take to end
DRAINING = 5.0  # seconds for which a front that will be started again keeps its visitors, but gets no new ones
FILES_PAUSE = 60.0  # seconds between two looks for files that are too old

# A connection that is open may be silent: the socket of a page that nobody touches.
PROXY = """
global
    stats socket {socket} mode 600 level admin
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
    option httpchk GET {front_health}
{servers}
"""


NO_OTHERS: Mapping[str, Sequence[str]] = {}


class Fronts:
    """All processes that serve visitors at one address, from `with` to its end.

    `environment` is that of the processes; `haproxy` is the path of the program; `others` are commands of further
    processes that fronts need, by their names: they begin, and are started again as fronts are. `read_once` is a file
    that a front reads once: when its content changes, all fronts are started again, one after another.
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
        read_once: Path | None = None,
    ):
        self.ports = [free_port() for _ in range(count)]
        self.class_port = free_port()
        self.processes: dict[str, subprocess.Popen] = {}
        # One secret for all fronts: an upload may reach another one than its page did. And one for all starts of the
        # server of classes, which so opens them again.
        names = ("STREAMLIT_SERVER_COOKIE_SECRET", "ATLAS_CLASS_SECRET")
        self._folder = tempfile.TemporaryDirectory(prefix="atlas-fronts-")  # which only its owner may read
        self._files = SharedFiles(Path(self._folder.name) / "files")
        self._files.folder.mkdir()
        self._environment = {**environment, **{name: secrets.token_hex(32) for name in names}}
        self._socket = Path(self._folder.name) / "proxy"
        self._read_once, self._content = read_once, ""
        self._restart = threading.Lock()  # held while fronts are started again one by one
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
            _kill_session(process.pid)
        self._folder.cleanup()

    def restart_ended(self) -> list[str]:
        """Start what has ended again; its names."""
        ended = [name for name, process in self.processes.items() if process.poll() is not None]
        for name in ended:
            _kill_session(self.processes[name].pid)  # what it has left behind holds its ports, as agents of Ray do
            self._start(name)
        return ended

    def watch(self) -> NoReturn:
        """Start again what ends, until an exception, such as that of Ctrl+C."""
        checked_at = time.monotonic()
        while True:
            for name in self.restart_ended():
                print(f"'{name}' has ended and is started again.", file=sys.stderr, flush=True)
            if self.is_outdated():
                self.restart_in_background()
            if time.monotonic() - checked_at > FILES_PAUSE:
                checked_at = time.monotonic()
                self._files.drop_old()
            time.sleep(WATCH_PAUSE)

    def is_outdated(self) -> bool:
        """Whether the file that fronts read once has changed since the last look; its first content is no change."""
        content = ""
        if self._read_once:
            with suppress(FileNotFoundError):
                content = self._read_once.read_text()
        before, self._content = self._content, content or self._content
        return bool(before) and before != self._content

    def restart_in_background(self) -> threading.Thread:
        """Begin with `restart_one_by_one`, while `watch` goes on; the thread that does it."""
        restart = threading.Thread(target=self.restart_one_by_one, daemon=True)
        restart.start()
        return restart

    def restart_one_by_one(self) -> None:
        """Have each front end, in whose place `restart_ended` starts another, after the one before it answers again.

        Visitors of a front go to the others meanwhile, in the same view.
        """
        with self._restart:
            for name in self.names:
                self._renew(name)

    def _renew(self, name: str) -> None:
        """See `restart_one_by_one`, for one front."""
        ended = self.processes[name]
        if len(self.names) > 1:
            self._proxy(f"set server fronts/{name} state drain")
            _wait_until(lambda: self._statistics(name).get("scur") == "0", DRAINING)
            self._proxy(f"set server fronts/{name} state maint")
            self._proxy(f"shutdown sessions server fronts/{name}")
        ended.terminate()
        _wait_until(lambda: self.processes[name] is not ended, 2 * ENDING)
        _wait_until(lambda: _is_served(self.names[name]), STARTING)
        self._proxy(f"set server fronts/{name} state ready")
        _wait_until(lambda: self._statistics(name).get("status") == "UP", STARTING)

    def _statistics(self, front: str) -> dict[str, str]:
        """What the proxy knows of a front, with "status" and "scur" (open connections); {} if it does not answer."""
        rows = csv.DictReader(self._proxy("show stat").removeprefix("# ").splitlines())
        return next((row for row in rows if (row["pxname"], row["svname"]) == ("fronts", front)), {})

    def _proxy(self, command: str) -> str:
        """The proxy's answer to a command of its management interface; "" while it does not run."""
        with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(ENDING)
            connection.connect(str(self._socket))
            connection.sendall(f"{command}\n".encode())
            return b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        return ""

    def _start(self, name: str) -> None:
        # Fronts alone share files: a worker that stored one again, with each question, would begin its hour anew.
        files = {"ATLAS_FILES": str(self._files.folder)} if name in self.names else {}
        environment = {**self._environment, **files}
        self.processes[name] = subprocess.Popen(
            self._commands[name], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
        )

    def _write_configuration(self, address: str, port: int) -> Path:
        file = Path(self._folder.name) / "haproxy.cfg"
        servers = [f"    server {name} {HERE}:{front_port} cookie {name}" for name, front_port in self.names.items()]
        file.write_text(
            PROXY.format(
                socket=self._socket,
                address=address,
                port=port,
                here=HERE,
                cookie=COOKIE,
                classes=CLASSES,
                class_port=self.class_port,
                class_health=HEALTH,
                front_health=HEALTH_OF_FRONT,
                servers="\n".join(servers),
            )
        )
        return file


def _kill_session(leader: int) -> None:
    """Kill all processes of a session, which `leader` has begun."""
    for process in psutil.pids():
        with suppress(ProcessLookupError):
            if os.getsid(process) == leader:
                os.kill(process, signal.SIGKILL)


def _wait_until(is_so: Callable[[], bool], seconds: float) -> None:
    """Return as soon as it is so, or after so many seconds."""
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(WATCH_PAUSE)


def _is_served(port: int) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://{HERE}:{port}{HEALTH_OF_FRONT}", timeout=ENDING) as answer:
        return answer.status == 200
    return False


def _front(port: int) -> list[str]:
    settings = [f"--server.port={port}", f"--server.address={HERE}"]
    return [sys.executable, "-m", "streamlit", "run", "dashboard/hosting/server.py", *settings]


def free_port() -> int:
    """A port of this computer that nothing listens to."""
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return probe.getsockname()[1]
