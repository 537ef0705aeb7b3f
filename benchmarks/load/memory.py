"""Memory: the server's resident set after many sessions with many inputs, and after as many again with others."""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.load.pages import PLACES, TEXT, Place, photograph, sentence
from benchmarks.load.visitor import GONE, Visitor
from benchmarks.server import Server, serving
from benchmarks.table import Row

SESSIONS, TEXTS, PICTURES = 1000, 300, 100  # of each half
CONCURRENT_SESSIONS = 16  # sessions at a time
KEEP_MB = 800  # the budget for all that is kept: the models fit, and the first half fills the rest
SESSION_TTL = 65.0  # seconds until the server has forgotten a session whose visitor has left (disconnectedSessionTTL)
RARE = 20  # every so manieth text is translated, which takes far longer than to read it
GROWTH = 5.0  # percent


@dataclass(frozen=True)
class Half:
    """The resident set in bytes after a half, and how many of its sessions showed no result."""

    resident: int
    failed: int
    seconds: float


def rows() -> Iterator[Row]:
    """How much the resident set grew in the second half."""
    start, first, second = measure(SESSIONS, TEXTS, PICTURES, KEEP_MB)
    growth = 100 * (second.resident / first.resident - 1)
    what = f"{SESSIONS:,} sessions, {TEXTS} texts, {PICTURES} pictures, then as many others: growth in the second half"
    detail = (
        f"resident: {start.resident / 1e6:,.0f} MB before, {first.resident / 1e6:,.0f} MB after the first half, "
        f"{second.resident / 1e6:,.0f} MB after the second; {KEEP_MB} MB for what is kept; "
        f"{first.failed + second.failed} sessions without a result"
    )
    yield Row(what, growth, "%", GROWTH, detail=detail)


def measure(sessions: int, texts: int, pictures: int, keep_mb: int) -> Iterator[Half]:
    """The server before the first visitor, after the first half, and after the second."""
    with serving(settings={"ATLAS_KEEP_MB": str(keep_mb)}) as server:
        server.wait_until_idle()
        yield Half(server.resident_bytes(), 0, 0.0)
        for number in range(2):
            start = time.perf_counter()
            failed = asyncio.run(_half(server, random.Random(number), sessions, texts, pictures))
            elapsed = time.perf_counter() - start
            time.sleep(SESSION_TTL)
            yield Half(server.resident_bytes(), failed, elapsed)


async def _half(server: Server, chance: random.Random, sessions: int, texts: int, pictures: int) -> int:
    inputs: list[str | bytes] = [sentence(chance) for _ in range(texts)]
    inputs += [photograph(chance) for _ in range(pictures)]
    chance.shuffle(inputs)
    # Every input is asked for by somebody; then some are asked for again.
    order = inputs[:sessions] + chance.choices(inputs, k=max(0, sessions - len(inputs)))
    gate, failed = asyncio.Semaphore(CONCURRENT_SESSIONS), 0

    async def visit(number: int, page_input: str | bytes) -> None:
        nonlocal failed
        async with gate:
            failed += not await _session(server.address, _place(number, page_input), page_input)

    async with asyncio.TaskGroup() as group:
        for number, page_input in enumerate(order):
            group.create_task(visit(number, page_input))
    return failed


def _place(number: int, page_input: str | bytes) -> Place:
    """The page of a session: pages take turns; translation is every RARE-th of those for texts."""
    pages: Sequence[Place] = [place for place in PLACES if (place.about == TEXT) == isinstance(page_input, str)]
    rare_pages = [place for place in pages if place.url == "translation"]
    if rare_pages and number % RARE == 0:
        return rare_pages[0]
    other_pages = [place for place in pages if place not in rare_pages]
    return other_pages[number % len(other_pages)]


async def _session(address: str, place: Place, page_input: str | bytes) -> bool:
    """Open a page and make one request; whether both had a result."""
    try:
        async with Visitor(address) as visitor:
            if (await visitor.open(place.url)).troubles:
                return False
            return not (await visitor.rerun(**await place.show(visitor, page_input))).troubles
    except GONE:
        return False
