"""How well a DALL-E draws what it is told: bits for held-out pictures, seconds, and what holds in its drawings."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.models.dalle_sampling import dice_of, draw_codes
from core.models.scene_reader import SceneReader
from core.results.dalle_results import CHANCE, COUNTS, DIRECT, THROUGH
from core.scenes.draw import draw
from core.zoo.clips import PictureText, load_clip
from core.zoo.dalles import PictureDrawer
from training.common.drawn_statements import NAMED, TOGETHER, Told, bounds_of, held_in, own_name, seconds_of, shares_of
from training.common.emoji import HELD, read_emoji
from training.common.pictures import as_pixels
from training.common.scenes import told_scene

PICTURES = 500  # held out: of each an autoencoder and a DALL-E are asked


def held_out(world: str, data: Path | None) -> tuple[Float[Tensor, "batch channel row column"], list[str]]:
    """Pictures (0 to 1) with a text each."""
    if world == "emoji":
        assert data is not None
        emoji = [each for number, each in enumerate(read_emoji(data)) if number % HELD == 0][:PICTURES]
        return as_pixels([each.picture for each in emoji]), [each.texts[0] for each in emoji]
    told = [told_scene("test", number) for number in range(PICTURES)]
    return as_pixels([draw(scene) for scene, _ in told]), [sentence.text for _, sentence in told]


def measure_drawer(
    drawer: PictureDrawer, pixels: Float[Tensor, "batch channel row column"], texts: Sequence[str]
) -> dict[str, Any]:
    """How well held-out pictures are expected, with their own text and with another's, and how long drawing takes."""
    words = torch.stack([drawer.filled(drawer.encode(text)) for text in texts])
    codes = torch.cat([drawer.coder.codes(part) for part in pixels.split(TOGETHER)])

    def draws(pictures: int) -> Callable[[], object]:
        dice = dice_of(0, range(pictures), drawer.network.config.places)
        return lambda: drawn_of(drawer, words[:1].expand(pictures, -1), dice)

    found: dict[str, Any] = {
        "bits": round(bits(drawer, words, codes), 4),
        "bits_other": round(bits(drawer, words.roll(1, dims=0), codes), 4),
        "parameters": drawer.parameters,
        "seconds": {each: round(seconds_of(draws(int(each))), 2) for each in COUNTS},
    }
    if drawer.name == "emoji":
        asked = texts[:NAMED]
        found["own_name"] = own_name(load_clip("emoji"), torch.cat(list(drawings_of(drawer, asked, 1))), asked)
    return found


@torch.no_grad()
def bits(drawer: PictureDrawer, words: Int[Tensor, "batch token"], codes: Int[Tensor, "batch place"]) -> float:
    """The mean over all codes of what it takes to tell each, after those before it."""
    nats = 0.0
    for said_part, part in zip(words.split(TOGETHER), codes.split(TOGETHER), strict=True):
        logits = drawer.network(said_part, part[:, :-1]).codes
        nats += float(torch.nn.functional.cross_entropy(logits.flatten(0, 1), part.flatten(), reduction="sum"))
    return nats / codes.numel() / math.log(2)


def measure_held(
    drawer: PictureDrawer, reader: SceneReader, clip: PictureText, told: Sequence[Told], candidates: int
) -> dict[str, dict[str, Any]]:
    """For each way to a picture of a sentence: the share of statements that hold in it, by kind."""
    texts = [sentence.text for _, sentence in told]
    found = held_in(drawings_of(drawer, texts, candidates), reader, clip, told)
    drawn, coder = as_pixels([draw(scene) for scene, _ in told]), drawer.coder
    through = [[scene] for part in drawn.split(TOGETHER) for scene in reader.read(coder.paint(coder.codes(part)))]
    bounds = bounds_of(told, reader)
    return found | {
        CHANCE: bounds[CHANCE],
        THROUGH: shares_of([sentence for _, sentence in told], through),
        DIRECT: bounds[DIRECT],
    }


def drawings_of(
    drawer: PictureDrawer, texts: Sequence[str], candidates: int
) -> Iterator[Float[Tensor, "batch channel row column"]]:
    """For each text its candidates, each with dice of its own; several texts are drawn at once."""
    words = torch.stack([drawer.filled(drawer.encode(text)) for text in texts]).repeat_interleave(candidates, dim=0)
    dice = torch.cat([dice_of(number, range(candidates), drawer.network.config.places) for number in range(len(texts))])
    together = max(1, TOGETHER // candidates) * candidates
    for said_part, dice_part in zip(words.split(together), dice.split(together), strict=True):
        yield from drawn_of(drawer, said_part, dice_part).split(candidates)


def drawn_of(
    drawer: PictureDrawer, words: Int[Tensor, "batch token"], dice: Float[Tensor, "batch place"]
) -> Float[Tensor, "batch channel row column"]:
    """A picture of each sentence, at temperature 1 from all codes."""
    *_, codes = draw_codes(drawer.network, words, torch.zeros(len(words), 0, dtype=torch.long), dice)
    return drawer.coder.paint(codes)
