"""A class: the time from the teacher's step to its last follower, and the server's processor time for it."""

import asyncio
import json
import statistics
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from benchmarks.load.visitor import PATIENCE
from benchmarks.server import Server, serving
from benchmarks.table import Row

FOLLOWERS = 100
STEPS = 100
APART = 0.25  # seconds between two steps of the teacher
BUDGET = 200  # milliseconds until the last one has it


@dataclass(frozen=True)
class Steps:
    """Seconds until the last follower has each step; the server's processor time for all steps, in seconds."""

    waits: list[float]
    processor: float

    @property
    def late(self) -> float:
        """The 95th percentile of the waits."""
        return statistics.quantiles(self.waits, n=20)[-1]


def rows() -> Iterator[Row]:
    """Waits against their budget, and the processor time of a step."""
    steps = measure(FOLLOWERS, STEPS)
    what = f"A class of {FOLLOWERS}: the teacher's step until the last follower has it"
    detail = f"95th percentile of {STEPS} steps; median {1000 * statistics.median(steps.waits):.0f} ms, longest "
    detail += f"{1000 * max(steps.waits):.0f} ms; followers and server share the processor"
    yield Row(what, 1000 * steps.late, "ms", BUDGET, detail=detail)
    yield Row(f"A class of {FOLLOWERS}: processor time of the server for a step", 1000 * steps.processor / STEPS, "ms")


def measure(followers: int, steps: int) -> Steps:
    """Make `steps` steps of a teacher with `followers` followers, on a server that serves nobody else."""
    with serving() as server:
        server.wait_until_idle()
        return asyncio.run(_lesson(server, followers, steps))


async def _lesson(server: Server, followers: int, steps: int) -> Steps:
    async with AsyncExitStack() as stack:
        teacher = await connected(stack, server.address, {"open": True})
        code = json.loads(await teacher.recv())["code"]
        students = [
            await connected(stack, server.address, {"code": code, "who": f"student {number}"})
            for number in range(followers)
        ]
        while json.loads(await teacher.recv())["followers"] < followers:
            pass
        before = server.processor_seconds()
        waits = [await _step(teacher, students, f"text?layer={number % 6}&step={number}") for number in range(steps)]
        return Steps(waits, server.processor_seconds() - before)


async def connected(stack: AsyncExitStack, address: str, first: dict) -> ClientConnection:
    """Connect like a browser tab, and send its first message; the connection is closed with the stack."""
    way = connect(f"{address.replace('http', 'ws', 1)}/class", origin=Origin(address), open_timeout=PATIENCE)
    socket = await stack.enter_async_context(way)
    await socket.send(json.dumps(first))
    return socket


async def _step(teacher: ClientConnection, students: list[ClientConnection], address: str) -> float:
    start = time.perf_counter()
    await teacher.send(json.dumps({"address": address}))
    await asyncio.gather(*(_wait_for(student, address) for student in students))
    elapsed = time.perf_counter() - start
    await asyncio.sleep(max(0.0, APART - elapsed))
    return elapsed


async def _wait_for(student: ClientConnection, address: str) -> None:
    while json.loads(await student.recv()).get("address") != address:
        pass
