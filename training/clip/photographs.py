"""The CLIP of photographs: what learns between two locked networks (Zhai et al. 2022).

EfficientNet-Lite0 encodes pictures, MiniLM sentences, and neither learns on: their features are computed once. A
transformer over the places of pictures learns, and with it an adapter of the sentences' vectors. Beside the contrastive
loss, with the weight NAMES_WEIGHT, a picture's cosines with ImageNet's thousand names learn the probabilities that
EfficientNet gives these classes (distillation, Hinton et al. 2015). Each step sees a random quarter of the places,
which takes a quarter of the time (Li et al. 2023, "Scaling Language-Image Pre-training via Masking", section 3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor

from core.models.clip import contrastive_loss
from core.models.locked_clip import PADDING, LockedCLIP, LockedCLIPConfig, TunedLayers
from core.zoo.clips import between_locked
from core.zoo.embedded import BODY, load_embedded_image
from core.zoo.image_models import Framing
from training.captioning.data import (
    PLACES,
    Captioned,
    LabelledPlaces,
    both_ways_round,
    labelled_places,
    pooled_places,
    read_flickr,
)
from training.common.loop import Plan
from training.common.pictures import batch_at, standardise

# What is said of a picture of which only the class is known; CLIP's own templates (Radford et al. 2021, section 3.1.4).
TEMPLATES = ("a photo of a {}", "a {}", "a picture of a {}", "a photo of the {}", "a close photo of a {}")
# After 1,500 steps the loss of training is lower, 1.71 instead of 2.66, and so is recall at 10 on the dev part of
# Flickr8k: 58.8 % instead of 61.7 %.
PLAN = Plan(steps=400, learning_rate=1e-3, warm_up=50, decay=0.6, log_every=50, save_every=50, optimiser="adamw")
CAPTIONED, NAMED = 128, 64  # of a batch: photographs with a caption, pictures with the name of their class
LABELLED = 25_000  # pictures of Tiny ImageNet
PLACES_IN_STEP = PLACES // 4  # places that a step sees
TOGETHER = 50  # pictures, or texts, that go through a network at once
NAMES_WEIGHT = 0.3  # of the loss of ImageNet's names; that of the contrastive loss is 1
SEED = 0


@dataclass(frozen=True)
class LockedVariant:
    """The network with its tokenizer and framing, as the report measures it."""

    network: LockedCLIP
    tokenizer: Tokenizer
    framing: Framing

    @torch.inference_mode()
    def pictures(self, network: LockedCLIP, pictures: Sequence[np.ndarray]) -> Float[Tensor, "batch width"]:
        """The vectors of pictures (row, column, channel), of whatever size."""
        vectors = []
        for start in range(0, len(pictures), TOGETHER):
            pixels = torch.from_numpy(np.stack(pictures[start : start + TOGETHER])).permute(0, 3, 1, 2).float() / 255
            side = network.config.side
            pixels = torch.nn.functional.interpolate(pixels, size=(side, side), mode="bicubic", antialias=True)
            vectors.append(network.picture(standardise(pixels.clamp(0, 1), self.framing.mean, self.framing.std)))
        return torch.cat(vectors)

    @torch.inference_mode()
    def texts(self, network: LockedCLIP, texts: Sequence[str]) -> Float[Tensor, "batch width"]:
        """The vectors of texts."""
        vectors = []
        for start in range(0, len(texts), TOGETHER):
            rows = [torch.tensor(self.tokenizer.encode(text).ids) for text in texts[start : start + TOGETHER]]
            vectors.append(network.text(torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PADDING)))
        return torch.cat(vectors)


def locked_variant(config: LockedCLIPConfig, tuned: TunedLayers) -> LockedVariant:
    """The layers that learn, between the two locked networks."""
    network, framing, tokenizer = between_locked(config, tuned)
    return LockedVariant(network.eval(), tokenizer, framing)


@dataclass(frozen=True)
class LockedPairs:
    """What the layers learn from: features of pictures, and MiniLM's vectors of the texts that belong to them."""

    places: tuple[np.ndarray, ...]  # of the photographs, and of their mirror images
    captions: Float[Tensor, "picture draw width"]
    labelled: LabelledPlaces
    classes: Float[Tensor, "draw class width"]  # of the labels, by template
    imagenet: Float[Tensor, "class width"]  # the names of ImageNet's classes
    probabilities: tuple[Float[Tensor, "picture class"], ...]  # of those, for each of `places` and for `labelled`

    def loss(self, network: TunedLayers, step: int) -> Tensor:
        """The loss of a step: contrastive, where a class's name is true of all its pictures, and that of the names."""
        rng = Random(f"photographs {SEED} {step}")
        first = batch_at(step, len(self.captions), CAPTIONED, SEED).numpy()
        second = batch_at(step, len(self.labelled.labels), NAMED, SEED).numpy()
        labels = self.labelled.labels[second]
        texts = [self.captions[number, rng.randrange(self.captions.shape[1])] for number in first]
        texts += [self.classes[rng.randrange(len(self.classes)), label] for label in labels]
        also_true = torch.zeros(CAPTIONED + NAMED, CAPTIONED + NAMED, dtype=torch.bool)
        also_true[CAPTIONED:, CAPTIONED:] = torch.from_numpy(labels[:, None] == labels[None])
        version = rng.randrange(len(self.places))
        places = np.concatenate([self.places[version][first], self.labelled.places[second]])
        probabilities = torch.cat([self.probabilities[version][first], self.probabilities[-1][second]]).float()
        place_numbers = torch.randperm(PLACES)[:PLACES_IN_STEP]
        pictures = network.picture(torch.from_numpy(places[:, place_numbers]).float(), place_numbers)
        scaled = network.temperature * pictures
        contrastive = contrastive_loss(scaled @ network.text(torch.stack(texts)).t(), also_true)
        named = (scaled @ network.text(self.imagenet).t()).log_softmax(dim=-1)
        return contrastive - NAMES_WEIGHT * (probabilities * named).sum(dim=-1).mean()


def locked_pairs(data: Path, run: Path) -> LockedPairs:
    """Read photographs, captions and Tiny ImageNet; what the locked networks make of them is kept in `run`."""
    config = LockedCLIPConfig()
    variant = locked_variant(config, TunedLayers(config))  # an adapter that has not learned leaves vectors as they are
    photos, labelled = read_flickr(data, "train", run, side=config.side), labelled_places(data, run, LABELLED)
    places, classifier = both_ways_round(photos, run), load_embedded_image(BODY)
    return LockedPairs(
        places,
        computed_once(run / "caption-vectors.pt", lambda: caption_vectors(variant, photos)),
        labelled,
        class_vectors(variant, labelled.names),
        torch.nn.functional.normalize(class_vectors(variant, classifier.classes).mean(dim=0), dim=-1),
        tuple(
            computed_once(run / f"probabilities-{name}.pt", partial(class_probabilities, classifier.network, features))
            for name, features in (
                ("train", places[0]),
                ("train-mirrored", places[1]),
                (f"tiny-imagenet-{LABELLED}", labelled.places),
            )
        ),
    )


def class_vectors(variant: LockedVariant, classes: Sequence[str]) -> Float[Tensor, "draw class width"]:
    """The vectors of the first name of each class, by template."""
    names = [first_name(names) for names in classes]
    return torch.stack(
        [variant.texts(variant.network, [template.format(name) for name in names]) for template in TEMPLATES]
    )


@torch.inference_mode()
def class_probabilities(
    classifier: Any, places: Float[np.ndarray, "picture patch width"]
) -> Float[Tensor, "picture class"]:
    """The probabilities of EfficientNet's classes, from the features of its last stage; half precision."""
    return classifier.classifier(pooled_places(classifier, places)).softmax(dim=-1).half()


def caption_vectors(variant: LockedVariant, photos: Captioned) -> Float[Tensor, "picture draw width"]:
    """The vectors of five captions of each photograph."""
    texts = [" ".join(caption) for captions in photos.captions for caption in captions]
    return variant.texts(variant.network, texts).view(len(photos.captions), -1, variant.network.config.space)


def computed_once(file: Path, compute: Callable[[], Tensor]) -> Tensor:
    """A tensor that is computed once, into a file."""
    if not file.exists():
        torch.save(compute(), file)
    return torch.load(file, weights_only=True)


def first_name(name: str) -> str:
    """The first of the names that ImageNet gives a class, in lower case."""
    return name.split(",")[0].casefold()
