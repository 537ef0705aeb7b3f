"""What each kind of request costs on fronts and workers that serve nobody else."""

import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from benchmarks.cluster.simulation import Cost, Kind
from benchmarks.cluster.site import Site
from benchmarks.load.pages import TEXT, Place
from benchmarks.load.visitor import Answer, Visitor

REPEATS = 15  # requests of each kind
LOOK = 4.0  # seconds in which an idle site is watched


async def idle_cores(site: Site) -> float:
    """Cores that a site takes while nobody visits it."""
    before, start = sum(site.seconds().values()), time.perf_counter()
    await asyncio.sleep(LOOK)
    return (sum(site.seconds().values()) - before) / (time.perf_counter() - start)


async def measure(site: Site, places: Sequence[Place], repeats: int = REPEATS) -> dict[Kind, Cost]:
    """The mean cost of each kind of request, one right after another, without what the site takes anyway."""
    costs, idle = dict[Kind, Cost](), await idle_cores(site)
    chance, front = random.Random(7), site.fronts[0].address
    for place in places:
        known = [place.known_input(number) for number in range(repeats)]
        new = [place.new_input(chance) for _ in range(2 * repeats)]
        links: dict[bool, Sequence[str | bytes]] = (
            {False: known, True: new[:repeats]} if place.about == TEXT else {False: known}
        )
        for is_new, inputs in links.items():  # no link leads to a photograph of somebody's own
            requests = [partial(_open, front, place, page_input) for page_input in inputs]
            costs[place.url, True, is_new] = await _mean_cost(site, idle, requests)
        async with Visitor(front) as visitor:
            await visitor.open(place.url)
            reruns: dict[bool, Sequence[str | bytes]] = {False: known, True: new[repeats:]}
            for is_new, inputs in reruns.items():
                requests = [partial(_rerun, visitor, place, page_input) for page_input in inputs]
                costs[place.url, False, is_new] = await _mean_cost(site, idle, requests)
    return costs


async def _open(front: str, place: Place, page_input: str | bytes) -> Answer:
    async with Visitor(front) as visitor:
        return await visitor.open(place.url, **place.link(str(page_input)))


async def _rerun(visitor: Visitor, place: Place, page_input: str | bytes) -> Answer:
    return await visitor.rerun(**await place.show(visitor, page_input))


async def _mean_cost(site: Site, idle: float, requests: Sequence[Callable[[], Awaitable[Answer]]]) -> Cost:
    await requests[0]()  # what only the first one takes
    before, client, start, waits = site.seconds(), time.process_time(), time.perf_counter(), list[float]()
    for request in requests[1:]:
        answer = await request()
        if answer.troubles:
            raise RuntimeError(f"The page said: {answer.troubles[0]}")
        waits.append(answer.seconds)
    elapsed, after, count = time.perf_counter() - start, site.seconds(), len(waits)
    taken = {name: (after[name] - before[name]) / count for name in after}
    return Cost(
        front=taken["front"],
        worker=taken["worker"],
        rest=max(0.0, taken["rest"] - idle * elapsed / count),
        client=(time.process_time() - client) / count,
        wait=statistics.mean(waits),
    )
