"""A worker answers questions of fronts, each in a thread, with the turns, the cache and the models of its process."""

import asyncio
import importlib
import logging
import threading
import traceback
from collections.abc import AsyncIterator, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from core.errors import AtlasError
from core.hub.permissions import Permission
from dashboard import visitor
from dashboard.cache import memo, turns
from dashboard.cluster import values, wire
from dashboard.cluster.wire import CallBook, NotPortableError, RefusedQuestionError
from dashboard.contents import ROOT

AT_ONCE = 64  # questions that a worker holds: most of them wait for their turn, or for a value that another one makes
PAUSE = 0.1  # seconds between two messages of a question: at each of them its visitor may have left


class VisitorLeftError(Exception):
    """The visitor who asked is gone."""


class Worker:
    """Answers questions with what this process computes and keeps; each computation has so many `threads`."""

    def __init__(self, threads: int = 1) -> None:
        self._calls = CallBook()
        memo.compute_with(wire.Noting(self._calls))
        torch.set_num_threads(threads)
        for file in sorted((ROOT / "pages").rglob("*.py")):  # all functions that are cached are known from here on
            if file.name != "page.py":  # a script
                importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="question")

    async def answer(self, question: bytes) -> AsyncIterator[bytes]:
        """Messages about a question, at least one each PAUSE, the last one with its value or why there is none.

        Each is a pickled tuple of its kind and its content. A consumer that stops listening stops the work.
        """
        reports, ended = _Reports(), asyncio.Event()
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._threads, self._work, question, reports)
        work.add_done_callback(lambda _: ended.set())
        try:
            while not ended.is_set():
                try:
                    await asyncio.wait_for(ended.wait(), PAUSE)
                except TimeoutError:
                    yield values.dumps(("reports", reports.take()), self._calls)
            if last_reports := reports.take():
                yield values.dumps(("reports", last_reports), self._calls)
            yield work.result()
        finally:
            reports.left = True

    def _work(self, question: bytes, reports: "_Reports") -> bytes:
        try:
            return values.dumps(("value", self._value(question, reports)), self._calls)
        except NotPortableError:
            return values.dumps(("here", None), self._calls)
        except (AtlasError, RefusedQuestionError) as error:
            return values.dumps(("error", error), self._calls)
        except VisitorLeftError:
            return values.dumps(("left", None), self._calls)
        except Exception as error:
            # Without its message, which could quote a visitor.
            place = "".join(traceback.format_tb(error.__traceback__))
            logging.getLogger(__name__).error("A question ended with %s:\n%s", type(error).__qualname__, place)
            return values.dumps(("failed", type(error).__qualname__), self._calls)

    def _value(self, content: bytes, reports: "_Reports") -> Any:
        # Until it is known for whom, nothing is permitted but models of the project.
        with visitor.acting_for(Permission()):
            question = wire.Question(content, reports.observed)
            about = question.about
        with visitor.acting_for(about["permission"]), turns.acting_for(about["visitor"]):
            call = question.call()
            if call.function.reports:
                call.arguments.arguments["progress"] = reports
            return call.function.answer(call.arguments, reports)


class _Reports:
    """What is reported while a question is computed: of each kind only the last is kept until it is sent."""

    def __init__(self) -> None:
        self.left = False
        self._last: dict[Hashable, tuple[Any, ...]] = {}
        self._guard = threading.Lock()

    def __call__(self, done: int, total: int) -> None:
        """Report progress; raises VisitorLeftError if nobody listens any more."""
        self._put("progress", "progress", done, total)

    def waits(self, sentence: str) -> None:
        """Report who is before; raises VisitorLeftError if nobody listens any more."""
        self._put("waits", "waits", sentence)

    def observed(self, argument: str, field: str, observed: tuple[Any, ...]) -> None:
        """Report what a field of an observer is called with; raises VisitorLeftError if nobody listens any more."""
        self._put((argument, field), "observed", argument, field, observed)

    def _put(self, key: Hashable, *report: Any) -> None:
        if self.left:
            raise VisitorLeftError
        with self._guard:
            self._last[key] = report

    def take(self) -> list[tuple[Any, ...]]:
        """What has been reported since the last time."""
        with self._guard:
            last, self._last = list(self._last.values()), {}
        return last
