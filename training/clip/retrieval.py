"""Retrieval of pictures and texts with a CLIP, and zero-shot classification of CIFAR-10."""

from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import Tensor, nn

from core.models.clip import CLIP
from core.results.clip_results import BY_NAME, COUNTERPARTS, NEAREST, RANKS, WAYS, WITH, WITHOUT
from core.zoo.embedded import load_embedded_image
from core.zoo.emoji import SIDE
from training.captioning.data import Captioned, read_flickr
from training.clip.photographs import TEMPLATES
from training.clip.train import Variant
from training.common.emoji import read_emoji
from training.common.pictures import decode, standardise
from training.tiny_imagenet.data import DEVIATION, MEAN


def emoji(network: CLIP, variant: Variant, data: Path) -> dict[str, dict[str, float]]:
    """Retrieval among the emoji that were held out, by their descriptions."""
    held_out = [item for number, item in enumerate(read_emoji(data)) if number % 10 == 0]
    pictures = variant.pictures(network, [item.picture for item in held_out])
    return both_ways(variant.texts(network, [item.texts[0] for item in held_out]) @ pictures.t())


def photographs(network: CLIP, variant: Variant, data: Path, run: Path) -> dict[str, dict[str, float]]:
    """Retrieval among the 1,000 test photographs of Flickr8k, each by its first caption; classes of CIFAR-10.

    The baseline of retrieval counts words: a picture is described by the words of the five captions of the photograph
    of training that looks most like it, to the network that the picture encoder began as.
    """
    test_photos, training_photos = (read_flickr(data, part, run) for part in ("test", "train"))
    first = [" ".join(captions[0]) for captions in test_photos.captions]
    similarities = variant.texts(network, first) @ variant.pictures(network, small(test_photos.pictures)).t()
    results = both_ways(similarities) | both_ways(by_words(test_photos, training_photos), NEAREST)
    return results | {"CIFAR-10": cifar10(network, variant, data)}


def both_ways(similarities: Float[Tensor, "draw point"], ending: str = "") -> dict[str, dict[str, float]]:
    """Results of retrieval from texts (rows) to pictures (columns), and back; `ending` is added to the keys."""
    return {way + ending: retrieval(of) for way, of in zip(WAYS, (similarities, similarities.t()), strict=True)}


def retrieval(similarities: Float[Tensor, "draw point"]) -> dict[str, float]:
    """R@1, R@5, R@10 and the median rank of the match of each row, which stands on the diagonal."""
    own = similarities.diagonal()[:, None]
    ranks = 1 + (similarities > own).sum(dim=1)
    results = {f"R@{rank}": round(float((ranks <= rank).float().mean()), 4) for rank in RANKS}
    return results | {"median rank": float(ranks.float().median()), "of": float(len(ranks))}


def by_words(test_photos: Captioned, training_photos: Captioned) -> Float[Tensor, "draw point"]:
    """TF-IDF similarity of the first caption of each test photograph (rows) to each of their neighbours (columns).

    A photograph's neighbour is the training photograph with the most similar class token, with all of its captions.
    """
    test_tokens, training_tokens = (class_tokens(small(photos.pictures)) for photos in (test_photos, training_photos))
    nearest = (test_tokens @ training_tokens.t()).argmax(dim=-1).tolist()
    count = TfidfVectorizer(token_pattern=r"\S+")
    documents = [" ".join(" ".join(caption) for caption in captions) for captions in training_photos.captions]
    described = count.fit_transform(documents)[nearest]
    queries = count.transform([" ".join(captions[0]) for captions in test_photos.captions])
    return torch.from_numpy((queries @ described.T).toarray()).float()


@torch.inference_mode()
def class_tokens(pictures: list[np.ndarray]) -> Float[Tensor, "batch width"]:
    """The class tokens of `vit-tiny-imagenet` for pictures, divided by their L2 norm."""
    network = load_embedded_image("vit-tiny-imagenet").network
    pixels = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
    parts = (standardise(part.float() / 255, MEAN, DEVIATION) for part in pixels.split(250))
    features = [network.forward_features(part)[:, 0] for part in parts]  # type: ignore[operator]
    return nn.functional.normalize(torch.cat(features), dim=-1)


def small(pictures: np.ndarray) -> list[np.ndarray]:
    """Photographs (picture, channel, row, column) with 64 pixels on a side, as pictures (row, column, channel)."""
    parts = torch.from_numpy(pictures).split(500)
    shrunk = [nn.functional.interpolate(part.float(), size=(SIDE, SIDE), mode="area").to(torch.uint8) for part in parts]
    return list(torch.cat(shrunk).permute(0, 2, 3, 1).numpy())


def cifar10(network: CLIP, variant: Variant, data: Path) -> dict[str, float]:
    """Zero-shot accuracy on the 10,000 test pictures by BY_NAME; for the last of these also the mean over classes with
    COUNTERPARTS and over those without; and chance.
    """
    with np.load(data / "cifar10" / "cifar10_jpeg.npz") as archive:
        pictures = decode(archive["test_jpeg"], archive["test_offsets"], side=32)
        labels, names = torch.from_numpy(archive["test_labels"]).long(), [str(name) for name in archive["names"]]
    enlarged = [
        nn.functional.interpolate(part.float(), size=(SIDE, SIDE), mode="bicubic").clamp(0, 255).to(torch.uint8)
        for part in torch.from_numpy(pictures).split(500)
    ]
    vectors = variant.pictures(network, list(torch.cat(enlarged).permute(0, 2, 3, 1).numpy()))
    accuracies, by_class = {}, torch.zeros(len(names))
    for title, templates in zip(BY_NAME, (TEMPLATES[:1], TEMPLATES), strict=True):
        by_template = [variant.texts(network, [template.format(name) for name in names]) for template in templates]
        classes = nn.functional.normalize(torch.stack(by_template).mean(dim=0), dim=-1)
        right = ((vectors @ classes.t()).argmax(dim=-1) == labels).float()
        accuracies[title] = round(float(right.mean()), 4)
        by_class = torch.stack([right[labels == number].mean() for number in range(len(names))])
    has_counterpart = torch.tensor([name in COUNTERPARTS for name in names])
    parts = {
        WITH: round(float(by_class[has_counterpart].mean()), 4),
        WITHOUT: round(float(by_class[~has_counterpart].mean()), 4),
    }
    return accuracies | parts | {"chance": 1 / len(names)}
