"""Captions, and where was looked while they were written: kept for the next visitor who asks for the same."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from core.attribution.word_maps import WordMaps, captioner_maps
from core.models.show_attend_tell import ShowAttendTell
from core.text import Tokens
from core.translation.decoding import BEGIN, END, Decoded
from core.zoo.captioners import CaptionAttention, PictureWriter
from core.zoo.image_models import PreparedPicture
from core.zoo.transformers_captioners import NamedPictureWriter
from dashboard.cache.memo import cached
from dashboard.cache.models import captioner, named_captioner
from dashboard.inputs.picture_input import PictureInput
from dashboard.output.streaming import NOBODY, StepObserver

TOP = 8  # words among which one may take another


@dataclass(frozen=True, eq=False)
class Written:
    """A caption by one captioner, the words that it was given first included. Shared by all visitors: never changed."""

    model: PictureWriter | NamedPictureWriter
    prepared: PreparedPicture
    decoded: Decoded
    words: Tokens  # the end included, where it was reached
    attention: CaptionAttention
    begin_count: int = 0  # words that a visitor chose

    @property
    def text(self) -> str:
        """As plain text."""
        return self.model.text(self.words.ids)

    @property
    def labels(self) -> tuple[str, ...]:
        """Its words, the end left out."""
        return tuple(
            label.strip() for label, number in zip(self.words.labels, self.words.ids, strict=True) if number != self.end
        )

    @property
    def has_heads(self) -> bool:
        """Whether there are several maps for each word; an LSTM has one."""
        return len(self.attention.maps) > 1 or len(self.attention.maps[0]) > 1

    @cached_property
    def mean_map(self) -> Float[np.ndarray, "token patch"]:
        """What each word gives to each place, the mean of all heads of all layers."""
        return np.mean([layer.mean(dim=0).numpy() for layer in self.attention.maps], axis=0)

    @property
    def end(self) -> int:
        """The token that ends a caption."""
        return self.model.end


@cached("Opening the picture …")
def prepare(name: str, picture_input: PictureInput) -> PreparedPicture:
    """A picture as a captioner takes it; of a scene people see a finer drawing."""
    prepared = captioner(name).prepare(picture_input.opened())
    drawing = picture_input.for_display()
    return prepared if drawing is None else replace(prepared, photograph=drawing)


@cached()
def write(
    name: str, picture_input: PictureInput, beam: int, begin: tuple[int, ...] = (), observer: StepObserver = NOBODY
) -> Written:
    """The caption of a picture, which goes on after the words `begin`."""
    model, prepared = captioner(name), prepare(name, picture_input)
    decoded = model.write(prepared.pixels, beam=beam, begin=begin, keep_steps=True, progress=observer.report)
    words = model.tokens([*begin, *decoded.best.tokens])
    return Written(model, prepared, decoded, words, model.look(prepared.pixels, words), len(begin))


@cached()
def write_by_name(name: str, picture_input: PictureInput, beam: int, observer: StepObserver = NOBODY) -> Written:
    """The caption of a picture by any captioner."""
    model = named_captioner(name)
    prepared = model.prepare(picture_input.opened())
    decoded = model.write(prepared.pixels, beam=beam, progress=observer.report)
    words = model.tokens(decoded.best.tokens)
    return Written(model, prepared, decoded, words, model.look(prepared.pixels, words))


@cached("Looking …")
def look_by_name(name: str, picture_input: PictureInput, caption: str) -> Written:
    """What any captioner looks at while it is made to write a caption of somebody's own."""
    model = named_captioner(name)
    prepared = model.prepare(picture_input.opened())
    words = model.encode(caption)
    return Written(model, prepared, Decoded(()), words, model.look(prepared.pixels, words), len(words))


@cached()
def look(name: str, picture_input: PictureInput, caption: str) -> Written:
    """What a captioner looks at while it is made to write a caption of somebody's own."""
    model, prepared = captioner(name), prepare(name, picture_input)
    words = model.encode(caption)
    attention = model.look(prepared.pixels, words)
    return Written(model, prepared, Decoded(()), words, attention, len(words))


@cached("Looking …")
def ways(name: str, picture_input: PictureInput, ids: tuple[int, ...]) -> WordMaps:
    """Maps of each word by every way to tell."""
    model = captioner(name)
    return captioner_maps(model, prepare(name, picture_input).pixels, model.tokens(ids))


@cached()
def next_words(name: str, picture_input: PictureInput, before: tuple[int, ...]) -> tuple[tuple[str, float], ...]:
    """The most probable words after those before, with their probabilities; the end is one of them."""
    model = captioner(name)
    chances = model.next_words(prepare(name, picture_input).pixels, before)
    chances[:END] = 0.0  # padding and the beginning are never written
    values, numbers = chances.topk(TOP)
    return tuple((model.word(number), value) for number, value in zip(numbers.tolist(), values.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Step:
    """One step of the LSTM in numbers: scores, weights, the gate, what was seen, what may come next."""

    scores: Float[Tensor, " patch"]
    weights: Float[Tensor, " patch"]
    gate: float
    weighted_sum: Float[Tensor, " width"]  # sum of weights times places
    context: Float[Tensor, " width"]  # that, as far as the gate is open
    before: Float[Tensor, " width"]  # the state of the LSTM
    after: Float[Tensor, " width"]
    chances: Float[Tensor, " vocabulary"]
    query: Float[Tensor, " head_dim"]  # W h
    keys: Float[Tensor, "patch head_dim"]  # U a_i
    vector: Float[Tensor, " head_dim"]  # v


@cached()
@torch.no_grad()
def step_of(name: str, picture_input: PictureInput, ids: tuple[int, ...], place: int) -> Step:
    """The step that writes word `place` of a caption; of an LSTM."""
    network = captioner(name).network
    decoder = network.decoder
    assert isinstance(decoder, ShowAttendTell)
    state = network.read(prepare(name, picture_input).pixels)
    for word in (BEGIN, *ids[:place]):
        former = state
        logits, state = network.step(torch.tensor([word]), state)
    scores = decoder.attention.scores(former["state"], former["keys"])[0]
    weighted_sum = (state["weights"] @ former["places"][0])[0]
    return Step(
        scores=scores,
        weights=state["weights"][0],
        gate=float(state["gate"][0]),
        weighted_sum=weighted_sum,
        context=state["context"][0],
        before=former["state"][0],
        after=state["state"][0],
        chances=logits[0].softmax(dim=-1),
        query=decoder.attention.query(former["state"])[0],
        keys=former["keys"][0],
        vector=decoder.attention.vector.weight[0],
    )


def warm_up() -> None:
    """What the page shows at first."""
    from dashboard.inputs.picture_input import SCENES
    from dashboard.inputs.scene_builder import FIRST_SCENE

    for name in ("scenes-lstm", "scenes-transformer"):
        write(name, PictureInput(SCENES, FIRST_SCENE), 3)
