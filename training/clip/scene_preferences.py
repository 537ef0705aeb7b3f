"""Whether a CLIP prefers true sentences about scenes that it has not seen to false ones."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from jaxtyping import Float
from torch import Tensor, nn, stack

from core.models.clip import CLIP
from core.results.clip_results import ALONE, EXCHANGED, PAIRS
from core.scenes.draw import draw
from core.scenes.telling import with_another
from core.scenes.things import HELD_OUT
from core.scenes.truth import is_true
from training.clip.train import Variant
from training.common.scenes import told_scene

SCENES, CANDIDATES = 500, 10  # of each split; sentences to choose among, one of them true
SAME = 1e-6  # cosines that differ by less are the same


def scenes(network: CLIP, variant: Variant) -> dict[str, dict[str, float]]:
    """For each split how often the true sentence is the most similar, and preferred to one with a word exchanged.

    "chosen" is among CANDIDATES (chance: one in so many); the others, by kind of word, between two (chance: a half).
    With "order" both sentences have the same words, so that whoever counts words is right in a half.
    """
    found: dict[str, dict[str, float]] = {}
    for split in HELD_OUT:
        told = [told_scene(split, number) for number in range(SCENES)]
        dice = Random(f"report {split}")
        pictures = variant.pictures(network, [draw(scene) for scene, _ in told])
        questions: dict[str, list[tuple[Float[Tensor, " width"], list[str]]]] = {"chosen": []}  # the true text first
        for (scene, sentence), picture in zip(told, pictures, strict=True):
            false = [other for _, other in dice.sample(told, 60) if not is_true(other, scene)][: CANDIDATES - 1]
            questions["chosen"].append((picture, [sentence.text, *(other.text for other in false)]))
            for kind in EXCHANGED:
                changed = with_another(sentence, kind, dice)
                if changed is not None and not is_true(changed, scene):
                    questions.setdefault(kind, []).append((picture, [sentence.text, changed.text]))
        found[split] = {}
        for kind in ("chosen", *EXCHANGED):
            if asked := questions.get(kind):
                found[split][kind] = right(asked, partial(variant.texts, network))
                found[split][kind + ALONE] = right(asked, partial(words_alone, network, variant))
                if kind != "chosen":
                    found[split][kind + PAIRS] = len(asked)
        found[split] |= {"questions": len(told), "sentences": len({sentence.text for _, sentence in told})}
    return found


def right(
    asked: Sequence[tuple[Float[Tensor, " width"], list[str]]],
    read: Callable[[Sequence[str]], Float[Tensor, "batch width"]],
) -> float:
    """How often the first text is the most similar to its picture; of equally similar ones each is it in part."""
    shares = []
    for picture, texts in asked:
        similarities = read(texts) @ picture
        best = similarities >= similarities.max() - SAME
        shares.append(float(best[0]) / float(best.sum()))
    return round(sum(shares) / len(shares), 4)


def words_alone(network: CLIP, variant: Variant, texts: Sequence[str]) -> Float[Tensor, "batch width"]:
    """The baseline that knows no order: for each text the mean vector of its words, each read by itself."""
    means = [variant.texts(network, text.split()).mean(dim=0) for text in texts]
    return nn.functional.normalize(stack(means), dim=-1)
