"""A model hub on this computer for the hub's own client, which answers correctly except for given `manners`."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
QUESTION = "question"  # what a repository holds

Manner = Callable[["Answer"], None]


class Hub(ThreadingHTTPServer):
    """A server of `repositories`, {name: {file: bytes}}; `refuse` maps a name to (status, the hub's error code).

    `manners` maps a request (QUESTION, or the name of a file) to the function that answers it instead.
    """

    daemon_threads, block_on_close = True, False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.refuse: dict[str, tuple[int, str]] = {}
        self.sent: list[str] = []
        self.requests: dict[str, list[dict]] = {}  # pull requests: {name: [{"num", "author", "title", "files"}]}
        self.manners: dict[str, Manner] = {}
        self.tokens: list[str | None] = []
        self.closed = threading.Event()

    @property
    def address(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self.server_port}"

    @contextmanager
    def open(self) -> Iterator["Hub"]:
        """Serve until the end of the block."""
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield self
        finally:
            self.closed.set()
            self.shutdown()
            self.server_close()

    def handle_error(self, *_: Any) -> None:
        """Ignore clients that have disconnected."""


class Answer(BaseHTTPRequestHandler):
    """The handler of one request to the hub."""

    @property
    def hub(self) -> Hub:
        """The hub that is requested."""
        return cast(Hub, self.server)

    def do_GET(self) -> None:
        """Answer a request."""
        path = unquote(urlsplit(self.path).path)
        self.hub.tokens.append(self.headers.get("Authorization"))
        if path.startswith("/api/models/"):
            name, _, revision_or_file = path.removeprefix("/api/models/").partition("/revision/")
            if name.endswith("/discussions"):
                self.send_discussions(name.removesuffix("/discussions"))
            elif QUESTION in self.hub.manners:
                self.hub.manners[QUESTION](self)
            elif self.check_exists(name):
                siblings = [{"rfilename": f, "size": len(c)} for f, c in self.files(name, revision_or_file).items()]
                self.send(json.dumps({"id": name, "siblings": siblings, "tags": ["license:mit"], "sha": COMMIT}))
            return
        name, _, revision_or_file = path[1:].partition("/resolve/")
        revision, _, file = revision_or_file.removeprefix("refs/pr/").partition("/")
        if self.check_exists(name):
            if self.command == "GET":
                self.hub.sent.append(file)
            if file in self.hub.manners:
                self.hub.manners[file](self)
            else:
                self.send(self.files(name, revision)[file])

    do_HEAD = do_GET  # noqa: N815

    def files(self, name: str, revision: str) -> dict[str, bytes]:
        """The files of a repository, or of one of its pull requests."""
        number = revision.removeprefix("refs/pr/")
        requests = {str(request["num"]): request["files"] for request in self.hub.requests.get(name, [])}
        return requests.get(number, self.hub.repositories[name])

    def send_discussions(self, name: str) -> None:
        """Send the pull requests of a repository."""
        if name not in self.hub.requests:
            self.send("", 403)
            return
        discussions = [
            {
                **{"title": request["title"], "num": request["num"], "author": {"name": request["author"]}},
                **{"createdAt": "2026-01-01T00:00:00.000Z", "status": "open", "isPullRequest": True},
                "repo": {"name": name, "type": "model"},
            }
            for request in self.hub.requests[name]
        ]
        self.send(json.dumps({"count": len(discussions), "start": 0, "discussions": discussions}))

    def check_exists(self, name: str) -> bool:
        """Whether there is such a repository; if not, an error is sent."""
        if name in self.hub.refuse:
            self.send("", *self.hub.refuse[name])
            return False
        if name not in self.hub.repositories:
            self.send("", 401, "RepoNotFound")
            return False
        return True

    def send(self, content: str | bytes, status: int = 200, code: str | None = None) -> None:
        """Send a correct answer."""
        content = content.encode() if isinstance(content, str) else content
        self.begin(status, len(content), ETag=f'"{abs(hash(content)):x}"', **({"X_Error_Code": code} if code else {}))
        if self.command == "GET":
            self.wfile.write(content)

    def begin(self, status: int = 200, length: int | None = None, **headers: Any) -> None:
        """Send the head of an answer; `headers` with _ for -."""
        self.send_response(status)
        defaults = {"Content-Length": length, "ETag": '"e"', "X-Repo-Commit": COMMIT}
        for name, value in (defaults | {name.replace("_", "-"): value for name, value in headers.items()}).items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def hub_client_of(hub: Hub, cache: Path) -> Iterator[None]:
    """Make the client of the hub request this one, and store what it downloads in `cache`."""
    from huggingface_hub import constants

    before = os.environ.get("HF_ENDPOINT")
    settings = {"HF_HUB_OFFLINE": False, "HF_HUB_CACHE": str(cache), "HF_HUB_DISABLE_XET": True}
    old = {name: getattr(constants, name) for name in settings}
    os.environ["HF_ENDPOINT"] = hub.address
    set_attributes(constants, settings)
    try:
        yield
    finally:
        set_attributes(constants, old)
        if before is None:
            del os.environ["HF_ENDPOINT"]
        else:
            os.environ["HF_ENDPOINT"] = before


def set_attributes(module: Any, values: dict[str, Any]) -> None:
    """Set attributes of a module."""
    for name, value in values.items():
        setattr(module, name, value)
