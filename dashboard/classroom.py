"""Classes that follow a teacher, in the memory of this process: an address, how many follow, answers without names."""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from core.errors import AtlasError

HOUR = 3600
AGE = 24 * HOUR  # seconds that a class is kept
MOST_CLASSES = 50
MOST_FOLLOWERS = 200
MOST_TABS = 5  # of one follower: a tab that was duplicated is the same one
MOST_QUESTIONS = 100  # of a class whose answers are kept; then the oldest question goes
LONGEST_ADDRESS = 60_000  # characters: no server takes a longer one
LONGEST_ANSWER = 200  # characters of a question's name, of a choice, of a follower's number
MOST_PARAMETERS = 500
AWAY = 10.0  # seconds in which who is away still counts: to go to another page is to connect again
CODE = 6  # letters of a code
# Neither look-alikes (I and L, O and Q, U and V) nor vowels: a code is easy to read, and no word.
LETTERS = "BCDFGHJKMNPRSTVWXZ"
# Parameters of an address that are each visitor's own.
OWN = frozenset({"class", "present", "embed", "embed_options"})

UNKNOWN = (
    "There is no class {code} here. A class ends after {hours} hours, and whenever the server starts anew. Ask your "
    "teacher for the code: {letters} letters."
)
NOT_YOURS = "Only the browser tab that opened class {code} leads it."
FULL = "Class {code} is full: {count} follow it, and no more than {most} can."
ALL_TAKEN = (
    "{count} classes are at work here, and there can be no more than {most}. Try again when one of them has ended."
)
TOO_LONG = (
    "This page's address has {count:,} characters, and a class can follow one of up to {most:,}. Choose a shorter text."
)
ELSEWHERE = "A class goes only to pages of the atlas."


@dataclass
class Follower:
    """One browser tab that follows, or looks around by itself: its open connections, and when the last one closed."""

    following: bool = True
    connections: int = 0
    left: float = 0.0


class Class:
    """One class. Threads may share it; `watch` tells of every change, in the thread that made it."""

    def __init__(self, code: str, pages: Collection[str], timer: Callable[[], float] = time.monotonic):
        self.code, self.key = code, secrets.token_urlsafe(16)
        self.until = timer() + AGE
        self.address: str | None = None  # where the teacher is
        self.ended = False
        self._pages, self._timer = pages, timer
        self._teachers = 0  # open connections of the teacher
        self._followers: dict[str, Follower] = {}
        self._answers: dict[str, dict[str, str]] = {}  # choice by follower, by question
        self._watchers: set[Callable[[], None]] = set()
        self._guard = threading.RLock()

    @property
    def followers(self) -> int:
        """How many follow now; who looks around by themselves is not counted."""
        with self._guard:
            return sum(each.following for each in self._there().values())

    @property
    def is_busy(self) -> bool:
        """Whether anybody is connected."""
        with self._guard:
            return bool(self._teachers or self._there())

    def teach(self, key: str) -> None:
        """The teacher connects; AtlasError unless this is the teacher's key."""
        if not secrets.compare_digest(key.encode(errors="replace"), self.key.encode()):
            raise AtlasError(NOT_YOURS.format(code=self.code))
        with self._guard:
            self._teachers += 1

    def rest(self) -> None:
        """A connection of the teacher has closed."""
        with self._guard:
            self._teachers -= 1

    def go_to(self, address: str) -> None:
        """The teacher is at an address (`text?layer=3`); AtlasError if it is none of the atlas, or too long."""
        address = checked(address, self._pages)
        with self._guard:
            self.address = address
            self.tell()

    def join(self, who: str, *, following: bool = True) -> None:
        """A follower connects, by a number that stays the same when it connects again; AtlasError if all are there."""
        _check_length(who)
        with self._guard:
            there = self._there()
            if who not in there and len(there) >= MOST_FOLLOWERS:
                raise AtlasError(FULL.format(code=self.code, count=len(there), most=MOST_FOLLOWERS))
            follower = self._followers.setdefault(who, Follower())
            if follower.connections >= MOST_TABS:
                raise AtlasError(f"This page follows class {self.code} in {MOST_TABS} tabs already. Close one of them.")
            follower.connections += 1
            follower.following = following
            self.tell()

    def follow(self, who: str, *, following: bool) -> None:
        """A follower goes with the teacher again, or looks around."""
        with self._guard:
            self._followers[who].following = following
            self.tell()

    def leave(self, who: str) -> None:
        """A connection of a follower has closed. It counts for a moment longer: it may be on its way to a page."""
        with self._guard:
            follower = self._followers[who]
            follower.connections -= 1
            follower.left = self._timer()
            self.tell()

    def answer(self, question: str, who: str, choice: str) -> None:
        """What a follower answers to a question; a later answer replaces an earlier one."""
        for text in (question, who, choice):
            _check_length(text)
        with self._guard:
            given = self._answers.setdefault(question, {})
            if who not in given and len(given) >= MOST_FOLLOWERS:
                raise AtlasError(f"{len(given)} have answered, and no more than {MOST_FOLLOWERS} can.")
            given[who] = choice
            if len(self._answers) > MOST_QUESTIONS:
                del self._answers[next(iter(self._answers))]
            self.tell()

    def answers(self, question: str) -> dict[str, int]:
        """How many gave each answer; an answer that nobody gave is missing."""
        with self._guard:
            return dict(Counter(self._answers.get(question, {}).values()))

    def end(self) -> None:
        """It is over for all who are there."""
        with self._guard:
            self.ended = True
            self.tell()

    def watch(self, told: Callable[[], None]) -> None:
        """Call `told` after every change, until `unwatch`."""
        with self._guard:
            self._watchers.add(told)

    def unwatch(self, told: Callable[[], None]) -> None:
        """Call it no more."""
        with self._guard:
            self._watchers.discard(told)

    def tell(self) -> None:
        """Something has changed."""
        with self._guard:
            for told in self._watchers:
                told()

    def _there(self) -> dict[str, Follower]:
        """Followers who are connected or were until a moment ago; the others are forgotten."""
        since = self._timer() - AWAY
        gone = [who for who, each in self._followers.items() if not each.connections and each.left <= since]
        for who in gone:
            del self._followers[who]
        return self._followers


class Classes:
    """All classes of this process by their codes. `pages` are the addresses to which a class can go."""

    def __init__(self, pages: Collection[str], timer: Callable[[], float] = time.monotonic):
        self._pages, self._timer = frozenset(pages), timer
        self._classes: dict[str, Class] = {}  # the oldest first
        self._guard = threading.RLock()

    def __len__(self) -> int:
        with self._guard:
            self.forget()
            return len(self._classes)

    def open(self) -> Class:
        """A new class; where there are too many, the oldest one goes in which nobody is. AtlasError if all are busy."""
        with self._guard:
            self.forget()
            if len(self._classes) >= MOST_CLASSES:
                idle = next((each for each in self._classes.values() if not each.is_busy), None)
                if idle is None:
                    raise AtlasError(ALL_TAKEN.format(count=len(self._classes), most=MOST_CLASSES))
                self.end(idle)
            code = new_code()
            while code in self._classes:
                code = new_code()
            self._classes[code] = Class(code, self._pages, self._timer)
            return self._classes[code]

    def find(self, code: str) -> Class:
        """The class with this code, in large or small letters; AtlasError if there is none, or none any more."""
        with self._guard:
            self.forget()
            if found := self._classes.get(code.strip().upper()):
                return found
        shown = code.strip()[: 2 * CODE]
        raise AtlasError(UNKNOWN.format(code=f"“{shown}”", hours=AGE // HOUR, letters=CODE))

    def end(self, room: Class) -> None:
        """Forget a class and all that was kept of it."""
        with self._guard:
            self._classes.pop(room.code, None)
        room.end()

    def forget(self) -> None:
        """End the classes whose day is over."""
        with self._guard:
            over = [each for each in self._classes.values() if each.until <= self._timer()]
        for each in over:
            self.end(each)


def new_code() -> str:
    """Six letters that nobody can foresee."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE))


def checked(address: str, pages: Collection[str]) -> str:
    """An address of the atlas, written anew from its parts and without what is a visitor's own; else AtlasError."""
    page, _, query = address.partition("?")
    if page not in pages:
        raise AtlasError(ELSEWHERE)
    if len(address) > LONGEST_ADDRESS:
        raise AtlasError(TOO_LONG.format(count=len(address), most=LONGEST_ADDRESS))
    try:
        given = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
        written = urlencode([(name, value) for name, value in given if name not in OWN])
    except ValueError as error:  # too many parameters, or half a letter
        raise AtlasError("This address cannot be followed: its parameters cannot be read.") from error
    if len(written) > LONGEST_ADDRESS:
        raise AtlasError(TOO_LONG.format(count=len(written), most=LONGEST_ADDRESS))
    return f"{page}?{written}" if written else page


def _check_length(text: str) -> None:
    if not 0 < len(text) <= LONGEST_ANSWER:
        raise AtlasError(f"This has {len(text):,} characters; it can have 1 to {LONGEST_ANSWER}.")
