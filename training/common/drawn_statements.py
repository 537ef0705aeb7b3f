"""Whether pictures that networks make of sentences hold what was said: asked of DALL-E and of the attention GAN alike.

A network that reads scenes says what it sees in them, `core.scenes.statements` which words hold; CLIP chooses the best.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from jaxtyping import Float
from torch import Tensor

from core.errors import InputError
from core.models.scene_reader import SceneReader
from core.results.dalle_results import ALL, BEST_OF, CHANCE, DIRECT, OF, WHOLE
from core.scenes.draw import draw
from core.scenes.sentences import Sentence
from core.scenes.statements import statements
from core.scenes.things import HELD_PAIRS, Scene
from core.zoo.clips import PictureText
from core.zoo.dalles import agreement
from training.common.pictures import as_pixels
from training.common.scenes import told_scene

SENTENCES = 200  # of each split
CANDIDATES = {"test": 16, "pairs": 8, "relations": 8}  # the others would take as long again
TOGETHER = 64  # pictures that are made, or read, at once
NAMED = 100  # emoji that are drawn of their names

Told = tuple[Scene, Sentence]


def said(split: str, sentences: int) -> list[Told]:
    """Scenes and sentences of a split that say something; of "pairs" each names a pair that was never joined."""
    found: list[Told] = []
    for number in count():
        scene, sentence = told_scene(split, number)
        groups = [sentence.group, *([sentence.other] if sentence.other else [])]
        joined = any((group.colour, group.shape) in HELD_PAIRS for group in groups) and not sentence.denied
        if (split != "pairs" or joined) and any(word.kind for word in sentence.words):
            found.append((scene, sentence))
        if len(found) == sentences:
            return found
    raise AssertionError


def held_in(
    drawings: Iterable[Float[Tensor, "batch channel row column"]],
    reader: SceneReader,
    clip: PictureText,
    told: Sequence[Told],
) -> dict[str, dict[str, Any]]:
    """What holds in pictures that were made of sentences, as many for each: in the best of k by CLIP, for each k."""
    scenes: list[list[Scene]] = []
    scores: list[list[float]] = []
    for (_, sentence), pixels in zip(told, drawings, strict=True):
        scenes.append(reader.read(pixels))
        scores.append(agreement(clip, sentence.text, pixels).tolist())
    sentences = [sentence for _, sentence in told]
    ways = {
        str(best): [chosen(own, rank, best) for own, rank in zip(scenes, scores, strict=True)]
        for best in BEST_OF
        if best <= len(scenes[0])
    }
    return {way: shares_of(sentences, each) for way, each in ways.items()}


def bounds_of(told: Sequence[Told], reader: SceneReader) -> dict[str, Any]:
    """What holds in the true scene of another sentence, and in the own one."""
    drawn = as_pixels([draw(scene) for scene, _ in told])
    direct = [scene for part in drawn.split(TOGETHER) for scene in reader.read(part)]
    sentences = [sentence for _, sentence in told]
    ways = {CHANCE: [[direct[number - 1]] for number in range(len(direct))], DIRECT: [[scene] for scene in direct]}
    return {way: shares_of(sentences, scenes) for way, scenes in ways.items()}


def chosen(scenes: Sequence[Scene], scores: Sequence[float], best: int) -> list[Scene]:
    """Of each `best` candidates the one with the highest score."""
    groups = (range(start, start + best) for start in range(0, len(scenes) - best + 1, best))
    return [scenes[max(group, key=lambda number: scores[number])] for group in groups]


def shares_of(sentences: Sequence[Sentence], scenes: Sequence[Sequence[Scene]]) -> dict[str, Any]:
    """By kind of word the share of statements that hold; of several scenes for a sentence the mean.

    The standard error is over words, each of which has one mean; that of whole sentences over these.
    """
    held: dict[str, list[float]] = {kind: [] for kind in OF}
    for sentence, own in zip(sentences, scenes, strict=True):
        found = [statements(sentence, scene) for scene in own]
        held[WHOLE].append(mean(all(each is not False for each in way) for way in found))
        for place, word in enumerate(sentence.words):
            if found[0][place] is not None:
                share = mean(bool(way[place]) for way in found)
                held[word.kind].append(share)
                held[ALL].append(share)
    return {kind: share_of(values) for kind, values in held.items() if values}


def share_of(values: Sequence[float]) -> dict[str, float]:
    """Their mean, its standard error, and how many there are."""
    middle = mean(values)
    variance = sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1)
    return {"share": round(middle, 4), "error": round(math.sqrt(variance / len(values)), 4), "asked": len(values)}


def mean(values: Iterable[float]) -> float:
    """Of numbers, or of truths as 0 and 1."""
    found = list(values)
    return sum(found) / len(found)


def cell(shares: Mapping[str, Any], kind: str) -> str:
    """A share with its standard error, in per cent."""
    return f"{shares[kind]['share']:.1%} ± {shares[kind]['error']:.1%}" if kind in shares else ""


def own_name(clip: PictureText, pixels: Float[Tensor, "batch channel row column"], texts: Sequence[str]) -> float:
    """Of pictures made of texts: how often CLIP finds their own text nearer than that of the next one.

    Texts of which it knows no word are left out.
    """
    known = [number for number, text in enumerate(texts) if knows(clip, text)]
    right = 0
    for number, following in zip(known, known[1:] + known[:1], strict=True):
        own, other = (float(agreement(clip, texts[each], pixels[number][None])) for each in (number, following))
        right += own > other
    return right / len(known)


def knows(clip: PictureText, text: str) -> bool:
    """Whether a CLIP knows any word of a text."""
    try:
        clip.texts([text])
    except InputError:
        return False
    return True


def seconds_of(make: Callable[[], object]) -> float:
    """How long it takes to make something: the shortest of three."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        make()
        taken.append(time.perf_counter() - began)
    return min(taken)
