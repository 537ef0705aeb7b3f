"""Turns at the processor: short work has places of its own, and long work waits in a line of its own.

    with turn(progress): ...              # a short place; work that takes longer than LONG_AFTER joins the long line
    with long_turn(progress) as report:   # the long line at once, for work started by a button
        ...

Nested turns are free: a thread has one place. Both lines are first come, first served. In the long line `progress`
shows how many are before, and how long it takes. `progress` may end the waiting, and the work, by an exception.
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

CONCURRENT_SHORT = 2  # short computations at a time: more would only take the processor from one another
LONG_AT_ONCE = 1
# Threads for each computation: with one for every core, those of several visitors would wait for one another, spinning,
# which took four times the processor's time.
THREADS = max(1, (os.cpu_count() or 1) // CONCURRENT_SHORT)
MOST_WAITING = 20  # in the long line: the last of them waits for minutes
LONG_AFTER = 0.5  # seconds after which work that reports progress counts as long
PAUSE = 0.1  # seconds between two checks of a waiting thread
REMEMBERED = 8  # long turns whose durations predict those of the next ones

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
    """The visitor for whom work is done: `browser` is shared by its tabs, `session` is one tab. None: the server."""

    browser: Hashable = None
    session: str | None = None


@dataclass(eq=False)
class Turn:
    """The work of one thread, from asking for a place until it is done."""

    visitor: Visitor = field(default_factory=lambda: current_visitor())
    asked_at: float = field(default_factory=time.monotonic)
    line: "Line | None" = None  # the line in which it has a place
    worked: float = 0.0  # seconds of work in earlier places
    since: float = 0.0  # when it got this place
    progress: tuple[int, int] = (0, 1)
    counted: bool = False  # whether `progress` is of all the work, not of a part

    @property
    def duration(self) -> float:
        """Seconds of work until now."""
        return self.worked + (time.monotonic() - self.since if self.line else 0.0)

    @property
    def remaining(self) -> float | None:
        """Estimated seconds until it is done, at the same pace; None while there is too little progress."""
        done, total = self.progress
        return self.duration * max(0, total - done) / done if done and self.duration > LONG_AFTER else None


class Line:
    """A number of places, and a queue of turns that wait for one."""

    def __init__(self, places: int):
        self.places = places
        self.running: list[Turn] = []
        self.waiting: deque[Turn] = deque()
        self.durations: deque[float] = deque(maxlen=REMEMBERED)
        self._changed = threading.Condition()

    def enter(self, turn: Turn, waits: Callable[[], None], *, first: bool = False, limited: bool = False) -> None:
        """Wait for a place; `waits` is called now and then, and may give up by an exception.

        `first`: at the head of the queue, for work that was interrupted. `limited`: raise AtlasError if too many wait,
        or if the visitor has a turn in another session.
        """
        with self._changed:
            if limited:
                self._check(turn.visitor)
            if first:
                self.waiting.appendleft(turn)
            else:
                self.waiting.append(turn)
        try:
            while not self._acquire(turn):
                waits()
        except BaseException:
            self._leave(turn, self.waiting)
            raise

    def leave(self, turn: Turn, *, done: bool = True) -> None:
        """Give the place to the next turn; `done`: whether the work is done, or will go on later."""
        turn.worked, turn.line = turn.duration, None
        if done:
            self.durations.append(turn.worked)
        self._leave(turn, self.running)

    def waiting_sentence(self, turn: Turn) -> str:
        """A sentence with the number of turns before a waiting one, and an estimate of the time, if there is one."""
        with self._changed:
            ahead = list(self.waiting)
            ahead, working = ahead[: ahead.index(turn) if turn in ahead else 0], list(self.running)
        if not (count := len(ahead) + len(working)):
            return "It is your turn."
        visitors = "1 visitor is" if count == 1 else f"{count} visitors are"
        times = [other.remaining for other in working]
        known = [seconds for seconds in times if seconds is not None]
        if not known or len(known) < len(times):
            return f"{visitors} before you."
        if not ahead:
            return f"{visitors} before you: {_about(min(known))}."
        if not self.durations:
            return f"{visitors} before you; the one at work needs {_about(min(known))} more."
        return f"{visitors} before you: {_about(min(known) + len(ahead) * statistics.median(self.durations))}."

    def _acquire(self, turn: Turn) -> bool:
        with self._changed:
            free = self._changed.wait_for(
                lambda: len(self.running) < self.places and self.waiting[0] is turn, timeout=PAUSE
            )
            if free:
                self.waiting.popleft()
                self.running.append(turn)
                turn.line, turn.since = self, time.monotonic()
                self._changed.notify_all()
            return free

    def _leave(self, turn: Turn, queue: list[Turn] | deque[Turn]) -> None:
        with self._changed:
            queue.remove(turn)
            self._changed.notify_all()

    def _check(self, visitor: Visitor) -> None:
        others = [turn.visitor for turn in (*self.running, *self.waiting)]
        # The visitor's own earlier run of the same page is no second one: it ends at its next report.
        if any(other.browser == visitor.browser is not None and other.session != visitor.session for other in others):
            raise AtlasError(ONE_EACH)
        if len(self.waiting) >= MOST_WAITING:
            raise AtlasError(FULL.format(waiting=len(self.waiting), most=MOST_WAITING))


short_line, long_line = Line(CONCURRENT_SHORT), Line(LONG_AT_ONCE)
_thread = threading.local()


def current() -> Turn | None:
    """The turn of this thread."""
    return getattr(_thread, "turn", None)


@contextmanager
def turn(progress: Progress = no_progress) -> Iterator[None]:
    """A short place for the work of this block; `report` may move it to the long line."""
    if current():
        yield
        return
    with _thread_turn(Turn()) as own_turn:
        short_line.enter(own_turn, lambda: progress(*own_turn.progress))
        yield


@contextmanager
def long_turn(progress: Progress = no_progress, *, line: Line | None = None) -> Iterator[Progress]:
    """A place of the long line, and a callback to which the work reports, for `progress` and for those who wait.

    `line`: another line than the one that most long work shares.

    Raises AtlasError if too many wait, or if the visitor waits or works in another tab already.
    """
    with _thread_turn(Turn(counted=True)) as own_turn:
        chosen = line or long_line
        chosen.enter(own_turn, lambda: _show_progress(own_turn, progress, chosen), limited=True)

        def report_progress(done: int, total: int) -> None:
            own_turn.progress = done, total
            progress(done, total)

        yield report_progress


def report(done: int, total: int, progress: Progress = no_progress) -> None:
    """Report the progress of this thread's work. Work in a short place that takes too long moves to the long line.

    The server's own work stays in its place, so that no visitor waits behind it.
    """
    own_turn = current()
    if own_turn and not own_turn.counted:
        own_turn.progress = done, total
    if (
        own_turn
        and own_turn.visitor.session is not None
        and own_turn.line is short_line
        and own_turn.duration > LONG_AFTER
    ):
        short_line.leave(own_turn, done=False)
        long_line.enter(own_turn, lambda: _show_progress(own_turn, progress), limited=True)
    progress(done, total)


@contextmanager
def acting_for(visitor: Visitor) -> Iterator[None]:
    """Count the turns of this thread as those of a visitor of another process."""
    _thread.visitor = visitor
    try:
        yield
    finally:
        _thread.visitor = None


@contextmanager
def lend_place(progress: Progress = no_progress) -> Iterator[None]:
    """Lend this thread's place to others while it waits for one of them in this block; then take it back."""
    own_turn = current()
    line = own_turn.line if own_turn else None
    if own_turn is None or line is None:
        yield
        return
    line.leave(own_turn, done=False)
    yield
    line.enter(own_turn, lambda: _show_progress(own_turn, progress), first=True)


@contextmanager
def _thread_turn(own_turn: Turn) -> Iterator[Turn]:
    _thread.turn = own_turn
    try:
        yield own_turn
    finally:
        _thread.turn = None
        if own_turn.line:
            own_turn.line.leave(own_turn)


def _show_progress(own_turn: Turn, progress: Progress, line: Line | None = None) -> None:
    line = line or long_line
    waits = getattr(progress, "waits", None)  # what shows progress may show sentences, too
    if waits and own_turn in line.waiting:
        waits(line.waiting_sentence(own_turn))
    else:
        progress(*own_turn.progress)


def _about(seconds: float) -> str:
    """A rounded time: 7 s, 40 s, 3 min."""
    if seconds < 10:
        return f"about {max(1, math.ceil(seconds))} s"
    return f"about {5 * math.ceil(seconds / 5)} s" if seconds <= 90 else f"about {math.ceil(seconds / 60)} min"


def current_visitor() -> Visitor:
    """The current visitor, by the cookie that Streamlit sets against forged requests, else by the session."""
    if visitor := getattr(_thread, "visitor", None):
        return visitor
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return Visitor()
    try:
        _, mask, masked, _ = st.context.cookies["_streamlit_xsrf"].strip('"').split("|")
        # Every answer of the server masks the same number anew.
        key = bytes.fromhex(mask)
        browser: Hashable = bytes(byte ^ key[place % len(key)] for place, byte in enumerate(bytes.fromhex(masked)))
    except (KeyError, ValueError, ZeroDivisionError):
        browser = context.session_id
    return Visitor(browser, context.session_id)
