"""What was computed once, kept for the next visitor who asks for the same: the only place that keeps.

    @cached("The model reads …", unit="layers")
    def read(name: str, text: str | Upload, progress: Progress = no_progress) -> Reading: ...

    read("gpt-books", text)          # computed for the first who asks, under a bar; whoever else asks meanwhile waits
    read.peek("gpt-books", text)     # what is cached of it, or None
    read.refresh("gpt-books", text)  # computed again, in place of what is cached

    upload = store_upload(content)   # a visitor's file, known by its digest; gone after AGE with what was made of it
    stored_upload(upload.identity)   # the same, or None

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
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar

from core.machine import total_memory
from core.progress import Progress, no_progress
from dashboard.cache import turns, waiting
from dashboard.cache.store import Store

Given = ParamSpec("Given")
Value = TypeVar("Value")

AGE = 3600.0  # seconds that a visitor's file is kept, and at most what was computed from it


def _budget() -> int:
    """Bytes for everything together: ATLAS_KEEP_MB, or else a quarter of the machine's or the container's memory."""
    if megabytes := os.environ.get("ATLAS_KEEP_MB"):
        return int(megabytes) * 10**6
    return total_memory() // 4


class Digest(str):
    """What stands for a visitor's file in a key: whatever has it in its key goes when the file goes."""

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


@dataclass
class _Making:
    """Something that is being made: one makes it, `asked` want it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: int = 0
    so_far: tuple[int, int] = (0, 1)


_store = Store(_budget())
_makings: dict[Hashable, _Making] = {}
_guard = threading.Lock()  # for the makings; never held while something is computed

_here = threading.local()


class CachedFunction(Generic[Given, Value]):
    """A function whose values are kept, see `cached`."""

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
        if entry := _store.find(key):
            return entry.value
        if progress := bound.arguments.get("progress"):
            return self._get(key, bound, progress)
        with waiting.patiently(self._words, unit=self._unit) as progress:
            return self._get(key, bound, progress)

    def peek(self, *args: Given.args, **kwargs: Given.kwargs) -> Value | None:
        """The kept value, or None where nobody has asked for it, or it had to go."""
        entry = _store.find(self._known_by(*args, **kwargs)[0])
        return entry.value if entry else None

    def refresh(self, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        """A new value in place of the kept one, which stays where this one is given up."""
        key, bound = self._known_by(*args, **kwargs)
        return self._get(key, bound, bound.arguments.get("progress", no_progress), refresh=True)

    def forget(self, *args: Given.args, **kwargs: Given.kwargs) -> None:
        """Keep it no longer."""
        _store.forget(self._known_by(*args, **kwargs)[0])

    def _known_by(self, *args: Any, **kwargs: Any) -> tuple[tuple[Hashable, ...], inspect.BoundArguments]:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.arguments.get("progress") is no_progress:
            del bound.arguments["progress"]
        known = (_identity(value) for name, value in bound.arguments.items() if name != "progress")
        return (self._make.__module__, self._make.__qualname__, *known), bound

    def _get(
        self, key: tuple[Hashable, ...], bound: inspect.BoundArguments, progress: Progress, *, refresh: bool = False
    ) -> Value:
        now = turns.current()
        asked = now.asked if now else _store.timer()  # before this thread waited for its turn
        with _guard:
            making = _makings.setdefault(key, _Making())
            making.asked += 1
        try:
            with _alone(making, progress):
                entry = _store.find(key)
                if entry and (not refresh or entry.made > asked):  # refreshed meanwhile: one job for all who asked
                    return entry.value
                return self._made(key, bound, making, progress)
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
            turns.report(done, total, progress)

        if self._reports:
            bound.arguments["progress"] = report
        with turns.turn(progress) if self._computes else nullcontext(), _noting_needs() as needs:
            value = self._make(*bound.args, **bound.kwargs)
        files = frozenset(map(_place_of, _digests(key)))
        _store.put(key, value, age=self._age, needs=frozenset(needs), within=files)
        return value


def cached(
    words: str = "", *, unit: str = "", age: float = math.inf, computes: bool = True
) -> Callable[[Callable[Given, Value]], CachedFunction[Given, Value]]:
    """Keep what a function gives, by its arguments: hashable ones, or those with an `identity`.

    `words` stand beside a spinner for those who wait (without them nothing is shown); `unit` is what a function that
    takes `progress` counts, then a bar appears after a second. `age`: seconds. `computes`: whether it needs one of the
    places for computing, so not what waits for a network.
    """
    return lambda make: CachedFunction(make, words, unit, age, computes)


def store_upload(content: bytes) -> Upload:
    """Keep a visitor's file for AGE, or until the budget needs room."""
    upload = Upload(content)
    _store.put(_place_of(upload.identity), upload, age=AGE)
    return upload


def stored_upload(identity: Digest) -> Upload | None:
    """The file; None once it is forgotten."""
    entry = _store.find(_place_of(identity))
    return entry.value if entry else None


def clear() -> None:
    """Forget everything."""
    _store.clear()


def cached_bytes() -> int:
    """The size of everything that is kept."""
    return _store.bytes


@contextmanager
def _noting_needs() -> Iterator[set[Hashable]]:
    """The keys of all that is asked for in this block, by this thread."""
    _here.needs = [*getattr(_here, "needs", []), set()]
    try:
        yield _here.needs[-1]
    finally:
        _here.needs = _here.needs[:-1]


@contextmanager
def _alone(making: _Making, progress: Progress) -> Iterator[None]:
    """Hold the lock of what is made; who waits for it leaves the place to whoever makes it, and hears how far it is."""
    with ExitStack() as freed:
        if not making.lock.acquire(blocking=False):
            with turns.lent(progress):
                while not making.lock.acquire(timeout=turns.PAUSE):
                    progress(*making.so_far)
                freed.callback(making.lock.release)  # also if this visitor leaves while it waits for a place again
        else:
            freed.callback(making.lock.release)
        yield


def _identity(value: Any) -> Hashable:
    """What stands for an argument in a key: its `identity` where it has one, so that a key holds nothing large."""
    if isinstance(value, tuple):
        return tuple(map(_identity, value))
    return (type(value).__qualname__, value.identity) if hasattr(value, "identity") else value


def _digests(key: Hashable) -> set[Digest]:
    """The files that a key speaks of."""
    if isinstance(key, tuple):
        return set().union(*map(_digests, key))
    return {key} if isinstance(key, Digest) else set()


def _place_of(identity: Digest) -> Hashable:
    return ("file", identity)
