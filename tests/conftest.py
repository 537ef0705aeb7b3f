"""What all tests share: one thread for torch (tests run side by side), no network, the same inputs each time."""

import functools
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import pytest
import torch
from hypothesis import HealthCheck, settings
from streamlit.components.v2 import manifest_scanner

from tests.scheduling import PageScheduling, turn
from tests.type_checks import check_again

torch.set_num_threads(1)

# For each app AppTest asks all installed packages whether they bring components: 0.2 seconds, nine tenths of a visit.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)

# Generated inputs are the same on every machine, however slow it is.
settings.register_profile("atlas", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("atlas")


# Places of tests that need more than two seconds each by their nature, and why. `make test` leaves them to
# `make test-all`, but for one visit of each page in the browser. A single slow test elsewhere is marked
# `slow(seconds=..., guard=...)`: how long it takes on an idle machine, and which quick test guards the same.
ROOT = Path(__file__).parent
SLOW = {
    "browser": "starts a server and Chromium; test_smoke.py visits each page in `make test`",
    "cluster": "starts workers in processes of their own",
    "training": "trains networks, which no visitor does",
    "test_api_reference.py": "builds the reference of the library in a process of its own",
    "test_environment.py": "makes virtual environments and installs into them",
    "test_hostile.py": "starts processes that hang or die",
    "test_hosting.py": "starts the real server; settings and headers are tested without it",
    "test_models.py": "builds dozens of families of models",
    "test_recipes.py": "runs each recipe of the documentation in a process of its own",
    "test_restart.py": "starts and kills the real server",
    "test_wheel.py": "builds and installs the wheel",
}


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    """Mark as slow what lies in one of those places; let the longest files begin; run nothing twice.

    The quick part of a slow test is not slow, and is left out where the slow test is run for the same case.
    """
    for item in items:
        if item.path.relative_to(ROOT).parts[0] in SLOW and not item.get_closest_marker("part_of"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: turn(item.path.relative_to(ROOT).as_posix()))
    yield
    repeated = parts_of_others(items)
    items[:] = [item for item in items if item not in repeated]
    config.hook.pytest_deselected(items=repeated)


def parts_of_others(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests that are marked as a part of another one that is there with the same case."""
    cases = {(item.nodeid.partition("[")[0], item.nodeid.partition("[")[2]) for item in items}
    marked = ((item, item.get_closest_marker("part_of")) for item in items)
    return [item for item, mark in marked if mark and (mark.args[0], item.nodeid.partition("[")[2]) in cases]


@pytest.hookimpl(optionalhook=True)  # without xdist nobody asks
def pytest_xdist_make_scheduler(config, log):
    """Divide the tests among the workers as tests/scheduling.py does, unless another way is asked for."""
    return PageScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_runtest_setup():
    """Check the first calls of each function in each test."""
    check_again()


@pytest.fixture(autouse=True)
def _own_main():
    """Streamlit puts the script that it runs in the place of `__main__`: a process started later would run it again."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
