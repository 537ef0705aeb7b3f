"""Whether pictures that DALL-E or the attention GAN make of sentences show what the sentences say.

A network reads the scene off each picture, `core.scenes.statements` tells which words hold in it; CLIP chooses the best
of several pictures.
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
from core.results.dalle_results import ALL, BEST_OF, CHANCE, DIRECT, OF, WHOLE_SENTENCE
from core.scenes.draw import draw
from core.scenes.sentences import Sentence
from core.scenes.statements import statements
from core.scenes.things import HELD_PAIRS, Scene
from core.zoo.clips import PictureText
from core.zoo.dalles import agreement
from training.common.pictures import as_pixels
from training.common.scenes import scene_with_sentence

SENTENCES = 200  # of each split
CANDIDATES = {"test": 16, "pairs": 8, "relations": 8}  # the others would take as long again
BATCH_SIZE = 64  # pictures that are made, or read, at once
NAMED = 100  # emoji that are drawn of their names

SceneSentence = tuple[Scene, Sentence]


def scenes_with_sentences(split: str, sentences: int) -> list[SceneSentence]:
    """The first `sentences` scenes of a split with a sentence that has a word of content.

    In the split "pairs" each sentence names a pair of colour and shape that no training scene has.
    """
    examples: list[SceneSentence] = []
    for number in count():
        scene, sentence = scene_with_sentence(split, number)
        groups = [sentence.group, *([sentence.other] if sentence.other else [])]
        joined = any((group.colour, group.shape) in HELD_PAIRS for group in groups) and not sentence.denied
        if (split != "pairs" or joined) and any(word.kind for word in sentence.words):
            examples.append((scene, sentence))
        if len(examples) == sentences:
            return examples
    raise AssertionError


def measure_statements(
    pictures: Iterable[Float[Tensor, "batch channel row column"]],
    reader: SceneReader,
    clip: PictureText,
    examples: Sequence[SceneSentence],
) -> dict[str, dict[str, Any]]:
    """Shares of words that hold in the best of k pictures by CLIP's choice, for each k of BEST_OF.

    `pictures`: for each example the pictures of its sentence, equally many.
    """
    scenes: list[list[Scene]] = []
    scores: list[list[float]] = []
    for (_, sentence), pixels in zip(examples, pictures, strict=True):
        scenes.append(reader.read(pixels))
        scores.append(agreement(clip, sentence.text, pixels).tolist())
    sentences = [sentence for _, sentence in examples]
    ways = {
        str(best): [best_scenes(own, rank, best) for own, rank in zip(scenes, scores, strict=True)]
        for best in BEST_OF
        if best <= len(scenes[0])
    }
    return {way: shares_of(sentences, chosen_scenes) for way, chosen_scenes in ways.items()}


def reference_shares(examples: Sequence[SceneSentence], reader: SceneReader) -> dict[str, Any]:
    """Shares of words that hold in the true scene of another sentence (CHANCE) and of the sentence itself (DIRECT)."""
    pictures = as_pixels([draw(scene) for scene, _ in examples])
    direct = [scene for part in pictures.split(BATCH_SIZE) for scene in reader.read(part)]
    sentences = [sentence for _, sentence in examples]
    ways = {CHANCE: [[direct[number - 1]] for number in range(len(direct))], DIRECT: [[scene] for scene in direct]}
    return {way: shares_of(sentences, scenes) for way, scenes in ways.items()}


def best_scenes(scenes: Sequence[Scene], scores: Sequence[float], best: int) -> list[Scene]:
    """The scene with the highest score of every `best` candidates."""
    groups = (range(start, start + best) for start in range(0, len(scenes) - best + 1, best))
    return [scenes[max(group, key=lambda number: scores[number])] for group in groups]


def shares_of(sentences: Sequence[Sentence], scenes: Sequence[Sequence[Scene]]) -> dict[str, Any]:
    """The share of words that hold, by kind of word; averaged over the scenes of a sentence.

    Standard errors are over words, or over sentences for WHOLE_SENTENCE; each counts with its mean over scenes.
    """
    shares: dict[str, list[float]] = {kind: [] for kind in OF}
    for sentence, scenes_of_sentence in zip(sentences, scenes, strict=True):
        holds_by_scene = [statements(sentence, scene) for scene in scenes_of_sentence]
        shares[WHOLE_SENTENCE].append(mean(all(holds is not False for holds in words) for words in holds_by_scene))
        for place, word in enumerate(sentence.words):
            if holds_by_scene[0][place] is not None:
                share = mean(bool(words[place]) for words in holds_by_scene)
                shares[word.kind].append(share)
                shares[ALL].append(share)
    return {kind: share_of(values) for kind, values in shares.items() if values}


def share_of(values: Sequence[float]) -> dict[str, float]:
    """The mean ("share"), its standard error ("error"), and the number of values ("asked")."""
    middle = mean(values)
    variance = sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1)
    return {"share": round(middle, 4), "error": round(math.sqrt(variance / len(values)), 4), "asked": len(values)}


def mean(values: Iterable[float]) -> float:
    """The mean of numbers or of booleans."""
    numbers = list(values)
    return sum(numbers) / len(numbers)


def cell(shares: Mapping[str, Any], kind: str) -> str:
    """A cell of the card: a share with its standard error in per cent; "" where it is missing."""
    return f"{shares[kind]['share']:.1%} ± {shares[kind]['error']:.1%}" if kind in shares else ""


def own_name(clip: PictureText, pixels: Float[Tensor, "batch channel row column"], texts: Sequence[str]) -> float:
    """How often CLIP finds a picture's own text more similar than the next picture's text.

    Texts of which it knows no word are left out.
    """
    known_texts = [number for number, text in enumerate(texts) if knows(clip, text)]
    right = 0
    for number, following in zip(known_texts, known_texts[1:] + known_texts[:1], strict=True):
        own, other = (
            float(agreement(clip, texts[text_number], pixels[number][None])) for text_number in (number, following)
        )
        right += own > other
    return right / len(known_texts)


def knows(clip: PictureText, text: str) -> bool:
    """Whether a CLIP knows any word of a text."""
    try:
        clip.texts([text])
    except InputError:
        return False
    return True


def seconds_of(make: Callable[[], object]) -> float:
    """The shortest of three durations of `make`, in seconds."""
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        make()
        seconds.append(time.perf_counter() - began)
    return min(seconds)
