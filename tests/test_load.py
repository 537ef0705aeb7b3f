"""What the benchmarks of load measure is what happened."""

import itertools
import random
import statistics
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread

import pytest
import simpy

from benchmarks.cluster.simulation import Computer, Cost, Processors, simulate
from benchmarks.load.flood import Waits, waits_for_health
from benchmarks.load.pages import PLACES

STANDSTILL = 0.3  # seconds


@pytest.fixture
def server_that_stands_still_once():
    """The address of a server that keeps its third visitor waiting."""
    requests = itertools.count()

    class Health(BaseHTTPRequestHandler):
        def do_GET(self):
            Event().wait(STANDSTILL if next(requests) == 2 else 0)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Health) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(timeout=10)


def test_a_loop_that_stands_still_is_seen_by_the_visitor_beside(server_that_stands_still_once):
    rounds = iter([False] * 8)
    seconds = list(waits_for_health(server_that_stands_still_once, lambda: next(rounds, True)))
    assert len(seconds) == 8
    assert seconds[2] == max(seconds) >= STANDSTILL


def test_the_99th_percentile_is_that_of_all_waits():
    assert Waits([0.0] * 98 + [1.0, 1.0]).late == 1.0
    assert Waits([0.5] * 100).late == 0.5


def mean_stay(arrivals: float, *, cores: float, threads: float, jobs: int = 20_000) -> float:
    """The mean seconds from a job's arrival to its end: so many jobs a second, each of a second's work on average."""
    environment, chance, stays = simpy.Environment(), random.Random(1), []
    processors = Processors(environment, cores, {"process": threads})

    def job(seconds: float):
        start = environment.now
        yield processors.work("process", seconds)
        stays.append(environment.now - start)

    def source():
        for _ in range(jobs):
            yield environment.timeout(chance.expovariate(arrivals))
            environment.process(job(chance.expovariate(1)))

    environment.process(source())
    environment.run()
    assert len(stays) == jobs
    return statistics.mean(stays)


@pytest.mark.parametrize(
    ("arrivals", "cores", "threads", "expected"),
    [
        (0.5, 1, 1, 2),  # one core: 1 / (1 - arrivals), as for any queue of one server with exponential work
        (0.7, 1, 5, 1 / 0.3),
        (1.2, 2, 2, 1 / (1 - 0.6**2)),  # two cores: 1 / (1 - (arrivals / 2) ** 2)
        (0.6, 9, 1, 2.5),  # a process of one thread has nothing of further cores
    ],
)
def test_simulated_processors_keep_jobs_as_long_as_the_theory_of_queues_says(arrivals, cores, threads, expected):
    assert mean_stay(arrivals, cores=cores, threads=threads) == pytest.approx(expected, rel=0.07)


def test_processes_share_cores_by_the_threads_that_could_run():
    environment = simpy.Environment()
    processors = Processors(environment, 1, {"narrow": 1, "wide": 2})
    jobs = {name: [processors.work(name, 1.0) for _ in range(2)] for name in ("narrow", "wide")}
    ends = {name: environment.all_of(events) for name, events in jobs.items()}
    environment.run(ends["wide"])
    assert environment.now == pytest.approx(3)  # two of three parts for two seconds of work
    environment.run(ends["narrow"])
    assert environment.now == pytest.approx(4)  # all four seconds of work


def test_a_simulated_crowd_waits_what_its_requests_cost_until_the_cores_are_busy():
    both = (True, False)
    kinds = [(place.url, is_opened, is_new) for place in PLACES for is_opened in both for is_new in both]
    costs = {kind: Cost(front=0.02, worker=0.03 * kind[2], rest=0.0, client=0.0, wait=0.1) for kind in kinds}
    idle = simulate(costs, Computer(1000, 1000, 1000), 100, 30, PLACES)
    assert max(wait for _, _, wait in idle.waits) < 0.16
    assert min(wait for _, _, wait in idle.waits) == pytest.approx(0.1)
    assert len(idle.waits) == pytest.approx(100 * 30 / 3, rel=0.1)
    busy = simulate(costs, Computer(0.5, 2, 2), 100, 30, PLACES)
    assert busy.seconds(share=0.95) > 2
    assert len(busy.waits) < len(idle.waits)
