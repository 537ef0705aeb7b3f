"""How much memory a value takes, and how much there is."""

import functools
import os
import sys
from collections.abc import Collection, Container
from contextlib import suppress
from pathlib import Path
from types import CellType, FunctionType, MethodType, ModuleType

import numpy as np
from PIL.Image import Image
from torch import Tensor

GROUPS = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of versions 2 and 1
# Tuples, not unions, which are made anew each time: a value may hold thousands of objects that all are asked for these.
_SHARED, _PLAIN, _MANY = (type, ModuleType), (str, bytes, int, float), (list, tuple, set, frozenset)
UNKNOWN = 4 * 10**9  # bytes: what a machine that does not say is taken to have


def total_memory() -> int:
    """Bytes of memory of this machine, or what its container may take."""
    limits = list[int]()
    for file in GROUPS:
        with suppress(OSError, ValueError):  # "max" is no number: there is no limit
            limits.append(int(file.read_text()))
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min((limit for limit in limits if limit > 0), default=UNKNOWN)


def size_of(value: object, *, besides: Container[int] = ()) -> int:
    """Bytes of all that `value` holds, without the objects of the ids `besides`.

    Views count with all that they keep alive. What an object computes for itself later is not seen.
    """
    seen, left = {id(value)}, [value]
    total, storages = 0, set[int]()
    while left:
        each = left.pop()
        if id(each) in besides or isinstance(each, _SHARED):
            continue
        if isinstance(each, _PLAIN):
            total += sys.getsizeof(each)
        elif isinstance(each, Tensor):
            storage = each.untyped_storage()
            if storage.data_ptr() not in storages:
                storages.add(storage.data_ptr())
                total += storage.nbytes()
        elif isinstance(each, np.ndarray):
            base = each
            while isinstance(base.base, np.ndarray):
                base = base.base
            if id(base) not in storages:
                storages.add(id(base))
                total += base.nbytes
        elif isinstance(each, Image):
            total += each.width * each.height * len(each.getbands())
        elif hasattr(each, "memory_usage"):  # a table of pandas
            total += int(np.sum(each.memory_usage(deep=True)))
        else:
            total += sys.getsizeof(each, 0)
            for part in _parts(each):
                if id(part) not in seen:
                    seen.add(id(part))
                    left.append(part)
    return total


def _parts(value: object) -> Collection[object]:
    """What an object holds: items, attributes, or what a function has around itself."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, _MANY):
        return value
    if isinstance(value, FunctionType):
        return [content for cell in value.__closure__ or () for content in _content(cell)]
    if isinstance(value, MethodType):
        return [value.__self__]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    slots = [getattr(value, name, None) for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*slots, *vars(value).values()] if hasattr(value, "__dict__") else slots


def _content(cell: CellType) -> list[object]:
    try:
        return [cell.cell_contents]
    except ValueError:  # nothing is in it yet
        return []
