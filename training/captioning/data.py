"""Pictures and captions as the captioners read them: Flickr8k's photographs, and drawn scenes.

Flickr8k (Hodosh, Young and Hockenmaier 2013), of which research and teaching may use the photographs: a folder with
`flickr8k_192.npz` (JPEG bytes and offsets of train, dev and test, 192 x 192) and `captions.json.gz` (five captions for
each photograph, in the order of the pictures).
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.scenes.draw import draw
from training.common.pictures import batch_at, decode
from training.common.scenes import normalise, told_scene
from training.common.word_tokens import ids_of, words_tokenizer

COMMON = 5  # a word that fewer captions have is unknown
LONGEST = 24  # words of a caption that are learned
TOGETHER = 250  # pictures whose places are computed at once


@dataclass(frozen=True)
class Captioned:
    """Photographs of a part of Flickr8k, each with its captions: words in lower case, without punctuation."""

    pictures: np.ndarray  # (picture, channel, row, column), uint8
    captions: list[list[list[str]]]


def read_flickr(data: Path, part: str, cache: Path) -> Captioned:
    """One of "train", "dev" and "test"; decoded once, at 128 x 128 pixels, into `cache`."""
    folder = data / "flickr8k"
    with gzip.open(folder / "captions.json.gz", "rt", encoding="utf-8") as text:
        told = json.load(text)[part]
    decoded = cache / f"flickr-{part}.npy"
    if not decoded.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with np.load(folder / "flickr8k_192.npz") as archive:
            np.save(decoded, decode(archive[f"{part}_jpeg"], archive[f"{part}_offsets"], side=128))
    return Captioned(np.load(decoded), [[words_of(caption) for caption in each["captions"]] for each in told])


def words_of(caption: str) -> list[str]:
    """The words of a caption, as everybody who reports BLEU on these data counts them."""
    return [word for word in caption.casefold().split() if any(letter.isalnum() for letter in word)]


def flickr_tokenizer(captions: Sequence[Sequence[Sequence[str]]]) -> Tokenizer:
    """One token for each common word."""
    counts = Counter(word for each in captions for caption in each for word in caption)
    return words_tokenizer(sorted(word for word, count in counts.items() if count >= COMMON))


@dataclass(frozen=True)
class Batch:
    """Places of pictures, or pictures; the words so far, and those that follow (0 where a caption has ended)."""

    seen: Float[Tensor, "batch *places"]
    words: Int[Tensor, "batch target"]
    following: Int[Tensor, "batch target"]


def taught(seen: Tensor, tokenizer: Tokenizer, texts: Sequence[str]) -> Batch:
    """A batch of captions to be learned."""
    ids = ids_of(tokenizer, texts, LONGEST + 2)
    return Batch(seen, ids[:, :-1], ids[:, 1:])


@torch.inference_mode()
def places_of(body: nn.Module, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch patch width"]:
    """What a convolutional body sees at each place."""
    features = [body.forward_features(part) for part in pixels.split(TOGETHER)]  # type: ignore[operator]
    return torch.cat(features).flatten(2).transpose(1, 2)


def flickr_batches(
    places: Sequence[Tensor], captions: list[list[list[str]]], tokenizer: Tokenizer, size: int, seed: int
) -> Callable[[int], Batch]:
    """Batches of photographs, each with one of its captions and seen in one of several ways (such as mirrored)."""

    def batch(step: int) -> Batch:
        chosen = batch_at(step, len(captions), size, seed)
        dice = Random(f"captions {seed} {step}")
        texts = [" ".join(dice.choice(captions[number])) for number in chosen.tolist()]
        return taught(dice.choice(places)[chosen].float(), tokenizer, texts)

    return batch


def scene_batches(tokenizer: Tokenizer, size: int) -> Callable[[int], Batch]:
    """Ever new scenes, with a true sentence each."""

    def batch(step: int) -> Batch:
        told = [told_scene("train", step * size + place) for place in range(size)]
        return taught(normalise([draw(scene) for scene, _ in told]), tokenizer, [said.text for _, said in told])

    return batch
