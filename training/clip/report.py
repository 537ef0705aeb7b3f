"""Measure CLIPs on held-out data: scenes of every split, photographs, and emoji.

The runs of training/clip/train.py are read.

    python -m training.clip.report --data PATH
"""

import argparse
import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from core.models.clip import CLIP, EncoderConfig
from core.models.locked_clip import LockedCLIPConfig, TunedLayers
from core.models.stored_weights import load_weights
from core.results.clip_results import ALONE, EXCHANGED, PAIRS, RANKS
from core.zoo.clips import CLIPS, LOCKED
from core.zoo.embedded import WEIGHTS, read_settings
from core.zoo.emoji import ACROSS, SIDE
from training.clip.photographs import CAPTIONED, LABELLED, NAMED, NAMES_WEIGHT, locked_variant
from training.clip.retrieval import emoji, photographs
from training.clip.scene_preferences import scenes
from training.clip.train import NAMES, VARIANTS
from training.common.card import install, save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.data_sets import CIFAR10, EMOJI, FLICKR8K, TINY_IMAGENET
from training.common.emoji import read_emoji

CARD = """# clip

Pictures and texts in one space (Radford et al. 2021). One network for drawn scenes and one for emoji:
`core/models/clip.py`, pictures of 64 x 64 pixels, patches of 8 x 8 made by a few convolutions (Xiao et al. 2021). For
photographs: `core/models/locked_clip.py`, a transformer over the 14 x 14 places of `efficientnet-lite0`, and an adapter
of the vectors of `minilm`'s sentences, u + W2 gelu(W1 u + b1) + b2 (Gao et al. 2021), tuned together so that both lie
in one space (Zhai et al. 2022); those two networks, which others trained, did not learn on, and are not in this file.
All weights are stored in 8 bits, and were measured so.

## Data and licence
Scenes are drawn for each step; that another sentence of the batch is true of a scene too is known, and not held against
the network. Photographs: Flickr8k (Hodosh, Young and Hockenmaier 2013), 6,000 with five captions each, and {labelled}
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

Retrieval: photographs are the 1,000 of Flickr8k's test part, each with its first caption, or with each of its five;
emoji are those held out, by their descriptions. "Words of the nearest photograph" is the baseline without a shared
space: a photograph is described by the captions of the most similar one of training, and captions are compared by their
words (TF-IDF).

{retrieval}

The first 2,000 test pictures of CIFAR-10 (JPEG copy), by the names of its classes. No picture of it was learned; but
the network learned the names of ImageNet's thousand classes from EfficientNet, and breeds of cats and dogs, kinds of
birds, frogs, ships, lorries and cars are among those.

{cifar}

## Training
{runs}

A step of the one for photographs takes {captioned} photographs with a caption and {named} of the {labelled} pictures
with the name of their class. Beside the contrastive loss, a picture's cosines with ImageNet's thousand names learn
EfficientNet's probabilities, with the weight {weight}. The number of steps was chosen by recall on the dev part of
Flickr8k. Its minutes are those of one thread of a processor that was busy with other work too.

    python -m training.clip.train --data PATH
    python -m training.clip.report --data PATH

Seed 0, {hardware}; torch {torch}.
"""


def main() -> None:
    """Measure those that are trained, and write results.json."""
    arguments = command_line().read()
    file = arguments.out / "results.json"
    results: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    config: dict[str, Any] = read_settings(arguments.out / "scenes.safetensors") if file.exists() else {}
    for name in arguments.only or NAMES:
        folder = arguments.run / name
        if (folder / "run.json").exists():
            record = json.loads((folder / "run.json").read_text())
            measure = measure_photographs if name == LOCKED else partial(measure_variant, name)
            network, measures, settings = measure(record, arguments)
            results[name] = record | {"results": measures, "temperature": round(float(network.temperature), 2)}
            results[name]["parameters"] = sum(weight.numel() for weight in network.parameters())
            config[name] = settings
            install(folder / "model.safetensors", arguments.out / f"{name}.safetensors")
            print(name, json.dumps(measures, indent=1), flush=True)
    (arguments.out / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    save_emoji(arguments.data, arguments.out)
    save_card(arguments.out, CARD, results, tables_of(results))


def measure_variant(
    name: str, _record: dict[str, Any], arguments: argparse.Namespace
) -> tuple[CLIP, dict[str, Any], dict[str, Any]]:
    """A network of VARIANTS, its preferences on scenes or its retrieval of emoji, and its settings."""
    variant, folder = VARIANTS[name](arguments.data, arguments.run), arguments.run / name
    network = load_weights(lambda: CLIP(variant.config), folder / "model.safetensors")
    measures = scenes(network, variant) if name == "scenes" else emoji(network, variant, arguments.data)
    install(folder / "tokenizer.json", arguments.out / f"tokenizer-{name}.json")
    settings = {"sizes": asdict(variant.config), "mean": variant.mean, "deviation": variant.deviation}
    return network, measures, settings


def measure_photographs(
    record: dict[str, Any], arguments: argparse.Namespace
) -> tuple[TunedLayers, dict[str, Any], dict[str, Any]]:
    """The layers between the locked networks, their retrieval and their zero-shot classes, and their settings."""
    config = LockedCLIPConfig(**(record["sizes"] | {"picture": EncoderConfig(**record["sizes"]["picture"])}))
    tuned = load_weights(lambda: TunedLayers(config), arguments.run / LOCKED / "model.safetensors")
    measures = photographs(locked_variant(config, tuned), arguments.data, arguments.run)
    return tuned, measures, {"sizes": record["sizes"]}


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
    cifar = results.get(LOCKED, {}).get("results", {}).get("CIFAR-10", {})
    runs = [
        [CLIPS[name], f"{run['parameters']:,}", run["plan"]["steps"], f"{run['seconds'] / 60:.0f}", run["temperature"]]
        for name, run in results.items()
        if name in CLIPS
    ]
    return {
        "scenes_table": table(["split", *kinds], scenes_rows),
        "retrieval": table(["", *ranks, "median rank", "of"], rows),
        "cifar": table(["", "right"], [[name, f"{share:.1%}"] for name, share in cifar.items()]),
        "runs": table(["", "parameters", "steps", "minutes", "temperature"], runs),
        "captioned": f"{CAPTIONED}",
        "named": f"{NAMED}",
        "labelled": f"{LABELLED:,}",
        "weight": f"{NAMES_WEIGHT}",
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
        only=NAMES,
        out=WEIGHTS / "clip",
        threads="one",
        helps={"run": TRAINED},
    )


if __name__ == "__main__":
    main()
