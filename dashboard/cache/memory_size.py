"""The size of a value in memory."""

import functools
import sys
from collections.abc import Callable, Container, Iterable
from itertools import chain
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from PIL.Image import Image
from torch import Tensor

_SHARED, _PLAIN, _MANY = (type, ModuleType), (str, bytes, int, float), (list, tuple, set, frozenset)
_NUMBERS, NUMBER = frozenset((int, float, bool, type(None))), 28  # bytes; few are larger


def size_of(value: object, *, besides: Container[int] = ()) -> int:
    """Bytes of all that `value` holds, without the objects of the ids `besides`.

    Views count with the storage that they keep alive. Attributes that an object computes later are not counted.
    """
    visited, pending = {id(value)}, [value]
    total, storages = 0, set[int]()
    while pending:
        item = pending.pop()
        if id(item) in besides:
            continue
        measure, parts_of = _INSPECTORS[type(item)]
        if measure is not None:
            place, size = measure(item)
            if place not in storages:
                total += size
                storages.add(place)
            continue
        total += sys.getsizeof(item, 0)
        if isinstance(item, _MANY) and _NUMBERS.issuperset(map(type, item)):
            new_numbers = set(map(id, item)) - visited
            total += NUMBER * len(new_numbers)
            visited |= new_numbers
        elif parts_of is not None:
            for part in parts_of(item):
                if id(part) not in visited:
                    visited.add(id(part))
                    pending.append(part)
    return total


Measure = Callable[[Any], tuple[int, int]]  # where a value's memory is, and how many bytes it has there
Parts = Callable[[Any], Iterable[object]]


class _Inspectors(dict[type, tuple[Measure | None, Parts | None]]):
    """The `_inspector` of each type, computed once: a value may hold thousands of objects of few types."""

    def __missing__(self, kind: type) -> tuple[Measure | None, Parts | None]:
        self[kind] = inspector = _inspector(kind)
        return inspector


_INSPECTORS = _Inspectors()


def _inspector(kind: type) -> tuple[Measure | None, Parts | None]:
    """For values of a type: what measures one directly, or else what lists its parts; None for what does not apply."""
    if issubclass(kind, _SHARED):
        return (lambda value: (id(value), 0)), None
    if issubclass(kind, Tensor):
        return _tensor, None
    if issubclass(kind, np.ndarray):
        return _array, None
    if issubclass(kind, Image):
        return (lambda image: (id(image), image.width * image.height * len(image.getbands()))), None
    if hasattr(kind, "memory_usage"):  # a table of pandas
        return (lambda table: (id(table), int(np.sum(table.memory_usage(deep=True))))), None
    if issubclass(kind, _PLAIN):
        return None, None
    if issubclass(kind, dict):
        return None, lambda value: chain(value.keys(), value.values())
    if issubclass(kind, _MANY):
        return None, iter
    if issubclass(kind, FunctionType):
        return None, lambda value: [content for cell in value.__closure__ or () for content in _content(cell)]
    if issubclass(kind, MethodType):
        return None, lambda value: [value.__self__]
    if issubclass(kind, functools.partial):
        return None, lambda value: [value.func, value.args, value.keywords]
    slots = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
    if slots:
        return None, lambda value: [
            *(getattr(value, name, None) for name in slots),
            *getattr(value, "__dict__", {}).values(),
        ]
    return None, lambda value: getattr(value, "__dict__", {}).values()


def _tensor(tensor: Tensor) -> tuple[int, int]:
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.nbytes()


def _array(array: np.ndarray) -> tuple[int, int]:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return id(array), array.nbytes


def _content(cell: CellType) -> list[object]:
    try:
        return [cell.cell_contents]
    except ValueError:  # nothing is in it yet
        return []
