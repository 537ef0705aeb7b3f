"""Readings of long texts: each runs in a thread of its own, while visitors already look at the layers that are read.

    reading = readings.open_reading(name, text, count)   # started, or the one that runs or is kept
    token = readings.token_of(reading)                   # a secret of this visitor, by which the browser asks for it

A reading goes on while its visitors' pages run again, and stops when none of them has asked for it for a while, or when
its only visitor opens another one. One that is complete is kept within the budget of all values, and found again by
whoever opens the same text in the same model. Tokens of different visitors differ, and one that is not known opens
nothing.
"""

import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Hashable
from dataclasses import dataclass
from weakref import ReferenceType, ref

from core import zoo
from core.errors import AtlasError, ModelError
from core.long_context import LongReading, check, read
from core.long_context.outline import outline
from core.long_context.reading import kept_bytes, places
from core.text import encode
from core.view import codec
from dashboard.cache import memo, turns
from dashboard.cache.models import book_model
from dashboard.long_text.open_reading import OpenReading, StoppedError

ALONE = 30.0  # seconds without a sign of life after which a reading stops
MOST_TOKENS = 1000  # secrets that are known; the oldest one is forgotten first
REMEMBERED = 20  # readings that failed, whose sentences are still to be told

FAILED = (
    "The text could not be read to its end because of an error of the server. Open it again, or choose fewer tokens."
)
CANCELLED = "The reading was cancelled after {read} of {layers} layers."
TOO_LARGE = (
    "What is kept of {count:,} tokens would take {needed:.1f} GB with {model}, and all that is kept here may take "
    "{budget:.1f} GB: read fewer tokens."
)

_line = turns.Line(1)  # of readings alone: nobody's other work waits for one, which may take minutes
_guard = threading.Lock()
_running: dict[Hashable, OpenReading] = {}
_failed: deque[OpenReading] = deque(maxlen=REMEMBERED)
_by_token: "OrderedDict[str, ReferenceType[OpenReading]]" = OrderedDict()  # what is kept is for the cache to say


def open_reading(name: str, content: str, count: int, identity: Hashable = None) -> OpenReading:
    """The reading of the first `count` tokens of a text: one that runs or is kept, or a new one.

    `identity`: the digest of a visitor's file, with which it is dropped. Raises ModelError where the model cannot read
    so much here, InputError for a text without tokens.
    """
    key = ("long reading", name, identity or codec.digest(content), count)
    visitor = turns.current_visitor()
    _stop_others(visitor.session, key)
    if reading := _known(key, visitor.session):
        return reading
    model = book_model(name)
    tokens = encode(model.tokenizer, content, context=min(count, model.context))
    check(model, len(tokens))
    attentions = places(model)
    needed = kept_bytes(attentions, len(tokens))
    if needed > memo.budget():
        sizes = {"needed": needed / 1e9, "budget": memo.budget() / 1e9}
        raise ModelError(TOO_LARGE.format(count=len(tokens), model=model.title, **sizes))
    heads, causal = tuple(place.heads for place in attentions), all(place.causal for place in attentions)
    reading = OpenReading(name, model.title, LongReading(tokens), key, heads, causal, outline(tokens.labels))
    reading.sessions.add(visitor.session)
    with _guard:
        if (other := _running.get(key)) and not other.is_stopped:
            return other
        _running[key] = reading
    threading.Thread(target=_work, args=(reading, model, visitor), daemon=True).start()
    return reading


def cancel(reading: OpenReading) -> None:
    """Stop a reading; the layers that are read can still be looked at."""
    reading.is_cancelled = True


def read_again(reading: OpenReading) -> None:
    """Let the text of a reading that was cancelled be read anew when it is opened next."""
    memo.forget_held(reading.identity)


def token_of(reading: OpenReading, known: str | None = None) -> str:
    """A secret by which a browser asks for a reading: the one that this visitor has already, or a new one."""
    with _guard:
        if known is not None and (entry := _by_token.get(known)) and entry() is reading:
            return known
        token = secrets.token_urlsafe(24)
        _by_token[token] = ref(reading)
        while len(_by_token) > MOST_TOKENS:
            _by_token.popitem(last=False)
        return token


def of_token(token: str) -> OpenReading | None:
    """The reading of a secret; None where it is not known, or its reading has been stopped or dropped."""
    with _guard:
        entry = _by_token.get(token)
        if entry is None:
            return None
        _by_token.move_to_end(token)
    reading = entry()
    if reading is None or reading.is_stopped:
        return None
    reading.touch()
    return reading


def _known(key: tuple[Hashable, ...], session: str | None) -> OpenReading | None:
    """The reading that runs or is kept under a key, opened by one session more."""
    with _guard:
        reading = _running.get(key)
        if reading is None or reading.is_stopped:
            reading = memo.held(key)
        if reading is not None:
            reading.touch()
            reading.sessions.add(session)
        return reading


def _stop_others(session: str | None, key: Hashable) -> None:
    """Stop the readings that only this session has opened: it has turned to another one."""
    if session is None:
        return
    with _guard:
        for reading in _running.values():
            if reading.identity != key:
                reading.sessions.discard(session)
                reading.is_stopped |= not reading.sessions


def _work(reading: OpenReading, model: zoo.TextModel, visitor: turns.Visitor) -> None:
    progress = _ThreadProgress(reading)
    try:
        with turns.acting_for(visitor), turns.long_turn(progress, line=_line) as report:
            reading.began_at, reading.waiting = time.monotonic(), None
            read(model, reading.reading, report)
            reading.look()
        memo.hold(reading.identity, reading)
    except AtlasError as error:
        reading.error = str(error)
        _failed.append(reading)
    except StoppedError:
        _end(reading)
    except Exception:
        logging.getLogger(__name__).exception("A long text was not read")
        reading.error = FAILED
        _failed.append(reading)
    finally:
        with _guard:
            _running.pop(reading.identity, None)
        with reading.changed:
            reading.finished = True
            reading.changed.notify_all()


def _end(reading: OpenReading) -> None:
    """Keep the layers of a reading that was cancelled, and nothing of one that was left."""
    if reading.is_cancelled and reading.layers_read:
        del reading.reading.layers[reading.layers_read :]
        reading.error = CANCELLED.format(read=reading.layers_read, layers=len(reading.heads))
        memo.hold(reading.identity, reading)
    else:
        reading.is_stopped = True
        reading.reading.layers.clear()


@dataclass
class _ThreadProgress:
    """Notes the progress of a reading, looks at each layer that is read, and stops what nobody looks at."""

    reading: OpenReading

    def __call__(self, done: int, total: int) -> None:
        self._stop_if_left()
        self.reading.progress, self.reading.waiting = (done, total), None
        self.reading.look()

    def waits(self, sentence: str) -> None:
        """Note the sentence of a reading that waits for its turn."""
        self._stop_if_left()
        self.reading.waiting = sentence

    def _stop_if_left(self) -> None:
        reading = self.reading
        reading.is_stopped |= time.monotonic() - reading.seen_at > ALONE
        if reading.is_stopped or reading.is_cancelled:
            raise StoppedError
