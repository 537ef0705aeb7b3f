"""What all tests share: one thread for torch (tests run side by side), no network, the same inputs each time."""

import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import pytest
import torch
from hypothesis import HealthCheck, settings

torch.set_num_threads(1)

# Generated inputs are the same on every machine, however slow it is.
settings.register_profile("atlas", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("atlas")


@pytest.fixture(autouse=True)
def _own_main():
    """Streamlit puts the script that it runs in the place of `__main__`: a process started later would run it again."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
