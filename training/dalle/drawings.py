"""Measure a DALL-E: bits of held-out pictures, seconds, and the statements that hold in its pictures."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.models.dalle_sampling import draw_codes, uniform_numbers
from core.models.scene_reader import SceneReader
from core.results.dalle_results import CHANCE, COUNTS, DIRECT, THROUGH
from core.scenes.draw import draw
from core.zoo.clips import PictureText, load_clip
from core.zoo.dalles import PictureDrawer
from training.common.drawn_statements import (
    BATCH_SIZE,
    NAMED,
    SceneSentence,
    measure_statements,
    own_name,
    reference_shares,
    seconds_of,
    shares_of,
)
from training.common.emoji import HELD, read_emoji
from training.common.pictures import as_pixels
from training.common.scenes import scene_with_sentence

PICTURES = 500  # held out: of each an autoencoder and a DALL-E are asked


def held_out(world: str, data: Path | None) -> tuple[Float[Tensor, "batch channel row column"], list[str]]:
    """Held-out pictures (values 0 to 1) and a text for each."""
    if world == "emoji":
        assert data is not None
        emoji = [item for number, item in enumerate(read_emoji(data)) if number % HELD == 0][:PICTURES]
        return as_pixels([item.picture for item in emoji]), [item.texts[0] for item in emoji]
    examples = [scene_with_sentence("test", number) for number in range(PICTURES)]
    return as_pixels([draw(scene) for scene, _ in examples]), [sentence.text for _, sentence in examples]


def measure_drawer(
    drawer: PictureDrawer, pixels: Float[Tensor, "batch channel row column"], texts: Sequence[str]
) -> dict[str, Any]:
    """Bits of held-out pictures given their own text and another one, size, and seconds for a picture."""
    words = torch.stack([drawer.padded_ids(drawer.encode(text)) for text in texts])
    codes = torch.cat([drawer.coder.codes(part) for part in pixels.split(BATCH_SIZE)])

    def draws(pictures: int) -> Callable[[], object]:
        numbers = uniform_numbers(0, range(pictures), drawer.network.config.places)
        return lambda: drawn_of(drawer, words[:1].expand(pictures, -1), numbers)

    measured: dict[str, Any] = {
        "bits": round(bits(drawer, words, codes), 4),
        "bits_other": round(bits(drawer, words.roll(1, dims=0), codes), 4),
        "parameters": drawer.parameters,
        "seconds": {count: round(seconds_of(draws(int(count))), 2) for count in COUNTS},
    }
    if drawer.name == "emoji":
        names = texts[:NAMED]
        measured["own_name"] = own_name(load_clip("emoji"), torch.cat(list(drawings_of(drawer, names, 1))), names)
    return measured


@torch.no_grad()
def bits(drawer: PictureDrawer, words: Int[Tensor, "batch token"], codes: Int[Tensor, "batch place"]) -> float:
    """The mean bits of a code, given the text and the codes before it."""
    nats = 0.0
    for text_part, code_part in zip(words.split(BATCH_SIZE), codes.split(BATCH_SIZE), strict=True):
        logits = drawer.network(text_part, code_part[:, :-1]).codes
        nats += float(torch.nn.functional.cross_entropy(logits.flatten(0, 1), code_part.flatten(), reduction="sum"))
    return nats / codes.numel() / math.log(2)


def measure_drawn_statements(
    drawer: PictureDrawer, reader: SceneReader, clip: PictureText, examples: Sequence[SceneSentence], candidates: int
) -> dict[str, dict[str, Any]]:
    """The share of words that hold, by kind, for each k of BEST_OF and for the references CHANCE, THROUGH, DIRECT."""
    texts = [sentence.text for _, sentence in examples]
    shares = measure_statements(drawings_of(drawer, texts, candidates), reader, clip, examples)
    pictures, coder = as_pixels([draw(scene) for scene, _ in examples]), drawer.coder
    decoded = [[scene] for part in pictures.split(BATCH_SIZE) for scene in reader.read(coder.paint(coder.codes(part)))]
    bounds = reference_shares(examples, reader)
    return shares | {
        CHANCE: bounds[CHANCE],
        THROUGH: shares_of([sentence for _, sentence in examples], decoded),
        DIRECT: bounds[DIRECT],
    }


def drawings_of(
    drawer: PictureDrawer, texts: Sequence[str], candidates: int
) -> Iterator[Float[Tensor, "batch channel row column"]]:
    """The candidate pictures of each text, each with random numbers of its own."""
    words = torch.stack([drawer.padded_ids(drawer.encode(text)) for text in texts]).repeat_interleave(candidates, dim=0)
    numbers = torch.cat(
        [uniform_numbers(number, range(candidates), drawer.network.config.places) for number in range(len(texts))]
    )
    batch_size = max(1, BATCH_SIZE // candidates) * candidates
    for text_part, number_part in zip(words.split(batch_size), numbers.split(batch_size), strict=True):
        yield from drawn_of(drawer, text_part, number_part).split(candidates)


def drawn_of(
    drawer: PictureDrawer, words: Int[Tensor, "batch token"], numbers: Float[Tensor, "batch place"]
) -> Float[Tensor, "batch channel row column"]:
    """A picture for each text, sampled from all codes at temperature 1."""
    *_, codes = draw_codes(drawer.network, words, torch.zeros(len(words), 0, dtype=torch.long), numbers)
    return drawer.coder.paint(codes)
