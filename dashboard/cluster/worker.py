"""A worker answers questions of fronts, each in a thread, with the turns, the cache and the models of its process."""

import asyncio
import importlib
import logging
import threading
from collections.abc import AsyncIterator, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from core.errors import AtlasError
from core.hub.permissions import Permission
from dashboard import visitor
from dashboard.cache import memo, turns
from dashboard.cache.memo import Call
from dashboard.cluster import values, wire
from dashboard.cluster.wire import CallBook, NotPortableError, RefusedQuestionError
from dashboard.contents import ROOT

AT_ONCE = 64  # questions that a worker holds: most of them wait for their turn, or for a value that another one makes
PAUSE = 0.1  # seconds between two messages of a question: at each of them its visitor may have left


class VisitorLeftError(Exception):
    """The visitor who asked is gone."""


class Noting(memo.Here):
    """Computes here, and notes the calls of what is stored, so that models can be named."""

    def __init__(self, calls: CallBook):
        self._calls = calls

    def stored(self, key: Hashable, call: Call) -> None:
        """Note the call."""
        self._calls.note(key, call)


class Worker:
    """Answers questions with what this process computes and keeps; each computation has so many `threads`."""

    def __init__(self, threads: int = 1) -> None:
        self._calls = CallBook()
        memo.compute_with(Noting(self._calls))
        torch.set_num_threads(threads)
        for file in sorted((ROOT / "pages").rglob("*.py")):  # all functions that are cached are known from here on
            if file.name != "page.py":  # a script
                importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="question")

    async def answer(self, question: bytes) -> AsyncIterator[bytes]:
        """Messages about a question, at least one each PAUSE, the last one with its value or why there is none.

        Each is a pickled tuple of its kind and its content. A consumer that stops listening stops the work.
        """
        told, ended = _Messages(), asyncio.Event()
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._threads, self._work, question, told)
        work.add_done_callback(lambda _: ended.set())
        try:
            while not ended.is_set():
                try:
                    await asyncio.wait_for(ended.wait(), PAUSE)
                except TimeoutError:
                    yield values.dumps(told.since(), self._calls)
            yield values.dumps(told.since(), self._calls)
            yield work.result()
        finally:
            told.left = True

    def _work(self, question: bytes, told: "_Messages") -> bytes:
        try:
            return values.dumps(("value", self._value(question, told)), self._calls)
        except NotPortableError:
            return values.dumps(("here", None), self._calls)
        except (AtlasError, RefusedQuestionError) as error:
            return values.dumps(("error", error), self._calls)
        except VisitorLeftError:
            return values.dumps(("left", None), self._calls)
        except Exception as error:
            logging.getLogger(__name__).exception("A question could not be answered.")
            return values.dumps(("failed", type(error).__qualname__), self._calls)

    def _value(self, content: bytes, told: "_Messages") -> Any:
        # Until it is known for whom, nothing is permitted but models of the project.
        with visitor.acting_for(Permission()):
            question = wire.Question(content, told.observed)
            about = question.about
        with visitor.acting_for(about["permission"]), turns.acting_for(about["visitor"]):
            call = question.call()
            if call.function.reports:
                call.arguments.arguments["progress"] = told
            return call.function.answer(call.arguments, told)


class _Messages:
    """What a question tells while it is computed: of each kind only the last is kept until it is sent."""

    def __init__(self) -> None:
        self.left = False
        self._last: dict[Hashable, tuple[Any, ...]] = {}
        self._guard = threading.Lock()

    def __call__(self, done: int, total: int) -> None:
        """Report progress; raises VisitorLeftError if nobody listens any more."""
        self._tell("progress", "progress", done, total)

    def waits(self, sentence: str) -> None:
        """Report who is before; raises VisitorLeftError if nobody listens any more."""
        self._tell("waits", "waits", sentence)

    def observed(self, argument: str, field: str, told: tuple[Any, ...]) -> None:
        """Report what an observer is told by one of its fields; raises VisitorLeftError if nobody listens any more."""
        self._tell((argument, field), "observed", argument, field, told)

    def _tell(self, key: Hashable, *message: Any) -> None:
        if self.left:
            raise VisitorLeftError
        with self._guard:
            self._last[key] = message

    def since(self) -> tuple[str, list[tuple[Any, ...]]]:
        """What has been told since the last time."""
        with self._guard:
            last, self._last = list(self._last.values()), {}
        return "told", last
