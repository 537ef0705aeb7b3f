"""Readings of models of words and pictures; a `scene` is written as in an address (core/scenes/codes.py)."""

from collections.abc import Sequence

import torch
from PIL import Image

from core.errors import InputError
from core.images import open_example
from core.scenes.codes import read_code
from core.scenes.draw import draw
from dashboard.cache.models import captioner, clip, joint
from dashboard.lessons.readings.answers import Choice, quarters

HIDDEN = "[MASK]"
LIKELY = 5  # words that are offered where a lesson names none


def quarter_for_word(scene: str, word: str, model: str = "scenes-transformer") -> Choice:
    """A captioner's attention for a word of its caption of a scene: the mean of all layers and heads, by quarter."""
    writer = captioner(model)
    pixels = writer.prepare(_draw_scene(scene)).pixels
    caption = writer.tokens(writer.write(pixels).best.tokens)
    labels = [label.strip() for label in caption.labels]
    if word not in labels:
        raise InputError(f"The caption is “{writer.text(caption.ids)}”: “{word[:40]}” is not a word in it.")
    maps = torch.stack([layer.mean(dim=0) for layer in writer.look(pixels, caption).maps]).mean(dim=0)
    return quarters(maps[labels.index(word)].reshape(*writer.grid))


def sentence_that_fits(options: Sequence[str], picture: str = "", scene: str = "", model: str = "") -> Choice:
    """CLIP's probabilities of some sentences for a photograph or a scene."""
    clip_model = clip(model or ("scenes" if scene else "photographs"))
    image = _draw_scene(scene) if scene else open_example(picture)
    agreement = clip_model.pictures(clip_model.prepare(image).pixels) @ clip_model.texts(list(options)).T
    probabilities = (clip_model.temperature * agreement[0]).softmax(dim=-1)
    return Choice(dict(zip(options, probabilities.tolist(), strict=True)))


def hidden_word_of_scene(scene: str, text: str, model: str = "two-streams") -> Choice:
    """The probability of each word in the place of [MASK] in a sentence about a scene."""
    reader = joint(model)
    tokens = reader.encode(text)
    places = [place for place, label in enumerate(tokens.labels) if label.strip() == HIDDEN]
    if len(places) != 1:
        raise InputError(f"This reading needs a sentence with one {HIDDEN} in it.")
    run = reader.run(reader.prepare(_draw_scene(scene)).pixels, tokens)
    return Choice({guess.label: guess.probability for guess in reader.guesses(run, places[0], LIKELY)})


def _draw_scene(scene: str) -> Image.Image:
    return Image.fromarray(draw(read_code(scene)))
