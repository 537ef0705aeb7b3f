"""Crowds of pictures: how far they lie from true scenes, and how much those of one sentence differ."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from core.generation.quality import diversity, frechet_distance
from core.models.scene_reader import SceneReader
from core.results.attention_gan_results import DALLE, TRUE
from core.scenes.draw import draw
from core.zoo.attention_gans import AS_LEARNED, WORD_ATTENTION, StagePainter
from core.zoo.dalles import load_dalle
from training.common.drawn_statements import BATCH_SIZE, scenes_with_sentences
from training.common.pictures import as_pixels
from training.dalle.drawings import drawings_of

CROWD = 500  # pictures, of as many sentences
ALIKE_SENTENCES, TRIED = 60, 4  # sentences of which several pictures are compared, and how many

Pictures = Float[Tensor, "batch channel row column"]


def paintings_of(
    painter: StagePainter, texts: Sequence[str], candidates: int, *, word_attention: str = AS_LEARNED
) -> Iterator[Pictures]:
    """The candidate pictures of each text, each with noise of its own."""
    for number, text in enumerate(texts):
        noise = painter.noise(number, range(candidates))
        yield painter.paint([painter.encode(text)] * candidates, noise, word_attention=word_attention).pictures[-1]


def crowds(painter: StagePainter, reader: SceneReader, count: int) -> dict[str, dict[str, float]]:
    """Fréchet distance from true scenes, and diversity of pictures of one sentence, for each generator.

    TRUE compares true scenes with as many others (a lower bound); its diversity is that of different sentences.
    """
    examples = scenes_with_sentences("test", 2 * count)
    true_scenes = as_pixels([draw(scene) for scene, _ in examples])
    texts = [sentence.text for _, sentence in examples[:count]]
    against = features(reader, true_scenes[count:])
    diversity_texts = texts[:ALIKE_SENTENCES]
    drawer = load_dalle("scenes")
    ways: dict[str, Callable[[Sequence[str], int], Iterable[Pictures]]] = {
        words: lambda texts, candidates, words=words: paintings_of(painter, texts, candidates, word_attention=words)  # type: ignore[misc]
        for words in WORD_ATTENTION
    }
    ways[DALLE] = lambda texts, candidates: drawings_of(drawer, texts, candidates)
    results: dict[str, dict[str, float]] = {}
    for name, make in ways.items():
        crowd_pictures = torch.cat(list(make(texts, 1)))
        differ = [diversity(pictures) for pictures in make(diversity_texts, TRIED)]
        results[name] = crowd(reader, crowd_pictures, against, sum(differ) / len(differ))
    results[TRUE] = crowd(reader, true_scenes[:count], against, diversity(true_scenes[:count]))
    return results


def crowd(
    reader: SceneReader, pictures: Pictures, against: Float[Tensor, "draw feature"], differ: float
) -> dict[str, float]:
    """The results of many pictures; `against` are the features of true scenes, `differ` is their diversity."""
    distance = frechet_distance(features(reader, pictures), against)
    return {"pictures": len(pictures), "frechet": round(distance, 4), "diversity": round(differ, 4)}


@torch.no_grad()
def features(reader: SceneReader, pictures: Pictures) -> Float[Tensor, "batch feature"]:
    """Features of pictures for the Fréchet distance: activations of the reader of scenes, averaged over places."""
    parts = [reader.features(part).relu().mean(dim=(2, 3)) for part in pictures.split(BATCH_SIZE)]
    return torch.cat(parts)
