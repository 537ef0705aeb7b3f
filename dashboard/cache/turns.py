"""Turns at the processor: short work has places of its own, and long work waits in a line of its own.

    with turn(progress): ...              # a short place; whoever reports for longer than a MOMENT joins the long line
    with long_turn(progress) as report:   # the long line at once, for what somebody asked for by a button
        ...

Nested turns are free: a thread has one place. In both lines who comes first is served first. Whoever waits in the long
one is told how many are before, and how long it takes; `progress` may end the waiting, and the work, by an exception.
"""

import math
import os
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import AtlasError
from core.progress import Progress, no_progress

AT_ONCE = 2  # short computations at a time: more would only take the processor from one another
LONG_AT_ONCE = 1
# Threads for each computation: with one for every core, those of several visitors would wait for one another, spinning,
# which took four times the processor's time.
THREADS = max(1, (os.cpu_count() or 1) // AT_ONCE)
MOST_WAITING = 20  # in the long line: the last of them waits for minutes
MOMENT = 0.5  # seconds after which work that says how far it is counts as long
PAUSE = 0.1  # seconds between two looks whether what one waits for is there
REMEMBERED = 8  # long turns whose length says how long the next ones will take

FULL = (
    "{waiting} visitors already wait for long computations here, and no more than {most} can. Try again in a few "
    "minutes, or choose less: a shorter text, a smaller picture, fewer settings."
)
ONE_EACH = (
    "Each visitor has one long computation at a time, and yours runs or waits in another tab of this browser. Wait "
    "until it is done, or press Cancel there; then ask for this one again."
)


@dataclass(frozen=True)
class Visitor:
    """Whose work it is: `browser` is the same in all its tabs, `session` in one of them. None: the server's own."""

    browser: Hashable = None
    session: str | None = None


@dataclass(eq=False)
class Turn:
    """The work of one thread, from asking for a place until it is done."""

    visitor: Visitor = field(default_factory=lambda: _visitor())
    asked: float = field(default_factory=time.monotonic)
    line: "Line | None" = None  # in which it has a place
    worked: float = 0.0  # seconds in earlier places
    since: float = 0.0  # when it got this one
    so_far: tuple[int, int] = (0, 1)
    counted: bool = False  # whether `so_far` is of all the work, not of a part of it

    @property
    def lasted(self) -> float:
        """Seconds of work until now."""
        return self.worked + (time.monotonic() - self.since if self.line else 0.0)

    @property
    def left(self) -> float | None:
        """Seconds until it is done, if it goes on as it went; None while nobody can know."""
        done, total = self.so_far
        return self.lasted * max(0, total - done) / done if done and self.lasted > MOMENT else None


class Line:
    """So many places, and those who wait for one in the order in which they came."""

    def __init__(self, places: int):
        self.places = places
        self.at_work: list[Turn] = []
        self.waiting: deque[Turn] = deque()
        self.lasted: deque[float] = deque(maxlen=REMEMBERED)
        self._changed = threading.Condition()

    def enter(self, turn: Turn, waits: Callable[[], None], *, first: bool = False, limited: bool = False) -> None:
        """Wait for a place; `waits` is called now and then, and may give up by an exception.

        `first`: before all who wait, for whoever has been at work already. `limited`: AtlasError if too many wait, or
        if the visitor has a turn in another session.
        """
        with self._changed:
            if limited:
                self._check(turn.visitor)
            if first:
                self.waiting.appendleft(turn)
            else:
                self.waiting.append(turn)
        try:
            while not self._got_place(turn):
                waits()
        except BaseException:
            self._leave(turn, self.waiting)
            raise

    def leave(self, turn: Turn, *, done: bool = True) -> None:
        """Give the place to the next one; `done`: whether the work is, or will go on later."""
        turn.worked, turn.line = turn.lasted, None
        if done:
            self.lasted.append(turn.worked)
        self._leave(turn, self.at_work)

    def said(self, turn: Turn) -> str:
        """How many are before one who waits, and how long they will take, as far as anybody can know."""
        with self._changed:
            ahead = list(self.waiting)
            ahead, working = ahead[: ahead.index(turn) if turn in ahead else 0], list(self.at_work)
        if not (count := len(ahead) + len(working)):
            return "It is your turn."
        visitors = "1 visitor is" if count == 1 else f"{count} visitors are"
        left = [each.left for each in working]
        known = [seconds for seconds in left if seconds is not None]
        if not known or len(known) < len(left):
            return f"{visitors} before you."
        if not ahead:
            return f"{visitors} before you: {_about(min(known))}."
        if not self.lasted:
            return f"{visitors} before you; the one at work needs {_about(min(known))} more."
        return f"{visitors} before you: {_about(min(known) + len(ahead) * statistics.median(self.lasted))}."

    def _got_place(self, turn: Turn) -> bool:
        with self._changed:
            free = self._changed.wait_for(
                lambda: len(self.at_work) < self.places and self.waiting[0] is turn, timeout=PAUSE
            )
            if free:
                self.waiting.popleft()
                self.at_work.append(turn)
                turn.line, turn.since = self, time.monotonic()
                self._changed.notify_all()
            return free

    def _leave(self, turn: Turn, those: list[Turn] | deque[Turn]) -> None:
        with self._changed:
            those.remove(turn)
            self._changed.notify_all()

    def _check(self, visitor: Visitor) -> None:
        others = [turn.visitor for turn in (*self.at_work, *self.waiting)]
        # The visitor's own earlier run of the same page is no second one: it ends at its next report.
        if any(each.browser == visitor.browser is not None and each.session != visitor.session for each in others):
            raise AtlasError(ONE_EACH)
        if len(self.waiting) >= MOST_WAITING:
            raise AtlasError(FULL.format(waiting=len(self.waiting), most=MOST_WAITING))


short_line, long_line = Line(AT_ONCE), Line(LONG_AT_ONCE)
_here = threading.local()


def current() -> Turn | None:
    """The turn of this thread."""
    return getattr(_here, "turn", None)


@contextmanager
def turn(progress: Progress = no_progress) -> Iterator[None]:
    """A short place for what is computed in this block; `report` may move it to the long line."""
    if current():
        yield
        return
    with _own(Turn()) as mine:
        short_line.enter(mine, lambda: progress(*mine.so_far))
        yield


@contextmanager
def long_turn(progress: Progress = no_progress) -> Iterator[Progress]:
    """A place of the long line, and what the work in it reports to: `progress`, and whoever waits behind it.

    Raises AtlasError if too many wait, or if the visitor waits or works in another tab already.
    """
    with _own(Turn(counted=True)) as mine:
        long_line.enter(mine, lambda: _tell(mine, progress), limited=True)

        def heard(done: int, total: int) -> None:
            mine.so_far = done, total
            progress(done, total)

        yield heard


def report(done: int, total: int, progress: Progress = no_progress) -> None:
    """Say how far the work of this thread is. What takes longer, in a short place, goes on in the long line.

    What the server does for itself stays where it is, so that no visitor waits behind it.
    """
    mine = current()
    if mine and not mine.counted:
        mine.so_far = done, total
    if mine and mine.visitor.session is not None and mine.line is short_line and mine.lasted > MOMENT:
        short_line.leave(mine, done=False)
        long_line.enter(mine, lambda: _tell(mine, progress), limited=True)
    progress(done, total)


@contextmanager
def lent(progress: Progress = no_progress) -> Iterator[None]:
    """Leave this thread's place to others while it waits for one of them in this block; then take it again."""
    mine = current()
    line = mine.line if mine else None
    if mine is None or line is None:
        yield
        return
    line.leave(mine, done=False)
    yield
    line.enter(mine, lambda: _tell(mine, progress), first=True)


@contextmanager
def _own(mine: Turn) -> Iterator[Turn]:
    _here.turn = mine
    try:
        yield mine
    finally:
        _here.turn = None
        if mine.line:
            mine.line.leave(mine)


def _tell(mine: Turn, progress: Progress) -> None:
    waits = getattr(progress, "waits", None)  # what shows progress may show sentences, too
    if waits and mine in long_line.waiting:
        waits(long_line.said(mine))
    else:
        progress(*mine.so_far)


def _about(seconds: float) -> str:
    """A time as nobody can know it better: 7 s, 40 s, 3 min."""
    if seconds < 10:
        return f"about {max(1, math.ceil(seconds))} s"
    return f"about {5 * math.ceil(seconds / 5)} s" if seconds <= 90 else f"about {math.ceil(seconds / 60)} min"


def _visitor() -> Visitor:
    """By the cookie that Streamlit sets against forged requests, else by the session."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return Visitor()
    try:
        _, mask, masked, _ = st.context.cookies["_streamlit_xsrf"].strip('"').split("|")
        # Every answer of the server masks the same number anew.
        key = bytes.fromhex(mask)
        browser: Hashable = bytes(each ^ key[at % len(key)] for at, each in enumerate(bytes.fromhex(masked)))
    except (KeyError, ValueError, ZeroDivisionError):
        browser = context.session_id
    return Visitor(browser, context.session_id)
