"""Workers in another process, by two ways: a pipe, and Ray where it is installed. And this process as their front."""

import asyncio
import importlib.util
import multiprocessing
import os
from collections.abc import Callable, Generator, Iterator
from multiprocessing.connection import Connection
from typing import Any

import pytest

from dashboard.cache import memo, turns
from dashboard.cache.memo import HERE
from dashboard.cluster import own_computer
from dashboard.cluster.front import Workers, compute_by
from dashboard.cluster.wire import CallBook

# Ray reads its settings when it is imported: it is not imported to find out whether it is there.
WITH_RAY = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None,
    reason="Ray is not installed: `make test-cluster` installs it and runs the same contract with it.",
)
FORMS = [pytest.param("piped_worker", id="pipe"), pytest.param("ray_workers", id="ray", marks=WITH_RAY)]


@pytest.fixture(scope="session", params=FORMS)
def workers(request) -> Workers:
    """A worker in another process."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def as_front(workers) -> Iterator[Callable[[], None]]:
    """A function that makes this process a front without values; before it is called, the process computes itself."""
    places = turns.short_line.places, turns.long_line.places
    forget()

    def become_front() -> None:
        forget()
        compute_by(workers, CallBook())

    yield become_front
    memo.compute_with(HERE)
    turns.short_line.places, turns.long_line.places = places
    forget()


def forget() -> None:
    """Drop all values but those of loaders, so that a network stays the same."""
    for key, _ in memo.stored_values():
        if (function := memo.FUNCTIONS.get(key[:2])) and function.computes:
            memo._store.forget(key)


class PipedWorker:
    """A worker at the other end of a pipe, with one question at a time."""

    def __init__(self, connection: Connection):
        self._connection = connection

    def ask(self, question: bytes, key: str) -> Generator[bytes, None, None]:
        """See `Workers`."""
        del key
        self._connection.send(("ask", question))
        ended = False
        try:
            while (message := self._connection.recv()) is not None:
                yield message
            ended = True
        finally:
            if not ended:
                self._connection.send(("stop", b""))
                while self._connection.recv() is not None:
                    pass


@pytest.fixture(scope="session")
def piped_worker() -> Iterator[PipedWorker]:
    """A worker that answers without Ray."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=work, args=(there,), daemon=True)
    process.start()
    assert here.poll(timeout=120), "The worker does not start."
    here.recv()
    yield PipedWorker(here)
    process.kill()
    process.join(10)


def work(connection: Connection) -> None:
    """Answer one question after the other."""
    from dashboard.cluster.worker import Worker

    worker, loop = Worker(), asyncio.new_event_loop()
    connection.send("ready")
    while True:
        kind, question = connection.recv()
        if kind == "ask":  # "stop" comes too late
            loop.run_until_complete(_answer(worker, question, connection))


async def _answer(worker: Any, question: bytes, connection: Connection) -> None:
    messages = worker.answer(question)
    async for message in messages:
        connection.send(message)
        if connection.poll():
            connection.recv()
            await messages.aclose()
            break
    connection.send(None)


@pytest.fixture(scope="session")
def ray_workers() -> Iterator[Workers]:
    """A worker of Ray, which is started for the tests."""
    own_computer.prepare(os.environ)
    from dashboard.cluster import serving

    serving.start_here(cpus=2)
    yield serving.deploy(least=1, most=1, cpus=1)
    serving.end()
