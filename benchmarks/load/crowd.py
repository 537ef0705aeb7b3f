"""A crowd: many visitors at once, each with a request every few seconds, and how long they wait for a whole page."""

import asyncio
import gc
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchmarks.load.pages import PICTURE, PLACES, TEXT, Place
from benchmarks.load.visitor import GONE, Visitor
from benchmarks.server import EMPTY, Server, serving
from benchmarks.table import Row

SECONDS, PAUSE = 60.0, 3.0  # of one crowd; between two requests of a visitor, a third more or less
STAY = 4  # requests until a visitor leaves for another page, by a link
# Every second visit is to Explore / Text, where two of three requests are for a new sentence: a third of all.
VISITS, NEW = {"text": 4, "image": 1, "heads": 1, "translation": 1, "vit": 1}, {"text": 2 / 3}
NEW_ELSEWHERE = 1 / 3
NOWHERE = Place("The empty page", "", "")
MIXES = {"on Explore / Text": PLACES[:1], "on five pages": PLACES}


@dataclass(frozen=True)
class Size:
    """The size of a crowd; `budget`: the limit in seconds for the 95th percentile of the waits.

    `visitors`: at once; `processes`: of the server.
    """

    visitors: int
    processes: int = 1
    budget: float | None = None

    @property
    def words(self) -> str:
        """The size as a text of the table."""
        return f"{self.visitors} visitors" + (f" of {self.processes} processes" if self.processes > 1 else "")


# Python computes in one thread of a process at a time: a hundred visitors need a second one, as docs/hosting.md says.
CROWDS = (Size(8), Size(30, budget=0.5), Size(100), Size(100, processes=2, budget=2.0))


class Choices:
    """What one visitor of a crowd does, which a simulation of this crowd does as well.

    No visitor of another crowd has the same new inputs: a server would know them already.
    """

    def __init__(self, number: int, visitors: int, places: Sequence[Place]):
        visitor = f"{number} of {visitors} on {', '.join(place.url for place in places)}"
        self._chance, self._places = random.Random(f"choices of {visitor}"), places
        self.inputs = random.Random(f"inputs of {visitor}")
        self.first = PAUSE * number / visitors  # seconds until the first request

    def place(self) -> Place:
        """The page to go to."""
        return self._chance.choices(self._places, [VISITS.get(place.url, 1) for place in self._places])[0]

    def is_new(self, place: Place, *, by_link: bool) -> bool:
        """Whether the next request asks something new; no link leads to a photograph of somebody's own."""
        is_new = self._chance.random() < NEW.get(place.url, NEW_ELSEWHERE)
        return is_new and (place.about == TEXT or (place.about == PICTURE and not by_link))

    def pause(self) -> float:
        """Seconds until the next request."""
        return PAUSE * self._chance.uniform(2 / 3, 4 / 3)


@dataclass
class Crowd:
    """Waits and errors of a crowd, and the processor time that it took."""

    waits: list[tuple[str, bool, float]] = field(default_factory=list)  # page, whether asked something new, seconds
    troubles: list[str] = field(default_factory=list)  # errors and refusals, in words
    client: float = 0.0  # seconds of the visitors' own processor time for each second
    server: float = 0.0  # the same of the server

    def seconds(self, *, share: float, page: str = "", new: bool | None = None) -> float:
        """The quantile `share` of the waits in seconds: of all pages or one, of new or known inputs or both (None)."""
        chosen = sorted(wait for name, news, wait in self.waits if name.startswith(page) and new in (None, news))
        return chosen[math.ceil(share * len(chosen)) - 1] if chosen else math.nan


def rows() -> Iterator[Row]:
    """Each crowd on the atlas, beside one of the same size on the empty page."""
    errors, requests = Counter[str](), 0
    for size, where, crowd, empty in measure(CROWDS, SECONDS):
        name = f"{size.words} {where}, a request every {PAUSE:.0f} s: whole page"
        on_empty_page = [f"the empty page: {empty.seconds(share=share):.3f} s" for share in (0.5, 0.95)]
        busy = f"processor: server {crowd.server:.2f}, visitors {crowd.client:.2f} cores"
        detail = f"{on_empty_page[0]}; {len(crowd.waits)} requests"
        yield Row(f"{name}, median", crowd.seconds(share=0.5), "s", detail=detail)
        late = crowd.seconds(share=0.95)
        yield Row(f"{name}, 95th percentile", late, "s", size.budget, detail=f"{on_empty_page[1]}; {busy}")
        errors.update(crowd.troubles)
        requests += len(crowd.waits) + len(crowd.troubles)
    error_counts = "; ".join(f"{count} × {error}" for error, count in errors.most_common(3))
    detail = f"of {requests} requests{': ' if error_counts else ''}{error_counts}"
    yield Row("Crowds of visitors: requests that were refused or failed", errors.total(), "", 0, detail=detail)


def measure(crowds: Sequence[Size], seconds: float) -> Iterator[tuple[Size, str, Crowd, Crowd]]:
    """Each crowd's size, its pages, its result there, and the result of a crowd of its size on the empty page."""
    with ExitStack() as running:
        empty_server = running.enter_context(serving(EMPTY))
        servers = [running.enter_context(serving()) for _ in range(max(size.processes for size in crowds))]
        for server in servers:
            server.wait_until_idle()
            asyncio.run(warm_up(server.address))
        gc.freeze()  # what was imported need not be looked through again while clocks are read
        for size in crowds:
            empty = asyncio.run(visits([empty_server], size.visitors, seconds, (NOWHERE,)))
            for where, places in MIXES.items():
                for server in servers:
                    server.wait_until_idle(3)  # from the crowd before
                crowd = asyncio.run(visits(servers[: size.processes], size.visitors, seconds, places))
                yield size, where, crowd, empty


async def warm_up(address: str) -> None:
    """Visit all pages with all known inputs."""
    for place in PLACES:
        async with Visitor(address) as visitor:
            await visitor.open(place.url)
            for number in range(3):
                await visitor.rerun(**await place.show(visitor, place.known_input(number)))


async def visits(servers: Sequence[Server], visitors: int, seconds: float, places: Sequence[Place]) -> Crowd:
    """Run a crowd; each visitor keeps one of the servers, as behind a proxy with a cookie."""
    crowd, start = Crowd(), time.perf_counter()
    client_seconds, server_seconds = time.process_time(), sum(server.processor_seconds() for server in servers)
    async with asyncio.TaskGroup() as group:
        for number in range(visitors):
            server, choices = servers[number % len(servers)], Choices(number, visitors, places)
            group.create_task(_arrive(server.address, start, start + seconds, choices, crowd))
    elapsed = time.perf_counter() - start
    crowd.client = (time.process_time() - client_seconds) / elapsed
    crowd.server = (sum(server.processor_seconds() for server in servers) - server_seconds) / elapsed
    return crowd


async def _arrive(address: str, start: float, end: float, choices: Choices, crowd: Crowd) -> None:
    """One visitor: visit after visit until `end`."""
    due = start + choices.first
    while due < end:
        place = choices.place()
        try:
            due = await _visit(address, due, end, choices, place, crowd)
        except GONE as error:
            crowd.troubles.append(f"{place.name}: {type(error).__name__}: {error}")
            due = time.perf_counter() + PAUSE


async def _visit(address: str, due: float, end: float, choices: Choices, place: Place, crowd: Crowd) -> float:
    """Open a page by a link, then make STAY requests; returns the time of the next visit."""
    await asyncio.sleep(due - time.perf_counter())
    start = time.perf_counter()
    async with Visitor(address) as visitor:
        for turn in range(STAY):
            new = choices.is_new(place, by_link=turn == 0)
            chance = choices.inputs
            page_input = place.new_input(chance) if new else place.known_input(chance.randrange(3))
            if turn:
                await asyncio.sleep(due - time.perf_counter())
                start = time.perf_counter()
                answer = await visitor.rerun(**await place.show(visitor, page_input))
            else:
                answer = await visitor.open(place.url, **place.link(str(page_input)))
            crowd.waits.append((place.name, new, time.perf_counter() - start))
            crowd.troubles += (f"{place.name}: {trouble}" for trouble in answer.troubles)
            due = max(time.perf_counter(), due + choices.pause())
            if due >= end or answer.troubles:  # a page that refuses may lack what the next request would change
                break
    return due


def percentiles_by_page(crowd: Crowd) -> str:
    """Lines with the median and the 95th percentile of each page, for known and for new inputs."""
    lines = []
    for page in sorted({name for name, _, _ in crowd.waits}):
        for new in (False, True):
            waits = [wait for name, news, wait in crowd.waits if name == page and news == new]
            if waits:
                percentile = crowd.seconds(share=0.95, page=page, new=new)
                kind = "new" if new else "known"
                lines.append(f"  {page:20}{kind:8}{len(waits):5} x {statistics.median(waits):8.3f}{percentile:8.3f} s")
    return "\n".join(lines)
