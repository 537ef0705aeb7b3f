"""How much memory this machine, or the container in it, has, and how much of it is left."""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

UNKNOWN = 4 * 10**9  # bytes: what a machine that does not say is taken to have


class Group(NamedTuple):
    """The files in which a kernel says what a container may take, what it has taken, and of what that is made."""

    most: Path
    taken: Path
    parts: Path


_ALL = Path("/sys/fs/cgroup")
GROUPS = (  # of versions 2 and 1
    Group(_ALL / "memory.max", _ALL / "memory.current", _ALL / "memory.stat"),
    Group(*(_ALL / "memory" / f"memory.{name}" for name in ("limit_in_bytes", "usage_in_bytes", "stat"))),
)


def total_memory() -> int:
    """Bytes of memory of this machine, or what its container may take."""
    limits = [limit for group in GROUPS if (limit := _limit(group)) is not None]
    return min((limit for limit in (*limits, *_built_in()) if limit > 0), default=UNKNOWN)


def free_memory() -> int | None:
    """Bytes that this process may still take: what the system has left, or a container's limit. None: unknown."""
    limits = list[int]()
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                limits.append(1024 * int(line.split()[1]))
    except OSError:  # macOS: at least what is built in
        limits += _built_in()
    limits += [free for group in GROUPS if (free := _free(group)) is not None]
    return min(limits, default=None)


def _limit(group: Group) -> int | None:
    with suppress(OSError, ValueError):  # there is no container, or its limit is "max": none
        return int(group.most.read_text())
    return None


def _free(group: Group) -> int | None:
    """Bytes below a container's limit. What its kernel keeps of files counts as free: it is given up when needed."""
    limit = _limit(group)
    with suppress(OSError, ValueError, KeyError):
        told = dict(line.split() for line in group.parts.read_text().splitlines())
        files = int(told.get("total_inactive_file", told["inactive_file"]))
        return None if limit is None else max(0, limit - int(group.taken.read_text()) + files)
    return None


def _built_in() -> list[int]:
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    return []
