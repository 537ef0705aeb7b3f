"""Workers as a deployment of Ray Serve, and the way to them. Ray is an extra: attention-atlas[cluster]."""

import logging
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import psutil
import ray
from ray import serve
from ray._common.tls_utils import add_port_to_grpc_server
from ray.exceptions import RayError
from ray.serve._private import replica
from ray.serve.exceptions import BackPressureError, RayServeException
from ray.serve.experimental.consistent_hash_router import ConsistentHashRouter
from ray.serve.handle import DeploymentHandle
from ray.util.metrics import Counter, Histogram

from core.errors import AtlasError
from dashboard.cache import turns
from dashboard.cluster import worker
from dashboard.cluster.front import WorkerLostError, compute_by, compute_here
from dashboard.cluster.wire import CallBook

# Serve opens a port in each replica for calls by gRPC: on all interfaces, and whatever is sent there is unpickled. We
# make none, and have no setting for it: so it listens to this computer alone.
replica.add_port_to_grpc_server = lambda server, _address: add_port_to_grpc_server(server, "127.0.0.1:0")

APPLICATION = "atlas"
QUIET: dict[str, Any] = {"namespace": APPLICATION, "log_to_driver": False, "logging_level": logging.WARNING}
# Equal questions go to one worker, whichever front asks. Serve's own way for models (`multiplexed`) sends all questions
# about a model to the first worker that has it until that one is full; ours are small, and each worker has them all.
ROUTER = {"request_router_class": ConsistentHashRouter}
QUEUED = 40  # questions of one front that wait for a worker to take them; for one more there is a sentence
LOOK_PAUSE = 0.5  # seconds between two looks whether there is a cluster
HEALTH_PAUSE = 1.0  # seconds between two health checks of a worker


class Replica(worker.Worker):
    """A worker in a process of Ray, which imports this module for it: so the port above is bound there."""


class RayWorkers:
    """The workers of a Ray cluster, for `Front`."""

    def __init__(self, handle: DeploymentHandle):
        self._handle = handle

    def ask(self, question: bytes, key: str) -> Generator[bytes, None, None]:
        """See `Workers`. Raises AtlasError if too many questions wait."""
        arrived, has_left = SimpleQueue[bytes | Exception | None](), threading.Event()
        # Whatever is called of Ray may wait without an end while there is no worker, or no cluster.
        threading.Thread(target=self._pull, args=(question, key, arrived, has_left), daemon=True).start()
        try:
            while True:
                try:
                    message = arrived.get(timeout=worker.PAUSE)
                except Empty:
                    message = b""
                if message is None:
                    return
                if isinstance(message, BackPressureError):
                    raise AtlasError(turns.FULL.format(waiting=QUEUED, most=QUEUED)) from message
                if isinstance(message, Exception):
                    raise WorkerLostError(str(message)) from message
                yield message
        finally:
            has_left.set()

    def _pull(
        self, question: bytes, key: str, arrived: "SimpleQueue[bytes | Exception | None]", has_left: threading.Event
    ) -> None:
        """Put all messages into a queue, and at last what has ended them; None: there is no further one."""
        try:
            messages: Any = self._handle.options(stream=True, session_id=key).answer.remote(question)
            for message in messages:  # at least one each PAUSE
                if has_left.is_set():
                    messages.cancel()
                    return
                arrived.put(message)
            arrived.put(None)
        except Exception as error:  # of Ray: its core raises plain ones
            arrived.put(error)


# For Prometheus, on each computer at the port where Ray exports its own, with "ray_" before their names.
SECONDS = Histogram(
    "atlas_question_seconds",
    "From a front's question to its answer",
    boundaries=[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    tag_keys=("function",),
)
FAILED = Counter("atlas_questions_failed", "Questions without an answer", tag_keys=("function", "error"))


@contextmanager
def measured(function: str) -> Iterator[None]:
    """Measure a question for what this function returns."""
    start = time.monotonic()
    try:
        yield
    except Exception as error:
        FAILED.inc(1.0, {"function": function, "error": type(error).__qualname__})
        raise
    SECONDS.observe(time.monotonic() - start, {"function": function})


def start_here(cpus: int | None = None, metrics_port: int | None = None) -> None:
    """Start Ray on this computer; it ends with this process. See `own_computer` for who may reach it.

    What Prometheus reads is at `metrics_port`, or at any that is free.
    """
    ray.init(address="local", num_cpus=cpus, include_dashboard=False, _metrics_export_port=metrics_port, **QUIET)


def join(cluster: str) -> None:
    """Take part in the cluster at this address."""
    if not ray.is_initialized():
        ray.init(address=cluster, **QUIET)


def address() -> str:
    """The address by which other processes take part."""
    return ray.get_runtime_context().gcs_address


def end() -> None:
    """End the workers, and Ray where this process has started it."""
    serve.shutdown()
    ray.shutdown()


def deploy(*, least: int, most: int, cpus: float, gpus: float = 0.0) -> RayWorkers:
    """Start between `least` and `most` workers of so many processors and cards each; their number follows the queue.

    A worker computes with a thread for each of its processors.
    """
    serve.start(proxy_location="Disabled")  # nobody asks workers by HTTP
    deployment = serve.deployment(
        name="worker",
        max_ongoing_requests=worker.AT_ONCE,
        max_queued_requests=QUEUED,
        request_router_config=ROUTER,
        health_check_period_s=HEALTH_PAUSE,
        graceful_shutdown_timeout_s=5.0,
        ray_actor_options={"num_cpus": cpus, "num_gpus": gpus},
        **(
            {"num_replicas": least}
            if least == most
            else {
                "autoscaling_config": {
                    "min_replicas": least,
                    "max_replicas": most,
                    "target_ongoing_requests": turns.CONCURRENT_SHORT + turns.LONG_AT_ONCE,
                }
            }
        ),
    )(Replica)
    return RayWorkers(serve.run(deployment.bind(max(1, int(cpus))), name=APPLICATION, route_prefix=None))


def connect(cluster: str) -> RayWorkers:
    """The workers of the cluster at this address."""
    join(cluster)
    return RayWorkers(serve.get_app_handle(APPLICATION))


def compute_by_workers(file: Path, stop: threading.Event) -> None:
    """Have workers compute as soon as a file names their cluster; until then this process computes as one alone does.

    It does so again when the cluster has ended. Ray cannot join another one in the same process, which whoever has
    started this one therefore starts again.
    """
    calls = CallBook()
    compute_here(calls)
    while not stop.wait(LOOK_PAUSE):
        try:
            cluster = file.read_text()
            front = compute_by(connect(cluster), calls, measured)
            break
        except (OSError, RayError, RayServeException, RuntimeError) as error:
            logging.getLogger(__name__).info("There are no workers yet: %s", error)
            ray.shutdown()
    else:
        return
    while _content(file) == cluster and not stop.wait(LOOK_PAUSE):
        pass
    compute_here(calls)
    front.end()


def _content(file: Path) -> str:
    """The text of a file; "" if it is not there."""
    try:
        return file.read_text()
    except FileNotFoundError:
        return ""


def is_running() -> bool:
    """Whether Ray, as this process has started or joined it, still works."""
    names = {"raylet", "gcs_server"}
    own = {child.name(): child.status() for child in psutil.Process().children() if child.name() in names}
    if own:
        return names == own.keys() and psutil.STATUS_ZOMBIE not in own.values()
    try:
        return any(node["Alive"] for node in ray.nodes())
    except RayError:
        return False
