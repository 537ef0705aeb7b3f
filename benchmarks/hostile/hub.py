"""A hub that behaves in every way a hub can: silent, slow, endless, rude, absurd."""

import gzip
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from benchmarks.hostile import Case
from benchmarks.hostile.played_hub import COMMIT, QUESTION, Answer, Hub, Manner, hub_client_of, set_attributes
from core import zoo
from core.errors import AtlasError
from core.hub import repositories as asked_hub
from core.hub.repositories import find_fetched

NAME = "owner/model"
CONFIG, WEIGHTS = "config.json", "model.safetensors"
SECONDS = 0.5  # deadline of a try, where the atlas itself waits for 15 and 30
OUTSIDE = Path(tempfile.gettempdir()) / "attention-atlas-hostile-hub"
ENDS = 20  # seconds after which a try counts as without an end


def small_model() -> dict[str, bytes]:
    """The files of a valid small model."""
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 1, "n_head": 2, "n_embd": 8}
    weights = {"transformer.wte.weight": np.zeros((400, 8), np.float32)}
    return {CONFIG: json.dumps(config | {"vocab_size": 400, "n_positions": 16}).encode(), WEIGHTS: save(weights)}


def cases() -> Iterator[Case]:
    """Yield ways in which a hub can answer; the content maps requests to functions that answer them."""
    for place in (QUESTION, CONFIG, WEIGHTS):
        yield Case("hub that never answers", place, {place: stall})
        yield Case("hub that answers a byte at a time", f"{place}, in the body", {place: drip})
        yield Case("hub that answers a byte at a time", f"{place}, in the head", {place: drip_head})
        yield Case("hub that hangs up", f"{place}, in the head", {place: hang_up})
        yield Case("hub that hangs up", f"{place}, in the body", {place: cut})
        yield Case("hub that sends more than can be", f"{place}, without an end", {place: pour})
        yield Case("hub that sends more than can be", f"{place}, packed", {place: send_packed})
        yield Case("hub that sends to elsewhere", f"{place}, in a circle", {place: redirect_in_circle})
        yield Case("hub that sends to elsewhere", f"{place}, to nobody", {place: redirect_to_nobody})
        for status in (400, 403, 404, 429, 500, 503):
            yield Case("hub that answers with an error", f"{place}, {status}", {place: refusal(status)})
    for text in RUBBISH:
        yield Case("hub that talks nonsense", text[:60], {QUESTION: send_text(text)})
    for name in ("../../../evil", str(OUTSIDE), "", "e" * 5000, "a/b", "..", "."):
        for header in ("ETag", "X-Linked-ETag", "X-Repo-Commit"):
            yield Case(
                "hub that names files in ways of its own", f"{header}: {name[:30]}", {CONFIG: name_file(header, name)}
            )


def try_one(case: Case) -> str:
    """Inspect the model, then fetch it: "result", or the error message; any other exception is raised."""
    # A download that was left may still write when its folder is removed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, short_deadlines(), Hub().open() as hub:
        cache = Path(folder) / "one" / "two" / "cache"
        hub.repositories[NAME], hub.manners = small_model(), case.content
        permission = zoo.Permission(listed=frozenset({NAME}), largest=10**9)
        with hub_client_of(hub, cache):
            began = time.monotonic()
            try:
                zoo.inspect(NAME, permission=permission)
                zoo.fetch(NAME, permission=permission)
                message = "result"
            except AtlasError as error:
                message = str(error)
            if time.monotonic() - began > ENDS:
                raise TimeoutError(f"{case.name}: {time.monotonic() - began:.0f} seconds")
            hub.closed.set()
            _check_traces(Path(folder), cache)
            if message == "result" and not find_fetched(NAME):
                raise AssertionError("What was called complete is not.")
            if any(hub.tokens):
                raise AssertionError("The login of this computer was used.")
    return message


@contextmanager
def short_deadlines() -> Iterator[None]:
    """Set the deadlines of core.zoo to SECONDS."""
    old = {"ANSWER": asked_hub.ANSWER, "STALL": asked_hub.STALL}
    set_attributes(asked_hub, dict.fromkeys(old, SECONDS))
    try:
        yield
    finally:
        set_attributes(asked_hub, old)


def _check_traces(folder: Path, cache: Path) -> None:
    """AssertionError if a file was written outside the cache, or a part of a file is left in it after ENDS seconds."""
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


# What may happen at a question.


def stall(answer: Answer) -> None:
    """Send no answer."""
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


def send_packed(answer: Answer) -> None:
    """Send a gzip answer that unpacks to a thousand times its size."""
    content = gzip.compress(b" " * 100_000_000)
    answer.begin(length=len(content), Content_Encoding="gzip")
    if answer.command == "GET":
        answer.wfile.write(content)


def redirect_in_circle(answer: Answer) -> None:
    """Redirect to the same address."""
    answer.begin(302, 0, Location=answer.path)


def redirect_to_nobody(answer: Answer) -> None:
    """Redirect to a port at which nothing listens."""
    answer.begin(302, 0, Location="http://127.0.0.1:9/secret")


def refusal(status: int) -> Manner:
    """Answer with an error and a long Retry-After."""
    return lambda answer: answer.begin(status, 0, Retry_After="86400")


def send_text(text: str) -> Manner:
    """Answer with this text."""
    return lambda answer: answer.send(text)


def name_file(header: str, name: str) -> Manner:
    """Send the right content, with a header that names the file to store it in."""

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
    *(_listing(safetensors={"parameters": {}, "total": total}) for total in TOTALS),
    *(_file(WEIGHTS, size) for size in (-1, 10**30, "x", None, [1], 1.5, 0, True)),
    *(_file(name, 10) for name in NAMES),
    _listing(tags=["license:" + "x" * 100_000]),
    _listing(siblings=[{"rfilename": f"tokenizer{number}", "size": 1} for number in range(5000)]),
]
