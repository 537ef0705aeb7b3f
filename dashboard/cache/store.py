"""What holds all that is kept within one budget in bytes, each for its time."""

import math
import threading
import time
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from cachetools import Cache, TLRUCache

from dashboard.cache.memory_size import size_of

# Seconds after which what somebody has used is sized again: it may have computed more for itself. No more often is
# looked for such, because all that is kept has to be looked through.
SETTLED = 2.0
ENTRY = 1000  # bytes that an entry takes besides its key and its value

Keys = frozenset[Hashable]


@dataclass(frozen=True)
class Entry:
    """A kept value: its size in bytes, until when it is kept, the keys of what it was made from, when it was made."""

    value: Any
    size: int
    until: float
    needs: Keys
    made: float


class Store:
    """Values by their keys; in so many bytes, so what nobody has asked for longest goes first. Threads may share it.

    `timer` tells the time in seconds.
    """

    def __init__(self, budget: int, timer: Callable[[], float] = time.monotonic):
        self.timer = timer
        self._guard = threading.RLock()  # never held while something is computed
        self._entries: TLRUCache = TLRUCache(
            budget, lambda _key, entry, _now: entry.until, timer=timer, getsizeof=lambda entry: entry.size
        )
        self._used: dict[Hashable, float] = {}  # since its size was taken: the time of the first use
        self._sized = -math.inf  # when sizes were taken again

    def __contains__(self, key: Hashable) -> bool:
        with self._guard:
            return key in self._entries

    def __iter__(self) -> Iterator[Hashable]:
        with self._guard:
            return iter(list(self._entries))

    @property
    def bytes(self) -> int:
        """The size of everything that is kept."""
        with self._guard:
            self._entries.expire()
            return int(self._entries.currsize)

    def find(self, key: Hashable) -> Entry | None:
        """The entry; what it was made from counts as used too, so that it does not go while this one keeps it alive."""
        with self._guard:
            self._entries.expire()
            if entry := self._entries.get(key):
                self._used.setdefault(key, self.timer())
                for needed in entry.needs:
                    self.find(needed)
            return entry

    def put(
        self,
        key: Hashable,
        value: object,
        *,
        age: float = math.inf,
        needs: Keys = frozenset(),
        within: Keys = frozenset(),
    ) -> None:
        """Keep a value for so many seconds, made from those of the keys `needs`, and no longer than those `within`.

        What is larger than the whole budget is not kept.
        """
        with self._guard:
            self._size_again()
            now = self.timer()
            until = min([now + age, *(self._peek(key).until if key in self._entries else -math.inf for key in within)])
            besides = _parts(self._peek(needed).value for needed in needs if needed in self._entries)
            self._used[key] = now  # whoever asked for it goes on with it now
            self._set(key, Entry(value, _size(key, value, besides), until, needs | within, now))

    def forget(self, key: Hashable) -> None:
        """Keep it no longer."""
        with self._guard:
            self._entries.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        with self._guard:
            self._entries.clear()
            self._used.clear()

    def _set(self, key: Hashable, entry: Entry) -> None:
        self._entries.pop(key, None)
        if entry.size <= self._entries.maxsize:
            self._entries[key] = entry

    def _peek(self, key: Hashable) -> Entry:
        """The entry, without this counting as use."""
        found: Entry = Cache.__getitem__(self._entries, key)
        return found

    def _size_again(self) -> None:
        """Take the sizes of what was used a while ago anew, for what it has computed for itself since."""
        before = self.timer() - SETTLED
        if self._sized > before or not any(since < before for since in self._used.values()):
            return
        self._sized = self.timer()
        self._entries.expire()
        first = dict[int, float]()  # what several entries hold counts for the one that was made first
        for entry in map(self._peek, list(self._entries)):
            for part in _parts([entry.value]):
                first[part] = min(entry.made, first.get(part, math.inf))
        others = set(first)
        for key in [key for key, since in self._used.items() if since < before]:
            del self._used[key]
            if key in self._entries:
                entry = self._peek(key)
                own = {part for part in _parts([entry.value]) if first[part] == entry.made}
                others -= own
                self._set(key, replace(entry, size=_size(key, entry.value, others)))
                others |= own


def _size(key: Hashable, value: object, besides: Container[int]) -> int:
    """The bytes of an entry, without the objects of these ids."""
    return ENTRY + size_of(key) + size_of(value, besides=besides)


def _parts(values: Iterable[object]) -> set[int]:
    """The ids of values and of their networks: a model may stand in several entries that differ in the length of
    texts only, and counts once."""
    return {id(part) for value in values for part in (value, getattr(value, "network", value))}
