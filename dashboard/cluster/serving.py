"""Workers as a deployment of Ray Serve, and the way to them. Ray is an extra: attention-atlas[cluster]."""

import logging
import os
import threading
from collections.abc import Generator, Iterator
from queue import Empty, SimpleQueue
from typing import Any

import ray
from ray import serve
from ray._common.tls_utils import add_port_to_grpc_server
from ray.exceptions import RayError
from ray.serve._private import replica
from ray.serve.exceptions import BackPressureError, RayServeException
from ray.serve.experimental.consistent_hash_router import ConsistentHashRouter
from ray.serve.handle import DeploymentHandle

from core.errors import AtlasError
from dashboard.cache import turns
from dashboard.cluster import worker
from dashboard.cluster.front import WorkerLostError

# Serve opens a port in each replica for calls by gRPC: on all interfaces, and whatever is sent there is unpickled. We
# make none, and have no setting for it: so it listens to this computer alone.
replica.add_port_to_grpc_server = lambda server, _address: add_port_to_grpc_server(server, "127.0.0.1:0")

APPLICATION = "atlas"
QUIET: dict[str, Any] = {"namespace": APPLICATION, "log_to_driver": False, "logging_level": logging.WARNING}
# Equal questions go to one worker, whichever front asks. Serve's own way for models (`multiplexed`) sends all questions
# about a model to the first worker that has it until that one is full; ours are small, and each worker has them all.
ROUTER = {"request_router_class": ConsistentHashRouter}
QUEUED = 40  # questions of one front that wait for a worker to take them; for one more there is a sentence
HEALTH_PAUSE = 1.0  # seconds between two health checks of a worker


class Replica(worker.Worker):
    """A worker in a process of Ray, which imports this module for it: so the port above is bound there."""


class RayWorkers:
    """The workers of a Ray cluster, for `Front`."""

    def __init__(self, handle: DeploymentHandle):
        self._handle = handle

    def ask(self, question: bytes, key: str) -> Generator[bytes, None, None]:
        """See `Workers`. Raises AtlasError if too many questions wait."""
        messages: Any = self._handle.options(stream=True, session_id=key).answer.remote(question)
        arrived: SimpleQueue[bytes | Exception | None] = SimpleQueue()
        # Ray's own iterator waits without an end while there is no worker.
        threading.Thread(target=_pull, args=(messages, arrived), daemon=True).start()
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
            messages.cancel()


def _pull(messages: Iterator[bytes], arrived: "SimpleQueue[bytes | Exception | None]") -> None:
    """Put all messages into a queue, and at last what has ended them; None: there is no further one."""
    try:
        for message in messages:
            arrived.put(message)
        arrived.put(None)
    except (RayError, RayServeException, OSError) as error:
        arrived.put(error)


def start_here(cpus: int | None = None) -> None:
    """Start Ray on this computer; it ends with this process. See `own_computer` for who may reach it."""
    ray.init(address="local", num_cpus=cpus, include_dashboard=False, **QUIET)


def join() -> None:
    """Take part in the cluster of RAY_ADDRESS."""
    if not ray.is_initialized():
        ray.init(address=os.environ["RAY_ADDRESS"], **QUIET)


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


def connect() -> RayWorkers:
    """The workers of the cluster of RAY_ADDRESS."""
    join()
    return RayWorkers(serve.get_app_handle(APPLICATION))
