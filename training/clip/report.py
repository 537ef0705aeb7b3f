"""Measure CLIPs on held-out data: scenes of every split, photographs, and emoji.

The runs of training/clip/train.py are read.

    python -m training.clip.report --data PATH
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from core.models.clip import CLIP
from core.models.stored_weights import load_weights
from core.results.clip_results import ALONE, EXCHANGED, PAIRS, RANKS
from core.zoo.clips import CLIPS
from core.zoo.embedded import WEIGHTS
from core.zoo.emoji import ACROSS, SIDE
from training.clip.retrieval import emoji, photographs
from training.clip.scene_preferences import scenes
from training.clip.train import VARIANTS, Variant
from training.common.card import install, save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.data_sets import CIFAR10, EMOJI, FLICKR8K, TINY_IMAGENET
from training.common.emoji import read_emoji

CARD = """# clip

Pictures and texts in one space (Radford et al. 2021): `core/models/clip.py`, one network for drawn scenes, one for
photographs, one for emoji. Pictures have 64 x 64 pixels, patches 8 x 8; those for scenes and emoji are made by a few
convolutions (Xiao et al. 2021). The picture encoder for photographs began as `vit-tiny-imagenet`; the weights of this
network are stored in 8 bits, and were measured so.

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

The 10,000 test pictures of CIFAR-10 (JPEG copy), by the names of its classes, of which no picture was learned. The
picture encoder began as a classifier that knows five of the ten by other names (automobile: convertible, limousine,
beach wagon; bird: black stork, albatross; cat: tabby, Egyptian cat; dog: three breeds; frog: bullfrog): the classes
with such a counterpart, and those without, are told apart for the mean of the templates. "automobile" is no word of its
vocabulary.

{cifar}

## Training
{runs}

    python -m training.clip.train --data PATH
    python -m training.clip.report --data PATH

Seed 0, {hardware}; torch {torch}.
"""


def main() -> None:
    """Measure those that are trained, and write results.json."""
    arguments = command_line().read()
    results: dict[str, Any] = {}
    config: dict[str, Any] = {}
    for name in arguments.only or VARIANTS:
        folder = arguments.run / name
        if (folder / "run.json").exists():
            variant = VARIANTS[name](arguments.data, arguments.run)
            network = load_weights(lambda variant=variant: CLIP(variant.config), folder / "model.safetensors")  # type: ignore[misc]
            measures = measure(name, network, variant, arguments)
            record = json.loads((folder / "run.json").read_text())
            results[name] = record | {"results": measures, "temperature": round(float(network.temperature), 2)}
            results[name]["parameters"] = sum(weight.numel() for weight in network.parameters())
            config[name] = {"sizes": asdict(variant.config), "mean": variant.mean, "deviation": variant.deviation}
            install(folder / "model.safetensors", arguments.out / f"{name}.safetensors")
            install(folder / "tokenizer.json", arguments.out / f"tokenizer-{name}.json")
            print(name, json.dumps(measures, indent=1), flush=True)
    (arguments.out / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    save_emoji(arguments.data, arguments.out)
    save_card(arguments.out, CARD, results, tables_of(results))


def measure(name: str, network: CLIP, variant: Variant, arguments: argparse.Namespace) -> dict[str, Any]:
    """The measurements of a network: preferences on scenes, or retrieval of emoji or photographs."""
    if name == "scenes":
        return scenes(network, variant)
    if name == "emoji":
        return emoji(network, variant, arguments.data)
    return photographs(network, variant, arguments.data, arguments.run)


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the card."""
    kinds = ["chosen", *EXCHANGED]
    of_scenes = results.get("scenes", {}).get("results", {})
    scenes_rows = [
        [split + ending, *(share_cell(shares, kind, ending) for kind in kinds)]
        for split, shares in of_scenes.items()
        for ending in ("", ALONE)
    ]
    ranks = [f"R@{rank}" for rank in RANKS]
    rows = [
        [f"{name}: {way}", *(f"{measures[rank]:.1%}" for rank in ranks), measures["median rank"], int(measures["of"])]
        for name in ("photographs", "emoji")
        for way, measures in results.get(name, {}).get("results", {}).items()
        if "R@1" in measures
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


def share_cell(shares: dict[str, float], kind: str, ending: str) -> str:
    """A share with the number of its pairs; "" where it was not measured."""
    if kind not in shares:
        return ""
    pairs = f" of {shares[kind + PAIRS]:.0f}" if kind + PAIRS in shares else ""
    return f"{shares[kind + ending]:.1%}{pairs}"


def save_emoji(data: Path, folder: Path) -> None:
    """Write the emoji and their names as core/zoo/emoji.py reads them."""
    metadata = json.loads((data / "emoji_image_text" / "emoji.json").read_text(encoding="utf-8"))
    emoji = read_emoji(data)
    entries = [
        {
            "emoji": item.character,
            "description": entry["description"],
            "names": list(item.texts),
            "learned": number % 10 > 0,
        }
        for number, (item, entry) in enumerate(zip(emoji, metadata, strict=True))
    ]
    (folder / "emoji.json").write_text(json.dumps(entries, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    rows = -(-len(emoji) // ACROSS)
    sheet = np.full((rows * SIDE, ACROSS * SIDE, 3), 255, dtype=np.uint8)
    for number, item in enumerate(emoji):
        row, column = divmod(number, ACROSS)
        sheet[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE] = item.picture
    Image.fromarray(sheet).save(folder / "emoji.webp", quality=85, method=6)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[EMOJI, FLICKR8K, TINY_IMAGENET.below("tiny_imagenet"), CIFAR10.below("cifar10")],
        run=Path("runs/clip"),
        only=VARIANTS,
        out=WEIGHTS / "clip",
        threads="one",
        helps={"run": TRAINED},
    )


if __name__ == "__main__":
    main()
