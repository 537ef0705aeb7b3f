"""Retrieval of pictures and texts with a CLIP, and zero-shot classification of CIFAR-10."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import Tensor, nn

from core.models.clip import CLIP
from core.results.clip_results import ALL_CAPTIONS, BY_NAME, NEAREST, PICTURES, RANKS, WAYS
from training.captioning.data import Captioned, photograph_places, read_flickr
from training.clip.photographs import TEMPLATES, LockedVariant
from training.clip.train import Variant
from training.common.emoji import read_emoji
from training.common.pictures import decode


def emoji(network: CLIP, variant: Variant, data: Path) -> dict[str, dict[str, float]]:
    """Retrieval among the emoji that were held out, by their descriptions."""
    held_out = [item for number, item in enumerate(read_emoji(data)) if number % 10 == 0]
    pictures = variant.pictures(network, [item.picture for item in held_out])
    return both_ways(variant.texts(network, [item.texts[0] for item in held_out]) @ pictures.t())


def photographs(variant: LockedVariant, data: Path, run: Path) -> dict[str, dict[str, float]]:
    """Retrieval among the 1,000 test photographs of Flickr8k, each by its first caption; classes of CIFAR-10.

    The baseline of retrieval counts words: a picture is described by the words of the five captions of the photograph
    of training that looks most like it to EfficientNet.
    """
    network, side = variant.network, variant.network.config.side
    test_photos, training_photos = (read_flickr(data, part, run, side=side) for part in ("test", "train"))
    test_places, training_places = (
        photograph_places(photos, run, part) for photos, part in ((test_photos, "test"), (training_photos, "train"))
    )
    with torch.inference_mode():
        parts = torch.from_numpy(np.array(test_places)).float().split(100)
        pictures = nn.functional.normalize(torch.cat([network.pictures.places(part) for part in parts]), dim=-1)
    captions = [[" ".join(photo[number]) for photo in test_photos.captions] for number in range(5)]
    by_caption = [variant.texts(network, of_number) @ pictures.t() for of_number in captions]
    results = both_ways(by_caption[0]) | {ALL_CAPTIONS: retrieval_of_all(by_caption)}
    results |= both_ways(by_words(test_photos, test_places, training_photos, training_places), NEAREST)
    return results | {"CIFAR-10": cifar10(variant, data)}


def retrieval_of_all(by_caption: Sequence[Float[Tensor, "draw point"]]) -> dict[str, float]:
    """As `retrieval`, over all five captions of each photograph."""
    return summary(torch.cat([ranks_of(similarities) for similarities in by_caption]), of=by_caption[0].shape[1])


def both_ways(similarities: Float[Tensor, "draw point"], ending: str = "") -> dict[str, dict[str, float]]:
    """Results of retrieval from texts (rows) to pictures (columns), and back; `ending` is added to the keys."""
    return {way + ending: retrieval(of) for way, of in zip(WAYS, (similarities, similarities.t()), strict=True)}


def retrieval(similarities: Float[Tensor, "draw point"]) -> dict[str, float]:
    """R@1, R@5, R@10 and the median rank of the match of each row, which stands on the diagonal."""
    return summary(ranks_of(similarities), of=similarities.shape[1])


def ranks_of(similarities: Float[Tensor, "draw point"]) -> Int[Tensor, " draw"]:
    """The rank of the match of each row, from 1."""
    return 1 + (similarities > similarities.diagonal()[:, None]).sum(dim=1)


def summary(ranks: Int[Tensor, " draw"], *, of: int) -> dict[str, float]:
    """The shares of ranks up to each of RANKS, the median, and the number of candidates that were ranked."""
    results = {f"R@{rank}": round(float((ranks <= rank).float().mean()), 4) for rank in RANKS}
    return results | {"median rank": float(ranks.float().median()), "of": float(of)}


def by_words(
    test_photos: Captioned, test_places: np.ndarray, training_photos: Captioned, training_places: np.ndarray
) -> Float[Tensor, "draw point"]:
    """TF-IDF similarity of the first caption of each test photograph (rows) to each of their neighbours (columns).

    A photograph's neighbour is the training photograph with the most similar mean features, with all of its captions.
    """
    test_features, training_features = (
        nn.functional.normalize(torch.from_numpy(places.mean(axis=1, dtype=np.float32)), dim=-1)
        for places in (test_places, training_places)
    )
    nearest = (test_features @ training_features.t()).argmax(dim=-1).tolist()
    count = TfidfVectorizer(token_pattern=r"\S+")
    documents = [" ".join(" ".join(caption) for caption in captions) for captions in training_photos.captions]
    described = count.fit_transform(documents)[nearest]
    queries = count.transform([" ".join(captions[0]) for captions in test_photos.captions])
    return torch.from_numpy((queries @ described.T).toarray()).float()


def cifar10(variant: LockedVariant, data: Path) -> dict[str, float]:
    """Zero-shot accuracy on the first PICTURES test pictures, which are in random order, by BY_NAME; and chance."""
    with np.load(data / "cifar10" / "cifar10_jpeg.npz") as archive:
        pictures = decode(archive["test_jpeg"], archive["test_offsets"][: PICTURES + 1], side=32)
        labels = torch.from_numpy(archive["test_labels"][:PICTURES]).long()
        names = [str(name) for name in archive["names"]]
    network = variant.network
    vectors = variant.pictures(network, list(pictures.transpose(0, 2, 3, 1)))
    accuracies = {}
    for title, templates in zip(BY_NAME, (TEMPLATES[:1], TEMPLATES), strict=True):
        by_template = [variant.texts(network, [template.format(name) for name in names]) for template in templates]
        classes = nn.functional.normalize(torch.stack(by_template).mean(dim=0), dim=-1)
        accuracies[title] = round(float(((vectors @ classes.t()).argmax(dim=-1) == labels).float().mean()), 4)
    return accuracies | {"chance": 1 / len(names)}
