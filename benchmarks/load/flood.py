"""A class that floods the server: what another visitor waits meanwhile, which is how late the server's loop is.

Everybody in the class stays within the limits: 200 followers, each with as many messages at once as it may send.
"""

import asyncio
import http.client
import json
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from urllib.parse import urlsplit

from websockets.exceptions import WebSocketException

from benchmarks.load.following import connected
from benchmarks.server import serving
from benchmarks.table import Row

FOLLOWERS = 200
MESSAGES = 95  # of each follower, at once
QUIET = 12.0  # seconds until the server has worked through all of them
EVERY = 0.02  # seconds between two requests of the visitor beside
BUDGET = 300  # milliseconds


@dataclass(frozen=True)
class Waits:
    """Seconds that a visitor beside waited for the shortest answer that there is, one request after the other."""

    seconds: list[float]

    @property
    def late(self) -> float:
        """The 99th percentile."""
        return statistics.quantiles(self.seconds, n=100)[-1]


def rows() -> Iterator[Row]:
    """The longest wait against its budget."""
    waits = measure(FOLLOWERS)
    what = f"A class of {FOLLOWERS} floods the server: the longest wait of another visitor for /_stcore/health"
    detail = f"{FOLLOWERS * MESSAGES:,} messages at once; median {1000 * statistics.median(waits.seconds):.0f} ms, "
    detail += f"99th percentile {1000 * waits.late:.0f} ms; all share the processor"
    yield Row(what, 1000 * max(waits.seconds), "ms", BUDGET, detail=detail)


def measure(followers: int) -> Waits:
    """So many followers of one class on a server that serves nobody else but one visitor beside."""
    with serving() as server:
        server.wait_until_idle()
        return at(server.address, followers)


def at(address: str, followers: int) -> Waits:
    """The same on a server that runs already; the flood is another process, so as not to hold up who measures."""
    context = multiprocessing.get_context("spawn")
    joined, flooded = context.Event(), context.Event()
    flood = context.Process(target=_flood, args=(address, followers, joined, flooded))
    flood.start()
    joined.wait()
    seconds = list(waits_for_health(address, flooded.is_set))
    flood.join()
    return Waits(seconds)


def waits_for_health(address: str, is_over: Callable[[], bool]) -> Iterator[float]:
    """Seconds until each answer, of a visitor who asks for the server's health again and again until `is_over()`."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=120)
    while not is_over():
        begun = time.perf_counter()
        connection.request("GET", "/_stcore/health")
        connection.getresponse().read()
        yield time.perf_counter() - begun
        time.sleep(EVERY)


def _flood(address: str, followers: int, joined, flooded) -> None:
    asyncio.run(_lesson(address, followers, joined))
    flooded.set()


async def _lesson(address: str, followers: int, joined) -> None:
    async with AsyncExitStack() as stack:
        teacher = await connected(stack, address, {"open": True})
        code = json.loads(await teacher.recv())["code"]
        students = [
            await connected(stack, address, {"code": code, "who": f"student {number}"}) for number in range(followers)
        ]
        reading = [asyncio.create_task(_read(socket)) for socket in (teacher, *students)]
        joined.set()
        await asyncio.sleep(1)
        await asyncio.gather(*map(_send_all, students))
        await asyncio.sleep(QUIET)
        for task in reading:
            task.cancel()


async def _send_all(student) -> None:
    for number in range(MESSAGES):
        try:
            await student.send(json.dumps({"question": "flood", "choice": str(number)}))
        except WebSocketException:  # closed: it was too much
            return


async def _read(socket) -> None:
    async for _ in socket:
        pass
