"""Workers of Ray: who may reach them, and what visitors see of one that is killed."""

import ipaddress
import json
import os
import signal
import subprocess
import sys

import psutil
import pytest

from dashboard.cache import memo
from dashboard.cluster import own_computer
from dashboard.recordings import watched
from pages.foundations.many_heads import compute as many_heads
from tests.cluster.conftest import WITH_RAY
from tests.cluster.test_contract import TEXT

pytestmark = WITH_RAY


@pytest.fixture(scope="session")
def workers(ray_workers):
    """A worker of Ray, and none other."""
    return ray_workers


def processes_of_ray() -> list[psutil.Process]:
    """What Ray has started for this process."""
    return psutil.Process().children(recursive=True)


def test_nothing_of_ray_listens_to_other_computers(workers):
    del workers
    listening = [
        (process.name(), connection.laddr.ip)
        for process in processes_of_ray()
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert {"raylet", "gcs_server"} <= {name for name, _ in listening}
    assert [(name, ip) for name, ip in listening if not is_loopback(ip)] == []


def is_loopback(ip: str) -> bool:
    address = ipaddress.ip_address(ip)
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def test_nobody_without_the_token_takes_part(workers):
    del workers
    from dashboard.cluster import serving

    join = "import os; from dashboard.cluster import serving; serving.join(os.environ['RAY_ADDRESS']); print('joined')"
    known = {"RAY_ADDRESS": serving.address()}
    stranger = {**known, "RAY_AUTH_TOKEN": "0" * 64}
    answers = [
        subprocess.run(
            [sys.executable, "-c", join], env=os.environ | settings, capture_output=True, text=True, timeout=120
        )
        for settings in (known, stranger)
    ]
    assert [answer.stdout.strip().endswith("joined") for answer in answers] == [True, False]


NAMED = """
import json, os, sys
from dashboard.cluster import serving
serving.join(os.environ["RAY_ADDRESS"])
handle = serving.serve.get_app_handle("routed")
keys = json.loads(sys.argv[1])
print(json.dumps([handle.options(session_id=key).remote().result() for key in keys]))
"""


@pytest.fixture
def routed(workers):
    """An application of two workers that answer with their process; it is routed as ours is."""
    del workers
    from dashboard.cluster import serving

    class Process:
        def __call__(self) -> int:
            return os.getpid()

    options = {"num_replicas": 2, "ray_actor_options": {"num_cpus": 0}, "request_router_config": serving.ROUTER}
    serving.serve.run(serving.serve.deployment(**options)(Process).bind(), name="routed", route_prefix=None)
    yield
    serving.serve.delete("routed")


def test_one_worker_gets_equal_questions_of_all_fronts(routed):
    del routed
    from dashboard.cluster import serving

    keys = [f"question {number}" for number in range(20)]
    settings = os.environ | {"RAY_ADDRESS": serving.address()}
    fronts = [
        subprocess.run(
            [sys.executable, "-c", NAMED, json.dumps(order)], env=settings, capture_output=True, text=True, timeout=120
        )
        for order in (keys, keys[::-1])
    ]
    first, second = (json.loads(front.stdout.splitlines()[-1]) for front in fronts)
    assert first == second[::-1]
    assert len(set(first)) == 2


def test_each_start_has_a_token_of_its_own():
    first, second = {}, {}
    own_computer.prepare(first)
    own_computer.prepare(second)
    assert first["RAY_AUTH_TOKEN"] != second["RAY_AUTH_TOKEN"]


def test_the_work_of_a_worker_that_is_killed_is_done_by_the_next(as_front):
    as_front()
    run, killed = watched.watch_text("gpt-books", " ".join([TEXT] * 4)), []

    def kill_once(done: int, _total: int) -> None:
        if done and not killed:
            for process in processes_of_ray():
                if "ServeReplica" in "".join(process.cmdline()):
                    killed.append(process.pid)
                    os.kill(process.pid, signal.SIGKILL)

    costs = many_heads.measure_costs(run, kill_once)
    assert killed
    assert len(costs) == 36
    assert memo.FUNCTIONS["pages.foundations.many_heads.compute", "measure_costs"].peek(run) == costs
