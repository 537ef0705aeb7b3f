"""Requests to the hub in a thread of their own, with a deadline for all of them, and a way to cancel.

    wait_for(work, seconds=15)                        # all requests answered within 15 seconds
    wait_for(work, seconds=30, renewed_by=300_000)    # as long as 300 kB arrive within every 30 seconds

Hooks on the hub's client count the bytes that arrive for `work`, and end it once nobody waits for it any more.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from ..progress import Progress, no_progress

Answer = TypeVar("Answer")

MOST = 8  # threads at a time; a cancelled one counts until it has ended
PAUSE = 0.1  # seconds between two reports of progress
SILENCE = 10.0  # seconds between two bytes
LARGEST_ANSWER = 10_000_000  # bytes of a response that is no download
LARGEST_PACKED = 300_000  # bytes of the same where it is compressed, by a factor of up to a thousand

_threads = threading.BoundedSemaphore(MOST)
_here = threading.local()


class NoAnswerError(Exception):
    """Why there is no result; the message continues a sentence that begins with 'The hub'."""


class Deadline:
    """The state that the working thread and the waiting one share: the deadline, bytes received, cancellation."""

    def __init__(self, seconds: float, renewed_by: int | None, largest: int | None):
        self.seconds, self.renewed_by, self.remaining = seconds, renewed_by, largest
        self.end, self.received, self.cancelled = time.monotonic() + seconds, 0, False

    def add(self, count: int) -> None:
        """Count bytes received; NoAnswerError where they are too many or the work is cancelled."""
        self.received += count
        if self.renewed_by and self.received >= self.renewed_by:
            self.received, self.end = 0, time.monotonic() + self.seconds
        if self.remaining is not None:
            self.remaining -= count
            if self.remaining < 0:
                raise NoAnswerError("sends more than an answer to a question can be")
        if self.cancelled:
            raise NoAnswerError("was not waited for")

    @property
    def reason(self) -> str:
        """The message of the NoAnswerError at the end of the time."""
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
    """The result or the exception of `work`; NoAnswerError when the time is over, or MOST threads run already.

    `progress` is called with the seconds that have passed, in the waiting thread; an exception that it raises cancels
    the work.
    """
    if not _threads.acquire(blocking=False):
        raise NoAnswerError(f"is asked for {MOST} other things at this moment")
    deadline = Deadline(seconds, renewed_by, None if renewed_by else LARGEST_ANSWER)
    answer: Future[Answer] = Future()

    def run() -> None:
        _here.deadline = deadline
        try:
            _install_hooks()
            answer.set_result(work())
        except BaseException as error:  # it is raised again where it is waited for
            answer.set_exception(error)
        finally:
            _threads.release()

    began = time.monotonic()
    threading.Thread(target=run, name="asks-the-hub", daemon=True).start()
    try:
        while not wait([answer], PAUSE).done:
            if time.monotonic() > deadline.end:
                raise NoAnswerError(deadline.reason)
            progress(int(time.monotonic() - began), int(seconds))
        return answer.result()
    finally:
        deadline.cancelled = True


def _install_hooks() -> None:
    """Make the client of the hub, which all threads of the process share, call the two functions below."""
    from huggingface_hub import get_session

    session = get_session()
    hooks = session.event_hooks
    if _on_request not in hooks["request"]:
        session.event_hooks = {
            "request": [*hooks["request"], _on_request],
            "response": [*hooks["response"], _on_response],
        }


def _on_request(request: Any) -> None:
    """In our threads: give every request a timeout, and refuse it where the work is cancelled."""
    if deadline := getattr(_here, "deadline", None):
        deadline.add(0)
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), SILENCE)


def _on_response(response: Any) -> None:
    """In our threads: count the bytes of every response, and raise on an error, so that the client does not retry."""
    deadline = getattr(_here, "deadline", None)
    if deadline is None:
        return
    if response.status_code == 429 or response.status_code >= 500:
        raise NoAnswerError(f"answered with error {response.status_code}")
    if "X-Repo-Commit" in response.headers and not all(map(_is_plain, _names_in(response.headers))):
        raise NoAnswerError("names a file in a way that would lead out of its folder here")
    if deadline.remaining is not None and response.headers.get("Content-Encoding", "identity") != "identity":
        deadline.remaining = min(deadline.remaining, LARGEST_PACKED)
    response.stream = _counted(response.stream, deadline)


def _names_in(headers: Any) -> list[str]:
    """The headers that the client uses as names of folders and files in its cache."""
    names = [headers.get(header, "e") for header in ("X-Repo-Commit", "X-Linked-ETag", "ETag")]
    return [name.removeprefix("W/").strip('"') for name in names]


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"\w[\w.-]{0,150}", name, re.ASCII) is not None


def _counted(stream: Any, deadline: Deadline) -> Any:
    """The stream of a response, whose bytes are added to `deadline`."""
    from httpx2 import SyncByteStream  # what the client of the hub is made of; slow to import

    class Counted(SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for chunk in stream:
                deadline.add(len(chunk))
                yield chunk

        def close(self) -> None:
            stream.close()

    return Counted()
