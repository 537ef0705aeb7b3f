"""The small living example of each task, computed by the models that come along and kept for the next visitor."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import torch
from jaxtyping import Float, UInt8
from PIL import Image

from core import zoo
from core.capture import record_attention
from core.efficient.sliding_window import SlidingWindow
from core.heads.jobs import AgainstControl
from core.images import open_example
from core.scenes.codes import read_code
from core.scenes.draw import draw
from dashboard.cache.memo import cached
from dashboard.cache.models import captioner, image_model, text_model, translator
from dashboard.components.attention_view import Scene
from dashboard.inputs import example_texts
from dashboard.recordings import head_jobs
from dashboard.recordings.scenes import Head, text_scene
from dashboard.recordings.watched import WatchedText, watch_text

REPEATING, SENTENCE, TRANSLATED = example_texts.examples("home").values()
PICTURE = "coffee"
# The code of a drawn scene.
SCENE = "0-2~star.red.large.plain.18.20~circle.blue.medium.plain.46.46"
WINDOW = 4  # tokens of the example of what may be left out
SIDE = 240  # pixels of a picture on this page
SHORT = 3  # letters of words such as "a", "on" and "the", at most


@dataclass(frozen=True, eq=False)
class Matrix:
    """What each row gives to each column."""

    values: Float[np.ndarray, "row column"]
    rows: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def strongest(self) -> tuple[int, int]:
        """The cell with the largest value."""
        row, column = np.unravel_index(np.nanargmax(self.values), self.values.shape)
        return int(row), int(column)


@dataclass(frozen=True, eq=False)
class PatchMap:
    """A picture, and the attention to each of its patches; `word`: that of which word, if of one."""

    picture: UInt8[np.ndarray, "row column channel"]
    values: Float[np.ndarray, "down across"]
    text: str = ""
    word: str = ""


@dataclass(frozen=True, eq=False)
class Repeated:
    """A text whose last tokens stood in it before, and the head that finds best what followed the same words earlier.

    `place`: the token that followed; `length`: how many tokens before it are those at the end; `weight`: what the last
    token gives it; `tested`: the same over many sentences, against sentences in which nothing is repeated.
    """

    watched: WatchedText
    head: Head
    place: int
    length: int
    weight: float
    tested: AgainstControl

    @property
    def scene(self) -> Scene:
        """What the view shows, with this head in front."""
        return text_scene(self.watched.model, self.watched.run, self.watched.record, self.head)


@cached("Reading …")
def repeated() -> Repeated:
    """The head of `gpt-books` that exceeds its control most over many sentences, on the sentence of this page.

    Which head it is, is decided on other sentences than the one that is shown.
    """
    watched, heads = watch_text("gpt-books", REPEATING), head_jobs.repeated_words("gpt-books")
    ids = watched.inputs.ids
    places = [place + 1 for place, number in enumerate(ids[:-1]) if number == ids[-1]]
    place = max(places, key=lambda after: shared_end(ids[:after], ids))
    assert heads.best is not None
    layer, head = heads.best
    weight = float(watched.record.calls[layer].weights(head, queries=slice(-1, None))[0, place])
    return Repeated(watched, heads.best, place, shared_end(ids[:place], ids), weight, heads.of(heads.best))


def shared_end(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens at the ends of two texts are the same, one after the other."""
    pairs = zip(reversed(first), reversed(second), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@cached("Reading …")
def one_head() -> Matrix:
    """The head of `gpt-books` in which the last word gives most to one before: not the first, nor its neighbour."""
    model = text_model("gpt-books")
    tokens = model.encode(SENTENCE)
    with record_attention(model.network) as record:
        model.run(tokens)
    maps = torch.stack([call.weights(head) for call in record.calls for head in range(call.heads)])
    head = int(maps[:, -1, 1:-2].amax(dim=1).argmax())
    labels = tuple(label.strip() for label in tokens.labels)
    return Matrix(maps[head].numpy(), labels, labels)


@cached("Translating …")
def alignment() -> Matrix:
    """The transformer's translation, and the mean of all heads of its last layer for each token that it wrote."""
    model = translator("transformer")
    source = model.encode(TRANSLATED)
    target = model.tokens(model.write(source).best.tokens)
    weights = model.align(source, target).cross[-1].mean(dim=0)
    return Matrix(weights.numpy(), *(tuple(label.strip() for label in tokens.labels) for tokens in (target, source)))


@cached("Looking …")
def photograph() -> PatchMap:
    """What the class token of the last layer of a vision transformer gives to each patch, the mean of all heads."""
    model = image_model(zoo.GLOBAL_ATTENTION[0])
    prepared = model.prepare(open_example(PICTURE))
    with record_attention(model.network) as record:
        model.run(prepared)
    call, patches = record.calls[-1], prepared.patches
    weights = torch.stack([call.weights(head, queries=slice(0, 1)) for head in range(call.heads)]).mean(dim=0)[0]
    picture = Image.fromarray(prepared.photograph).resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    return PatchMap(np.asarray(picture), weights[1:].reshape(patches.rows, patches.columns).numpy())


@cached("Describing the picture …")
def caption() -> PatchMap:
    """A caption of a drawn scene, and where the network looked for the word that it looked most sharply for."""
    model, scene = captioner("scenes-transformer"), read_code(SCENE)
    prepared = model.prepare(Image.fromarray(draw(scene)))
    written = model.tokens(model.write(prepared.pixels).best.tokens)
    maps = torch.stack([layer.mean(dim=0) for layer in model.look(prepared.pixels, written).maps]).mean(dim=0)
    labels = [label.strip() for label in written.labels]
    named = [place for place, label in enumerate(labels) if len(label) > SHORT]
    place = max(named, key=lambda index: float(maps[index].max()))
    return PatchMap(draw(scene, SIDE), maps[place].reshape(*model.grid).numpy(), model.text(written.ids), labels[place])


@cached("Leaving out …")
def left_out() -> tuple[Matrix, float]:
    """The same head with only a window left (NaN outside), and the share of its attention that the window holds."""
    full_map = one_head()
    places = torch.arange(len(full_map.rows))
    window_mask = SlidingWindow(window=WINDOW, causal=True).attends(places[:, None], places[None], len(places)).numpy()
    share = float((full_map.values * window_mask).sum(axis=1).mean())
    later = np.triu(np.ones_like(window_mask), 1)  # nothing is left out there: nobody may look ahead
    return Matrix(np.where(window_mask | later, full_map.values, np.nan), full_map.rows, full_map.columns), share


def warm_up() -> None:
    """All examples."""
    for example in (repeated, one_head, alignment, photograph, caption, left_out):
        example()
