"""What is kept: once for all who ask, within one budget of bytes, given up without harm, and uploads not for long."""

import functools
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from cachetools import TLRUCache

from core.progress import Progress, unheard
from dashboard import kept
from dashboard.kept import Upload, keep
from dashboard.memory_size import size_of


@pytest.fixture(autouse=True)
def store(monkeypatch):
    """A budget of a thousand bytes, a clock that the test moves, and nothing kept before."""
    clock = [0.0]
    empty = TLRUCache(
        1000, lambda _, entry, now: now + entry.age, timer=lambda: clock[0], getsizeof=lambda entry: entry.size
    )
    monkeypatch.setattr(kept, "_store", empty)
    return clock


def counted(**options):
    """A kept function, and the list of what it was called with."""
    calls = []

    @keep(**options)
    def make(*given: object) -> torch.Tensor:
        calls.append(given)
        return torch.zeros(75)  # 300 bytes

    return make, calls


def test_the_second_who_asks_gets_the_very_same():
    make, calls = counted()
    assert make("a") is make("a")
    make("b")
    assert calls == [("a",), ("b",)]


def test_arguments_are_the_same_by_position_by_name_and_by_default():
    calls = []

    @keep()
    def make(first: int, second: int = 2, *, third: int = 3) -> object:
        calls.append((first, second, third))
        return object()

    assert make(1) is make(1, 2) is make(first=1, third=3) is make(1, second=2, third=3)
    assert make(1, 3) is not make(1)
    assert len(calls) == 2


def test_two_functions_of_one_argument_do_not_share():
    one, two = keep()(lambda x: [x, 1]), keep()(_other)
    assert one(5) == [5, 1]
    assert two(5) == [5, 2]


def _other(x):
    return [x, 2]


def test_known_asks_without_making_and_forget_lets_it_be_made_anew():
    make, calls = counted()
    assert make.known("a") is None
    value = make("a")
    assert make.known("a") is value
    make.forget("a")
    assert make.known("a") is None
    make("a")
    assert len(calls) == 2


def test_a_new_value_replaces_the_kept_one_unless_it_is_given_up():
    numbers = iter(range(9))

    @keep(unit="steps")
    def number(progress: Progress = unheard) -> list[int]:
        progress(1, 2)
        return [next(numbers)]

    def leave(*_: int) -> None:
        raise InterruptedError

    assert number() == [0]
    with pytest.raises(InterruptedError):
        number.anew(leave)
    assert number() == [0]
    assert number.anew() == [1]
    assert number() == [1]


def test_what_was_asked_for_longest_ago_goes_first_and_the_budget_is_never_exceeded():
    make, calls = counted()
    for name in "abc":
        make(name)
    make("a")  # so that b is the oldest
    make("d")
    assert kept.kept_bytes() <= 1000
    assert [make.known(name) is not None for name in "abcd"] == [True, False, True, True]
    assert len(calls) == 4


def test_what_is_larger_than_the_budget_is_given_but_not_kept():
    large = keep()(lambda: b"x" * 1001)
    assert len(large()) == 1001
    assert kept.kept_bytes() == 0


def test_an_exception_is_not_kept():
    asked = []

    @keep()
    def fail() -> str:
        asked.append(1)
        if len(asked) == 1:
            raise ValueError("not yet")
        return "there"

    with pytest.raises(ValueError, match="not yet"):
        fail()
    assert fail() == "there"


def test_what_was_made_of_an_upload_is_gone_after_its_age_and_all_else_stays(store):
    make, calls = counted()
    make(Upload(b"mine"), "cat")
    make(("nested", (Upload(b"mine"),)))
    make("an example")
    store[0] = kept.AGE + 1
    assert make.known(Upload(b"mine"), "cat") is None
    assert make.known("an example") is not None
    assert kept.kept_bytes() == 300
    assert len(calls) == 3


def test_an_upload_is_known_by_its_content_and_a_key_does_not_hold_it():
    make, _ = counted()
    assert make(Upload(b"same")) is make(Upload(b"same"))
    assert make(Upload(b"other")) is not make(Upload(b"same"))
    keys = repr(list(kept._store))
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
    calls, found = [], []

    @keep()
    def slow() -> object:
        calls.append(1)
        time.sleep(0.1)
        return object()

    run_all([lambda: found.append(slow())] * 10)
    assert len(calls) == 1
    assert len({id(value) for value in found}) == 1


def test_who_waits_hears_how_far_it_is_and_may_leave_while_it_goes_on():
    started, finish, heard = threading.Event(), threading.Event(), []

    @keep(unit="steps")
    def slow(progress: Progress = unheard) -> str:
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
    assert slow.known() == "done"
    assert not kept._makings


def test_when_the_one_who_makes_it_leaves_the_next_one_makes_it():
    started = threading.Event()
    makers = []

    @keep(unit="steps")
    def slow(progress: Progress = unheard) -> str:
        makers.append(threading.get_ident())
        started.set()
        time.sleep(0.1)
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
    at_once, most, guard = [0], [0], threading.Lock()

    @keep()
    def inner(number: int) -> int:
        with guard:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.01)
        with guard:
            at_once[0] -= 1
        return number

    @keep()
    def outer(number: int) -> int:
        return inner(number % 3) + inner(number % 2)

    run_all(
        [functools.partial(outer, number) for number in range(20)] + [functools.partial(inner, n) for n in range(6)]
    )
    assert 1 <= most[0] <= kept.AT_ONCE
    assert kept._places._value == kept.AT_ONCE
    assert not kept._makings


def test_sizes_count_what_is_shared_once_and_views_with_what_they_keep_alive():
    base = torch.zeros(100)
    assert size_of(base[:2]) == 400
    assert size_of([base, base[5:], {"again": base}]) == 400 + len("again")
    assert size_of(np.zeros((10, 10))[3]) == 800
    assert size_of(Run((), base)) >= 400
    assert size_of(lambda: base) == 400
    assert size_of(functools.partial(print, base)) == 400
    linear = torch.nn.Linear(8, 4)
    assert 4 * 36 <= size_of(linear) < 4 * 36 + 400


def test_what_something_was_made_from_does_not_go_before_it():
    source, calls = counted()

    @keep()
    def made(name: str) -> list:
        return [source(name), torch.zeros(25)]

    made("a")  # 300 bytes and 100
    source("b")
    made("a")  # uses the source again, without asking for it
    source("c")
    source("d")
    assert source.known("b") is None
    assert source.known("a") is made("a")[0]
    assert len(calls) == 4


def test_other_kept_values_do_not_count_again():
    @keep()
    def model() -> torch.nn.Module:
        return torch.nn.Linear(10, 10, bias=False)

    @keep()
    def run() -> list:
        return [model(), torch.zeros(10)]

    run()
    assert 440 <= kept.kept_bytes() < 440 + 400


def run_all(tasks) -> None:
    threads = [threading.Thread(target=task, daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads), "Somebody waits for ever."
