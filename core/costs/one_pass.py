"""Time and memory of one pass on this machine, by sequence length."""

import statistics
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch import inference_mode
from torch.profiler import ProfilerActivity, profile, record_function

from ..progress import Progress

REPEATS = 5
PATIENCE = 10.0  # seconds after which no further round is begun, on a slow or busy machine

Pass = Callable[[], object]  # one measured run, on an input that is prepared already

# torch has one profiler for the whole process.
_MEASURING = threading.Lock()


@dataclass(frozen=True)
class Cost:
    """The cost of one subject at one length."""

    name: str
    tokens: int
    seconds: float  # the median of the repeats
    repeats: int
    bytes: int  # peak memory during one pass, beyond that before it


def measure(
    subjects: Mapping[str, Callable[[int], Pass]],
    progress: Progress,
    *,
    tokens: Sequence[int],
    repeats: int = REPEATS,
    patience: float = PATIENCE,
) -> tuple[Cost, ...]:
    """Run every subject at every length, `repeats` times, or fewer if that takes more than `patience` seconds.

    A subject is a function from a length to the pass to measure. Subjects alternate, so that other load on the machine
    affects all of them; the first pass of each is not timed but profiled by torch, which records every allocation, also
    those inside of kernels.
    """
    with _MEASURING, inference_mode():
        began = time.perf_counter()
        passes = {(name, length): make(length) for length in tokens for name, make in subjects.items()}
        done, total = 0, len(passes) * (1 + repeats)

        def report() -> None:
            nonlocal done
            done += 1
            progress(done, total)

        memory = {key: _memory(run, report) for key, run in passes.items()}
        seconds: dict[tuple[str, int], list[float]] = {key: [] for key in passes}
        for turn in range(repeats):
            if turn and time.perf_counter() - began > patience:
                break
            for key, run in passes.items():
                started = time.perf_counter()
                run()
                seconds[key].append(time.perf_counter() - started)
                report()
    return tuple(Cost(*key, statistics.median(seconds[key]), len(seconds[key]), memory[key]) for key in passes)


def _memory(run: Pass, report: Callable[[], None]) -> int:
    """The peak memory of one pass, in bytes."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler, record_function(SPAN):
        run()
    report()
    events = profiler.profiler.kineto_results.events()
    changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    (span,) = (event for event in events if event.name() == SPAN)
    return _peak(changes, span.start_ns(), span.end_ns())


SPAN = "the measured pass"


def _peak(changes: list[tuple[int, int]], start: int, end: int) -> int:
    """The highest sum of allocations (above 0) and releases (below 0) between two moments."""
    current = highest = 0
    for moment, size in changes:
        if start <= moment <= end:
            current += size
            highest = max(highest, current)
    return highest
