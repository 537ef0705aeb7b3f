"""A server that is killed in the middle of its work, and started again: nothing is lost but the work."""

import asyncio
import contextlib
import hashlib
import os
import signal
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from benchmarks.load.visitor import GONE, Answer, Visitor
from benchmarks.server import ROOT, Server, start
from tests.polling import wait_until

SETTLED = ("weights", ".streamlit", "benchmarks/results.json")  # files that no server ever writes
LINK = {"text": "The sea was calm, and the captain of the ship was calm as well.", "layer": "3", "head": "2"}
LONG = "The old man looked at the sea and said nothing of what he had seen there. " * 20


@pytest.fixture
def killed_server():
    """Start servers that are gone after the test, with whatever they have started."""
    started: list[Server] = []

    def begin(port: int | None = None) -> Server:
        started.append(start(port=port))
        return started[-1]

    yield begin
    for server in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()


def test_a_server_killed_at_work_leaves_no_process_and_starts_again_with_the_same_pages(killed_server):
    files = contents()
    server = killed_server()
    before, started = run(kill_at_work(server))
    server.process.wait()
    wait_until(lambda: not running(started, server.process.pid))
    assert contents() == files

    again = killed_server(port=int(server.address.rpartition(":")[2]))
    assert run(see(again, "text")).digest == before.digest
    for page in ("", "heads"):
        answer = run(see(again, page))
        assert not answer.troubles
        assert len(answer.elements) > 10
    assert contents() == files


def run(work: Coroutine):
    """What it gives; in a thread of its own, as tests in a browser may have left a loop in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, work).result()


async def see(server: Server, page: str) -> Answer:
    """The page that the link leads to."""
    async with Visitor(server.address) as visitor:
        return await visitor.open(page, **LINK)


async def kill_at_work(server: Server) -> tuple[Answer, list[psutil.Process]]:
    """End a server while a visitor's long work is under way; what another one saw before, and what was running."""
    async with Visitor(server.address) as busy:
        earlier_answer = await see(server, "text")
        request_time = await busy.arrive("heads", show="Ablated heads", text=LONG)
        under_way = await busy.finish(request_time, until=lambda answer: answer.progress > 0)
        started = server.processes()
        assert 0 < under_way.progress < 100
        os.kill(server.process.pid, signal.SIGKILL)
        with pytest.raises(GONE):
            await busy.finish(request_time)
    return earlier_answer, started


def running(started: list[psutil.Process], group: int) -> list[psutil.Process]:
    """Those of the processes, and of their group, that have not ended."""
    return [process for process in {*started, *psutil.process_iter()} if lives(process, started, group)]


def lives(process: psutil.Process, started: list[psutil.Process], group: int) -> bool:
    try:
        ours = process in started or os.getpgid(process.pid) == group
        return ours and process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, ProcessLookupError, PermissionError):
        return False


def contents() -> dict[Path, str]:
    """What is in each of the files that no server ever writes."""
    paths = [path for name in SETTLED for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()]
    return {path: hashlib.blake2b(path.read_bytes()).hexdigest() for path in paths}
