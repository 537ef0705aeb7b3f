"""Who computes when: short work never waits behind long work, and who comes first is served first."""

import threading
from contextlib import contextmanager

import pytest

from core.errors import AtlasError
from dashboard.cache import turns
from dashboard.cache.turns import Line, Turn, Visitor, long_turn, turn

WITHIN = 20  # seconds in which whatever ends at all has ended


@pytest.fixture(autouse=True)
def lines(monkeypatch):
    """Empty lines, and visitors who are told apart by their threads."""
    monkeypatch.setattr(turns, "short_line", Line(turns.CONCURRENT_SHORT))
    monkeypatch.setattr(turns, "long_line", Line(turns.LONG_AT_ONCE))
    monkeypatch.setattr(turns, "current_visitor", lambda: Visitor(*threading.current_thread().name.split("/", 1)))


class Job:
    """A visitor's long work in a thread of its own, until the test lets it end; `name`: browser/session."""

    def __init__(self, name: str, log: list[str] | None = None, leaves: threading.Event | None = None):
        self.name, self.log, self.leaves = name, log if log is not None else [], leaves
        self.started, self.may_end, self.asked = threading.Event(), threading.Event(), threading.Event()
        self.said: list[str] = []
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

    def __call__(self, _done: int, _total: int) -> None:
        """As a bar of progress."""

    def waits(self, sentence: str) -> None:
        self.said.append(sentence)
        self.asked.set()
        if self.leaves and self.leaves.is_set():
            raise InterruptedError

    def end(self) -> None:
        self.may_end.set()
        self.thread.join(WITHIN)
        assert not self.thread.is_alive()

    def _run(self) -> None:
        try:
            with long_turn(self) as self.report:
                self.log.append(self.name)
                self.started.set()
                assert self.may_end.wait(WITHIN)
        except BaseException as error:
            self.error = error
        self.asked.set()


def waiting(name: str, *args: object) -> Job:
    """A job that stands in the line."""
    job = Job(name, *args)
    assert job.asked.wait(WITHIN)
    return job


def working(name: str, *args: object) -> Job:
    """A job that has its place."""
    job = Job(name, *args)
    assert job.started.wait(WITHIN)
    return job


def test_long_work_is_done_in_the_order_in_which_it_was_asked_for():
    log: list[str] = []
    jobs = [working("0/", log), *(waiting(f"{number}/", log) for number in range(1, 6))]
    for job in jobs:
        job.end()
    assert log == [f"{number}/" for number in range(6)]
    assert not turns.long_line.running
    assert not turns.long_line.waiting


def test_short_work_never_waits_behind_long_work():
    jobs = [working("0/"), *(waiting(f"{number}/") for number in range(1, 5))]
    with turn(lambda *_: pytest.fail("It waits.")):
        assert turns.current().line is turns.short_line
    for job in jobs:
        job.end()


def test_who_waits_is_told_the_place_and_as_much_about_the_time_as_is_known(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(turns.time, "monotonic", lambda: clock[0])
    line = Line(1)
    first, second, third = Turn(), Turn(), Turn()
    line.enter(first, lambda: None)
    line.waiting.extend([second, third])
    assert line.waiting_sentence(second) == "1 visitor is before you."
    first.progress, clock[0] = (1, 5), 10.0
    assert line.waiting_sentence(second) == "1 visitor is before you: about 40 s."
    assert line.waiting_sentence(third) == "2 visitors are before you; the one at work needs about 40 s more."
    line.durations.append(20.0)
    assert line.waiting_sentence(third) == "2 visitors are before you: about 60 s."
    first.progress, clock[0] = (2, 200), 11.0
    assert line.waiting_sentence(second) == "1 visitor is before you: about 19 min."
    line.leave(first)
    assert line.waiting_sentence(second) == "It is your turn."


def test_a_turn_begins_to_know_its_time_after_a_moment_and_does_not_count_what_it_waited(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(turns.time, "monotonic", lambda: clock[0])
    line, mine = Line(1), Turn()
    line.enter(mine, lambda: None)
    mine.progress, clock[0] = (1, 2), turns.LONG_AFTER / 2
    assert mine.remaining is None
    clock[0] = 4.0
    assert mine.remaining == 4.0
    line.leave(mine, done=False)
    clock[0] = 50.0
    line.enter(mine, lambda: None, first=True)
    clock[0] = 52.0
    assert mine.duration == 6.0


def test_a_full_line_says_so_with_the_numbers_and_the_next_step(monkeypatch):
    monkeypatch.setattr(turns, "MOST_WAITING", 2)
    jobs = [working("0/"), waiting("1/"), waiting("2/")]
    refused = Job("3/")
    refused.thread.join(WITHIN)
    assert isinstance(refused.error, AtlasError)
    assert "2 visitors already wait" in str(refused.error)
    assert "Try again" in str(refused.error)
    for job in jobs:
        job.end()
    working("3/").end()


def test_a_visitor_has_one_long_computation_in_all_tabs_and_another_when_it_is_done():
    first = working("browser/one tab")
    other = Job("browser/another tab")
    other.thread.join(WITHIN)
    assert isinstance(other.error, AtlasError)
    assert "another tab" in str(other.error)
    again = waiting("browser/one tab")  # a click stops the run before, which ends at its next report
    first.end()
    assert again.started.wait(WITHIN)
    again.end()
    working("browser/another tab").end()


def test_who_leaves_while_waiting_gives_up_the_place_at_once():
    leaves, log = threading.Event(), list[str]()
    first, second, third = working("0/", log), waiting("1/", log, leaves), waiting("2/", log)
    leaves.set()
    second.thread.join(WITHIN)
    assert isinstance(second.error, InterruptedError)
    assert [waiting_turn.visitor.browser for waiting_turn in turns.long_line.waiting] == ["2"]
    first.end()
    third.end()
    assert log == ["0/", "2/"]


@contextmanager
def failing():
    with pytest.raises(ValueError, match="wrong"):
        yield


def test_an_exception_frees_the_place():
    for _ in range(3):
        with failing(), long_turn():
            raise ValueError("wrong")
        with failing(), turn():
            raise ValueError("wrong")
    assert not turns.long_line.running
    assert not turns.short_line.running
    assert turns.current() is None


def test_work_that_takes_long_goes_on_in_the_long_line_and_leaves_its_place_to_short_work(monkeypatch):
    job = working("0/")
    moved, finished, long_before = threading.Event(), threading.Event(), turns.LONG_AFTER

    class Observer:
        def __call__(self, *_: int) -> None: ...

        def waits(self, sentence: str) -> None:
            assert sentence.startswith("1 visitor is before you")
            moved.set()

    def compute() -> None:
        with turn():
            turns.report(1, 3, Observer())
            assert turns.current().line is turns.short_line
            monkeypatch.setattr(turns, "LONG_AFTER", -1.0)
            turns.report(2, 3, Observer())
            assert turns.current().line is turns.long_line
            finished.set()

    thread = threading.Thread(target=compute, name="1/", daemon=True)
    thread.start()
    assert moved.wait(WITHIN)
    assert not turns.short_line.running
    assert not finished.is_set()
    monkeypatch.setattr(turns, "LONG_AFTER", long_before)
    job.end()
    assert finished.wait(WITHIN)
    thread.join(WITHIN)
    assert not turns.long_line.running


def test_what_the_server_does_for_itself_stands_in_nobodys_way(monkeypatch):
    monkeypatch.setattr(turns, "current_visitor", Visitor)
    monkeypatch.setattr(turns, "LONG_AFTER", -1.0)
    with turn():
        turns.report(1, 2)
        assert not turns.long_line.running


def test_a_long_turn_that_waits_for_the_work_of_another_lends_its_place_and_comes_next():
    log = list[str]()

    class Ending:
        def waits(self, _sentence: str) -> None:
            second.may_end.set()

    with long_turn():
        with turns.lend_place(Ending()):
            second = working("1/", log)
            third = waiting("2/", log)
        assert turns.current().line is turns.long_line
        log.append("again")
    third.end()
    assert log == ["1/", "again", "2/"]


def test_nested_turns_take_no_further_place():
    with long_turn(), turn(), turn():
        assert len(turns.long_line.running) == 1
        assert not turns.short_line.running
        turns.report(1, 2)
    assert turns.current() is None


def test_of_a_long_turn_the_whole_counts_and_not_its_parts():
    with long_turn() as report:
        report(3, 36)
        turns.report(1, 2)
        assert turns.current().progress == (3, 36)
