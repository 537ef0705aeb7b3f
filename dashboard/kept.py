"""What was computed once, kept for the next visitor who asks for the same: the only place that keeps.

    @keep("The model reads …", unit="layers")
    def read(name: str, text: str | Upload, progress: Progress = unheard) -> Reading: ...

    read("gpt-books", text)          # computed for the first who asks, under a bar; whoever else asks meanwhile waits
    read.known("gpt-books", text)    # what is kept of it, or None
    read.anew("gpt-books", text)     # computed again, in place of what is kept

All that is kept shares one budget in bytes: what nobody has asked for longest goes first. It is shared by all visitors,
so it must never be changed. What ends by an exception is not kept.
"""

import functools
import hashlib
import inspect
import math
import os
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar

from cachetools import Cache, TLRUCache

from core.progress import Progress, unheard
from core.zoo.folders import free_memory
from dashboard import waiting
from dashboard.memory_size import size_of

Given = ParamSpec("Given")
Value = TypeVar("Value")

AT_ONCE = 2  # computations at a time: more would only take the processor from one another
PAUSE = 0.1  # seconds between two looks whether what one waits for is there
AGE = 1800.0  # seconds that what was computed from a visitor's file is kept


def _budget() -> int:
    """Bytes for everything together: ATLAS_KEEP_MB, or else a third of the memory that is free at the start."""
    if megabytes := os.environ.get("ATLAS_KEEP_MB"):
        return int(megabytes) * 10**6
    return (free_memory() or 3 * 10**9) // 3


class Digest(str):
    """What stands for a visitor's file in a key: whatever has it in its key is kept for AGE at most."""

    __slots__ = ()


@dataclass(frozen=True)
class Upload:
    """A file that a visitor gave: hashed once, at the door, and known by its digest from there on."""

    content: bytes = field(repr=False)
    identity: Digest = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "identity", Digest(hashlib.blake2b(self.content, digest_size=16).hexdigest()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Upload) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


@dataclass(frozen=True)
class _Entry:
    """A kept value, its size in bytes, the age in seconds that it may reach, and the keys of what it was made from."""

    value: Any
    size: int
    age: float
    needs: frozenset[Hashable]


@dataclass
class _Making:
    """Something that is being made: one makes it, `asked` want it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: int = 0
    so_far: tuple[int, int] = (0, 1)


_guard = threading.RLock()  # for the two below; never held while something is computed
_store: TLRUCache = TLRUCache(_budget(), lambda _, entry, now: now + entry.age, getsizeof=lambda entry: entry.size)
_makings: dict[Hashable, _Making] = {}

_places = threading.Semaphore(AT_ONCE)
_here = threading.local()


class Keeper(Generic[Given, Value]):
    """A function whose values are kept, see `keep`."""

    def __init__(self, make: Callable[Given, Value], words: str, unit: str, age: float, computes: bool):
        functools.update_wrapper(self, make)
        self._make, self._words, self._unit, self._age, self._computes = make, words, unit, age, computes
        self._signature = inspect.signature(make)
        self._reports = "progress" in self._signature.parameters

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        """The kept value, or a new one; `progress`, where the function takes it, may stop the work by an exception."""
        key, bound = self._known_by(*args, **kwargs)
        if needs := getattr(_here, "needs", None):
            needs[-1].add(key)
        if entry := _look_up(key):
            return entry.value
        if progress := bound.arguments.get("progress"):
            return self._get(key, bound, progress)
        with waiting.patiently(self._words, unit=self._unit) as progress:
            return self._get(key, bound, progress)

    def known(self, *args: Given.args, **kwargs: Given.kwargs) -> Value | None:
        """The kept value, or None where nobody has asked for it, or it had to go."""
        entry = _look_up(self._known_by(*args, **kwargs)[0])
        return entry.value if entry else None

    def anew(self, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        """A new value in place of the kept one, which stays where this one is given up."""
        key, bound = self._known_by(*args, **kwargs)
        return self._get(key, bound, bound.arguments.get("progress", unheard), anew=True)

    def forget(self, *args: Given.args, **kwargs: Given.kwargs) -> None:
        """Keep it no longer."""
        with _guard:
            _store.pop(self._known_by(*args, **kwargs)[0], None)

    def _known_by(self, *args: Any, **kwargs: Any) -> tuple[tuple[Hashable, ...], inspect.BoundArguments]:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.arguments.get("progress") is unheard:
            del bound.arguments["progress"]
        known = (_identity(value) for name, value in bound.arguments.items() if name != "progress")
        return (self._make.__module__, self._make.__qualname__, *known), bound

    def _get(
        self, key: tuple[Hashable, ...], bound: inspect.BoundArguments, progress: Progress, *, anew: bool = False
    ) -> Value:
        with _guard:
            making = _makings.setdefault(key, _Making())
            making.asked += 1
        try:
            with _turn(making, progress):
                entry = None if anew else _look_up(key)
                return entry.value if entry else self._made(key, bound, making, progress)
        finally:
            with _guard:
                making.asked -= 1
                if not making.asked:
                    _makings.pop(key, None)

    def _made(
        self, key: tuple[Hashable, ...], bound: inspect.BoundArguments, making: _Making, progress: Progress
    ) -> Value:
        def report(done: int, total: int) -> None:
            making.so_far = done, total
            progress(done, total)

        if self._reports:
            bound.arguments["progress"] = report
        place = computing(lambda: progress(*making.so_far)) if self._computes else nullcontext()
        with place, _noting_needs() as needs:
            value = self._make(*bound.args, **bound.kwargs)
        aged = min(self._age, AGE) if _holds_upload(key) else self._age
        with _guard:
            entry = _Entry(value, _size(value), aged, frozenset(needs))
            if entry.size <= _store.maxsize:  # what is larger than the whole budget is given, and not kept
                _store[key] = entry
        return value


def keep(
    words: str = "", *, unit: str = "", age: float = math.inf, computes: bool = True
) -> Callable[[Callable[Given, Value]], Keeper[Given, Value]]:
    """Keep what a function gives, by its arguments: hashable ones, or those with an `identity`.

    `words` stand beside a spinner for those who wait (without them nothing is shown); `unit` is what a function that
    takes `progress` counts, then a bar appears after a second. `age`: seconds. `computes`: whether it needs one of the
    AT_ONCE places, so not what waits for a network.
    """
    return lambda make: Keeper(make, words, unit, age, computes)


@contextmanager
def computing(waits: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Wait for one of the places in which something long is computed; within it, further ones are free.

    `waits` is called now and then until there is a place, and may give up by an exception.
    """
    if getattr(_here, "places", 0):
        yield
        return
    while not _places.acquire(timeout=PAUSE):
        waits()
    _here.places = 1
    try:
        yield
    finally:
        _here.places = 0
        _places.release()


def clear() -> None:
    """Forget everything."""
    with _guard:
        _store.clear()


def kept_bytes() -> int:
    """The size of everything that is kept."""
    with _guard:
        _store.expire()
        return int(_store.currsize)


def _size(value: object) -> int:
    """The bytes of a value that no other kept one has."""
    # Not by `values`: to look at them in the cache's own way would count as use.
    others = [entry.value for entry in (Cache.__getitem__(_store, key) for key in _store) if entry.value is not value]
    # A model may stand in several entries that differ in the length of texts only: its network counts once.
    return size_of(value, besides=[part for other in others for part in (other, getattr(other, "network", other))])


def _look_up(key: Hashable) -> _Entry | None:
    """The entry; what it was made from counts as used too, so that it does not go while this one keeps it alive."""
    with _guard:
        _store.expire()
        if entry := _store.get(key):
            for needed in entry.needs:
                _look_up(needed)
        return entry


@contextmanager
def _noting_needs() -> Iterator[set[Hashable]]:
    """The keys of all that is asked for in this block, by this thread."""
    _here.needs = [*getattr(_here, "needs", []), set()]
    try:
        yield _here.needs[-1]
    finally:
        _here.needs = _here.needs[:-1]


@contextmanager
def _turn(making: _Making, progress: Progress) -> Iterator[None]:
    """Hold the lock of what is made; who waits for it leaves the place to whoever makes it, and hears how far it is."""
    if not making.lock.acquire(blocking=False):
        had = getattr(_here, "places", 0)
        if had:
            _here.places = 0
            _places.release()
        try:
            while not making.lock.acquire(timeout=PAUSE):
                progress(*making.so_far)
        finally:
            if had:
                _places.acquire()
                _here.places = had
    try:
        yield
    finally:
        making.lock.release()


def _identity(value: Any) -> Hashable:
    """What stands for an argument in a key: its `identity` where it has one, so that a key holds nothing large."""
    if isinstance(value, tuple):
        return tuple(map(_identity, value))
    return (type(value).__qualname__, value.identity) if hasattr(value, "identity") else value


def _holds_upload(key: Hashable) -> bool:
    return any(map(_holds_upload, key)) if isinstance(key, tuple) else isinstance(key, Digest)
