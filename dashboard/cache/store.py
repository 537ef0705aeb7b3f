"""A store of values within one budget in bytes, each with a time limit."""

import math
import threading
import time
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from cachetools import Cache, TLRUCache

from dashboard.cache.memory_size import size_of

# Seconds after which a used value is measured again: it may have computed attributes since. This is not done more
# often, because all values have to be searched.
SETTLED = 2.0
ENTRY = 1000  # bytes that an entry takes besides its key and its value

Keys = frozenset[Hashable]


@dataclass(frozen=True)
class Entry:
    """A stored value, its size in bytes, its time limit, the keys of the values it was made from, when it was made."""

    value: Any
    size: int
    until: float
    needs: Keys
    made_at: float


class Store:
    """Values by their keys within a budget in bytes; the least recently used goes first. Threads may share it.

    `timer` returns the time in seconds.
    """

    def __init__(self, budget: int, timer: Callable[[], float] = time.monotonic):
        self.timer = timer
        self._guard = threading.RLock()  # never held while something is computed
        self._entries: TLRUCache = TLRUCache(
            budget, lambda _key, entry, _now: entry.until, timer=timer, getsizeof=lambda entry: entry.size
        )
        self._used: dict[Hashable, float] = {}  # the time of the first use since the value was measured
        self._sized = -math.inf  # when values were last measured again

    def __contains__(self, key: Hashable) -> bool:
        with self._guard:
            return key in self._entries

    def __iter__(self) -> Iterator[Hashable]:
        with self._guard:
            return iter(list(self._entries))

    @property
    def bytes(self) -> int:
        """The size of all values."""
        with self._guard:
            self._entries.expire()
            return int(self._entries.currsize)

    @property
    def budget(self) -> int:
        """The bytes that all values may take."""
        return int(self._entries.maxsize)

    def find(self, key: Hashable) -> Entry | None:
        """The entry; the values it was made from count as used too, because it keeps them alive."""
        with self._guard:
            self._entries.expire()
            if entry := self._entries.get(key):
                self._used.setdefault(key, self.timer())
                for need_key in entry.needs:
                    self.find(need_key)
            return entry

    def peek(self, key: Hashable) -> Entry | None:
        """The entry, without counting as use."""
        with self._guard:
            return self._entry(key) if key in self._entries else None

    def put(
        self,
        key: Hashable,
        value: object,
        *,
        age: float = math.inf,
        needs: Keys = frozenset(),
        within: Keys = frozenset(),
    ) -> None:
        """Store a value for `age` seconds, made from the values `needs`, and no longer than the values `within`.

        A value that is larger than the budget is not stored.
        """
        with self._guard:
            self._size_again()
            now = self.timer()
            until = min([now + age, *(self._entry(key).until if key in self._entries else -math.inf for key in within)])
            besides = _parts(self._entry(need_key).value for need_key in needs if need_key in self._entries)
            self._used[key] = now  # the caller goes on using it now
            self._set(key, Entry(value, _size(key, value, besides), until, needs | within, now))

    def forget(self, key: Hashable) -> None:
        """Drop a value."""
        with self._guard:
            self._entries.pop(key, None)

    def clear(self) -> None:
        """Drop all values."""
        with self._guard:
            self._entries.clear()
            self._used.clear()

    def _set(self, key: Hashable, entry: Entry) -> None:
        self._entries.pop(key, None)
        if entry.size <= self._entries.maxsize:
            self._entries[key] = entry

    def _entry(self, key: Hashable) -> Entry:
        """The entry, without counting as use."""
        entry: Entry = Cache.__getitem__(self._entries, key)
        return entry

    def _size_again(self) -> None:
        """Measure values again that were used a while ago: they may have computed attributes since."""
        before = self.timer() - SETTLED
        if self._sized > before or not any(used_at < before for used_at in self._used.values()):
            return
        self._sized = self.timer()
        self._entries.expire()
        first_made = dict[int, float]()  # parts that several entries share count for the oldest of them
        for entry in map(self._entry, list(self._entries)):
            for part in _parts([entry.value]):
                first_made[part] = min(entry.made_at, first_made.get(part, math.inf))
        others = set(first_made)
        for key in [key for key, used_at in self._used.items() if used_at < before]:
            del self._used[key]
            if key in self._entries:
                entry = self._entry(key)
                own = {part for part in _parts([entry.value]) if first_made[part] == entry.made_at}
                others -= own
                self._set(key, replace(entry, size=_size(key, entry.value, others)))
                others |= own


def _size(key: Hashable, value: object, besides: Container[int]) -> int:
    """The bytes of an entry, without the objects of these ids."""
    return ENTRY + size_of(key) + size_of(value, besides=besides)


def _parts(values: Iterable[object]) -> set[int]:
    """The ids of values and of their networks: a network may be shared by several entries, and counts once."""
    return {id(part) for value in values for part in (value, getattr(value, "network", value))}
