"""How much memory a value takes."""

import functools
from collections.abc import Iterable
from types import CellType, FunctionType, MethodType, ModuleType

import numpy as np
from PIL.Image import Image
from torch import Tensor


def size_of(value: object, *, besides: Iterable[object] = ()) -> int:
    """Bytes of the tensors, arrays, pictures and texts that `value` holds, without those of the objects `besides`.

    Views count with all that they keep alive. What an object computes for itself later is not seen.
    """
    seen = {id(each) for each in besides}
    total, storages, left = 0, set[int](), [value]
    while left:
        each = left.pop()
        if id(each) in seen or isinstance(each, type | ModuleType):
            continue
        seen.add(id(each))
        if isinstance(each, Tensor):
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
        elif isinstance(each, str | bytes):
            total += len(each)
        elif hasattr(each, "memory_usage"):  # a table of pandas
            total += int(np.sum(each.memory_usage(deep=True)))
        else:
            left += _parts(each)
    return total


def _parts(value: object) -> list[object]:
    """What an object holds: items, attributes, or what a function has around itself."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
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
