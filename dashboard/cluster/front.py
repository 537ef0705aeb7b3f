"""The engine of a front: calls that need the processor are computed by workers, and their values come back."""

import dataclasses
import time
from collections.abc import Callable, Generator, Hashable
from typing import Any, Protocol

from core.errors import AtlasError
from core.progress import Progress
from dashboard import visitor
from dashboard.cache import memo, turns
from dashboard.cache.memo import HERE, Call
from dashboard.cluster import values, wire
from dashboard.cluster.wire import CallBook, NotPortableError

PLACES = 1000  # of each line of a front, whose threads only wait
PATIENCE = 15.0  # seconds for workers that have ended to be back
UNREACHABLE = (
    "The computers that do the work cannot be reached, and were not back within {seconds:.0f} seconds. Nothing is "
    "lost: ask again in a moment."
)
FAILED = "This could not be computed: {error}. The host finds the reason in the log of the worker."


class WorkerLostError(Exception):
    """The worker ended before it had answered, or there is none."""


class Workers(Protocol):
    """Where questions go."""

    def ask(self, question: bytes, model: str) -> Generator[bytes, None, None]:
        """The messages of the worker that answers; it is best one that has this model.

        Raises WorkerLostError if it ends meanwhile. Closing the generator stops the work.
        """


class Front:
    """Sends calls to workers; what cannot travel is computed here."""

    def __init__(self, workers: Workers):
        self._workers, self._calls = workers, CallBook()
        self._here: set[tuple[str, str]] = set()  # functions whose values cannot travel

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
            question = wire.encode(call, self._calls, permission=visitor.permission(), visitor=turns.current_visitor())
        except NotPortableError:
            return HERE.compute(call, progress)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                kind, content = self._answer(call, question, progress)
                break
            except WorkerLostError as error:
                if time.monotonic() > deadline:
                    raise AtlasError(UNREACHABLE.format(seconds=PATIENCE)) from error
                progress(0, 1)
        if kind == "here":
            self._here.add(name)
            return HERE.compute(call, progress)
        return content

    def _answer(self, call: Call, question: bytes, progress: Progress) -> tuple[str, Any]:
        """The last message about a question: "value" with it, or "here" if it cannot travel."""
        messages, last = self._workers.ask(question, model_of(call)), (0, 1)
        try:
            for message in messages:
                kind, content = values.loads(message, self._loaded)
                if kind == "told":
                    last = next((tuple(told) for kind, *told in content if kind == "progress"), last)
                    self._tell(call, content, progress)
                    progress(*last)  # also where nothing is new: here the visitor may have left
                elif kind == "error":
                    raise content
                elif kind == "failed":
                    raise AtlasError(FAILED.format(error=content))
                else:
                    return kind, content
        finally:
            messages.close()
        raise WorkerLostError("The answer has no end.")

    def _tell(self, call: Call, told: list[tuple[Any, ...]], progress: Progress) -> None:
        """Pass on what the worker has told."""
        report: Callable[..., None] = call.arguments.arguments.get("progress") or progress
        for kind, *content in told:
            if kind == "progress":
                report(*content)
            elif kind == "waits":
                getattr(progress, "waits", lambda _sentence: None)(*content)
            else:
                argument, field, arguments = content
                getattr(call.arguments.arguments[argument], field)(*arguments)

    def _loaded(self, encoded: Any) -> Any:
        """The value of a loader."""
        call = wire.decode_call(encoded)
        return call.function(*call.arguments.args, **call.arguments.kwargs)


def model_of(call: Call) -> str:
    """The name of the model that a call is about, if it says one: its worker has that model in memory already."""
    for name, value in call.arguments.arguments.items():
        if name in ("name", "model") and isinstance(value, str):
            return value
        if dataclasses.is_dataclass(value) and isinstance(model := getattr(value, "name", None), str):
            return model
    return ""


def compute_by(workers: Workers) -> None:
    """Make this process a front: it waits for workers, and leaves it to them how many visitors are served at a time."""
    memo.compute_with(Front(workers))
    turns.short_line.places = turns.long_line.places = PLACES
