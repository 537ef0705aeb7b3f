"""Work at the mercy of another computer: in a thread of its own, with one deadline for all of it, and a way out.

    wait_for(work, seconds=15)                        # the whole answer within 15 seconds
    wait_for(work, seconds=30, renewed_by=300_000)    # for as long as 300 kB come within each 30

What `work` asks of the hub, by the hub's own client, is listened to: how much comes, and whether anybody still waits.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from ..progress import Progress, no_progress

Answer = TypeVar("Answer")

MOST = 8  # threads at a time; one that was given up counts until it has noticed
PAUSE = 0.1  # seconds between two reports to whoever waits
SILENCE = 10.0  # seconds between two bytes
LARGEST_ANSWER = 10_000_000  # bytes of what is no download
LARGEST_PACKED = 300_000  # bytes of the same where it is compressed, by up to a thousand

_threads = threading.BoundedSemaphore(MOST)
_here = threading.local()


class NoAnswerError(Exception):
    """Why nothing came of it, as what follows 'The hub'."""


class Waiting:
    """What the thread that works and whoever waits for it know of one another."""

    def __init__(self, seconds: float, renewed_by: int | None, room: int | None):
        self.seconds, self.renewed_by, self.room = seconds, renewed_by, room
        self.until, self.came, self.given_up = time.monotonic() + seconds, 0, False

    def hear(self, count: int) -> None:
        """So many bytes have come; raises NoAnswerError where nobody wants any more."""
        self.came += count
        if self.renewed_by and self.came >= self.renewed_by:
            self.came, self.until = 0, time.monotonic() + self.seconds
        if self.room is not None:
            self.room -= count
            if self.room < 0:
                raise NoAnswerError("sends more than an answer to a question can be")
        if self.given_up:
            raise NoAnswerError("was not waited for")

    @property
    def reason(self) -> str:
        """What to say when the time is over."""
        if self.renewed_by:
            return f"has sent less than {self.renewed_by / 1e3:,.0f} kB in {self.seconds:.0f} seconds"
        return f"has not answered within {self.seconds:.0f} seconds"


def wait_for(
    work: Callable[[], Answer],
    *,
    seconds: float,
    renewed_by: int | None = None,
    progress: Progress = no_progress,
) -> Answer:
    """What `work` gives or raises; NoAnswerError when the time is over, or too many wait already.

    `progress` is told the seconds that have passed, here in the thread that waits: what it raises gives the work up.
    """
    if not _threads.acquire(blocking=False):
        raise NoAnswerError(f"is asked for {MOST} other things at this moment")
    waiting = Waiting(seconds, renewed_by, None if renewed_by else LARGEST_ANSWER)
    answer: Future[Answer] = Future()

    def run() -> None:
        _here.waiting = waiting
        try:
            _listen()
            answer.set_result(work())
        except BaseException as error:  # it is raised again where it is waited for
            answer.set_exception(error)
        finally:
            _threads.release()

    began = time.monotonic()
    threading.Thread(target=run, name="asks-the-hub", daemon=True).start()
    try:
        while not wait([answer], PAUSE).done:
            if time.monotonic() > waiting.until:
                raise NoAnswerError(waiting.reason)
            progress(int(time.monotonic() - began), int(seconds))
        return answer.result()
    finally:
        waiting.given_up = True


def _listen() -> None:
    """Make the client of the hub, which the whole process shares, call the two functions below."""
    from huggingface_hub import get_session

    session = get_session()
    hooks = session.event_hooks
    if _asked not in hooks["request"]:
        session.event_hooks = {
            "request": [*hooks["request"], _asked],
            "response": [*hooks["response"], _answered],
        }


def _asked(request: Any) -> None:
    """A request goes out: in our threads none without a limit of time, and none that nobody waits for."""
    if waiting := getattr(_here, "waiting", None):
        waiting.hear(0)
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), SILENCE)


def _answered(response: Any) -> None:
    """An answer begins: it is listened to while it is read, and one of an error is not asked for again."""
    waiting = getattr(_here, "waiting", None)
    if waiting is None:
        return
    if response.status_code == 429 or response.status_code >= 500:
        raise NoAnswerError(f"answered with error {response.status_code}")
    if "X-Repo-Commit" in response.headers and not all(map(_is_plain, _names_in(response.headers))):
        raise NoAnswerError("names a file in a way that would lead out of its folder here")
    if waiting.room is not None and response.headers.get("Content-Encoding", "identity") != "identity":
        waiting.room = min(waiting.room, LARGEST_PACKED)
    response.stream = _heard(response.stream, waiting)


def _names_in(headers: Any) -> list[str]:
    """What the client will take for the names of folders and files in its cache."""
    found = [headers.get(name, "e") for name in ("X-Repo-Commit", "X-Linked-ETag", "ETag")]
    return [name.removeprefix("W/").strip('"') for name in found]


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"\w[\w.-]{0,150}", name, re.ASCII) is not None


def _heard(stream: Any, waiting: Waiting) -> Any:
    """The stream of an answer, that tells how much of it has come."""
    from httpx2 import SyncByteStream  # what the client of the hub is made of; slow to import

    class Heard(SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for chunk in stream:
                waiting.hear(len(chunk))
                yield chunk

        def close(self) -> None:
            stream.close()

    return Heard()
