"""A crowd of `benchmarks.load.crowd` on a simulated computer: what a request costs is measured, the rest follows.

A request takes its front's processor, then a worker's if it asks something new, then the front's again. All processes
share the cores of the computer: each thread that could run gets the same part. A front runs one thread of Python at a
time, a worker as many computations as it has places for short ones.
"""

import heapq
import math
from collections.abc import Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import simpy

from benchmarks.load.crowd import STAY, Choices, Crowd
from benchmarks.load.pages import Place
from dashboard.cache.turns import CONCURRENT_SHORT

Kind = tuple[str, bool, bool]  # the address of a page, whether it is opened by a link, whether its input is new
REST = "rest"  # what has threads of its own: the network, Ray, the proxy


@dataclass(frozen=True)
class Cost:
    """What a request takes on an idle computer, in seconds: of processors, and in all (`wait`).

    `rest`: of Ray and the proxy; `client`: of the visitor's own program, which the simulated computer may not run.
    """

    front: float
    worker: float
    rest: float
    client: float
    wait: float

    @property
    def idle(self) -> float:
        """Seconds in which nothing computed: messages on their way."""
        return max(0.0, self.wait - self.front - self.worker - self.rest - self.client)


@dataclass(frozen=True)
class Computer:
    """Cores, and the processes that share them; `runs_visitors`: also the programs of the visitors."""

    cores: float
    fronts: int
    workers: int
    runs_visitors: bool = False


class Processors:
    """Cores that processes share: at each moment every thread that could run gets the same part of them.

    `threads`: how many each process runs at a time, by its name; more jobs of a process share those.
    """

    def __init__(self, environment: simpy.Environment, cores: float, threads: Mapping[Hashable, float]):
        self._environment, self._cores, self._threads = environment, cores, threads
        # By process: jobs as (progress at which it ends, number, event), and what each of them has had so far.
        self._jobs: dict[Hashable, list[tuple[float, int, simpy.Event]]] = {name: [] for name in threads}
        self._progress = dict.fromkeys(threads, 0.0)
        self._at, self._numbers, self._plan = environment.now, count(), 0

    def work(self, process: Hashable, seconds: float) -> simpy.Event:
        """An event that comes about when a process has worked so long at a new job."""
        self._advance()
        ended = self._environment.event()
        heapq.heappush(self._jobs[process], (self._progress[process] + seconds, next(self._numbers), ended))
        self._plan_next()
        return ended

    def _rates(self) -> dict[Hashable, float]:
        """Seconds of work that each job of a process gets in a second, for processes that have jobs."""
        running = {name: min(len(jobs), self._threads[name]) for name, jobs in self._jobs.items() if jobs}
        part = min(1.0, self._cores / sum(running.values())) if running else 0.0
        return {name: part * threads / len(self._jobs[name]) for name, threads in running.items()}

    def _advance(self) -> None:
        elapsed, self._at = self._environment.now - self._at, self._environment.now
        for name, rate in self._rates().items():
            self._progress[name] += rate * elapsed

    def _plan_next(self) -> None:
        rates, self._plan = self._rates(), self._plan + 1
        if rates:
            wait = min((self._jobs[name][0][0] - self._progress[name]) / rate for name, rate in rates.items())
            self._environment.process(self._end_next(self._plan, max(0.0, wait)))

    def _end_next(self, plan: int, wait: float) -> Generator[simpy.Event, Any, None]:
        yield self._environment.timeout(wait)
        if plan != self._plan:  # another job has come meanwhile
            return
        self._advance()
        for name, jobs in self._jobs.items():
            while jobs and jobs[0][0] <= self._progress[name] + 1e-9:
                heapq.heappop(jobs)[2].succeed()
        self._plan_next()


def simulate(
    costs: Mapping[Kind, Cost], computer: Computer, visitors: int, seconds: float, places: Sequence[Place]
) -> Crowd:
    """The waits of so many visitors; each request costs what its kind does."""
    environment, crowd = simpy.Environment(), Crowd()
    fronts = [("front", number) for number in range(computer.fronts)]
    workers = [("worker", number) for number in range(computer.workers)]
    threads: dict[Hashable, float] = {**dict.fromkeys(fronts, 1.0), **dict.fromkeys(workers, float(CONCURRENT_SHORT))}
    processors = Processors(environment, computer.cores, {**threads, REST: math.inf})

    def request(front: Hashable, worker: Hashable, cost: Cost) -> Generator[simpy.Event, Any, None]:
        yield processors.work(front, cost.front / 2)
        yield processors.work(REST, cost.rest + (cost.client if computer.runs_visitors else 0.0))
        yield environment.timeout(cost.idle)
        yield processors.work(worker, cost.worker)
        yield processors.work(front, cost.front / 2)

    def visitor(number: int) -> Generator[Any, Any, None]:
        choices, front = Choices(number, visitors, places), fronts[number % len(fronts)]
        due, chance = choices.first, choices.inputs
        while due < seconds:
            place = choices.place()
            for turn in range(STAY):
                yield environment.timeout(max(0.0, due - environment.now))
                is_new, start = choices.is_new(place, by_link=turn == 0), environment.now
                yield from request(front, chance.choice(workers), costs[place.url, turn == 0, is_new])
                crowd.waits.append((place.name, is_new, environment.now - start))
                due = max(environment.now, due + choices.pause())
                if due >= seconds:
                    break

    for number in range(visitors):
        environment.process(visitor(number))
    environment.run()
    return crowd
