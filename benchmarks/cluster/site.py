"""Fronts and workers on this computer, started as `make cluster` starts them, and the processor time of each."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from benchmarks.server import Server, free_port
from dashboard.hosting import with_workers

HERE = "127.0.0.1"
REPLICA = "ray::ServeReplica:atlas:worker"  # the name that Ray gives the process of a worker


@dataclass(frozen=True)
class Site:
    """Fronts, each with the address at which it answers without the proxy, and the processes that work for them."""

    fronts: list[Server]
    workers: list[psutil.Process]
    others: list[psutil.Process]  # of Ray, of the proxy, of the classes

    def seconds(self) -> dict[str, float]:
        """Processor seconds so far, by the part that took them."""
        fronts = [psutil.Process(front.process.pid) for front in self.fronts]
        parts = {"front": fronts, "worker": self.workers, "rest": self.others}
        return {name: sum(map(processor_seconds, processes)) for name, processes in parts.items()}


def processor_seconds(process: psutil.Process) -> float:
    """The time of all threads of a process, ended ones too, to the nanosecond; psutil's is to a hundredth."""
    return time.clock_gettime((~process.pid << 3) | 2)  # clock_getcpuclockid(3), as Linux numbers these clocks


@contextmanager
def running(workers: int, fronts: int) -> Iterator[Site]:
    """So many workers and fronts, which have come to rest after their start."""
    options = [f"--workers={workers}", f"--most={workers}", f"--fronts={fronts}", f"--port={free_port()}"]
    with with_workers.processes(with_workers.read(options)) as started:
        servers = [Server(f"http://{HERE}:{port}", started.processes[name]) for name, port in started.names.items()]
        for server in servers:
            server.wait_until_served()
            server.wait_until_idle()
        site = _site(servers)
        if len(site.workers) != workers:
            raise RuntimeError(f"{len(site.workers)} of {workers} workers have started.")
        yield site


def _site(servers: list[Server]) -> Site:
    front_ids = {server.process.pid for server in servers}
    children = psutil.Process().children(recursive=True)
    workers = [child for child in children if child.name().startswith(REPLICA)]
    worker_ids = {worker.pid for worker in workers}
    return Site(servers, workers, [child for child in children if child.pid not in front_ids | worker_ids])
