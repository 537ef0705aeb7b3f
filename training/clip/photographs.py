"""Photographs with captions, and pictures with the names of their classes, as training pairs of a CLIP."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import torch
from tokenizers import Tokenizer

from training.captioning.data import COMMON, Captioned
from training.clip.data import Pairs
from training.common.pictures import batch_at, decode, standardise, vary
from training.common.word_tokens import ids_of, words_tokenizer
from training.tiny_imagenet.data import DEVIATION, MEAN

# What is said of a picture of which only the class is known; CLIP's own templates (Radford et al. 2021, section 3.1.4).
TEMPLATES = ("a photo of a {}", "a {}", "a picture of a {}", "a photo of the {}", "a close photo of a {}")
SIDE = 64
CAPTIONED = 2 / 3  # of a batch


@dataclass(frozen=True)
class LabelledPictures:
    """Pictures with the number of their class, and the names of the classes."""

    pictures: np.ndarray  # (picture, channel, row, column), uint8
    labels: np.ndarray
    names: tuple[str, ...]


def read_tiny_imagenet(data: Path, part: str = "train") -> LabelledPictures:
    """Read a part of Tiny ImageNet's hundred classes, with their names in lower case."""
    with np.load(data / "tiny_imagenet" / "tiny_imagenet_100.npz") as archive:
        pictures = decode(archive[f"{part}_jpeg"], archive[f"{part}_offsets"], side=SIDE)
        names = tuple(str(name).casefold().replace("-", " ") for name in archive["names"])
        return LabelledPictures(pictures, archive[f"{part}_labels"], names)


def photographs_tokenizer(photos: Captioned, names: Sequence[str]) -> Tokenizer:
    """A tokenizer with a token for each common word of the captions and each word of class names and templates."""
    counts = Counter(word for captions in photos.captions for caption in captions for word in caption)
    common = {word for word, count in counts.items() if count >= COMMON}
    class_words = {word for text in (*names, *TEMPLATES) for word in text.split() if word != "{}"}
    return words_tokenizer(sorted(common | class_words))


def photograph_pairs(
    photos: Captioned, labelled: LabelledPictures, tokenizer: Tokenizer, context: int, size: int, seed: int
) -> Callable[[int], Pairs]:
    """Batches by step of both kinds of pictures, augmented; names of a class are true of all its pictures."""
    photo_count = round(CAPTIONED * size)
    small = torch.nn.functional.interpolate(
        torch.from_numpy(photos.pictures).float(), size=(SIDE, SIDE), mode="area"
    ).to(torch.uint8)
    labelled_pictures = torch.from_numpy(labelled.pictures)

    def batch(step: int) -> Pairs:
        dice = Random(f"photographs {seed} {step}")
        first = batch_at(step, len(small), photo_count, seed)
        second = batch_at(step, len(labelled_pictures), size - photo_count, seed)
        texts = [" ".join(dice.choice(photos.captions[number])) for number in first.tolist()]
        labels = labelled.labels[second.numpy()]
        texts += [dice.choice(TEMPLATES).format(labelled.names[label]) for label in labels]
        also_true = torch.zeros(size, size, dtype=torch.bool)
        also_true[photo_count:, photo_count:] = torch.from_numpy(labels[:, None] == labels[None])
        pixels = vary(torch.cat([small[first], labelled_pictures[second]]).float() / 255, SIDE)
        pixels = standardise(pixels, MEAN, DEVIATION)
        return Pairs(pixels, ids_of(tokenizer, texts, context), also_true)

    return batch
