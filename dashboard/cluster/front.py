"""The engine of a front: calls that need the processor are computed by workers, and their values come back."""

import dataclasses
import time
from collections.abc import Callable, Generator, Hashable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from core.errors import AtlasError
from core.hub.permissions import Permission
from core.progress import Progress
from dashboard import visitor
from dashboard.cache import memo, turns
from dashboard.cache.memo import HERE, Call
from dashboard.cluster import values, wire
from dashboard.cluster.wire import CallBook, EncodedCall, Noting, NotPortableError

PLACES = 1000  # of each line of a front, whose threads only wait
PATIENCE = 15.0  # seconds without a message from any worker
ATTEMPTS = 3  # of workers at one question: whatever ends them may be the question itself
SILENT = (
    "The computers that do the work have not answered for {seconds:.0f} seconds. Nothing is lost: ask again in a "
    "moment."
)
ENDED = (
    "{count} workers ended while they computed this, so it is not tried again. It may need more memory than they have: "
    "choose less, a shorter text or a smaller picture."
)
FAILED = "This could not be computed: {error}. The host finds the reason in the log of the worker."


class WorkerLostError(Exception):
    """The worker ended before it had answered, or there is none."""


class Workers(Protocol):
    """Where questions go."""

    def ask(self, question: bytes, key: str) -> Generator[bytes, None, None]:
        """The messages of a worker, of the same one for the same key; empty ones while there is nothing new.

        Raises WorkerLostError if it ends meanwhile. Closing the generator stops the work.
        """


# Gets the name of a function and surrounds a question for its value.
Measured = Callable[[str], AbstractContextManager[None]]


def unmeasured(_function: str) -> AbstractContextManager[None]:
    """Measure nothing."""
    return nullcontext()


class Front:
    """Sends calls to workers; what cannot travel is computed here."""

    def __init__(self, workers: Workers, calls: CallBook, measured: Measured = unmeasured):
        self._workers, self._calls, self._measured = workers, calls, measured
        self._here: set[tuple[str, str]] = set()  # functions whose values cannot travel
        self._has_ended = False

    def end(self) -> None:
        """Ask no more: there are no workers. What they were asked is computed here."""
        self._has_ended = True

    def stored(self, key: Hashable, call: Call) -> None:
        """Note the call of a value, which then stands for it in questions."""
        self._calls.note(key, call)

    def compute(self, call: Call, progress: Progress) -> Any:
        """The value of a call."""
        make = call.function.make
        name = (make.__module__, make.__qualname__)
        if not call.function.computes or name in self._here:
            return HERE.compute(call, progress)
        try:
            permission = visitor.permission()
            question = wire.encode(call, self._calls, permission=permission, visitor=turns.current_visitor())
        except NotPortableError:
            return HERE.compute(call, progress)
        with self._measured(".".join(name)):
            kind, content = self._answer(call, question, routing_key(call, question, permission), progress)
        if kind == "here":
            if not self._has_ended:
                self._here.add(name)
            return HERE.compute(call, progress)
        return content

    def _answer(self, call: Call, question: EncodedCall, key: str, progress: Progress) -> tuple[str, Any]:
        """The last message about a question: "value" with it, or "here" if it cannot travel."""
        attempts, losses, last, heard_at = 0, 0, (0, 1), time.monotonic()
        while True:
            # After a loss another key: the same one would lead to the lost worker until that is known to be lost.
            is_begun, messages = False, self._workers.ask(question.content, f"{key} {losses}" if losses else key)
            try:
                for message in messages:
                    if self._has_ended:
                        return "here", None
                    if message:
                        is_begun, heard_at = True, time.monotonic()
                        kind, content = values.loads(message, self._loaded)
                        if kind != "reports":
                            return _ending(kind, content)
                        last = self._pass_on(call, content, progress) or last
                    elif time.monotonic() - heard_at > PATIENCE:
                        raise AtlasError(SILENT.format(seconds=PATIENCE))
                    progress(*last)  # also where nothing is new: here the visitor may have left
                raise WorkerLostError("The answer has no end.")
            except WorkerLostError as error:
                if self._has_ended:
                    return "here", None
                attempts, losses = attempts + is_begun, losses + 1
                if attempts == ATTEMPTS:
                    raise AtlasError(ENDED.format(count=attempts)) from error
                if time.monotonic() - heard_at > PATIENCE:
                    raise AtlasError(SILENT.format(seconds=PATIENCE)) from error
                time.sleep(turns.PAUSE)
            finally:
                messages.close()

    def _pass_on(self, call: Call, reports: list[tuple[Any, ...]], progress: Progress) -> tuple[int, int] | None:
        """Pass on what a worker has reported; the progress in it, if there is any."""
        arguments, counts = call.arguments.arguments, None
        for kind, *report in reports:
            if kind == "progress":
                counts = (report[0], report[1])
                arguments.get("progress", progress)(*counts)
            elif kind == "waits":
                getattr(progress, "waits", lambda _sentence: None)(*report)
            else:
                argument, field, observed = report
                getattr(arguments[argument], field)(*observed)
        return counts

    def _loaded(self, encoded: Any) -> Any:
        """The value of a loader."""
        call = wire.decode_call(encoded)
        return call.function(*call.arguments.args, **call.arguments.kwargs)


def _ending(kind: str, content: Any) -> tuple[str, Any]:
    """The last message, or the error that it tells of."""
    if kind == "error":
        raise content
    if kind == "failed":
        raise AtlasError(FAILED.format(error=content))
    return kind, content


def routing_key(call: Call, question: EncodedCall, permission: Permission) -> str:
    """What the questions share that one worker answers: equal ones are computed once, whichever front asks.

    A model of the hub is large, and what is asked about it goes to the worker that has it.
    """
    model = model_of(call)
    return model if model in (permission.listed or ()) else question.digest


def model_of(call: Call) -> str:
    """The name of the model that a call is about, "" if it says none."""
    for name, value in call.arguments.arguments.items():
        if name in ("name", "model") and isinstance(value, str):
            return value
        if dataclasses.is_dataclass(value) and isinstance(model := getattr(value, "name", None), str):
            return model
    return ""


def compute_by(workers: Workers, calls: CallBook, measured: Measured = unmeasured) -> Front:
    """Make this process a front: it waits for workers, and leaves it to them how many visitors are served at a time.

    `calls` has those of the values that this process has computed before.
    """
    front = Front(workers, calls, measured)
    memo.compute_with(front)
    turns.short_line.places = turns.long_line.places = PLACES
    return front


def compute_here(calls: CallBook) -> None:
    """Make this process compute itself, as one alone does, and note the calls of its values."""
    memo.compute_with(Noting(calls))
    turns.short_line.places, turns.long_line.places = turns.CONCURRENT_SHORT, turns.LONG_AT_ONCE
