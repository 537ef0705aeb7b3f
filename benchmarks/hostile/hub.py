"""A hub on this computer that behaves in every way a hub can, asked by the hub's own client."""

import gzip
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import numpy as np
from safetensors.numpy import save

from benchmarks.hostile import Case
from core import zoo
from core.errors import AtlasError
from core.zoo import hub as asked_hub
from core.zoo.hub import find_fetched

NAME = "owner/model"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
QUESTION, CONFIG, WEIGHTS = "question", "config.json", "model.safetensors"
SECONDS = 0.5  # deadline of a try, where the atlas itself waits for 15 and 30
OUTSIDE = Path(tempfile.gettempdir()) / "attention-atlas-hostile-hub"
ENDS = 20  # seconds after which a try counts as without an end

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
    _set(constants, settings)
    try:
        yield
    finally:
        _set(constants, old)
        if before is None:
            del os.environ["HF_ENDPOINT"]
        else:
            os.environ["HF_ENDPOINT"] = before


def small_model() -> dict[str, bytes]:
    """The files of a model that can be asked about and fetched."""
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 1, "n_head": 2, "n_embd": 8}
    weights = {"transformer.wte.weight": np.zeros((400, 8), np.float32)}
    return {CONFIG: json.dumps(config | {"vocab_size": 400, "n_positions": 16}).encode(), WEIGHTS: save(weights)}


def cases() -> Iterator[Case]:
    """Ways in which a hub can answer; the content is what happens at which question."""
    for place in (QUESTION, CONFIG, WEIGHTS):
        yield Case("hub that never answers", place, {place: stall})
        yield Case("hub that answers a byte at a time", f"{place}, in the body", {place: drip})
        yield Case("hub that answers a byte at a time", f"{place}, in the head", {place: drip_head})
        yield Case("hub that hangs up", f"{place}, in the head", {place: hang_up})
        yield Case("hub that hangs up", f"{place}, in the body", {place: cut})
        yield Case("hub that sends more than can be", f"{place}, without an end", {place: pour})
        yield Case("hub that sends more than can be", f"{place}, packed", {place: packed})
        yield Case("hub that sends to elsewhere", f"{place}, in a circle", {place: circle})
        yield Case("hub that sends to elsewhere", f"{place}, to nobody", {place: elsewhere})
        for status in (400, 403, 404, 429, 500, 503):
            yield Case("hub that answers with an error", f"{place}, {status}", {place: refusal(status)})
    for text in RUBBISH:
        yield Case("hub that talks nonsense", text[:60], {QUESTION: saying(text)})
    for name in ("../../../evil", str(OUTSIDE), "", "e" * 5000, "a/b", "..", "."):
        for header in ("ETag", "X-Linked-ETag", "X-Repo-Commit"):
            yield Case(
                "hub that names files in ways of its own", f"{header}: {name[:30]}", {CONFIG: named(header, name)}
            )


def try_one(case: Case) -> str:
    """Ask about the model, then fetch it: "result", or the sentence; anything else is raised."""
    with tempfile.TemporaryDirectory() as folder, in_a_hurry(), Hub().open() as hub:
        cache = Path(folder) / "one" / "two" / "cache"
        hub.repositories[NAME], hub.manners = small_model(), case.content
        permission = zoo.Permission(listed=frozenset({NAME}), largest=10**9)
        with asked_instead(hub, cache):
            began = time.monotonic()
            try:
                zoo.inspect(NAME, permission=permission)
                zoo.fetch(NAME, permission=permission)
                said = "result"
            except AtlasError as error:
                said = str(error)
            if time.monotonic() - began > ENDS:
                raise TimeoutError(f"{case.name}: {time.monotonic() - began:.0f} seconds")
            hub.closed.set()
            _check_traces(Path(folder), cache)
            if said == "result" and not find_fetched(NAME):
                raise AssertionError("What was called complete is not.")
            if any(hub.tokens):
                raise AssertionError("The login of this computer was used.")
    return said


@contextmanager
def in_a_hurry() -> Iterator[None]:
    """Deadlines of SECONDS."""
    old = {"ANSWER": asked_hub.ANSWER, "STALL": asked_hub.STALL}
    _set(asked_hub, dict.fromkeys(old, SECONDS))
    try:
        yield
    finally:
        _set(asked_hub, old)


def _check_traces(folder: Path, cache: Path) -> None:
    """Nothing outside the cache, and soon no part of a file in it."""
    outside = [path for path in folder.rglob("*") if path.is_file() and not path.is_relative_to(cache)]
    outside += [OUTSIDE] if OUTSIDE.exists() else []
    OUTSIDE.unlink(missing_ok=True)
    if outside:
        raise AssertionError(f"A file was written outside the cache: {outside}")
    until = time.monotonic() + ENDS
    while parts := list(cache.rglob("*.incomplete")):
        if time.monotonic() > until:
            raise AssertionError(f"Parts of files were left: {[part.name for part in parts]}")
        time.sleep(0.05)


def _set(module: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(module, name, value)


# What may happen at a question.


def stall(answer: Answer) -> None:
    """Say nothing."""
    answer.hub.closed.wait(60)


def drip(answer: Answer) -> None:
    """Send a head, and then a byte now and then."""
    answer.begin(length=10_000)
    _drip(answer, b" " * 10_000)


def drip_head(answer: Answer) -> None:
    """Send not even the head at once."""
    _drip(answer, b"HTTP/1.0 200 OK\r\nX-Slow: " + b"y" * 10_000)


def _drip(answer: Answer, content: bytes) -> None:
    for place in range(len(content)):
        if answer.command == "HEAD" and b"HTTP" not in content[:4]:
            return
        answer.wfile.write(content[place : place + 1])
        answer.wfile.flush()
        if answer.hub.closed.wait(0.2):
            return


def hang_up(answer: Answer) -> None:
    """Close the line in the middle of the head."""
    answer.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Le")


def cut(answer: Answer) -> None:
    """Close the line in the middle of the body."""
    answer.begin(length=100_000)
    if answer.command == "GET":
        answer.wfile.write(b"x" * 50_000)


def pour(answer: Answer) -> None:
    """Send without an end."""
    answer.begin(length=len(small_model()[WEIGHTS]) if answer.command == "HEAD" else None)
    with suppress(OSError):
        while answer.command == "GET" and not answer.hub.closed.is_set():
            answer.wfile.write(b" " * 1_000_000)


def packed(answer: Answer) -> None:
    """Send what is a thousand times larger once it is unpacked."""
    content = gzip.compress(b" " * 100_000_000)
    answer.begin(length=len(content), Content_Encoding="gzip")
    if answer.command == "GET":
        answer.wfile.write(content)


def circle(answer: Answer) -> None:
    """Send back to the same place."""
    answer.begin(302, 0, Location=answer.path)


def elsewhere(answer: Answer) -> None:
    """Send to a port at which nobody listens."""
    answer.begin(302, 0, Location="http://127.0.0.1:9/secret")


def refusal(status: int) -> Manner:
    """Answer with an error, and ask for a long rest."""
    return lambda answer: answer.begin(status, 0, Retry_After="86400")


def saying(text: str) -> Manner:
    """Answer with this text."""
    return lambda answer: answer.send(text)


def named(header: str, name: str) -> Manner:
    """Send the right content, to be kept under a name of the hub's choice."""

    def answer_so(answer: Answer) -> None:
        content = small_model()[CONFIG]
        value: Any = f'"{name}"' if "ETag" in header else name
        answer.begin(length=len(content), **{header.replace("-", "_"): value})
        if answer.command == "GET":
            answer.wfile.write(content)

    return answer_so


def _listing(**changes: Any) -> str:
    files = [{"rfilename": name, "size": len(content)} for name, content in small_model().items()]
    return json.dumps({"id": NAME, "siblings": files, "tags": [], "sha": COMMIT} | changes)


def _file(name: Any, size: Any) -> str:
    return _listing(siblings=[{"rfilename": CONFIG, "size": 10}, {"rfilename": name, "size": size}])


NAMES: list[Any] = [7, None, [], "../model.safetensors", "/etc/passwd", "x" * 5000]
TOTALS: list[Any] = [-1, 10**30, 1.5, "9" * 5000, [1]]
RUBBISH = [
    *("", "{", "[]", "null", "7", '"text"', "\0", "<html>", "[" * 100_000, '{"a":' * 100_000, "1" * 100_000),
    *(_listing(id=None), _listing(id=7), _listing(sha="../../../evil"), _listing(tags=7), _listing(tags=[7, None])),
    *(_listing(siblings=7), _listing(siblings=[7]), _listing(siblings=[{}]), _listing(siblings={"a": 1})),
    *(_listing(safetensors=7), _listing(safetensors={"total": "x"}), _listing(safetensors={"total": None})),
    *(_listing(safetensors={"parameters": {}, "total": each}) for each in TOTALS),
    *(_file(WEIGHTS, each) for each in (-1, 10**30, "x", None, [1], 1.5, 0, True)),
    *(_file(each, 10) for each in NAMES),
    _listing(tags=["license:" + "x" * 100_000]),
    _listing(siblings=[{"rfilename": f"tokenizer{number}", "size": 1} for number in range(5000)]),
]
