"""One reading of a long text: what is read so far, how far it is, and the tables of the heads that were opened."""

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
from core.long_context import LongReading
from core.long_context.distances import Distances, distances
from core.long_context.head_map import TILE, Cells, HeadMap, Pyramid
from core.long_context.links import Link, strongest_links
from core.long_context.outline import Mark
from core.progress import Progress, no_progress
from core.text import Tokens
from dashboard.cache import turns

PYRAMIDS = 3  # of one reading that are kept: at 131,072 tokens each takes 170 MB
NEARBY = 8  # tokens: a link that begins and ends so near a stronger one is not listed
THUMBNAIL = 48  # cells along an edge of a head's thumbnail


class StoppedError(Exception):
    """The work stops because nobody needs it any more."""


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
    is_stopped: bool = False  # on purpose, or because nobody looks at it any more
    is_cancelled: bool = False  # by its visitor, who may look at what is read
    sessions: set[str | None] = field(default_factory=set)  # whose pages have opened it
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

    def look(self) -> None:
        """Compute the thumbnails and distances of the layers that have been read since."""
        while self.layers_read < len(self.reading.layers):
            layer = self.reading.layers[self.layers_read]
            maps = [layer.head(head) for head in range(layer.place.heads)]
            self.thumbnails.append(torch.stack([head_map.thumbnail(THUMBNAIL) for head_map in maps]))
            self.distances.append(tuple(map(distances, maps)))

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
        """The strongest links of a head, none near a stronger one; None while its tables are not ready."""
        pyramid = self.pyramid(layer, head).value
        if pyramid is None:
            return None
        options = {"farther_than": farther_than, "from_key": from_key, "nearby": NEARBY}
        return strongest_links(self.head(layer, head), pyramid, count, **options)

    def strongest_links(
        self, layer: int, head: int, count: int, farther_than: int, progress: Progress = no_progress
    ) -> tuple[Link, ...]:
        """The strongest links of a head farther than a distance, but for those to the first token; as `links`.

        Waits for the tables of the head; `progress` may end the waiting.
        """
        while (links := self.links(layer, head, farther_than, 1, count)) is None:
            work = self.pyramid(layer, head)
            self.touch()
            progress(*work.progress)
            work.done.wait(turns.PAUSE)
        return links

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
