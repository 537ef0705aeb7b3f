"""Pictures and captions as the captioners read them: Flickr8k's photographs, and drawn scenes.

Flickr8k (Hodosh, Young and Hockenmaier 2013), of which research and teaching may use the photographs: a folder with
`flickr8k_192.npz` (JPEG bytes and offsets of train, dev and test, 192 x 192) and `captions.json.gz` (five captions for
each photograph, in the order of the pictures).
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int, UInt8
from tokenizers import Tokenizer
from torch import Tensor

from core.models.efficientnet import CHANNELS, EfficientNetFeatures
from core.scenes.draw import draw
from core.zoo.embedded import BODY, load_embedded_image
from training.common.pictures import batch_at, decode, standardise
from training.common.scenes import normalise, scene_with_sentence
from training.common.word_tokens import ids_of, words_tokenizer

COMMON = 5  # a word that fewer captions have is unknown
LONGEST = 24  # words of a caption that are learned
TOGETHER = 50  # pictures whose places are computed at once
SIDE = 224  # pixels of a photograph, which has so many places:
PLACES = 14 * 14


@dataclass(frozen=True)
class Captioned:
    """The photographs of a part of Flickr8k and the captions of each: words in lower case, without punctuation."""

    pictures: np.ndarray  # (picture, channel, row, column), uint8
    captions: list[list[list[str]]]


def read_flickr(data: Path, part: str, cache: Path, *, side: int = 128) -> Captioned:
    """Read a part: "train", "dev" or "test"; pictures are decoded once, to `side` pixels a side, into `cache`."""
    folder = data / "flickr8k"
    with gzip.open(folder / "captions.json.gz", "rt", encoding="utf-8") as text:
        photos = json.load(text)[part]
    decoded = cache / f"flickr-{part}-{side}.npy"
    if not decoded.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with np.load(folder / "flickr8k_192.npz") as archive:
            np.save(decoded, decode(archive[f"{part}_jpeg"], archive[f"{part}_offsets"], side=side))
    return Captioned(
        np.load(decoded, mmap_mode="r"), [[words_of(caption) for caption in photo["captions"]] for photo in photos]
    )


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


def places_of(
    pictures: Callable[[], UInt8[np.ndarray, "picture channel row column"]], file: Path, *, mirrored: bool = False
) -> Float[np.ndarray, "picture patch width"]:
    """The features of EfficientNet-Lite0 at each place of pictures of 224 pixels a side, or of their mirror images.

    Half precision, on disk: computed once, into `file`; where that is there, `pictures` are not read.
    """
    if not file.exists():
        body, pixels_of_all = load_embedded_image(BODY), pictures()
        features = EfficientNetFeatures(body.network).to(memory_format=torch.channels_last)  # faster
        unfinished = file.with_suffix(".tmp")
        places = np.lib.format.open_memmap(unfinished, "w+", np.float16, (len(pixels_of_all), PLACES, CHANNELS))
        with torch.inference_mode():
            for start in range(0, len(places), TOGETHER):
                pixels = torch.from_numpy(np.array(pixels_of_all[start : start + TOGETHER])).float() / 255
                pixels = standardise(pixels.flip(-1) if mirrored else pixels, body.framing.mean, body.framing.std)
                pixels = pixels.to(memory_format=torch.channels_last)
                places[start : start + TOGETHER] = features(pixels).flatten(2).transpose(1, 2).half().numpy()
        places.flush()
        unfinished.replace(file)
    return np.load(file, mmap_mode="r")


@torch.inference_mode()
def pooled_places(
    classifier: Any, places: Float[np.ndarray, "picture patch width"]
) -> Float[Tensor, "picture channel"]:
    """What EfficientNet's `classifier` makes of the features of its last stage: the vectors that it gives classes."""
    parts = []
    for start in range(0, len(places), TOGETHER):
        part = torch.from_numpy(np.array(places[start : start + TOGETHER])).float().transpose(1, 2)
        features = classifier.bn2(classifier.conv_head(part.unflatten(2, (SIDE // 16, SIDE // 16))))
        parts.append(classifier.forward_head(features, pre_logits=True))
    return torch.cat(parts)


@dataclass(frozen=True)
class LabelledPlaces:
    """Features of pictures of Tiny ImageNet, the number of the class of each, and all names of the classes."""

    places: Float[np.ndarray, "picture patch width"]
    labels: Int[np.ndarray, " picture"]
    names: tuple[str, ...]


def labelled_places(data: Path, run: Path, count: int) -> LabelledPlaces:
    """Of the first `count` pictures of Tiny ImageNet, which are in random order; features are computed into `run`."""
    with np.load(data / "tiny_imagenet" / "tiny_imagenet_100.npz") as archive:

        def pictures() -> np.ndarray:
            return decode(archive["train_jpeg"], archive["train_offsets"][: count + 1], side=SIDE)

        places = places_of(pictures, run / f"places-tiny-imagenet-{count}.npy")
        labels = archive["train_labels"][:count].astype(np.int64)
        return LabelledPlaces(places, labels, tuple(str(name) for name in archive["names"]))


def photograph_places(photos: Captioned, run: Path, part: str) -> Float[np.ndarray, "picture patch width"]:
    """Of a part of Flickr8k."""
    return places_of(lambda: photos.pictures, run / f"places-{part}.npy")


def both_ways_round(photos: Captioned, run: Path) -> tuple[Float[np.ndarray, "picture patch width"], ...]:
    """Of Flickr8k's training photographs, and of their mirror images."""
    mirrored = places_of(lambda: photos.pictures, run / "places-train-mirrored.npy", mirrored=True)
    return photograph_places(photos, run, "train"), mirrored


@dataclass(frozen=True)
class NamedPictures:
    """Features of pictures of single things, each with the name of the thing as its caption ("a cat")."""

    places: Float[np.ndarray, "picture patch width"]
    captions: Sequence[str]


def named_pictures(labelled: LabelledPlaces, tokenizer: Tokenizer) -> NamedPictures:
    """Those of labelled pictures whose class has a name in words of the tokenizer."""
    captions = [caption_of_class(names, tokenizer.get_vocab()) for names in labelled.names]
    indices = [number for number, label in enumerate(labelled.labels) if captions[label]]
    return NamedPictures(labelled.places[indices], [captions[label] for label in labelled.labels[indices]])


def caption_of_class(names: str, vocabulary: Collection[str]) -> str:
    """A caption from the names that ImageNet gives a class, such as "tabby, tabby cat": the first in known words.

    Else the last word of the first name that ends in a known one ("Egyptian cat": "a cat"); "" where there is none.
    """
    several = [name.split() for name in names.casefold().split(", ")]
    for words in (*several, *(words[-1:] for words in several)):
        if all(word in vocabulary for word in words):
            article = "" if words[-1].endswith("s") else "an " if words[0][0] in "aeiou" else "a "
            return article + " ".join(words)
    return ""


def flickr_batches(
    places: Sequence[np.ndarray],
    captions: list[list[list[str]]],
    tokenizer: Tokenizer,
    size: int,
    seed: int,
    named: NamedPictures | None = None,
    first_named: int = 0,
) -> Callable[[int], Batch]:
    """Batches by step: photographs, each with one of its captions, in one of several versions (such as mirrored).

    From step `first_named` on a sixth of each batch are `named` pictures.
    """

    def batch(step: int) -> Batch:
        others = size // 6 if named is not None and step >= first_named else 0
        chosen = batch_at(step, len(captions), size, seed)[others:]
        rng = Random(f"captions {seed} {step}")
        texts = [" ".join(rng.choice(captions[number])) for number in chosen.tolist()]
        inputs = rng.choice(places)[chosen.numpy()]
        if named is not None and others:
            numbers = batch_at(step, len(named.captions), others, seed).numpy()
            texts += [named.captions[number] for number in numbers]
            inputs = np.concatenate([inputs, named.places[numbers]])
        return caption_batch(torch.from_numpy(inputs).float(), tokenizer, texts)

    return batch


def scene_batches(tokenizer: Tokenizer, size: int) -> Callable[[int], Batch]:
    """Batches by step: new scenes, each with a true sentence."""

    def batch(step: int) -> Batch:
        examples = [scene_with_sentence("train", step * size + place) for place in range(size)]
        return caption_batch(
            normalise([draw(scene) for scene, _ in examples]), tokenizer, [sentence.text for _, sentence in examples]
        )

    return batch
