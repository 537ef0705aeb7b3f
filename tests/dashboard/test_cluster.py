"""A front whose workers are played: what a visitor sees of them, and what travels to them."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from itertools import repeat

import pytest
import torch

from core.errors import AtlasError
from core.hub.permissions import Permission
from core.translation.decoding import Hypothesis
from dashboard.cache import memo, turns
from dashboard.cache.memo import HERE, cached
from dashboard.cache.upload import Upload
from dashboard.cluster import front, values, wire
from dashboard.cluster.front import Front, WorkerLostError, compute_by, model_of, routing_key
from dashboard.cluster.wire import CallBook, NotPortableError, RefusedQuestionError
from dashboard.inputs.photograph import Photograph
from dashboard.recordings.watched import watch_text


@dataclass
class PlayedWorkers:
    """Answers each question with the next of its scripts: messages, or an exception; notes the keys of questions."""

    scripts: list[Iterable[tuple | Exception | None]]
    keys: list[str] = field(default_factory=list)

    def ask(self, question: bytes, key: str) -> Generator[bytes, None, None]:
        """See `Workers`; after the last script nobody answers."""
        del question
        self.keys.append(key)
        for part in self.scripts.pop(0) if self.scripts else [WorkerLostError()]:
            if isinstance(part, Exception):
                raise part
            yield values.dumps(part, CallBook()) if part else b""


@pytest.fixture
def play(monkeypatch) -> Callable[..., PlayedWorkers]:
    """A function that makes this process the front of workers with these scripts."""
    monkeypatch.setattr(turns, "PAUSE", 0.01)
    monkeypatch.setattr(front, "PATIENCE", 0.2)
    monkeypatch.setattr(turns.short_line, "places", turns.short_line.places)
    monkeypatch.setattr(turns.long_line, "places", turns.long_line.places)

    def start(*scripts: Iterable) -> PlayedWorkers:
        workers = PlayedWorkers(list(scripts))
        compute_by(workers, CallBook())
        return workers

    yield start
    memo.compute_with(HERE)
    memo.clear()


def ask(text: str = "A cat sat.", progress: Callable[[int, int], None] = lambda _done, _total: None) -> object:
    """Ask for what a visitor of Explore / Text sees."""
    return watch_text.answer(watch_text.signature.bind("gpt-books", text), progress)


def test_the_value_of_a_worker_is_kept_and_not_asked_for_again(play):
    workers = play([("value", "read")])
    assert [ask(), ask()] == ["read", "read"]
    assert not workers.scripts


def test_a_value_that_cannot_travel_is_computed_here_and_its_function_from_then_on(play):
    workers = play([("here", None)], [("value", "from a worker")])
    assert ask().inputs.labels
    assert ask("A dog sat.").inputs.labels
    assert len(workers.scripts) == 1


def test_a_lost_worker_is_followed_by_the_next_and_by_no_more_than_three_that_had_begun(play):
    play([WorkerLostError()], [None, WorkerLostError()], [("reports", []), WorkerLostError()], [("value", "read")])
    assert ask() == "read"
    play(*[[("reports", []), WorkerLostError()]] * front.ATTEMPTS, [("value", "never")])
    with pytest.raises(AtlasError) as error:
        ask("Another text.")
    assert str(error.value) == front.ENDED.format(count=3)


def test_a_question_goes_to_the_worker_of_its_key_and_after_a_loss_to_others(play):
    workers = play([WorkerLostError()], [None, WorkerLostError()], [("value", "read")], [("value", "read")])
    ask()
    assert len(set(workers.keys)) == 3
    memo.clear()
    ask()
    assert workers.keys[3] == workers.keys[0]


@pytest.mark.parametrize("script", [repeat(None), [WorkerLostError()]], ids=["silent", "none"])
def test_workers_that_do_not_answer_are_one_sentence(play, script):
    workers = play(script)
    assert workers.scripts
    with pytest.raises(AtlasError) as error:
        ask()
    assert str(error.value) == front.SILENT.format(seconds=front.PATIENCE)


def test_an_error_of_a_worker_is_one_sentence(play):
    play([("failed", "ValueError")], [("error", AtlasError("Too long."))])
    with pytest.raises(AtlasError, match="ValueError"):
        ask()
    with pytest.raises(AtlasError, match=r"Too long\."):
        ask()


def test_a_visitor_can_leave_while_there_is_no_message(play):
    play([None] * 10)

    def leave(_done: int, _total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        ask(progress=leave)
    assert not memo._computations


def test_progress_and_waiting_are_passed_on(play):
    reports, sentences = [], []

    class Bar:
        def __call__(self, *counts: int) -> None:
            reports.append(counts)

        def waits(self, sentence: str) -> None:
            sentences.append(sentence)

    play([("reports", [("waits", "1 visitor is before you.")]), ("reports", [("progress", 3, 7)]), ("value", "read")])
    ask(progress=Bar())
    assert (3, 7) in reports
    assert sentences == ["1 visitor is before you."]


def call(function: memo.CachedFunction, *arguments: object) -> memo.Call:
    bound = function.signature.bind(*arguments)
    bound.apply_defaults()
    return memo.Call(function, bound)


@cached()
def echo(name: object, value: object) -> object:
    return name, value


PORTABLE = [
    None,
    True,
    -(10**30),
    float("inf"),
    "“ﬃ” \0 🙂 עברית",
    b"\xff\0",
    (1, (2.5, "a"), ()),
    [1, [2]],
    frozenset({"a", "b"}),
    {("a", 1): {"b": (None,)}},
    Permission(listed=frozenset({"openai-community/gpt2"}), largest=7),
    Photograph("hybrid-vit", "cat", None),
    Photograph("hybrid-vit", Upload(b"a picture"), 224),
]


@pytest.mark.parametrize("value", PORTABLE, ids=lambda value: type(value).__name__)
def test_arguments_arrive_as_they_were(value):
    encoded = wire.encode(call(echo, "gpt-books", value), CallBook(), permission=Permission())
    question = wire.Question(encoded.content, lambda *_: None)
    arrived = question.call()
    assert arrived.function is echo
    assert arrived.arguments.arguments == {"name": "gpt-books", "value": value}
    assert type(arrived.arguments.arguments["value"]) is type(value)
    assert question.about == {"permission": Permission()}


@pytest.mark.parametrize("value", [torch.ones(2), object(), lambda: 0, Hypothesis, torch.nn.Linear(1, 1), int])
def test_what_is_no_plain_argument_does_not_travel(value):
    with pytest.raises(NotPortableError):
        wire.encode(call(echo, "gpt-books", (value,)), CallBook())


def test_a_stored_value_travels_as_the_call_that_made_it():
    calls = CallBook()
    made = echo("gpt-books", "a")
    key = next(key for key, value in memo.stored_values() if value is made)
    assert calls.call_of(made) is None
    calls.note(key, call(echo, "gpt-books", "a"))
    encoded = wire.encode(call(echo, "gpt-books", made), calls)
    assert wire.Question(encoded.content, lambda *_: None).call().arguments.arguments["value"] is made
    memo.clear()
    assert calls.call_of(made) is None


def test_the_calls_of_dropped_values_are_forgotten():
    calls = CallBook()
    for number in range(500):
        calls.note((number,), call(echo, "gpt-books", number))
    assert len(calls._calls) < 300


def test_a_function_inside_of_another_does_not_travel():
    @cached()
    def inner(number: int) -> int:
        return number

    with pytest.raises(NotPortableError):
        wire.encode(call(inner, 1), CallBook())


def test_a_changed_type_is_refused():
    permission = "core.hub.permissions"
    unknown = (f"{permission}:no_such", f"{permission}:Permission.__init__", "core:hub")
    for path in ("subprocess:Popen", "builtins:eval", *unknown):
        with pytest.raises(RefusedQuestionError):
            wire._type_of(path)


def test_the_model_of_a_question_is_its_name():
    assert model_of(call(watch_text, "gpt-books", "A cat.")) == "gpt-books"
    assert model_of(call(echo, Photograph("hybrid-vit", "cat", None), 1)) == "hybrid-vit"
    assert model_of(call(echo, 3, None)) == ""
    assert isinstance(Front(PlayedWorkers([]), CallBook()), Front)


HUB_MODEL = "openai-community/gpt2"


def key_of(name: str, value: object, permission: Permission = Permission(), **about: object) -> str:  # noqa: B008
    question = call(echo, name, value)
    return routing_key(question, wire.encode(question, CallBook(), permission=permission, **about), permission)


def test_equal_questions_have_one_key_whoever_asks():
    keys = [key_of("gpt-books", "a", visitor=turns.Visitor(browser, "session")) for browser in ("first", "second")]
    assert keys[0] == keys[1]
    photographs = [Photograph("hybrid-vit", Upload(content), None) for content in (b"one", b"one", b"another")]
    keys = [key_of("hybrid-vit", photograph) for photograph in photographs]
    assert keys[0] == keys[1] != keys[2]
    assert len({key_of("gpt-books", text) for text in ("a", "b", "c")}) == 3


def test_all_questions_about_a_model_of_the_hub_have_one_key():
    permission = Permission(listed=frozenset({HUB_MODEL}))
    assert len({key_of(HUB_MODEL, text, permission) for text in ("a", "b", "c")}) == 1
    assert len({key_of(HUB_MODEL, text) for text in ("a", "b", "c")}) == 3
