"""Time and memory of a piece of work, measured beside its rival in one run."""

import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path


def times(*works: Callable[[], object], repeats: int) -> list[float]:
    """The median seconds of each work; they take turns, so that a busy moment hits all of them."""
    for work in works:
        work()
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for place, work in enumerate(works):
            started = time.perf_counter()
            kept = work()
            seconds[place].append(time.perf_counter() - started)
            del kept
    return [statistics.median(values) for values in seconds]


def peak_memory(work: Callable[[], object]) -> int:
    """Bytes by which the process grew at its highest while working (Linux: the kernel's own high-water mark)."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    kept = work()
    peak = _status("VmHWM")
    del kept
    return max(0, peak - before)


def peak_of(process: int) -> int:
    """The most bytes of memory that another process has had at once."""
    return _status("VmHWM", str(process))


def _status(name: str, process: str = "self") -> int:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"This system does not report {name}: memory is measured on Linux only.")
