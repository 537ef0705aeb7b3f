"""What is kept: once for all who ask, within one budget of bytes, given up without harm, and uploads not for long."""

import functools
import threading
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from core import machine
from core.progress import Progress, no_progress
from dashboard.cache import memo, turns
from dashboard.cache.memo import cached
from dashboard.cache.memory_size import size_of
from dashboard.cache.store import SETTLED, Store
from dashboard.cache.upload import Upload
from tests.polling import wait_until


@pytest.fixture(autouse=True)
def store(monkeypatch):
    """A budget of a megabyte, a clock that the test moves, and nothing kept before."""
    clock = [0.0]
    monkeypatch.setattr(memo, "_store", Store(10**6, timer=lambda: clock[0]))
    return clock


def counted(**options):
    """A kept function, and the list of what it was called with."""
    calls = []

    @cached(**options)
    def make(*arguments: object) -> torch.Tensor:
        calls.append(arguments)
        return torch.zeros(75_000)  # 300 kB

    return make, calls


def test_the_second_who_asks_gets_the_very_same():
    make, calls = counted()
    assert make("a") is make("a")
    make("b")
    assert calls == [("a",), ("b",)]


def test_arguments_are_the_same_by_position_by_name_and_by_default():
    calls = []

    @cached()
    def make(first: int, second: int = 2, *, third: int = 3) -> object:
        calls.append((first, second, third))
        return object()

    assert make(1) is make(1, 2) is make(first=1, third=3) is make(1, second=2, third=3)
    assert make(1, 3) is not make(1)
    assert len(calls) == 2


def test_two_functions_of_one_argument_do_not_share():
    one, two = cached()(lambda x: [x, 1]), cached()(_other)
    assert one(5) == [5, 1]
    assert two(5) == [5, 2]


def _other(x):
    return [x, 2]


def test_known_asks_without_making_and_forget_lets_it_be_made_anew():
    make, calls = counted()
    assert make.peek("a") is None
    value = make("a")
    assert make.peek("a") is value
    make.forget("a")
    assert make.peek("a") is None
    make("a")
    assert len(calls) == 2


def test_a_new_value_replaces_the_kept_one_unless_it_is_given_up():
    numbers = iter(range(9))

    @cached(unit="steps")
    def number(progress: Progress = no_progress) -> list[int]:
        progress(1, 2)
        return [next(numbers)]

    def leave(*_: int) -> None:
        raise InterruptedError

    assert number() == [0]
    with pytest.raises(InterruptedError):
        number.refresh(leave)
    assert number() == [0]
    assert number.refresh() == [1]
    assert number() == [1]


def test_what_was_asked_for_longest_ago_goes_first_and_the_budget_is_never_exceeded():
    make, calls = counted()
    for name in "abc":
        make(name)
    make("a")  # so that b is the oldest
    make("d")
    assert 900_000 < memo.cached_bytes() <= 10**6
    assert [make.peek(name) is not None for name in "abcd"] == [True, False, True, True]
    assert len(calls) == 4


def test_what_is_larger_than_the_budget_is_given_but_not_kept():
    large = cached()(lambda: b"x" * 10**6)
    assert len(large()) == 10**6
    assert memo.cached_bytes() == 0


def test_an_exception_is_not_kept():
    attempts = []

    @cached()
    def fail() -> str:
        attempts.append(1)
        if len(attempts) == 1:
            raise ValueError("not yet")
        return "there"

    with pytest.raises(ValueError, match="not yet"):
        fail()
    assert fail() == "there"


def test_a_file_is_gone_after_an_hour_with_all_that_was_made_of_it_and_all_else_stays(store):
    make, calls = counted()
    file = memo.store_upload(b"mine")
    assert memo.stored_upload(file.identity) is file
    make(file, "cat")
    store[0] = memo.AGE - 1
    make(("nested", (file,)))  # a second before the end
    make("an example")
    store[0] = memo.AGE + 1
    assert memo.stored_upload(file.identity) is None
    assert make.peek(file, "cat") is None
    assert make.peek(("nested", (file,))) is None
    assert make.peek("an example") is not None
    assert memo.cached_bytes() < 310_000
    assert len(calls) == 3


def test_what_is_made_of_a_file_that_is_forgotten_already_is_given_and_not_kept(store):
    make, _ = counted()
    file = memo.store_upload(b"mine")
    store[0] = memo.AGE + 1
    assert len(make(file)) == 75_000
    assert make.peek(file) is None
    assert memo.cached_bytes() == 0


def test_a_file_counts_in_the_budget_and_goes_when_others_need_the_room():
    first, second = memo.store_upload(b"1" * 600_000), memo.store_upload(b"2" * 300_000)
    assert memo.cached_bytes() > 900_000
    memo.store_upload(b"3" * 300_000)
    assert memo.stored_upload(first.identity) is None
    assert memo.stored_upload(second.identity) is second
    assert memo.cached_bytes() <= 10**6


def test_a_file_does_not_go_while_what_was_made_of_it_is_used():
    make, _ = counted()
    file = memo.store_upload(b"mine" * 10_000)
    make(file)
    make("b")
    make(file)
    make("c")
    make("d")
    assert make.peek("b") is None
    assert memo.stored_upload(file.identity) is file


def test_an_upload_is_known_by_its_content_and_a_key_does_not_hold_it():
    make, _ = counted()
    assert memo.store_upload(b"same") == Upload(b"same")
    assert make(Upload(b"same")) is make(Upload(b"same"))
    assert make(Upload(b"other")) is not make(Upload(b"same"))
    keys = repr(list(memo._store))
    assert "same" not in keys
    assert Upload(b"same").identity in keys
    assert "b'same'" not in repr(Upload(b"same"))


@dataclass(frozen=True, eq=False)
class Run:
    identity: tuple
    weights: torch.Tensor


def test_an_argument_with_an_identity_is_known_by_it():
    make, calls = counted()
    assert make(Run(("m", 1), torch.zeros(3))) is make(Run(("m", 1), torch.ones(3)))
    make(Run(("m", 2), torch.zeros(3)))
    assert len(calls) == 2


def test_ten_who_ask_at_once_have_it_made_once():
    calls, objects = [], []

    @cached()
    def slow() -> object:
        calls.append(1)
        wait_until(lambda: [computation.waiters for computation in memo._computations.values()] == [10])
        return object()

    run_all([lambda: objects.append(slow())] * 10)
    assert len(calls) == 1
    assert len({id(value) for value in objects}) == 1


def test_who_waits_hears_how_far_it_is_and_may_leave_while_it_goes_on():
    started, finish, heard = threading.Event(), threading.Event(), []

    @cached(unit="steps")
    def slow(progress: Progress = no_progress) -> str:
        progress(3, 7)
        started.set()
        finish.wait(10)
        return "done"

    def leave(done: int, total: int) -> None:
        heard.append((done, total))
        raise InterruptedError

    first = threading.Thread(target=slow)
    first.start()
    started.wait(10)
    with pytest.raises(InterruptedError):
        slow(progress=leave)
    finish.set()
    first.join()
    assert heard == [(3, 7)]
    assert slow.peek() == "done"
    assert not memo._computations


def test_when_the_one_who_makes_it_leaves_the_next_one_makes_it():
    started = threading.Event()
    makers = []

    @cached(unit="steps")
    def slow(progress: Progress = no_progress) -> str:
        makers.append(threading.get_ident())
        started.set()
        wait_until(
            lambda: len(makers) == 2 or [computation.waiters for computation in memo._computations.values()] == [2]
        )
        progress(1, 2)
        return "done"

    def leave(*_: int) -> None:
        raise InterruptedError

    def impatient() -> None:
        with pytest.raises(InterruptedError):
            slow(progress=leave)

    first = threading.Thread(target=impatient)
    first.start()
    started.wait(10)
    assert slow() == "done"
    first.join()
    assert len(makers) == 2


def test_only_so_many_compute_at_once_and_nested_ones_never_block_one_another():
    at_once, most, guard, full = [0], [0], threading.Lock(), threading.Event()

    @cached()
    def inner(number: int) -> int:
        with guard:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
            if at_once[0] == turns.CONCURRENT_SHORT:
                full.set()
        assert full.wait(20)  # nobody ends before as many as may be are at work
        with guard:
            at_once[0] -= 1
        return number

    @cached()
    def outer(number: int) -> int:
        return inner(number % 3) + inner(number % 2)

    run_all(
        [functools.partial(outer, number) for number in range(20)] + [functools.partial(inner, n) for n in range(6)]
    )
    assert most[0] == turns.CONCURRENT_SHORT
    assert not turns.short_line.running
    assert not memo._computations


def test_two_who_want_it_anew_share_one_job(monkeypatch):
    monkeypatch.setattr(memo, "_store", Store(10**6))
    started, finish, made = threading.Event(), threading.Event(), []

    @cached(unit="passes")
    def measure(progress: Progress = no_progress) -> int:
        made.append(1)
        progress(0, 1)
        started.set()
        finish.wait(10)
        return len(made)

    counts = []
    first = threading.Thread(target=lambda: counts.append(measure.refresh()))
    first.start()
    started.wait(10)
    with turns.long_turn():  # asked for now, and waited for
        threading.Timer(0.0, finish.set).start()
        counts.append(measure.refresh())
    first.join()
    assert counts == [1, 1]
    with turns.long_turn():
        assert measure.refresh() == 2


def test_a_long_computation_that_asks_for_what_another_makes_lets_it_finish(monkeypatch):
    monkeypatch.setattr(turns, "LONG_AFTER", -1.0)
    started, requested = threading.Event(), threading.Event()

    @cached(unit="steps")
    def slow(progress: Progress = no_progress) -> str:
        started.set()
        requested.wait(10)
        progress(1, 2)  # it is long by now, and the long line has one place
        return "done"

    def first() -> None:
        with turns.turn():
            turns.current().visitor = turns.Visitor("a", "a")
            slow()

    maker = threading.Thread(target=first, daemon=True)
    maker.start()
    started.wait(10)
    with turns.long_turn():
        threading.Timer(0.0, requested.set).start()
        assert slow() == "done"
        assert turns.current().line is turns.long_line
    maker.join(10)
    assert not turns.long_line.running


def test_sizes_count_what_is_shared_once_and_views_with_what_they_keep_alive():
    base, small = torch.zeros(10_000), 1000  # bytes of the objects around the numbers
    assert 0 <= size_of(base[:2]) - 40_000 < small
    assert 0 <= size_of([base, base[5:], {"again": base}]) - 40_000 < small
    assert 0 <= size_of(np.zeros((100, 100))[3]) - 80_000 < small
    assert 0 <= size_of(Run((), base)) - 40_000 < small
    assert 0 <= size_of(lambda: base) - 40_000 < small
    assert 0 <= size_of(functools.partial(print, base)) - 40_000 < small
    assert 0 <= size_of(torch.nn.Linear(80, 40)) - 4 * 3240 < 10 * small
    assert 0 <= size_of("x" * 10_000) - 10_000 < small


def test_small_values_and_long_keys_count_as_well():
    make = cached()(lambda text: len(text))
    for number in range(100):
        make(f"{number} " * 1000)
    assert memo.cached_bytes() > 100 * 3000
    for number in range(1000):
        make(f"{number} " * 1000)
    assert len(list(memo._store)) < 500


@dataclass(frozen=True, eq=False)
class Lazy:
    """As a run whose maps are computed when somebody looks."""

    @functools.cached_property
    def maps(self) -> torch.Tensor:
        return torch.zeros(75_000)


def test_what_a_value_computes_for_itself_later_counts(store):
    make = cached()(lambda _name: Lazy())
    for number in range(10):
        assert make(number).maps is not None
        assert memo.cached_bytes() < 20_000 + 300_000 * number
        store[0] += SETTLED + 0.1
    make("one more")
    assert 600_000 < memo.cached_bytes() <= 10**6
    assert [make.peek(number) is not None for number in range(10)] == [False] * 7 + [True] * 3


def test_a_value_that_is_sized_again_does_not_live_longer(store):
    make, file = cached()(lambda _file: Lazy()), memo.store_upload(b"mine")
    make(file)
    store[0] = memo.AGE - 1
    make("another")
    store[0] = memo.AGE + 1
    assert make.peek(file) is None


def test_the_budget_is_a_quarter_of_the_memory_that_there_is_or_what_the_host_says(monkeypatch, tmp_path):
    monkeypatch.delenv("ATLAS_KEEP_MB", raising=False)
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(machine, "GROUPS", (machine.Group(limit, tmp_path / "none", tmp_path / "none"),))
    limit.write_text("max\n")
    assert 2**28 < machine.total_memory() < 2**45
    limit.write_text(f"{2**26}\n")
    assert machine.total_memory() == 2**26
    assert memo._budget() == 2**24
    monkeypatch.setenv("ATLAS_KEEP_MB", "300")
    assert memo._budget() == 300_000_000


def test_what_something_was_made_from_does_not_go_before_it():
    source, calls = counted()

    @cached()
    def made(name: str) -> list:
        return [source(name), torch.zeros(15_000)]

    made("a")  # 300 kB and 60
    source("b")
    made("a")  # uses the source again, without asking for it
    source("c")
    source("d")
    assert source.peek("b") is None
    assert source.peek("a") is made("a")[0]
    assert len(calls) == 4


def test_other_kept_values_do_not_count_again(store):
    @cached()
    def model() -> torch.nn.Module:
        return torch.nn.Linear(100, 100, bias=False)

    @cached()
    def run() -> list:
        return [model(), torch.zeros(1000)]

    run()
    assert 44_000 <= memo.cached_bytes() < 60_000
    store[0] += SETTLED + 0.1
    cached()(lambda: None)()
    assert 44_000 <= memo.cached_bytes() < 60_000


def run_all(tasks) -> None:
    threads = [threading.Thread(target=task, daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads), "Somebody waits for ever."
