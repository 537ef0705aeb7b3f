"""The one cache for computed values, shared by all visitors.

    @cached("The model reads …", unit="layers")
    def read(name: str, text: str | Upload, progress: Progress = no_progress) -> Reading: ...

    read("gpt-books", text)          # computed at the first call, under a bar; calls in other threads wait for it
    read.peek("gpt-books", text)     # the cached value, or None
    read.refresh("gpt-books", text)  # computed again, in place of the cached value

    upload = store_upload(content)   # a visitor's file, known by its digest; dropped after AGE, with values made of it
    stored_upload(upload.identity)   # the same, or None

All values share one budget in bytes; the least recently used one is dropped first. Values are shared by all visitors,
so they must never be changed. A call that ends by an exception is not cached. What is not cached an `Engine` computes:
this process, unless `compute_with` names another one.
"""

import functools
import inspect
import math
import os
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from core.machine import total_memory
from core.progress import Progress, no_progress
from dashboard.cache import shared_files, turns, waiting
from dashboard.cache.shared_files import AGE
from dashboard.cache.store import Store
from dashboard.cache.upload import Digest, Upload, file_key, files_of

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


def _budget() -> int:
    """The budget in bytes: ATLAS_KEEP_MB, or else a quarter of the machine's or the container's memory."""
    if megabytes := os.environ.get("ATLAS_KEEP_MB"):
        return int(megabytes) * 10**6
    return total_memory() // 4


@dataclass
class _Computation:
    """A value that one thread computes, for `waiters` threads in all."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    waiters: int = 0
    progress: tuple[int, int] = (0, 1)


@dataclass(frozen=True)
class Call:
    """A function and its arguments, complete with the defaults."""

    function: "CachedFunction"
    arguments: inspect.BoundArguments


class Engine(Protocol):
    """Where calls are computed that are not cached."""

    def compute(self, call: Call, progress: Progress) -> Any:
        """The value of a call; `progress` is called now and then, and may stop the work by an exception."""

    def stored(self, key: Hashable, call: Call) -> None:
        """Take note that the value of a call has been stored."""


class Here:
    """Calls are computed in this process: what needs the processor waits for its turn."""

    def compute(self, call: Call, progress: Progress) -> Any:
        """The value of a call."""
        with turns.turn(progress) if call.function.computes else nullcontext():
            return call.function.make(*call.arguments.args, **call.arguments.kwargs)

    def stored(self, key: Hashable, call: Call) -> None:
        """Nothing has to be known of a call here."""


HERE = Here()
FUNCTIONS: dict[tuple[str, str], "CachedFunction"] = {}  # all functions whose values are cached: by module and name
_engine: Engine = HERE
_store = Store(_budget())
SHARED_FILES = shared_files.of_environment()  # with other servers; None where there are none
_computations: dict[Hashable, _Computation] = {}
_guard = threading.Lock()  # for `_computations`; never held while something is computed

_thread = threading.local()


class CachedFunction(Generic[Parameters, Value]):
    """A function whose values are cached, see `cached`."""

    def __init__(self, make: Callable[Parameters, Value], words: str, unit: str, age: float, computes: bool):
        functools.update_wrapper(self, make)
        self.make, self.computes = make, computes
        self._words, self._unit, self._age = words, unit, age
        self.signature = inspect.signature(make)
        self.reports = "progress" in self.signature.parameters
        FUNCTIONS[make.__module__, make.__qualname__] = self

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Value:
        """The cached value, or a new one; `progress`, if the function takes it, may stop the work by an exception."""
        key, bound = self._key_of(*args, **kwargs)
        if needs := getattr(_thread, "needs", None):
            needs[-1].add(key)
        if entry := _store.find(key):
            return entry.value
        if progress := bound.arguments.get("progress"):
            return self._get(key, bound, progress)
        with waiting.spinner(self._words, unit=self._unit) as progress:
            return self._get(key, bound, progress)

    def answer(self, arguments: inspect.BoundArguments, progress: Progress) -> Value:
        """The cached value, or a new one; `progress` may stop the work also of a function that takes none."""
        key, bound = self._key_of(*arguments.args, **arguments.kwargs)
        entry = _store.find(key)
        return entry.value if entry else self._get(key, bound, progress)

    def peek(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Value | None:
        """The cached value, or None if it was never computed, or dropped."""
        entry = _store.find(self._key_of(*args, **kwargs)[0])
        return entry.value if entry else None

    def refresh(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Value:
        """A new value in place of the cached one, which stays if the computation ends by an exception."""
        key, bound = self._key_of(*args, **kwargs)
        return self._get(key, bound, bound.arguments.get("progress", no_progress), refresh=True)

    def forget(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        """Drop the cached value."""
        _store.forget(self._key_of(*args, **kwargs)[0])

    def _key_of(self, *args: Any, **kwargs: Any) -> tuple[tuple[Hashable, ...], inspect.BoundArguments]:
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.arguments.get("progress") is no_progress:
            del bound.arguments["progress"]
        identities = (_identity(value) for name, value in bound.arguments.items() if name != "progress")
        return (self.make.__module__, self.make.__qualname__, *identities), bound

    def _get(
        self, key: tuple[Hashable, ...], bound: inspect.BoundArguments, progress: Progress, *, refresh: bool = False
    ) -> Value:
        turn = turns.current()
        asked_at = turn.asked_at if turn else _store.timer()  # before this thread waited for its turn
        with _guard:
            computation = _computations.setdefault(key, _Computation())
            computation.waiters += 1
        try:
            with _exclusively(computation, progress):
                entry = _store.find(key)
                if entry and (not refresh or entry.made_at > asked_at):  # refreshed meanwhile: one computation for all
                    return entry.value
                return self._compute(key, bound, computation, progress)
        finally:
            with _guard:
                computation.waiters -= 1
                if not computation.waiters:
                    _computations.pop(key, None)

    def _compute(
        self, key: tuple[Hashable, ...], bound: inspect.BoundArguments, computation: _Computation, progress: Progress
    ) -> Value:
        def report(done: int, total: int) -> None:
            computation.progress = done, total
            turns.report(done, total, progress)

        if self.reports:
            bound.arguments["progress"] = report
        call = Call(self, bound)
        with _recording_needs() as needs:
            value = _engine.compute(call, progress)
        _store.put(key, value, age=self._age, needs=frozenset(needs), within=files_of(key))
        _engine.stored(key, call)
        return value


def cached(
    words: str = "", *, unit: str = "", age: float = math.inf, computes: bool = True
) -> Callable[[Callable[Parameters, Value]], CachedFunction[Parameters, Value]]:
    """Cache the values of a function by its arguments, which are hashable or have an `identity`.

    `words` stand beside a spinner while a visitor waits ("": no spinner); `unit` is the unit of progress of a function
    that takes `progress`: then a bar appears after a second. `age`: seconds until a value is dropped. `computes`:
    whether the function needs the processor, and so a turn; False for one that waits for a network.
    """
    return lambda make: CachedFunction(make, words, unit, age, computes)


def compute_with(engine: Engine) -> None:
    """Have calls that are not cached computed by another engine from now on."""
    global _engine
    _engine = engine


def stored_values() -> Iterator[tuple[Hashable, Any]]:
    """All stored values with their keys."""
    for key in _store:
        if entry := _store.peek(key):
            yield key, entry.value


def stored_value(key: Hashable) -> Any:
    """The value that is stored under a key, without counting as use of it; None if there is none."""
    return entry.value if (entry := _store.peek(key)) else None


def store_upload(content: bytes) -> Upload:
    """Keep a visitor's file, and what is computed from it, for AGE, or until the budget needs room."""
    upload = Upload(content)
    _store.put(file_key(upload.identity), upload, age=AGE)
    if SHARED_FILES:
        SHARED_FILES.put(upload.identity, content)
    return upload


def stored_upload(identity: Digest) -> Upload | None:
    """A stored file; None if it was dropped."""
    if entry := _store.find(file_key(identity)):
        return entry.value
    if SHARED_FILES and (file := SHARED_FILES.get(identity)):
        content, age = file
        upload = Upload(content)
        _store.put(file_key(identity), upload, age=age)
        return upload
    return None


def hold(key: tuple[Hashable, ...], value: Any) -> None:
    """Keep a value that was computed by other means than a cached function, within the budget of all values."""
    _store.put(key, value, within=files_of(key))


def held(key: tuple[Hashable, ...]) -> Any:
    """The value of `hold`; None if it was dropped."""
    return entry.value if (entry := _store.find(key)) else None


def forget_held(key: tuple[Hashable, ...]) -> None:
    """Drop a value of `hold`."""
    _store.forget(key)


def budget() -> int:
    """The bytes that all values may take together."""
    return _store.budget


def clear() -> None:
    """Drop all values."""
    _store.clear()


def cached_bytes() -> int:
    """The size of all cached values."""
    return _store.bytes


@contextmanager
def _recording_needs() -> Iterator[set[Hashable]]:
    """The keys of all values that this thread asks for in this block."""
    _thread.needs = [*getattr(_thread, "needs", []), set()]
    try:
        yield _thread.needs[-1]
    finally:
        _thread.needs = _thread.needs[:-1]


@contextmanager
def _exclusively(computation: _Computation, progress: Progress) -> Iterator[None]:
    """Hold the lock of a computation; while this thread waits for it, it lends its place and reports the progress."""
    with ExitStack() as stack:
        if not computation.lock.acquire(blocking=False):
            with turns.lend_place(progress):
                while not computation.lock.acquire(timeout=turns.PAUSE):
                    progress(*computation.progress)
                stack.callback(computation.lock.release)  # also if this visitor leaves while it waits for a place again
        else:
            stack.callback(computation.lock.release)
        yield


def _identity(value: Any) -> Hashable:
    """The part of a key for an argument: its `identity` if it has one, so that a key holds nothing large."""
    if isinstance(value, tuple):
        return tuple(map(_identity, value))
    return (type(value).__qualname__, value.identity) if hasattr(value, "identity") else value
