"""Measure CLIPs on what they have not seen: scenes of every split, and emoji that were held out.

Data: as for training/clip.py, whose runs are read.

    python -m training.clip_report --data PATH
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import torch
from jaxtyping import Float
from torch import Tensor

from core.models.clip import CLIP
from core.models.half_precision import load_weights
from core.scenes.draw import draw
from core.scenes.telling import with_another
from core.scenes.things import SPLITS
from core.scenes.truth import is_true
from training.clip import VARIANTS, Variant
from training.clip_data import ids_of, normalise, read_emoji, told_scene

SCENES, CANDIDATES = 500, 10  # of each split; sentences to choose among, one of them true
EXCHANGED = ("colour", "shape", "size", "texture", "number", "relation", "order")
RANKS = (1, 5, 10)


def main() -> None:
    """Measure those that are trained, and write results.json."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    results = {}
    for name in VARIANTS:
        folder = arguments.run / name
        if (folder / "run.json").exists():
            variant = VARIANTS[name](arguments.data, arguments.run)
            network = load_weights(lambda variant=variant: CLIP(variant.config), folder / "model.safetensors")  # type: ignore[misc]
            found = scenes(network, variant) if name == "scenes" else emoji(network, variant, arguments.data)
            results[name] = json.loads((folder / "run.json").read_text()) | {"results": found}
            print(name, json.dumps(found, indent=1), flush=True)
    (arguments.run / "results.json").write_text(json.dumps(results, indent=1) + "\n")


def scenes(network: CLIP, variant: Variant) -> dict[str, dict[str, float]]:
    """For each split how often the true sentence is the most similar, and preferred to one with a word exchanged.

    "chosen" is among CANDIDATES (chance: one in so many); the others, by kind of word, between two (chance: a half).
    With "order" both sentences have the same words, so that whoever counts words is right in a half.
    """
    found = {}
    for split in SPLITS:
        told = [told_scene(split, number) for number in range(SCENES)]
        dice = Random(f"report {split}")
        pictures = vectors(network, [draw(scene) for scene, _ in told])
        right = []
        asked: dict[str, list[bool]] = {kind: [] for kind in EXCHANGED}
        texts = {sentence.text for _, sentence in told}
        for (scene, sentence), picture in zip(told, pictures, strict=True):
            false = [other for _, other in dice.sample(told, 60) if not is_true(other, scene)][: CANDIDATES - 1]
            right.append(prefers(network, variant, picture, sentence.text, [other.text for other in false]))
            for kind in EXCHANGED:
                changed = with_another(sentence, kind, dice)
                if changed is not None and not is_true(changed, scene):
                    asked[kind].append(prefers(network, variant, picture, sentence.text, [changed.text]))
        found[split] = {"chosen": share(right)} | {kind: share(each) for kind, each in asked.items() if each}
        found[split] |= {"questions": len(right), "sentences": len(texts)}
    return found


def emoji(network: CLIP, variant: Variant, data: Path) -> dict[str, dict[str, float]]:
    """Retrieval among the emoji that were held out, by their descriptions, both ways."""
    held = [each for number, each in enumerate(read_emoji(data)) if number % 10 == 0]
    pictures = vectors(network, [each.picture for each in held])
    with torch.inference_mode():
        texts = network.text(ids_of(variant.tokenizer, [each.texts[0] for each in held], variant.config.context))
    similarities = texts @ pictures.t()
    return {"text to picture": retrieval(similarities), "picture to text": retrieval(similarities.t())}


def retrieval(similarities: Float[Tensor, "draw point"]) -> dict[str, float]:
    """R@1, R@5, R@10 and the median rank of what belongs to each row: what stands on the diagonal."""
    own = similarities.diagonal()[:, None]
    ranks = 1 + (similarities > own).sum(dim=1)
    found = {f"R@{rank}": round(float((ranks <= rank).float().mean()), 4) for rank in RANKS}
    return found | {"median rank": float(ranks.float().median()), "of": float(len(ranks))}


@torch.inference_mode()
def vectors(network: CLIP, pictures: Sequence) -> Float[Tensor, "batch width"]:
    """The vectors of pictures, a few at a time."""
    return torch.cat([network.picture(part) for part in normalise(pictures).split(100)])


@torch.inference_mode()
def prefers(network: CLIP, variant: Variant, picture: Float[Tensor, " width"], true: str, others: list[str]) -> bool:
    """Whether the true sentence is more similar to a picture than all others."""
    texts = network.text(ids_of(variant.tokenizer, [true, *others], variant.config.context))
    similarities = texts @ picture
    return bool((similarities[0] > similarities[1:]).all())


def share(values: list[bool]) -> float:
    """Of those that are true."""
    return round(sum(values) / len(values), 4)


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/clip"), help="where the networks are")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
