"""A class that follows its teacher, in the memory of this process: address, followers, anonymous answers."""

import math
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
MOST_FOLLOWERS = 200
MOST_MEMBERS = 1000  # followers that are remembered, those who have left included
MOST_SOCKETS = 250  # connections of all followers of a class
MOST_TABS = 5  # of one follower, or of the teacher: a tab that was duplicated is the same one
MOST_QUESTIONS = 100  # of a class whose answers are kept; then the oldest question goes
LONGEST_ADDRESS = 60_000  # characters: no server takes a longer one
LONGEST_ANSWER = 200  # characters of a question's name, of a choice, of a follower's number
MOST_PARAMETERS = 500
RECONNECT_WITHIN = 10.0  # seconds in which who is away still counts: to go to another page is to connect again
TEACHER_AWAY = HOUR / 4  # seconds in which the class of a teacher who is away is given to nobody else
# Parameters of an address that are each visitor's own.
PERSONAL = frozenset({"class", "present", "embed", "embed_options"})

NOT_YOURS = "Only the browser tab that opened class {code} leads it."
FULL = "Class {code} is full: {count} follow it, and no more than {most} can."
ALL_OPEN = "Class {code} is full: it is open in {count} tabs, and no more than {most} can be."
LOCKED = "Class {code} is locked: whoever was in it may come back, and nobody else may join. Ask your teacher."
REMOVED = "Your teacher has removed this tab from class {code}."
TABS = "This page {does} class {code} in {most} tabs already. Close one of them."
TOO_LONG = (
    "This page's address has {count:,} characters, and a class can follow one of up to {most:,}. Choose a shorter text."
)
ELSEWHERE = "A class goes only to pages of the atlas."


@dataclass
class Follower:
    """One browser tab that follows, or looks around by itself: its open connections, and when the last one closed.

    `number` counts followers in the order in which they joined.
    """

    number: int
    following: bool = True
    connections: int = 0
    left_at: float = -math.inf
    removed: bool = False


class Class:
    """One class. Threads may share it; callbacks of `watch` are called in the thread that made a change."""

    def __init__(
        self,
        code: str,
        pages: Collection[str],
        timer: Callable[[], float] = time.monotonic,
        *,
        key: str = "",
        opened_by: str | None = None,
    ):
        self.code, self.key = code, key or secrets.token_urlsafe(16)  # the key is the teacher's alone
        self.until = timer() + AGE
        self.opened_by = opened_by  # a network address, if one is known
        self.address: str | None = None  # where the teacher is
        self.ended = self.locked = False
        self._pages, self._timer = pages, timer
        self._teachers, self._teacher_left = 0, timer()  # open connections of the teacher
        self._followers: dict[str, Follower] = {}
        self._last_number = 0
        self._answers: dict[str, dict[str, str]] = {}  # choice by follower, by question
        self._watchers: set[Callable[[bool], None]] = set()
        self._guard = threading.RLock()

    @property
    def followers(self) -> int:
        """The number of followers now, without those who look around by themselves."""
        with self._guard:
            return sum(follower.following for follower in self._present())

    @property
    def is_busy(self) -> bool:
        """Whether anybody is connected, or the teacher has been away for less than a quarter of an hour."""
        with self._guard:
            is_led = self._teachers or self._timer() - self._teacher_left < TEACHER_AWAY
            return bool(is_led or self._present())

    def follower_states(self) -> list[tuple[int, bool]]:
        """The number of each follower who is present, and whether it follows (False: looks around)."""
        with self._guard:
            return [(follower.number, follower.following) for follower in self._present()]

    def connect_teacher(self, key: str) -> None:
        """Count a connection of the teacher; AtlasError unless this is the teacher's key."""
        if not secrets.compare_digest(key.encode(errors="replace"), self.key.encode()):
            raise AtlasError(NOT_YOURS.format(code=self.code))
        with self._guard:
            if self._teachers >= MOST_TABS:
                raise AtlasError(TABS.format(does="leads", code=self.code, most=MOST_TABS))
            self._teachers += 1

    def disconnect_teacher(self) -> None:
        """Count a connection of the teacher as closed."""
        with self._guard:
            self._teachers -= 1
            self._teacher_left = self._timer()

    def go_to(self, address: str) -> None:
        """Set the teacher's address (`text?layer=3`); AtlasError if it is none of the atlas, or too long."""
        address = valid_address(address, self._pages)
        with self._guard:
            self.address = address
            self.notify(everybody=True)

    def join(self, member: str, *, following: bool = True) -> int:
        """Count a connection of the follower `member`, a text that stays the same when it connects again; its number.

        AtlasError if the class is full or locked, or if the follower was removed.
        """
        _check_length(member)
        with self._guard:
            self._check_place(member)
            if member not in self._followers:
                self._last_number += 1
                self._followers[member] = Follower(self._last_number)
                self._forget_members()
            follower = self._followers[member]
            follower.connections += 1
            follower.following = following
            self.notify()
            return follower.number

    def follow(self, member: str, *, following: bool) -> None:
        """Note whether a follower goes with the teacher, or looks around."""
        with self._guard:
            self._followers[member].following = following
            self.notify()

    def leave(self, member: str) -> None:
        """Count a connection as closed; the follower counts for RECONNECT_WITHIN seconds more: it may change page."""
        with self._guard:
            follower = self._followers[member]
            follower.connections -= 1
            follower.left_at = self._timer()
            self.notify()

    def lock(self, *, locked: bool) -> None:
        """Set whether only those who were here before may join."""
        with self._guard:
            self.locked = locked
            self.notify()

    def remove(self, number: int) -> None:
        """Remove a follower for good, with its answers; nothing if no follower has the number."""
        with self._guard:
            for member, follower in self._followers.items():
                if follower.number == number:
                    follower.removed = True
                    for answers in self._answers.values():
                        answers.pop(member, None)
            self.notify(everybody=True)

    def is_removed(self, member: str) -> bool:
        """Whether the teacher has removed a follower."""
        with self._guard:
            return member in self._followers and self._followers[member].removed

    def answer(self, question: str, member: str, choice: str) -> None:
        """Store a follower's answer to a question; a later answer replaces an earlier one."""
        for text in (question, member, choice):
            _check_length(text)
        with self._guard:
            if self.is_removed(member):
                raise AtlasError(REMOVED.format(code=self.code))
            answers = self._answers.setdefault(question, {})
            if member not in answers and len(answers) >= MOST_FOLLOWERS:
                raise AtlasError(f"{len(answers)} have answered, and no more than {MOST_FOLLOWERS} can.")
            answers[member] = choice
            if len(self._answers) > MOST_QUESTIONS:
                del self._answers[next(iter(self._answers))]
            self.notify()

    def answers(self, question: str, choices: Collection[str] = ()) -> dict[str, int]:
        """The count of each answer among `choices`, or of each number without `choices`; zero counts are missing.

        Anything else that a follower has sent is dropped: it would stand on the projector.
        """
        with self._guard:
            answers = list(self._answers.get(question, {}).values())
        allowed = (answer if answer in choices else None for answer in answers) if choices else map(_number, answers)
        return dict(Counter(answer for answer in allowed if answer is not None))

    def end(self) -> None:
        """End the class for all who are connected."""
        with self._guard:
            self.ended = True
            self.notify(everybody=True)

    def watch(self, callback: Callable[[bool], None]) -> None:
        """Call `callback` after every change, until `unwatch`; with True if the change concerns followers too."""
        with self._guard:
            self._watchers.add(callback)

    def unwatch(self, callback: Callable[[bool], None]) -> None:
        """Stop calling `callback`."""
        with self._guard:
            self._watchers.discard(callback)

    def notify(self, *, everybody: bool = False) -> None:
        """Call all watchers: something has changed for `everybody`, or for the teacher only."""
        with self._guard:
            for callback in self._watchers:
                callback(everybody)

    def _check_place(self, member: str) -> None:
        """Raise AtlasError if one more connection of a follower is not allowed."""
        follower, present = self._followers.get(member), self._present()
        if follower is None and self.locked:
            raise AtlasError(LOCKED.format(code=self.code))
        if follower is not None and follower.removed:
            raise AtlasError(REMOVED.format(code=self.code))
        if follower not in present and len(present) >= MOST_FOLLOWERS:
            raise AtlasError(FULL.format(code=self.code, count=len(present), most=MOST_FOLLOWERS))
        if follower is not None and follower.connections >= MOST_TABS:
            raise AtlasError(TABS.format(does="follows", code=self.code, most=MOST_TABS))
        tabs = sum(follower.connections for follower in present)
        if tabs >= MOST_SOCKETS:
            raise AtlasError(ALL_OPEN.format(code=self.code, count=tabs, most=MOST_SOCKETS))

    def _present(self) -> list[Follower]:
        """Followers who are connected, or were until RECONNECT_WITHIN seconds ago."""
        since = self._timer() - RECONNECT_WITHIN
        return [
            follower
            for follower in self._followers.values()
            if not follower.removed and (follower.connections or follower.left_at > since)
        ]

    def _forget_members(self) -> None:
        """Forget the oldest followers who are not connected, if there are more than MOST_MEMBERS."""
        while len(self._followers) > MOST_MEMBERS:
            gone = next(member for member, follower in self._followers.items() if not follower.connections)
            del self._followers[gone]


def valid_address(address: str, pages: Collection[str]) -> str:
    """An address of the atlas, rebuilt from its parts without PERSONAL parameters; AtlasError for any other."""
    page, _, query = address.partition("?")
    if page not in pages:
        raise AtlasError(ELSEWHERE)
    if len(address) > LONGEST_ADDRESS:
        raise AtlasError(TOO_LONG.format(count=len(address), most=LONGEST_ADDRESS))
    try:
        parameters = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
        new_query = urlencode([(name, value) for name, value in parameters if name not in PERSONAL])
    except ValueError as error:  # too many parameters, or half a letter
        raise AtlasError("This address cannot be followed: its parameters cannot be read.") from error
    if len(new_query) > LONGEST_ADDRESS:
        raise AtlasError(TOO_LONG.format(count=len(new_query), most=LONGEST_ADDRESS))
    return f"{page}?{new_query}" if new_query else page


def _number(answer: str) -> str | None:
    """A number as the atlas writes it; None if the answer is no finite number."""
    try:
        number = float(answer)
    except ValueError:
        return None
    return f"{number:g}" if math.isfinite(number) else None


def _check_length(text: str) -> None:
    if not 0 < len(text) <= LONGEST_ANSWER:
        raise AtlasError(f"This has {len(text):,} characters; it can have 1 to {LONGEST_ANSWER}.")
