"""What is computed by a worker is what this process computes: the value, what is told on the way, and every refusal."""

import dataclasses
import inspect
import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cached_property
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from core.capture import AttentionCall, Record
from core.errors import InputError, ModelError
from core.hub.permissions import Permission
from core.images.opening import open_example
from core.progress import Progress
from dashboard import visitor
from dashboard.cache import memo, turns
from dashboard.cluster import values, wire
from dashboard.cluster.wire import CallBook, RefusedQuestionError
from dashboard.inputs.photograph import Photograph
from dashboard.output.streaming import StepObserver
from dashboard.recordings import watched
from pages.foundations.many_heads import compute as many_heads
from pages.language.translation import compute as translation

TEXT = "The cat sat on the mat because it was tired."


def equal(one: Any, other: Any) -> bool:
    """Whether two values are the same in every byte; networks have to be the very same."""
    if type(one) is not type(other):
        return False
    if isinstance(one, nn.Module):
        return one is other
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one.nan_to_num(7.0), other.nan_to_num(7.0))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, pd.DataFrame):
        return one.equals(other)
    if isinstance(one, AttentionCall):
        return repr(one) == repr(other) and equal((one.weights(), one.output()), (other.weights(), other.output()))
    if isinstance(one, Record):
        return equal(tuple(one), tuple(other))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(equal, one, other))
    if dataclasses.is_dataclass(one):
        return all(equal(getattr(one, field.name), getattr(other, field.name)) for field in dataclasses.fields(one))
    if inspect.isroutine(one):
        return one.__qualname__ == other.__qualname__
    if type(one).__eq__ is object.__eq__ and hasattr(one, "__dict__"):
        return equal(parts_of(one), parts_of(other))
    return bool(one == other)


def parts_of(value: object) -> dict[str, Any]:
    """The attributes of an object, without those that it computes when they are read."""
    kind = type(value)
    return {
        name: part for name, part in vars(value).items() if not isinstance(getattr(kind, name, None), cached_property)
    }


def photograph() -> Photograph:
    """The cat as a visitor's file."""
    file = BytesIO()
    open_example("cat").save(file, "PNG")
    return Photograph("hybrid-vit", memo.store_upload(file.getvalue()), None)


QUESTIONS = {
    "Translation": lambda: translation.translate("transformer", "The sea was calm.", 2),
    "Explore / Text": lambda: watched.watch_text("gpt-books", TEXT),
    "Image": lambda: watched.watch_image("hybrid-vit", photograph().picture, None),
    "Many heads": lambda: many_heads.head_table(watched.watch_text("gpt-books", TEXT)),
    "Many heads, silenced": lambda: many_heads.measure_costs(watched.watch_text("gpt-books", "A cat sat.")),
}


@pytest.fixture
def computed_here(monkeypatch) -> list[str]:
    """The names of the functions that this process computes."""
    names, compute = [], memo.Here.compute

    def note(here: memo.Here, call: memo.Call, progress: Progress) -> Any:
        if call.function.computes:
            names.append(call.function.make.__name__)
        return compute(here, call, progress)

    monkeypatch.setattr(memo.Here, "compute", note)
    return names


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_a_worker_gives_the_value_that_is_computed_here(as_front, question, computed_here):
    expected = question()
    as_front()
    computed_here.clear()
    value = question()
    assert equal(value, expected)
    assert not computed_here


def test_an_argument_that_cannot_travel_is_no_error(as_front, computed_here):
    as_front()
    run = dataclasses.replace(watched.watch_text("gpt-books", "A cat sat."), identity=("not stored",))
    assert {shares.shape for shares in many_heads.even_shares(run).values()} == {(6, 6)}
    assert computed_here == ["even_shares"]


def test_progress_and_what_an_observer_is_told_come_back_while_the_worker_computes(as_front):
    as_front()
    steps, reports = [], []
    observer = StepObserver(lambda step, best: steps.append((step, best[0].tokens)))
    translated = translation.translate(
        "transformer", "The old man walked slowly along the river.", 4, observer=observer
    )
    tokens = translated.decoded.best.tokens
    assert steps
    assert [step for step, _ in steps] == sorted(step for step, _ in steps)
    assert steps[-1][1][:3] == tokens[:3]
    many_heads.measure_costs(watched.watch_text("gpt-books", TEXT), lambda *counts: reports.append(counts))
    assert {total for _, total in reports} <= {1, 36}
    assert max(done for done, total in reports if total == 36) > 0


def test_a_visitor_who_leaves_stops_the_work(as_front):
    as_front()
    run = watched.watch_text("gpt-books", " ".join([TEXT] * 8))

    def leave(done: int, _total: int) -> None:
        if done > 1:
            raise LeftError

    with pytest.raises(LeftError):
        many_heads.measure_costs(run, leave)
    assert many_heads.measure_costs.peek(run) is None
    # The worker has room again, and what it had begun is no answer to anybody.
    assert len(many_heads.measure_costs(watched.watch_text("gpt-books", "A cat sat."))) == 36


class LeftError(Exception):
    """A visitor has gone to another page."""


def test_an_error_is_the_same_sentence(as_front):
    with pytest.raises(InputError) as expected:
        watched.watch_text("gpt-books", "")
    as_front()
    with pytest.raises(InputError) as error:
        watched.watch_text("gpt-books", "")
    assert str(error.value) == str(expected.value)


def test_a_worker_opens_no_model_that_the_visitor_may_not(as_front):
    with visitor.acting_for(Permission(listed=frozenset({"openai-community/gpt2"}))):
        with pytest.raises(ModelError) as expected:
            watched.watch_text("/etc", "A cat sat.")
        as_front()
        with pytest.raises(ModelError) as error:
            watched.watch_text("/etc", "A cat sat.")
    assert str(error.value) == str(expected.value)
    with pytest.raises(ModelError) as at_home:
        watched.watch_text("/etc", "A cat sat.")
    assert str(at_home.value) != str(expected.value)


def test_a_file_travels_with_the_question_and_names_its_value(as_front):
    as_front()
    photo = photograph()
    value = watched.watch_image(photo.name, photo.picture, None)
    assert photo.picture.identity in str(value.identity)
    encoded = wire.encode(call(watched.watch_image, photo.name, photo.picture, None), CallBook())
    assert encoded.content.count(b64encode(photo.picture.content)) == 1


def call(function: memo.CachedFunction, *arguments: object) -> memo.Call:
    bound = function.signature.bind(*arguments)
    bound.apply_defaults()
    return memo.Call(function, bound)


def question_of(**changes: Any) -> bytes:
    """A question that no front of ours would send."""
    encoded = json.loads(
        wire.encode(
            call(watched.watch_text, "gpt-books", "A cat sat."),
            CallBook(),
            permission=Permission(),
            visitor=turns.Visitor(),
        ).content
    )
    return json.dumps(encoded | changes).encode()


READ = "dashboard.recordings.watched"
CHANGES: dict[str, dict[str, Any]] = {
    "another version": {"version": "0"},
    "no function": {"call": ["os", "system", {"command": "true"}]},
    "not cached": {"call": [READ, "content_of", {"text": "a"}]},
    "no type": {"call": [READ, "watch_text", {"name": ["dataclass", "subprocess:Popen", {}]}]},
    "no kind": {"call": [READ, "watch_text", {"name": ["pickle", "gASVAA=="]}]},
    "another file": {"files": {"0" * 32: b64encode(b"a").decode()}, "about": {"permission": ["file", "0" * 32]}},
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES.keys())
def test_a_worker_refuses_what_no_front_sends(workers, changes):
    *_, last = workers.ask(question_of(**changes), "")
    kind, error = values.loads(last, wire.decode_call)
    assert kind == "error"
    assert isinstance(error, RefusedQuestionError)
