"""Vectors of pictures and texts, and what follows from them: kept for the next visitor who asks for the same."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor

from core.attribution.word_maps import WordMaps, clip_maps, cover_each_patch, text_relevance
from core.images import EXAMPLES, open_example
from core.progress import Progress, no_progress
from core.scenes.codes import code_of
from core.scenes.draw import draw
from core.scenes.things import scene_at
from core.zoo.clips import PictureText
from core.zoo.emoji import emoji
from core.zoo.emoji import pictures as emoji_pictures
from core.zoo.image_models import PreparedPicture
from dashboard.cache.memo import cached
from dashboard.cache.models import clip
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput, sentence_for, truth_of
from dashboard.inputs.scene_builder import FIRST_SCENE

FOUND_SCENES = 300  # scenes among which one can search
AT_ONCE = 50  # pictures that go through a network together


@cached("Opening the picture …")
def prepare(name: str, picture_input: PictureInput) -> PreparedPicture:
    """A picture as a CLIP takes it; of a scene people see a finer drawing."""
    prepared = clip(name).prepare(picture_input.opened())
    drawing = picture_input.for_display()
    return prepared if drawing is None else replace(prepared, photograph=drawing)


@cached()
def picture_vector(name: str, picture_input: PictureInput) -> Float[Tensor, " width"]:
    """Where a picture lies in the space."""
    return clip(name).pictures(prepare(name, picture_input).pixels)[0]


@cached()
def text_vector(name: str, text: str) -> Float[Tensor, " width"]:
    """Where a text lies."""
    return clip(name).texts([text])[0]


def cosines(name: str, pictures: Sequence[PictureInput], texts: Sequence[str]) -> Float[np.ndarray, "row column"]:
    """How well each picture (row) agrees with each text (column)."""
    picture_vectors = torch.stack([picture_vector(name, picture) for picture in pictures])
    return (picture_vectors @ _text_vectors(name, texts).T).numpy()


def shares(scores: Float[np.ndarray, "row column"], temperature: float, axis: int) -> Float[np.ndarray, "row column"]:
    """The softmax of cosines along an axis: 0 over pictures, 1 over texts."""
    return torch.softmax(temperature * torch.from_numpy(scores), dim=axis).numpy()


@cached("Looking for the reason …")
def maps(name: str, picture_input: PictureInput, text: str) -> WordMaps:
    """Of each word of a text the map of what it adds to the cosine, by every way to tell."""
    model = clip(name)
    words = words_of(name, text)
    instead = [[" ".join(words[:place] + words[place + 1 :]) or words[place]] for place in range(len(words))]
    return clip_maps(model, prepare(name, picture_input).pixels, text, instead)


def words_of(name: str, text: str) -> list[str]:
    """The words of a text, as the network reads them."""
    model = clip(name)
    assert model.encode(text)  # what it cannot read is refused here
    return model.split(text)


@cached()
def read_by_relevance(name: str, picture_input: PictureInput, text: str) -> tuple[tuple[str, float], ...]:
    """What each token of a text is worth for the cosine, by gradient and attention; marks are left out."""
    model = clip(name)
    tokens = model.encode(text)
    relevance = text_relevance(model, picture_vector(name, picture_input), text).tolist()
    return tuple(
        (label.strip(), value)
        for label, value, special in zip(tokens.labels, relevance, tokens.special, strict=True)
        if not special
    )


@cached()
def without_words(name: str, picture_input: PictureInput, text: str) -> tuple[float, tuple[float, ...]]:
    """The cosine of a picture and a text, and that of the text without each of its words."""
    words = words_of(name, text)
    picture = picture_vector(name, picture_input)
    cosine = float(picture @ text_vector(name, text))
    if len(words) == 1:
        return cosine, (0.0,)
    left = [" ".join(words[:place] + words[place + 1 :]) for place in range(len(words))]
    # A text of which only unknown words are left says nothing.
    knows = clip(name).knows
    values = [
        float(picture @ text_vector(name, shortened_text)) if any(map(knows, shortened_text.split())) else 0.0
        for shortened_text in left
    ]
    return cosine, tuple(values)


@cached()
def with_covered(name: str, picture_input: PictureInput, text: str, patches: tuple[int, ...]) -> float:
    """The cosine while some patches are covered."""
    model = clip(name)
    pixels = prepare(name, picture_input).pixels
    several = cover_each_patch(pixels, model.grid)
    changed = pixels.clone()
    for patch in patches:
        where = several[patch] != pixels[0]
        changed[0] = torch.where(where, several[patch], changed[0])
    return float(model.pictures(changed)[0] @ text_vector(name, text))


@dataclass(frozen=True, eq=False)
class Corpus:
    """Pictures among which one can search, with their vectors; whether the network learned from each."""

    pictures: tuple[PictureInput, ...]
    titles: tuple[str, ...]
    learned: tuple[bool, ...]
    vectors: Float[Tensor, "point width"]


@cached("Looking at all pictures …", unit="pictures")
def corpus(name: str, progress: Progress = no_progress) -> Corpus:
    """All emoji, some scenes that were never learned, or the example photographs."""
    # Opened here rather than by `PictureInput.opened`, which keeps each picture for itself.
    several: Sequence[np.ndarray | Image.Image]
    if name == "emoji":
        picture_inputs, titles = (
            [PictureInput(EMOJI, entry.character) for entry in emoji()],
            [entry.description for entry in emoji()],
        )
        several = list(emoji_pictures())
    elif name == "scenes":
        scenes = [scene_at("test", number) for number in range(FOUND_SCENES)]
        picture_inputs, titles = [PictureInput(SCENES, code_of(scene)) for scene in scenes], [""] * len(scenes)
        several = [draw(scene) for scene in scenes]
    else:
        picture_inputs, titles = [PictureInput(PHOTOGRAPHS, example) for example in EXAMPLES], list(EXAMPLES)
        several = [open_example(example) for example in EXAMPLES]
    model = clip(name)
    vectors = []
    for start in range(0, len(several), AT_ONCE):
        pictures = [
            picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
            for picture in several[start : start + AT_ONCE]
        ]
        vectors.append(model.pictures(torch.cat([model.framing.pixels(picture) for picture in pictures])))
        progress(start + len(pictures), len(several))
    return Corpus(tuple(picture_inputs), tuple(titles), tuple(map(is_learned, picture_inputs)), torch.cat(vectors))


def is_learned(picture_input: PictureInput) -> bool:
    """Whether the network of a picture's world learned from it: from most emoji, but from no scene or photograph."""
    return picture_input.world == EMOJI and picture_input.picture in _learned_emoji()


@lru_cache(maxsize=1)
def _learned_emoji() -> frozenset[str]:
    return frozenset(entry.character for entry in emoji() if entry.learned)


@cached()
def truths(name: str, text: str) -> tuple[bool | None, ...]:
    """Of each picture of the corpus whether a text is true of it; None where nobody knows."""
    return tuple(truth_of(picture, text) for picture in corpus(name).pictures)


@dataclass(frozen=True, eq=False)
class Map:
    """Held-out pictures, each with its own text, on a plane: places, what the axes hold, and cosines between them."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    pictures: Float[np.ndarray, "point pair"]
    sentences: Float[np.ndarray, "point pair"]
    held: Float[np.ndarray, " width"]  # the share of the variance along each principal component
    between: float  # cosine of the mean picture and the mean text
    own: float  # mean cosine of a picture and its own text
    other: float  # mean cosine of two pictures; NaN of a single one
    across: float  # mean cosine of a picture and the text of another; NaN of a single one
    learned: float | None  # `own` of as many pictures that the network learned from; None where there are none


@cached("Drawing the map …")
def space(name: str, count: int) -> Map:
    """So many held-out pictures from all over the corpus, with a text each, from where all of them differ most."""
    collection = corpus(name)
    text_by_place = _texts_of(name, collection)
    held_out, known = (
        _spread([place for place in text_by_place if collection.learned[place] is is_known], count)
        for is_known in (False, True)
    )
    texts = tuple(text_by_place[place] for place in held_out)
    pictures, sentences = collection.vectors[held_out], _text_vectors(name, texts)
    vectors = torch.cat([pictures, sentences])
    centred = vectors - vectors.mean(dim=0)
    _, values, ways = torch.linalg.svd(centred, full_matrices=False)
    placed = (centred @ ways[:2].T).numpy()
    middle = [torch.nn.functional.normalize(part.mean(dim=0), dim=0) for part in (pictures, sentences)]
    known_texts = [text_by_place[place] for place in known]
    learned = collection.vectors[known] * _text_vectors(name, known_texts) if known else None
    return Map(
        tuple(collection.titles[place] or f"scene {place}" for place in held_out),
        texts,
        placed[: len(held_out)],
        placed[len(held_out) :],
        (values**2 / (values**2).sum()).numpy(),
        float(middle[0] @ middle[1]),
        float((pictures * sentences).sum(dim=1).mean()),
        _between_two(pictures @ pictures.T),
        _between_two(pictures @ sentences.T),
        None if learned is None else float(learned.sum(dim=1).mean()),
    )


def _spread(places: Sequence[int], count: int) -> list[int]:
    """So many of these, evenly."""
    return list(places[:: max(1, len(places) // count)][:count])


def _text_vectors(name: str, texts: Sequence[str]) -> Float[Tensor, "point width"]:
    return torch.stack([text_vector(name, text) for text in texts])


def _between_two(cosines: Float[Tensor, "point point"]) -> float:
    """The mean off the diagonal; NaN where there is nothing."""
    pairs = len(cosines) * (len(cosines) - 1)
    return float((cosines.sum() - cosines.diagonal().sum()) / pairs) if pairs else math.nan


def known_name(model: PictureText, picture_input: PictureInput) -> str:
    """A name of an emoji of which the network knows a word, its description if it can be; "" where there is none."""
    names = next(
        ((entry.description, *entry.names) for entry in emoji() if entry.character == picture_input.picture), ()
    )
    return next((name for name in names if any(map(model.knows, model.split(name)))), "")


def _texts_of(name: str, collection: Corpus) -> dict[int, str]:
    """A text for each picture of which the network knows a word: its name, or a true sentence; by its place."""
    if name == "scenes":
        scenes = ((place, picture.scene) for place, picture in enumerate(collection.pictures))
        return {place: sentence_for(scene) for place, scene in scenes if scene}
    model = clip(name)
    return {place: title for place, title in enumerate(collection.titles) if any(map(model.knows, model.split(title)))}


def warm_up() -> None:
    """What the page shows at first."""
    picture_vector("scenes", PictureInput(SCENES, FIRST_SCENE))
