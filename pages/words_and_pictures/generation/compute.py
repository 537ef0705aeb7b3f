"""Pictures drawn of a sentence, what they were made from and how they go on: kept for the next visitor."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int, UInt8
from torch import Tensor

from core.scenes.sentences import Sentence, parse
from core.scenes.statements import statements
from core.scenes.things import Scene
from core.text import Tokens
from core.zoo.dalles import PictureAttention, agreement
from core.zoo.image_models import PreparedPicture
from dashboard.cache import turns
from dashboard.cache.memo import cached
from dashboard.cache.models import clip, dalle, picture_coder, scene_reader
from dashboard.inputs import example_texts
from dashboard.inputs.picture_input import PictureInput

SCENES = "scenes"  # the world whose pictures can be read, and judged
TOP = 10  # codes among which one may take another


@dataclass(frozen=True)
class Prompt:
    """A sentence, and the world that it is of."""

    world: str
    text: str


@dataclass(frozen=True)
class DrawRequest(Prompt):
    """How DALL-E draws a sentence; `top_k` 0: from all codes."""

    count: int = 16
    temperature: float = 1.0
    top_k: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Watching:
    """Who sees pictures grow, row by row. All have one `identity`: what is drawn does not depend on who looks on."""

    show: Callable[[int, int, Int[Tensor, "batch _"]], None] = lambda _done, _total, _codes: None
    waits: Callable[[str], object] = lambda _sentence: None  # is told, while others go before, how long it takes
    identity = "watching"

    def __call__(self, _done: int, _total: int) -> None:
        """While one waits there is nothing new to see."""

    def row(self, done: int, total: int, codes: Int[Tensor, "batch _"]) -> None:
        """A row of each picture is done; what takes long goes on when it is its turn."""
        turns.report(done, total, self)
        self.show(done, total, codes)


NOBODY = Watching()


@dataclass(frozen=True, eq=False)
class Made:
    """Pictures that a network made of a sentence, and what others say of them. Shared by all: never changed.

    `agreement`: the cosine of each with the sentence, by CLIP. `read`: the scenes that the judge sees in them, of drawn
    scenes and where it is there. `seconds`: what making all of them took, without waiting.
    """

    prompt: Prompt
    pictures: UInt8[np.ndarray, "batch row column channel"]
    agreement: tuple[float, ...]
    read: tuple[Scene, ...]
    seconds: float

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The numbers of the pictures, the one that CLIP likes best first."""
        return tuple(sorted(range(len(self.pictures)), key=lambda number: -self.agreement[number]))

    @cached_property
    def sentence(self) -> Sentence | None:
        """What was said, of drawn scenes."""
        return parse(self.prompt.text) if self.prompt.world == SCENES else None

    def statements(self, number: int) -> tuple[bool | None, ...]:
        """For each word of the sentence whether it holds in a picture; () where nobody can tell."""
        if self.sentence is None or not self.read:
            return ()
        return statements(self.sentence, self.read[number])

    def holds(self, number: int) -> bool | None:
        """Whether all holds in a picture."""
        verdicts = self.statements(number)
        return all(verdict is not False for verdict in verdicts) if verdicts else None

    @property
    def full_matches(self) -> int:
        """In how many pictures all holds."""
        return sum(self.holds(number) is True for number in range(len(self.pictures)))


@dataclass(frozen=True, eq=False)
class Drawn(Made):
    """Pictures that DALL-E drew, as codes too."""

    words: Tokens
    codes: Int[Tensor, "batch place"]


def judged(prompt: Prompt, pixels: Float[Tensor, "batch channel row column"]) -> dict[str, Any]:
    """What CLIP and the judge say of pictures (0 to 1), as Made has it."""
    reader = scene_reader() if prompt.world == SCENES else None
    return {
        "prompt": prompt,
        "pictures": as_pictures(pixels),
        "agreement": tuple(agreement(clip(prompt.world), prompt.text, pixels).tolist()),
        "read": tuple(reader.read(pixels)) if reader else (),
    }


@cached()
def draw(request: DrawRequest, watching: Watching = NOBODY) -> Drawn:
    """Pictures of a sentence, from nothing."""
    return _drawn(request, torch.zeros(0, dtype=torch.long), watching)


@cached()
def go_on(request: DrawRequest, number: int, place: int, code: int, watching: Watching = NOBODY) -> Drawn:
    """One of the pictures once more, with another code at a place, and all that follows with the same dice."""
    codes = draw(request).codes[number]
    first_codes = torch.cat([codes[:place], torch.tensor([code])])
    return _drawn(request, first_codes, watching, only=number)


@cached()
def complete(request: DrawRequest, picture_input: PictureInput, rows: int, watching: Watching = NOBODY) -> Drawn:
    """Pictures that begin with the upper rows of codes of another picture."""
    codes = coded(request.world, picture_input).codes
    return _drawn(request, codes[: rows * picture_coder(request.world).grid], watching)


def _drawn(
    request: DrawRequest, first_codes: Int[Tensor, " place"], watching: Watching, only: int | None = None
) -> Drawn:
    """`only`: just the picture with this number, by its own dice."""
    drawer = dalle(request.world)
    words, grid = drawer.encode(request.text), drawer.network.config.grid
    numbers = range(request.count) if only is None else [only]
    codes, seconds, began = first_codes.expand(len(numbers), -1), 0.0, time.perf_counter()
    rows = drawer.draw(
        words, numbers, seed=request.seed, temperature=request.temperature, top_k=request.top_k, first_codes=first_codes
    )
    for done, codes in enumerate(rows, start=1):
        seconds += time.perf_counter() - began
        # Others may go before: that is no time of the network.
        watching.row(done, grid - len(first_codes) // grid, codes)
        began = time.perf_counter()
    pixels = drawer.coder.paint(codes)
    seconds += time.perf_counter() - began
    return Drawn(**judged(request, pixels), seconds=seconds, words=words, codes=codes)


def as_pictures(pixels: Float[Tensor, "batch channel row column"]) -> UInt8[np.ndarray, "batch row column channel"]:
    """Values 0 to 1 as pictures."""
    return (pixels * 255).round().to(torch.uint8).permute(0, 2, 3, 1).numpy()


# What a picture was made from.


@dataclass(frozen=True, eq=False)
class DrawingAttention:
    """A picture as codes, and the attention of each code to words and codes, by layer. Shared by all: never changed."""

    words: Tokens
    codes: Int[Tensor, " place"]
    picture: UInt8[np.ndarray, "row column channel"]
    layers: tuple[PictureAttention, ...]


@cached("Looking …")
def look(request: DrawRequest, number: int) -> DrawingAttention:
    """What one of the drawn pictures was made from."""
    drawn = draw(request)
    codes = drawn.codes[number]
    return DrawingAttention(
        drawn.words, codes, drawn.pictures[number], dalle(request.world).attention(drawn.words, codes)
    )


@cached("Looking …")
def look_at(world: str, text: str, picture_input: PictureInput) -> DrawingAttention:
    """The same of a picture that is there, as if it had been drawn just so."""
    drawer, encoding = dalle(world), coded(world, picture_input)
    words = drawer.encode(text)
    return DrawingAttention(words, encoding.codes, encoding.rebuilt, drawer.attention(words, encoding.codes))


@cached()
def expected(request: DrawRequest, number: int, place: int) -> tuple[tuple[int, float], ...]:
    """The codes that the network expects most at a place of a picture, with their probabilities."""
    drawn = draw(request)
    chances = dalle(request.world).code_probabilities(drawn.words, drawn.codes[number], place)
    values, codes = chances.topk(TOP)
    return tuple(zip(codes.tolist(), values.tolist(), strict=True))


@cached()
def chance_of(request: DrawRequest, number: int, place: int) -> float:
    """How probable the code is that stands at a place of a picture."""
    drawn = draw(request)
    codes = drawn.codes[number]
    return float(dalle(request.world).code_probabilities(drawn.words, codes, place)[codes[place]])


@cached()
def with_code(request: DrawRequest, number: int, place: int, code: int) -> UInt8[np.ndarray, "row column channel"]:
    """A picture in which one code is another, and nothing else is."""
    codes = draw(request).codes[number].clone()
    codes[place] = code
    return as_pictures(picture_coder(request.world).paint(codes[None]))[0]


# Pictures as words.


@dataclass(frozen=True, eq=False)
class Coded:
    """A picture's way through an autoencoder. `error`: mean squared, of values 0 to 1; of its mean colour beside it."""

    prepared: PreparedPicture
    original: UInt8[np.ndarray, "row column channel"]
    codes: Int[Tensor, " place"]
    rebuilt: UInt8[np.ndarray, "row column channel"]
    error: float
    plain_error: float

    @cached_property
    def uses(self) -> Int[Tensor, " code"]:
        """The codes that the picture is made of, the most frequent first."""
        counts = torch.bincount(self.codes)
        order = counts.argsort(descending=True, stable=True)
        return order[: int((counts > 0).sum())]

    def count(self, code: int) -> int:
        """How often a code is used."""
        return int((self.codes == code).sum())


@cached("Opening the picture …")
def coded(name: str, picture_input: PictureInput) -> Coded:
    """A picture through one of the autoencoders."""
    coder = picture_coder(name)
    prepared = coder.prepare(picture_input.opened())
    codes = coder.codes(prepared.pixels)
    rebuilt = coder.paint(codes)
    mean = prepared.pixels.mean(dim=(2, 3), keepdim=True)
    return Coded(
        prepared,
        as_pictures(prepared.pixels)[0],
        codes[0],
        as_pictures(rebuilt)[0],
        float((rebuilt - prepared.pixels).square().mean()),
        float((mean - prepared.pixels).square().mean()),
    )


@cached("Painting the codebook …")
def patches(name: str) -> UInt8[np.ndarray, "code row column channel"]:
    """Each code of an autoencoder, painted among its like."""
    return as_pictures(picture_coder(name).patches())


def warm_up() -> None:
    """What the page shows at first."""
    from core.zoo.dalles import available

    if SCENES in available():
        draw(DrawRequest(SCENES, example_texts.opening("drawing-scenes")))
