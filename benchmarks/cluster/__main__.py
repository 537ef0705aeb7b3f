"""`make bench-cluster`: crowds with and without workers, their simulation, and that of a larger one."""

import argparse
import asyncio
import gc
import os
from collections.abc import Iterator, Sequence

from benchmarks import table
from benchmarks.cluster import costs, site
from benchmarks.cluster.simulation import Computer, Cost, Kind, simulate
from benchmarks.load import crowd
from benchmarks.load.crowd import Crowd
from benchmarks.load.pages import PLACES
from benchmarks.server import Server, serving
from benchmarks.table import Row

COMMAND = "make bench-cluster"
VISITORS = (30, 60)
FORMS = ((1, 1), (2, 2))  # workers, fronts
LARGE, CORES, BUDGET = 1000, 16, 1.0  # visitors, cores, seconds for 95 % of the waits
LARGE_FORMS = ((4, 12), (6, 10), (8, 8))
AS_MEASURED = 15.0  # percent that a simulation may differ


def main() -> None:
    """Measure all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=crowd.SECONDS, help="of each crowd (default: %(default)s)")
    seconds = parser.parse_args().seconds
    rows = table.print_rows(measured(seconds))
    if seconds == crowd.SECONDS:
        table.write(rows, complete=True, command=COMMAND)


def measured(seconds: float) -> Iterator[Row]:
    """The rows of the table."""
    with serving() as server:
        server.wait_until_idle()
        for visitors, result in crowds([server], seconds):
            yield from _rows(f"{visitors} visitors on five pages, without workers", result)
    for workers, fronts in FORMS:
        with site.running(workers, fronts) as running:
            results = dict(crowds(running.fronts, seconds))
            name = f"with {workers} {_plural('worker', workers)} and {fronts} {_plural('front', fronts)}"
            for visitors, result in results.items():
                yield from _rows(f"{visitors} visitors on five pages, {name}", result)
            if (workers, fronts) == FORMS[-1]:
                idle = asyncio.run(costs.idle_cores(running))
                taken = asyncio.run(costs.measure(running, PLACES))
    cores = (os.cpu_count() or 1) - idle
    for visitors, result in results.items():
        simulated = simulate(taken, Computer(cores, fronts, workers, runs_visitors=True), visitors, seconds, PLACES)
        yield _compared(visitors, simulated, result)
    yield from _large(taken, seconds)


def crowds(servers: Sequence[Server], seconds: float) -> Iterator[tuple[int, Crowd]]:
    """The crowd of each of VISITORS on servers that have warmed up."""
    for server in servers:
        asyncio.run(crowd.warm_up(server.address))
    gc.freeze()  # what was imported need not be looked through again while clocks are read
    for visitors in VISITORS:
        for server in servers:
            server.wait_until_idle(3)
        yield visitors, asyncio.run(crowd.visits(servers, visitors, seconds, PLACES))


def _rows(name: str, result: Crowd) -> Iterator[Row]:
    late, middle = result.seconds(share=0.95), result.seconds(share=0.5)
    detail = f"median {middle:.3f} s; {len(result.waits)} requests, {len(result.troubles)} refused or failed"
    detail = "; ".join([detail, *result.troubles[:2]])
    yield Row(f"{name}: whole page, 95th percentile", late, "s", detail=detail)


def _compared(visitors: int, simulated: Crowd, result: Crowd) -> Row:
    late = [one.seconds(share=0.95) for one in (simulated, result)]
    middle = [one.seconds(share=0.5) for one in (simulated, result)]
    detail = f"{late[0]:.3f} s against {late[1]:.3f} s; medians {middle[0]:.3f} and {middle[1]:.3f} s; "
    detail += f"{len(simulated.waits)} requests against {len(result.waits)}"
    difference = 100 * abs(late[0] / late[1] - 1)
    what = f"{visitors} visitors simulated on this computer: 95th percentile against the measured one"
    return Row(what, difference, "%", AS_MEASURED, detail=detail)


def _large(taken: dict[Kind, Cost], seconds: float) -> Iterator[Row]:
    for workers, fronts in LARGE_FORMS:
        result = simulate(taken, Computer(CORES, fronts, workers), LARGE, seconds, PLACES)
        what = f"{LARGE:,} visitors simulated on {CORES} cores, {workers} workers and {fronts} fronts: 95th percentile"
        detail = f"median {result.seconds(share=0.5):.3f} s; {len(result.waits) / seconds:.0f} requests a second"
        yield Row(what, result.seconds(share=0.95), "s", BUDGET, detail=detail)


def _plural(noun: str, number: int) -> str:
    return noun if number == 1 else f"{noun}s"


if __name__ == "__main__":
    main()
