"""Total and free memory of this machine or its container."""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

UNKNOWN = 4 * 10**9  # bytes: assumed where the total cannot be read


class Group(NamedTuple):
    """The files of a control group: memory limit, memory usage, and statistics of the usage."""

    limit: Path
    usage: Path
    statistics: Path


_ALL = Path("/sys/fs/cgroup")
GROUPS = (  # cgroup versions 2 and 1
    Group(_ALL / "memory.max", _ALL / "memory.current", _ALL / "memory.stat"),
    Group(*(_ALL / "memory" / f"memory.{name}" for name in ("limit_in_bytes", "usage_in_bytes", "stat"))),
)


def total_memory() -> int:
    """Bytes of memory of this machine, or the limit of its container."""
    limits = [limit for group in GROUPS if (limit := _limit(group)) is not None]
    return min((limit for limit in (*limits, *_physical_memory()) if limit > 0), default=UNKNOWN)


def free_memory() -> int | None:
    """Bytes that this process may still allocate on the system or within a container's limit; None if unknown."""
    limits = list[int]()
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                limits.append(1024 * int(line.split()[1]))
    except OSError:  # macOS: the physical memory
        limits += _physical_memory()
    limits += [free for group in GROUPS if (free := _free(group)) is not None]
    return min(limits, default=None)


def _limit(group: Group) -> int | None:
    with suppress(OSError, ValueError):  # there is no container, or its limit is "max": none
        return int(group.limit.read_text())
    return None


def _free(group: Group) -> int | None:
    """Bytes below a container's limit; the inactive file cache counts as free, because the kernel reclaims it."""
    limit = _limit(group)
    with suppress(OSError, ValueError, KeyError):
        statistics = dict(line.split() for line in group.statistics.read_text().splitlines())
        files = int(statistics.get("total_inactive_file", statistics["inactive_file"]))
        return None if limit is None else max(0, limit - int(group.usage.read_text()) + files)
    return None


def _physical_memory() -> list[int]:
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    return []
