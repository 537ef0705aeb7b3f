"""A hub on this computer, for the hub's own client to ask: as it should be, but for the manners it is given."""

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
    """Repositories as {name: {file: bytes}}; `refuse` maps a name to (status, the hub's error code).

    `manners` maps a question ("question", or the name of a file) to what happens when it is asked for.
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
        """Where it can be asked."""
        return f"http://127.0.0.1:{self.server_port}"

    @contextmanager
    def open(self) -> Iterator["Hub"]:
        """Answer until the end of the block."""
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield self
        finally:
            self.closed.set()
            self.shutdown()
            self.server_close()

    def handle_error(self, *_: Any) -> None:
        """A client that has left is no news."""


class Answer(BaseHTTPRequestHandler):
    """One question to the hub."""

    @property
    def hub(self) -> Hub:
        """The hub that is asked."""
        return cast(Hub, self.server)

    def do_GET(self) -> None:
        """Answer."""
        path = unquote(urlsplit(self.path).path)
        self.hub.tokens.append(self.headers.get("Authorization"))
        if path.startswith("/api/models/"):
            name, _, asked = path.removeprefix("/api/models/").partition("/revision/")
            if name.endswith("/discussions"):
                self.send_discussions(name.removesuffix("/discussions"))
            elif QUESTION in self.hub.manners:
                self.hub.manners[QUESTION](self)
            elif self.known(name):
                siblings = [{"rfilename": f, "size": len(c)} for f, c in self.files(name, asked).items()]
                self.send(json.dumps({"id": name, "siblings": siblings, "tags": ["license:mit"], "sha": COMMIT}))
            return
        name, _, asked = path[1:].partition("/resolve/")
        revision, _, file = asked.removeprefix("refs/pr/").partition("/")
        if self.known(name):
            if self.command == "GET":
                self.hub.sent.append(file)
            if file in self.hub.manners:
                self.hub.manners[file](self)
            else:
                self.send(self.files(name, revision)[file])

    do_HEAD = do_GET  # noqa: N815

    def files(self, name: str, revision: str) -> dict[str, bytes]:
        """Those of the repository, or of one of its pull requests."""
        number = revision.removeprefix("refs/pr/")
        requests = {str(request["num"]): request["files"] for request in self.hub.requests.get(name, [])}
        return requests.get(number, self.hub.repositories[name])

    def send_discussions(self, name: str) -> None:
        """The pull requests."""
        if name not in self.hub.requests:
            self.send("", 403)
            return
        made = [
            {
                **{"title": request["title"], "num": request["num"], "author": {"name": request["author"]}},
                **{"createdAt": "2026-01-01T00:00:00.000Z", "status": "open", "isPullRequest": True},
                "repo": {"name": name, "type": "model"},
            }
            for request in self.hub.requests[name]
        ]
        self.send(json.dumps({"count": len(made), "start": 0, "discussions": made}))

    def known(self, name: str) -> bool:
        """Whether there is such a repository; if not, that is said."""
        if name in self.hub.refuse:
            self.send("", *self.hub.refuse[name])
            return False
        if name not in self.hub.repositories:
            self.send("", 401, "RepoNotFound")
            return False
        return True

    def send(self, content: str | bytes, status: int = 200, code: str | None = None) -> None:
        """An answer as it should be."""
        content = content.encode() if isinstance(content, str) else content
        self.begin(status, len(content), ETag=f'"{abs(hash(content)):x}"', **({"X_Error_Code": code} if code else {}))
        if self.command == "GET":
            self.wfile.write(content)

    def begin(self, status: int = 200, length: int | None = None, **headers: Any) -> None:
        """The head of an answer; `headers` with _ for -."""
        self.send_response(status)
        given = {"Content-Length": length, "ETag": '"e"', "X-Repo-Commit": COMMIT}
        for name, value in (given | {name.replace("_", "-"): value for name, value in headers.items()}).items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Nothing is written down."""


@contextmanager
def asked_instead(hub: Hub, cache: Path) -> Iterator[None]:
    """Let the client of the hub ask this one, and keep what it fetches in `cache`."""
    from huggingface_hub import constants

    before = os.environ.get("HF_ENDPOINT")
    settings = {"HF_HUB_OFFLINE": False, "HF_HUB_CACHE": str(cache), "HF_HUB_DISABLE_XET": True}
    old = {name: getattr(constants, name) for name in settings}
    os.environ["HF_ENDPOINT"] = hub.address
    set_all(constants, settings)
    try:
        yield
    finally:
        set_all(constants, old)
        if before is None:
            del os.environ["HF_ENDPOINT"]
        else:
            os.environ["HF_ENDPOINT"] = before


def set_all(module: Any, values: dict[str, Any]) -> None:
    """Give the names of a module these values."""
    for name, value in values.items():
        setattr(module, name, value)
