"""Readings of long texts: each runs in a thread of its own, while visitors already look at the layers that are read.

    reading = readings.open_reading(name, text, count)   # started, or the one that runs or is kept
    token = readings.token_of(reading)                   # a secret of this visitor, by which the browser asks for it

A reading goes on while its visitors' pages run again, and stops when none of them has asked for it for a while. One
that is complete is kept within the budget of all values, and found again by whoever opens the same text in the same
model. Tokens of different visitors differ, and one that is not known opens nothing.
"""

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from core.errors import AtlasError
from core.long_context import LongReading, check, read
from core.long_context.distances import Distances, distances
from core.long_context.head_map import TILE, Cells, HeadMap, Pyramid
from core.long_context.links import Link, strongest_links
from core.long_context.outline import Mark, outline
from core.long_context.reading import places
from core.progress import Progress, no_progress
from core.text import Tokens, encode
from core.view import codec
from dashboard.cache import memo, turns
from dashboard.cache.models import book_model

ALONE = 30.0  # seconds without a sign of life after which a reading stops
PYRAMIDS = 3  # of one reading that are kept: at 131,072 tokens each takes 170 MB
MOST_TOKENS = 1000  # secrets that are known; the oldest one is forgotten first
THUMBNAIL = 48  # cells along an edge of a head's thumbnail

FAILED = (
    "The text could not be read to its end because of an error of the server. Open it again, or choose fewer tokens."
)


class StoppedError(Exception):
    """The reading stops because nobody looks at it any more."""


@dataclass(eq=False)
class OpenReading:
    """One reading: what is read so far, how far it is, and the tables of the heads that were opened."""

    name: str
    title: str
    reading: LongReading
    identity: tuple[Hashable, ...]  # model, text and number of tokens, for what is computed from it
    heads: tuple[int, ...]  # of each layer of the model
    causal: bool
    marks: tuple[Mark, ...]
    thumbnails: list[Float[Tensor, "head row column"]] = field(default_factory=list)
    distances: list[tuple[Distances, ...]] = field(default_factory=list)
    progress: tuple[int, int] = (0, 1)
    waiting: str | None = None  # a sentence while it waits for its turn
    error: str | None = None
    finished: bool = False
    stop: bool = False
    seen_at: float = field(default_factory=time.monotonic)
    began_at: float | None = None
    changed: threading.Condition = field(default_factory=threading.Condition)
    pyramids: "OrderedDict[tuple[int, int], PyramidInWork]" = field(default_factory=OrderedDict)

    @property
    def tokens(self) -> Tokens:
        """The tokens of the text."""
        return self.reading.tokens

    @property
    def layers_read(self) -> int:
        """The number of layers that can be looked at."""
        return len(self.distances)

    @property
    def seconds_left(self) -> float | None:
        """The time until it is complete, at the pace so far; None while that is not known."""
        done, total = self.progress
        if self.began_at is None or not done or self.finished:
            return None
        return (time.monotonic() - self.began_at) * (total - done) / done

    def touch(self) -> None:
        """Note that somebody looks at it."""
        self.seen_at = time.monotonic()

    def head(self, layer: int, head: int) -> HeadMap:
        """The map of a head; IndexError where it is not read yet, or does not exist."""
        if not (0 <= layer < self.layers_read and 0 <= head < self.heads[layer]):
            raise IndexError(f"Layer {layer}, head {head}")
        return self.reading.layers[layer].head(head)

    def pyramid(self, layer: int, head: int) -> "PyramidInWork":
        """The tables of a head, whose computation is begun if it has to be."""
        head_map = self.head(layer, head)
        with self.changed:
            if (layer, head) not in self.pyramids:
                self.pyramids[layer, head] = PyramidInWork(head_map)
                self.pyramids[layer, head].start()
            self.pyramids.move_to_end((layer, head))
            while len(self.pyramids) > PYRAMIDS:
                self.pyramids.popitem(last=False)[1].stop = True
            return self.pyramids[layer, head]

    def tile(self, layer: int, head: int, depth: int, row: int, column: int) -> tuple[Tensor, Tensor] | None:
        """Shares and maxima of a tile; None while the table that it is a part of is not ready."""
        head_map, pyramid = self.head(layer, head), None
        if depth >= head_map.first_of_pyramid and depth > 0:
            pyramid = self.pyramid(layer, head).value
            if pyramid is None:
                return None
        cells: Cells = head_map.tile(depth, row, column, pyramid)
        return cells.shares(len(head_map), depth, row * TILE), cells.maxima

    def links(self, layer: int, head: int, farther_than: int, from_key: int, count: int) -> tuple[Link, ...] | None:
        """The strongest links of a head; None while its tables are not ready."""
        pyramid = self.pyramid(layer, head).value
        if pyramid is None:
            return None
        options = {"farther_than": farther_than, "from_key": from_key}
        return strongest_links(self.head(layer, head), pyramid, count, **options)

    def strongest_links(
        self, layer: int, head: int, count: int, farther_than: int, progress: Progress = no_progress
    ) -> tuple[Link, ...]:
        """The strongest links of a head farther than a distance, but for those to the first token.

        Waits for the tables of the head; `progress` may end the waiting.
        """
        while (work := self.pyramid(layer, head)).value is None:
            self.touch()
            progress(*work.progress)
            work.done.wait(turns.PAUSE)
        return strongest_links(self.head(layer, head), work.value, count, farther_than=farther_than, from_key=1)

    def wait(self, progress: Progress = no_progress) -> None:
        """Wait until it is complete; AtlasError with its sentence where it failed. `progress` may end the waiting."""
        while not self.finished:
            self.touch()
            progress(*self.progress)
            with self.changed:
                self.changed.wait_for(lambda: self.finished, timeout=turns.PAUSE)
        if self.error:
            raise AtlasError(self.error)


@dataclass(eq=False)
class PyramidInWork:
    """The tables of one head, computed in a thread."""

    head_map: HeadMap
    value: Pyramid | None = None
    progress: tuple[int, int] = (0, 1)
    stop: bool = False
    done: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Begin."""
        threading.Thread(target=self._compute, daemon=True).start()

    @torch.inference_mode()
    def _compute(self) -> None:
        with _one_pyramid:
            if not self.stop:
                with suppress(StoppedError):
                    self.value = self.head_map.pyramid(self._report)
        self.done.set()

    def _report(self, done: int, total: int) -> None:
        self.progress = done, total
        if self.stop:
            raise StoppedError


_one_pyramid = threading.Lock()  # one at a time: each of them uses all processors
_guard = threading.Lock()
_running: dict[Hashable, OpenReading] = {}
_by_token: "OrderedDict[str, OpenReading]" = OrderedDict()


def open_reading(name: str, content: str, count: int, identity: Hashable = None) -> OpenReading:
    """The reading of the first `count` tokens of a text: one that runs or is kept, or a new one.

    `identity`: the digest of a visitor's file, with which it is dropped. Raises ModelError where the model cannot read
    so much, InputError for a text without tokens.
    """
    key = ("long reading", name, identity or codec.digest(content), count)
    with _guard:
        if (reading := _running.get(key)) and not reading.stop:
            reading.touch()
            return reading
    if reading := memo.held(key):
        reading.touch()
        return reading
    model = book_model(name)
    tokens = encode(model.tokenizer, content, context=min(count, model.context))
    check(model, len(tokens))
    attentions = places(model)
    heads, causal = tuple(place.heads for place in attentions), all(place.causal for place in attentions)
    reading = OpenReading(name, model.title, LongReading(tokens), key, heads, causal, outline(tokens.labels))
    with _guard:
        if (other := _running.get(key)) and not other.stop:
            return other
        _running[key] = reading
    threading.Thread(target=_work, args=(key, reading, turns.current_visitor()), daemon=True).start()
    return reading


def token_of(reading: OpenReading, known: str | None = None) -> str:
    """A secret by which a browser asks for a reading: the one that this visitor has already, or a new one."""
    with _guard:
        if known is not None and _by_token.get(known) is reading:
            return known
        token = secrets.token_urlsafe(24)
        _by_token[token] = reading
        while len(_by_token) > MOST_TOKENS:
            _by_token.popitem(last=False)
        return token


def of_token(token: str) -> OpenReading | None:
    """The reading of a secret; None where it is not known, or its reading has been stopped."""
    with _guard:
        reading = _by_token.get(token)
        if reading is None:
            return None
        _by_token.move_to_end(token)
    reading.touch()
    return None if reading.stop else reading


def _work(key: tuple[Hashable, ...], reading: OpenReading, visitor: turns.Visitor) -> None:
    progress = _ThreadProgress(reading)
    try:
        with turns.acting_for(visitor), turns.long_turn(progress) as report:
            reading.began_at, reading.waiting = time.monotonic(), None
            read(book_model(reading.name), reading.reading, report)
            progress.look()
        memo.hold(key, reading)
    except AtlasError as error:
        reading.error = str(error)
    except StoppedError:
        reading.stop = True
        reading.reading.layers.clear()
    except Exception:
        logging.getLogger(__name__).exception("A long text was not read")
        reading.error = FAILED
    finally:
        with _guard:
            _running.pop(key, None)
        with reading.changed:
            reading.finished = True
            reading.changed.notify_all()


@dataclass
class _ThreadProgress:
    """Notes the progress of a reading, looks at each layer that is read, and stops what nobody looks at."""

    reading: OpenReading

    def __call__(self, done: int, total: int) -> None:
        reading = self.reading
        reading.progress, reading.waiting = (done, total), None
        if reading.stop or time.monotonic() - reading.seen_at > ALONE:
            raise StoppedError
        self.look()

    def waits(self, sentence: str) -> None:
        """Note the sentence of a reading that waits for its turn."""
        if self.reading.stop or time.monotonic() - self.reading.seen_at > ALONE:
            raise StoppedError
        self.reading.waiting = sentence

    def look(self) -> None:
        """The thumbnails and distances of the layers that have been read since."""
        reading = self.reading
        while reading.layers_read < len(reading.reading.layers):
            layer = reading.reading.layers[reading.layers_read]
            maps = [layer.head(head) for head in range(layer.place.heads)]
            reading.thumbnails.append(torch.stack([head_map.thumbnail(THUMBNAIL) for head_map in maps]))
            reading.distances.append(tuple(map(distances, maps)))
