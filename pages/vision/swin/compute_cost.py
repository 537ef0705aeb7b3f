"""The time of one attention block with windows and of one without, measured when somebody asks; shared by all."""

from core.progress import Progress
from core.vision.window_cost import BlockSizes, Timing, measure
from dashboard.kept import computing

_MEASURED: dict[BlockSizes, tuple[Timing, ...]] = {}
_MOST = 16  # sizes that are kept


def timings(sizes: BlockSizes) -> tuple[Timing, ...] | None:
    """What was measured of blocks of these sizes since the server started, if anything."""
    return _MEASURED.get(sizes)


def measure_timings(sizes: BlockSizes, progress: Progress) -> None:
    """Measure them; all visitors share the result, as they share the machine."""
    with computing():
        found = measure(sizes, progress)
    _MEASURED[sizes] = found
    while len(_MEASURED) > _MOST:
        _MEASURED.pop(next(iter(_MEASURED)), None)
