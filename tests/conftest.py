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

torch.set_num_threads(1)

# For each app AppTest asks all installed packages whether they bring components: 0.2 seconds, nine tenths of a visit.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)

# Generated inputs are the same on every machine, however slow it is.
settings.register_profile("atlas", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("atlas")


# Tests that need seconds by their nature: a browser, a training, a process of their own. `make test` leaves them to
# `make test-all`, but for one visit of each page in the browser.
ROOT = Path(__file__).parent
SLOW = (
    *("browser", "training"),
    *(f"test_{name}.py" for name in ("environment", "hostile", "hosting", "models", "recipes", "restart", "wheel")),
)


def pytest_collection_modifyitems(items):
    """Mark as slow what lies in one of those places and is no smoke visit."""
    for item in items:
        if item.path.relative_to(ROOT).parts[0] in SLOW and not item.get_closest_marker("smoke"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _own_main():
    """Streamlit puts the script that it runs in the place of `__main__`: a process started later would run it again."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
