"""How often a CLIP prefers true sentences about held-out scenes to false ones."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from jaxtyping import Float
from torch import Tensor, nn, stack

from core.models.clip import CLIP
from core.results.clip_results import ALONE, EXCHANGED, PAIRS
from core.scenes.draw import draw
from core.scenes.telling import exchange_word
from core.scenes.things import HELD_OUT
from core.scenes.truth import is_true
from training.clip.train import Variant
from training.common.scenes import scene_with_sentence

SCENES, CANDIDATES = 500, 10  # of each split; sentences to choose among, one of them true
SAME = 1e-6  # cosines that differ by less are the same


def scenes(network: CLIP, variant: Variant) -> dict[str, dict[str, float]]:
    """Accuracy for each split: the true sentence among CANDIDATES, and against a copy with one word exchanged.

    "chosen" is among CANDIDATES (chance: 1 / CANDIDATES); the others, by kind of word, between two (chance: a half).
    With "order" both sentences have the same words, so that a bag of words is right in a half.
    """
    results: dict[str, dict[str, float]] = {}
    for split in HELD_OUT:
        examples = [scene_with_sentence(split, number) for number in range(SCENES)]
        rng = Random(f"report {split}")
        pictures = variant.pictures(network, [draw(scene) for scene, _ in examples])
        questions: dict[str, list[tuple[Float[Tensor, " width"], list[str]]]] = {"chosen": []}  # the true text first
        for (scene, sentence), picture in zip(examples, pictures, strict=True):
            false = [other for _, other in rng.sample(examples, 60) if not is_true(other, scene)][: CANDIDATES - 1]
            questions["chosen"].append((picture, [sentence.text, *(other.text for other in false)]))
            for kind in EXCHANGED:
                changed = exchange_word(sentence, kind, rng)
                if changed is not None and not is_true(changed, scene):
                    questions.setdefault(kind, []).append((picture, [sentence.text, changed.text]))
        results[split] = {}
        for kind in ("chosen", *EXCHANGED):
            if cases := questions.get(kind):
                results[split][kind] = accuracy(cases, partial(variant.texts, network))
                results[split][kind + ALONE] = accuracy(cases, partial(words_alone, network, variant))
                if kind != "chosen":
                    results[split][kind + PAIRS] = len(cases)
        results[split] |= {"questions": len(examples), "sentences": len({sentence.text for _, sentence in examples})}
    return results


def accuracy(
    cases: Sequence[tuple[Float[Tensor, " width"], list[str]]],
    read: Callable[[Sequence[str]], Float[Tensor, "batch width"]],
) -> float:
    """How often the first text of a case is the most similar to its picture; ties count in equal parts."""
    shares = []
    for picture, texts in cases:
        similarities = read(texts) @ picture
        best = similarities >= similarities.max() - SAME
        shares.append(float(best[0]) / float(best.sum()))
    return round(sum(shares) / len(shares), 4)


def words_alone(network: CLIP, variant: Variant, texts: Sequence[str]) -> Float[Tensor, "batch width"]:
    """The baseline without word order: for each text the mean vector of its words, each encoded by itself."""
    means = [variant.texts(network, text.split()).mean(dim=0) for text in texts]
    return nn.functional.normalize(stack(means), dim=-1)
