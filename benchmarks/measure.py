"""Time and memory of functions, measured in one run."""

import ctypes
import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path


def times(*works: Callable[[], object], repeats: int) -> list[float]:
    """The median seconds of each function; they are timed in turns, so that a busy moment affects all of them."""
    for work in works:
        work()
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for place, work in enumerate(works):
            started = time.perf_counter()
            result = work()
            seconds[place].append(time.perf_counter() - started)
            del result
    return [statistics.median(values) for values in seconds]


def peak_memory(work: Callable[[], object]) -> int:
    """Bytes by which the process grew at most during `work` (by Linux's high-water mark of the resident set).

    What earlier work has freed goes back to the system first: it would be used again without counting.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    result = work()
    peak = _status("VmHWM")
    del result
    return max(0, peak - before)


def peak_of(process: int) -> int:
    """The peak resident set of another process, in bytes."""
    return _status("VmHWM", str(process))


def _status(name: str, process: str = "self") -> int:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"This system does not report {name}: memory is measured on Linux only.")
