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
from training.common.scenes import normalise, scene_with_sentence
from training.common.word_tokens import ids_of, words_tokenizer

COMMON = 5  # a word that fewer captions have is unknown
LONGEST = 24  # words of a caption that are learned
TOGETHER = 250  # pictures whose places are computed at once


@dataclass(frozen=True)
class Captioned:
    """The photographs of a part of Flickr8k and the captions of each: words in lower case, without punctuation."""

    pictures: np.ndarray  # (picture, channel, row, column), uint8
    captions: list[list[list[str]]]


def read_flickr(data: Path, part: str, cache: Path) -> Captioned:
    """Read a part: "train", "dev" or "test"; pictures are decoded once, at 128 x 128 pixels, into `cache`."""
    folder = data / "flickr8k"
    with gzip.open(folder / "captions.json.gz", "rt", encoding="utf-8") as text:
        photos = json.load(text)[part]
    decoded = cache / f"flickr-{part}.npy"
    if not decoded.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with np.load(folder / "flickr8k_192.npz") as archive:
            np.save(decoded, decode(archive[f"{part}_jpeg"], archive[f"{part}_offsets"], side=128))
    return Captioned(np.load(decoded), [[words_of(caption) for caption in photo["captions"]] for photo in photos])


def words_of(caption: str) -> list[str]:
    """The words of a caption in lower case, without punctuation, as is usual for BLEU on these data."""
    return [word for word in caption.casefold().split() if any(letter.isalnum() for letter in word)]


def flickr_tokenizer(captions: Sequence[Sequence[Sequence[str]]]) -> Tokenizer:
    """A tokenizer with one token for each word that occurs at least COMMON times."""
    counts = Counter(word for several in captions for caption in several for word in caption)
    return words_tokenizer(sorted(word for word, count in counts.items() if count >= COMMON))


@dataclass(frozen=True)
class Batch:
    """Features of pictures, or pictures (`inputs`); the words of captions, and the words that follow them (0: none)."""

    inputs: Float[Tensor, "batch *places"]
    words: Int[Tensor, "batch target"]
    following: Int[Tensor, "batch target"]


def caption_batch(inputs: Tensor, tokenizer: Tokenizer, texts: Sequence[str]) -> Batch:
    """A batch of pictures, or their features, with the tokens of their captions."""
    ids = ids_of(tokenizer, texts, LONGEST + 2)
    return Batch(inputs, ids[:, :-1], ids[:, 1:])


@torch.inference_mode()
def places_of(body: nn.Module, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch patch width"]:
    """The features of a convolutional body at each place."""
    features = [body.forward_features(part) for part in pixels.split(TOGETHER)]  # type: ignore[operator]
    return torch.cat(features).flatten(2).transpose(1, 2)


def flickr_batches(
    places: Sequence[Tensor], captions: list[list[list[str]]], tokenizer: Tokenizer, size: int, seed: int
) -> Callable[[int], Batch]:
    """Batches by step: photographs, each with one of its captions, in one of several versions (such as mirrored)."""

    def batch(step: int) -> Batch:
        chosen = batch_at(step, len(captions), size, seed)
        dice = Random(f"captions {seed} {step}")
        texts = [" ".join(dice.choice(captions[number])) for number in chosen.tolist()]
        return caption_batch(dice.choice(places)[chosen].float(), tokenizer, texts)

    return batch


def scene_batches(tokenizer: Tokenizer, size: int) -> Callable[[int], Batch]:
    """Batches by step: new scenes, each with a true sentence."""

    def batch(step: int) -> Batch:
        examples = [scene_with_sentence("train", step * size + place) for place in range(size)]
        return caption_batch(
            normalise([draw(scene) for scene, _ in examples]), tokenizer, [sentence.text for _, sentence in examples]
        )

    return batch
