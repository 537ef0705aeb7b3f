"""Photographs with captions, and pictures with the names of what they show, as a CLIP reads them."""

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
class Named:
    """Pictures with the number of their class, and the names of the classes."""

    pictures: np.ndarray  # (picture, channel, row, column), uint8
    labels: np.ndarray
    names: tuple[str, ...]


def read_tiny_imagenet(data: Path, part: str = "train") -> Named:
    """The hundred classes, their names in lower case."""
    with np.load(data / "tiny_imagenet" / "tiny_imagenet_100.npz") as archive:
        pictures = decode(archive[f"{part}_jpeg"], archive[f"{part}_offsets"], side=SIDE)
        names = tuple(str(name).casefold().replace("-", " ") for name in archive["names"])
        return Named(pictures, archive[f"{part}_labels"], names)


def photographs_tokenizer(told: Captioned, names: Sequence[str]) -> Tokenizer:
    """One token for each common word of the captions, and for each word of the names of classes and of templates."""
    counts = Counter(word for each in told.captions for caption in each for word in caption)
    common = {word for word, count in counts.items() if count >= COMMON}
    named = {word for text in (*names, *TEMPLATES) for word in text.split() if word != "{}"}
    return words_tokenizer(sorted(common | named))


def photograph_pairs(
    told: Captioned, named: Named, tokenizer: Tokenizer, context: int, size: int, seed: int
) -> Callable[[int], Pairs]:
    """Batches of both, each picture cropped and lit at random; two pictures of one class have the same name."""
    captioned = round(CAPTIONED * size)
    small = torch.nn.functional.interpolate(torch.from_numpy(told.pictures).float(), size=(SIDE, SIDE), mode="area").to(
        torch.uint8
    )
    others = torch.from_numpy(named.pictures)

    def batch(step: int) -> Pairs:
        dice = Random(f"photographs {seed} {step}")
        first = batch_at(step, len(small), captioned, seed)
        second = batch_at(step, len(others), size - captioned, seed)
        texts = [" ".join(dice.choice(told.captions[number])) for number in first.tolist()]
        labels = named.labels[second.numpy()]
        texts += [dice.choice(TEMPLATES).format(named.names[label]) for label in labels]
        also = torch.zeros(size, size, dtype=torch.bool)
        also[captioned:, captioned:] = torch.from_numpy(labels[:, None] == labels[None])
        pixels = vary(torch.cat([small[first], others[second]]).float() / 255, SIDE)
        pixels = standardise(pixels, MEAN, DEVIATION)
        return Pairs(pixels, ids_of(tokenizer, texts, context), also)

    return batch
