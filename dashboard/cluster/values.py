"""Values on their way from a worker to a front: pickled, but for models, which travel by name.

Only what a worker has computed is unpickled, and only by a front. A value that a loader has returned (a cached function
that does not need the processor: `computes=False`), and a network inside it, are named by the loader's call; the front
calls the loader itself, or has its value already.
"""

import io
import pickle
from collections.abc import Callable
from typing import Any

import cloudpickle
from torch import nn

from dashboard.cluster.wire import CallBook, NotPortableError


def dumps(value: object, calls: CallBook) -> bytes:
    """A value as bytes; NotPortableError if it cannot be pickled."""
    file = io.BytesIO()
    try:
        _Pickler(file, _loaded(calls)).dump(value)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise NotPortableError(str(error)) from error
    return file.getvalue()


def loads(content: bytes, call: Callable[[Any], Any]) -> Any:
    """The value again; `call` gets the encoded call of a loader and returns its value."""
    return _Unpickler(io.BytesIO(content), call).load()


def _loaded(calls: CallBook) -> dict[int, tuple[Any, ...]]:
    """By their ids: values of loaders and their networks, with the encoded call and the path from its value."""
    paths: dict[int, tuple[Any, ...]] = {}
    for value, encoded in calls.loaded():
        if encoded and not isinstance(value, str | int | tuple):
            paths[id(value)] = (encoded, ())
            for name, part in getattr(value, "__dict__", {}).items():
                if isinstance(part, nn.Module):
                    for path, module in part.named_modules():
                        paths.setdefault(id(module), (encoded, (name, *filter(None, path.split(".")))))
    return paths


class _Pickler(cloudpickle.Pickler):
    def __init__(self, file: io.BytesIO, loaded: dict[int, tuple[Any, ...]]):
        super().__init__(file, protocol=5)
        self._loaded = loaded

    def persistent_id(self, obj: object) -> tuple[Any, ...] | None:
        return self._loaded.get(id(obj))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, call: Callable[[Any], Any]):
        super().__init__(file)
        self._call = call

    def persistent_load(self, pid: tuple[Any, ...]) -> Any:
        encoded, path = pid
        value = self._call(encoded)
        for name in path:
            value = getattr(value, name)
        return value
