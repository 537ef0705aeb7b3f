"""Measure CLIPs on what they have not seen: scenes of every split, photographs, and emoji that were held out.

Data: as for training/clip.py, whose runs are read.

    python -m training.clip_report --data PATH
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import Tensor, nn

from core.models.clip import CLIP
from core.models.half_precision import load_weights
from core.scenes.draw import draw
from core.scenes.telling import with_another
from core.scenes.things import HELD_OUT
from core.scenes.truth import is_true
from core.zoo.clips import CLIPS
from core.zoo.embedded import WEIGHTS, load_embedded_image
from core.zoo.emoji import ACROSS, SIDE
from training import tiny_imagenet
from training.captions_data import Captioned, read_flickr
from training.card import install, save_card, table
from training.clip import VARIANTS, Variant
from training.clip_data import ids_of, read_emoji, told_scene
from training.clip_photographs import TEMPLATES
from training.pictures import decode, standardise

SCENES, CANDIDATES = 500, 10  # of each split; sentences to choose among, one of them true
EXCHANGED = ("colour", "shape", "size", "texture", "number", "relation", "order")
RANKS = (1, 5, 10)
SAME = 1e-6  # cosines that differ by less are the same

CARD = """# clip

Pictures and texts in one space (Radford et al. 2021): `core/models/clip.py`, one network for drawn scenes, one for
photographs, one for emoji. Pictures have 64 x 64 pixels, patches 8 x 8; those for scenes and emoji are made by a few
convolutions (Xiao et al. 2021). The picture encoder for photographs began as `vit-tiny-imagenet`.

## Data and licence
Scenes are drawn for each step; that another sentence of the batch is true of a scene too is known, and not held against
the network. Photographs: Flickr8k (Hodosh, Young and Hockenmaier 2013), 6,000 with five captions each, and the 50,000
pictures of a hundred classes of Tiny ImageNet with the names of their classes; both for research and education, none is
part of the project. Emoji: 1,609 pictures of googlefonts/noto-emoji (Apache-2.0) with names of github/gemoji (MIT),
which are part of it (`emoji.webp`, `emoji.json`); one in ten was held out. The weights for photographs are released for
the same use as the photographs, the others under the project's licence.

## Held-out results
500 scenes of each split. "chosen": the true sentence is more similar than nine that are false (chance 10 %); then how
often it is more similar than the same sentence with one word exchanged, by the kind of that word (chance 50 %).
"order": the two groups of a relation change places. "Words alone" is the baseline that knows no order: the same network
reads each word by itself, and the mean of their vectors stands for the sentence.

{scenes_table}

Retrieval: photographs are the 1,000 of Flickr8k's test part, each with its first caption; emoji are those held out, by
their descriptions. "Words of the nearest photograph" is the baseline without a shared space: a photograph is described
by the captions of the most similar one of training, and captions are compared by their words (TF-IDF).

{retrieval}

The 10,000 test pictures of CIFAR-10 (JPEG copy), by the names of its classes, of which no picture was learned:

{cifar}

## Training
{runs}

    python -m training.clip --data PATH
    python -m training.clip_report --data PATH

Seed 0, {hardware}; torch {torch}.
"""


def main() -> None:
    """Measure those that are trained, and write results.json."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    results: dict[str, Any] = {}
    config: dict[str, Any] = {}
    measures = {"scenes": scenes, "photographs": photographs, "emoji": emoji}
    for name in arguments.only or VARIANTS:
        folder = arguments.run / name
        if (folder / "run.json").exists():
            variant = VARIANTS[name](arguments.data, arguments.run)
            network = load_weights(lambda variant=variant: CLIP(variant.config), folder / "model.safetensors")  # type: ignore[misc]
            found = measures[name](network, variant, arguments)
            story = json.loads((folder / "run.json").read_text())
            results[name] = story | {"results": found, "temperature": round(float(network.temperature), 2)}
            results[name]["parameters"] = sum(weight.numel() for weight in network.parameters())
            config[name] = {"sizes": asdict(variant.config), "mean": variant.mean, "deviation": variant.deviation}
            install(folder / "model.safetensors", arguments.out / f"{name}.safetensors")
            install(folder / "tokenizer.json", arguments.out / f"tokenizer-{name}.json")
            print(name, json.dumps(found, indent=1), flush=True)
    (arguments.out / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    save_emoji(arguments.data, arguments.out)
    save_card(arguments.out, CARD, results, tables_of(results))


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """What the card shows of the results."""
    kinds = ["chosen", *EXCHANGED]
    of_scenes = results.get("scenes", {}).get("results", {})
    scenes_rows = [
        [split + ending, *(told(found, kind, ending) for kind in kinds)]
        for split, found in of_scenes.items()
        for ending in ("", ", words alone")
    ]
    ranks = [f"R@{rank}" for rank in RANKS]
    rows = [
        [f"{name}: {way}", *(f"{found[rank]:.1%}" for rank in ranks), found["median rank"], int(found["of"])]
        for name in ("photographs", "emoji")
        for way, found in results.get(name, {}).get("results", {}).items()
        if "R@1" in found
    ]
    cifar = results.get("photographs", {}).get("results", {}).get("CIFAR-10", {})
    runs = [
        [CLIPS[name], f"{run['parameters']:,}", run["plan"]["steps"], f"{run['seconds'] / 60:.0f}", run["temperature"]]
        for name, run in results.items()
    ]
    return {
        "scenes_table": table(["split", *kinds], scenes_rows),
        "retrieval": table(["", *ranks, "median rank", "of"], rows),
        "cifar": table(["", "right"], [[name, f"{share:.1%}"] for name, share in cifar.items()]),
        "runs": table(["", "parameters", "steps", "minutes", "temperature"], runs),
    }


def told(found: dict[str, float], kind: str, ending: str) -> str:
    """A share, with how many pairs it is of; "" where none was asked."""
    if kind not in found:
        return ""
    pairs = f" of {found[f'{kind}, pairs']:.0f}" if f"{kind}, pairs" in found else ""
    return f"{found[kind + ending]:.1%}{pairs}"


def save_emoji(data: Path, folder: Path) -> None:
    """The emoji with their names, as core/zoo/emoji.py reads them."""
    told = json.loads((data / "emoji_image_text" / "emoji.json").read_text(encoding="utf-8"))
    found = read_emoji(data)
    entries = [
        {
            "emoji": each.character,
            "description": of["description"],
            "names": list(each.texts),
            "learned": number % 10 > 0,
        }
        for number, (each, of) in enumerate(zip(found, told, strict=True))
    ]
    (folder / "emoji.json").write_text(json.dumps(entries, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    rows = -(-len(found) // ACROSS)
    sheet = np.full((rows * SIDE, ACROSS * SIDE, 3), 255, dtype=np.uint8)
    for number, each in enumerate(found):
        row, column = divmod(number, ACROSS)
        sheet[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE] = each.picture
    Image.fromarray(sheet).save(folder / "emoji.webp", quality=85, method=6)


def scenes(network: CLIP, variant: Variant, _arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """For each split how often the true sentence is the most similar, and preferred to one with a word exchanged.

    "chosen" is among CANDIDATES (chance: one in so many); the others, by kind of word, between two (chance: a half).
    With "order" both sentences have the same words, so that whoever counts words is right in a half.
    """
    found: dict[str, dict[str, float]] = {}
    for split in HELD_OUT:
        told = [told_scene(split, number) for number in range(SCENES)]
        dice = Random(f"report {split}")
        pictures = vectors(network, variant, [draw(scene) for scene, _ in told])
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
                found[split][kind] = right(asked, partial(texts_of, network, variant))
                found[split][f"{kind}, words alone"] = right(asked, partial(words_alone, network, variant))
                if kind != "chosen":
                    found[split][f"{kind}, pairs"] = len(asked)
        found[split] |= {"questions": len(told), "sentences": len({sentence.text for _, sentence in told})}
    return found


def emoji(network: CLIP, variant: Variant, arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Retrieval among the emoji that were held out, by their descriptions, both ways; and by words alone."""
    every = read_emoji(arguments.data)
    held = [each for number, each in enumerate(every) if number % 10 == 0]
    pictures = vectors(network, variant, [each.picture for each in held])
    similarities = texts_of(network, variant, [each.texts[0] for each in held]) @ pictures.t()
    return {"text to picture": retrieval(similarities), "picture to text": retrieval(similarities.t())}


def photographs(network: CLIP, variant: Variant, arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Retrieval among the 1,000 test photographs of Flickr8k, each by its first caption; classes of CIFAR-10.

    The baseline of retrieval counts words: a picture is described by the words of the five captions of the photograph
    of training that looks most like it (the mean features of the network that the picture encoder began as).
    """
    told, learned = (read_flickr(arguments.data, part, arguments.run) for part in ("test", "train"))
    first = [" ".join(captions[0]) for captions in told.captions]
    seen = vectors(network, variant, small(told.pictures))
    similarities = texts_of(network, variant, first) @ seen.t()
    found = {"text to picture": retrieval(similarities), "picture to text": retrieval(similarities.t())}
    counted = by_words(told, learned)
    found |= {"text to picture, words of the nearest photograph": retrieval(counted)}
    found |= {"picture to text, words of the nearest photograph": retrieval(counted.t())}
    return found | {"CIFAR-10": cifar10(network, variant, arguments.data)}


def small(pictures: np.ndarray) -> list[np.ndarray]:
    """Photographs (picture, channel, row, column) with 64 pixels on a side, as pictures (row, column, channel)."""
    parts = torch.from_numpy(pictures).split(500)
    shrunk = [nn.functional.interpolate(part.float(), size=(SIDE, SIDE), mode="area").to(torch.uint8) for part in parts]
    return list(torch.cat(shrunk).permute(0, 2, 3, 1).numpy())


def by_words(told: Captioned, learned: Captioned) -> Float[Tensor, "draw point"]:
    """How many words the first caption of each test photograph shares with those of each one's nearest neighbour.

    Rare words count more (TF-IDF).
    """
    ours, theirs = (looks(small(each.pictures)) for each in (told, learned))
    nearest = (ours @ theirs.t()).argmax(dim=-1).tolist()
    count = TfidfVectorizer(token_pattern=r"\S+")
    documents = [" ".join(" ".join(caption) for caption in captions) for captions in learned.captions]
    described = count.fit_transform(documents)[nearest]
    asked = count.transform([" ".join(captions[0]) for captions in told.captions])
    return torch.from_numpy((asked @ described.T).toarray()).float()


@torch.inference_mode()
def looks(pictures: list[np.ndarray]) -> Float[Tensor, "batch width"]:
    """What `vit-tiny-imagenet` makes of pictures, of length 1."""
    network = load_embedded_image("vit-tiny-imagenet").network
    pixels = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
    parts = (standardise(part.float() / 255, tiny_imagenet.MEAN, tiny_imagenet.DEVIATION) for part in pixels.split(250))
    features = [network.forward_features(part)[:, 0] for part in parts]  # type: ignore[operator]
    return nn.functional.normalize(torch.cat(features), dim=-1)


def cifar10(network: CLIP, variant: Variant, data: Path) -> dict[str, float]:
    """The share of the 10,000 test pictures whose class is most similar: one template, the mean of several, chance."""
    with np.load(data / "cifar10" / "cifar10_jpeg.npz") as archive:
        pictures = decode(archive["test_jpeg"], archive["test_offsets"], side=32)
        labels, names = torch.from_numpy(archive["test_labels"]).long(), [str(name) for name in archive["names"]]
    enlarged = [
        nn.functional.interpolate(part.float(), size=(SIDE, SIDE), mode="bicubic").clamp(0, 255).to(torch.uint8)
        for part in torch.from_numpy(pictures).split(500)
    ]
    seen = vectors(network, variant, list(torch.cat(enlarged).permute(0, 2, 3, 1).numpy()))
    found = {}
    for title, templates in (("one template", TEMPLATES[:1]), ("mean of the templates", TEMPLATES)):
        each = [texts_of(network, variant, [template.format(name) for name in names]) for template in templates]
        classes = nn.functional.normalize(torch.stack(each).mean(dim=0), dim=-1)
        found[title] = round(float(((seen @ classes.t()).argmax(dim=-1) == labels).float().mean()), 4)
    return found | {"chance": 1 / len(names)}


def retrieval(similarities: Float[Tensor, "draw point"]) -> dict[str, float]:
    """R@1, R@5, R@10 and the median rank of what belongs to each row: what stands on the diagonal."""
    own = similarities.diagonal()[:, None]
    ranks = 1 + (similarities > own).sum(dim=1)
    found = {f"R@{rank}": round(float((ranks <= rank).float().mean()), 4) for rank in RANKS}
    return found | {"median rank": float(ranks.float().median()), "of": float(len(ranks))}


@torch.inference_mode()
def vectors(network: CLIP, variant: Variant, pictures: Sequence[np.ndarray]) -> Float[Tensor, "batch width"]:
    """The vectors of pictures (row, column, channel), a few at a time."""
    pixels = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
    parts = (standardise(part.float() / 255, variant.mean, variant.deviation) for part in pixels.split(100))
    return torch.cat([network.picture(part) for part in parts])


@torch.inference_mode()
def texts_of(network: CLIP, variant: Variant, texts: Sequence[str]) -> Float[Tensor, "batch width"]:
    """The vectors of texts."""
    return network.text(ids_of(variant.tokenizer, texts, variant.config.context))


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
    means = [texts_of(network, variant, text.split()).mean(dim=0) for text in texts]
    return nn.functional.normalize(torch.stack(means), dim=-1)


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/clip"), help="where the networks are")
    parser.add_argument("--only", nargs="+", choices=VARIANTS)
    parser.add_argument("--out", type=Path, default=WEIGHTS / "clip")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
