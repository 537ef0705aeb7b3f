"""Install DALL-Es and their autoencoders, and measure them as stored: statements that hold, errors of the codes.

Networks in `runs/` are measured; statements only if `training.scene_reader.train` has trained the reader. Earlier
results of networks that are not in `runs/` are kept. Without `--data` emoji are not measured.

    python -m training.dalle.report [--data PATH]
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from core.models.dalle import DALLEConfig
from core.models.discrete_vae import DiscreteVAEConfig
from core.results.dalle_results import COUNTS, OF, SPLITS, WHOLE_SENTENCE
from core.zoo.clips import load_clip
from core.zoo.dalles import (
    CODERS,
    DALLES,
    PictureCoder,
    load_coder,
    load_dalle,
    load_scene_reader,
)
from core.zoo.embedded import WEIGHTS
from training.common.card import install, save_card, table
from training.common.command_line import CommandLine
from training.common.drawn_statements import BATCH_SIZE, CANDIDATES, SENTENCES, cell, scenes_with_sentences
from training.dalle.drawings import held_out, measure_drawer, measure_drawn_statements


def main() -> None:
    """Install what `runs/` holds, measure it, and write results.json and CARD.md."""
    arguments = command_line().read()
    runs = install_all(arguments.runs, arguments.out)
    weights = arguments.out.parent
    trained = [name for name in CODERS if f"{name}-codes" in runs]
    results = stored_results(arguments.out)
    results["runs"] |= runs
    for name in trained:
        world = name.partition("-")[0]
        if world != "emoji" or arguments.data is not None:
            pictures = held_out(world, arguments.data)[0]
            results["coders"][name] = measure_coder(load_coder(name, weights=weights), pictures)
            print(name, results["coders"][name], flush=True)
    reader = load_scene_reader(arguments.readers)
    for name in (name for name in DALLES if name in runs and (name != "emoji" or arguments.data is not None)):
        drawer = load_dalle(name, weights=weights)
        results["drawers"][name] = measure_drawer(drawer, *held_out(name, arguments.data))
        print(name, results["drawers"][name], flush=True)
        if name == "scenes" and reader is not None:
            results["sentences"], results["held"] = arguments.sentences, {}
            for split in SPLITS:
                examples = scenes_with_sentences(split, arguments.sentences)
                ways = measure_drawn_statements(drawer, reader, load_clip("scenes"), examples, CANDIDATES[split])
                results["held"][split] = ways
                print(split, {way: shares.get(WHOLE_SENTENCE) for way, shares in ways.items()}, flush=True)
    save_card(arguments.out, CARD, results, tables_of(results))


def stored_results(out: Path) -> dict[str, Any]:
    """The results of earlier measurements in `out`."""
    file = out / "results.json"
    stored = json.loads(file.read_text()) if file.exists() else {}
    return {"runs": {}, "coders": {}, "drawers": {}, "sentences": 0} | stored


# What is installed.


def install_all(runs: Path, out: Path) -> dict[str, Any]:
    """Copy all trained networks to `out`; returns the record of each training by name."""
    runs_by_name: dict[str, Any] = {}
    sizes: dict[str, DALLEConfig | DiscreteVAEConfig] = {}
    folders = {f"{name}-codes": runs / "discrete-vae" / name for name in CODERS}
    for name, folder in (folders | {name: runs / "dalle" / name for name in DALLES}).items():
        if not (folder / "run.json").exists():
            continue
        runs_by_name[name] = json.loads((folder / "run.json").read_text())
        sizes_of_network = runs_by_name[name]["sizes"]
        install(folder / "model.safetensors", out / f"{name}.safetensors")
        if name in DALLES:
            sizes[name] = DALLEConfig(**(sizes_of_network | {"masks": tuple(sizes_of_network["masks"])}))
            install(folder / "tokenizer.json", out / f"{name}-tokenizer.json")
        else:
            sizes[name] = DiscreteVAEConfig(**sizes_of_network)
    config_of_all(sizes, out)
    return runs_by_name


def config_of_all(sizes: Mapping[str, DALLEConfig | DiscreteVAEConfig], folder: Path) -> None:
    """Add networks to the config.json that `core.zoo.dalles` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "config.json"
    sizes_by_name = json.loads(file.read_text()) if file.exists() else {}
    sizes_by_name |= {name: asdict(config) for name, config in sizes.items()}
    file.write_text(json.dumps(sizes_by_name, indent=1) + "\n")


# What the codes lose.


def measure_coder(coder: PictureCoder, pixels: Float[Tensor, "batch channel row column"]) -> dict[str, Any]:
    """The errors of an autoencoder on pictures, and the use of its codes."""
    parts = [coder.codes(part) for part in pixels.split(BATCH_SIZE)]
    painted = torch.cat([coder.paint(part) for part in parts])
    counts = torch.bincount(torch.cat(parts).flatten(), minlength=coder.network.config.codes)
    shares = counts / counts.sum()
    mean = pixels.mean(dim=(2, 3), keepdim=True)
    return {
        "pictures": len(pixels),
        "codes": len(counts),
        "used": int((counts > 0).sum()),
        "error": round(float((painted - pixels).square().mean()), 6),
        "plain_error": round(float((mean - pixels).square().mean()), 6),
        "perplexity": round(float(torch.special.entr(shares).sum().exp()), 1),
    }


# The card.


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the card."""
    coders = [
        [
            CODERS[name],
            coder["pictures"],
            f"{coder['error']:.5f}",
            f"{-10 * math.log10(coder['error']):.1f}",
            f"{coder['plain_error']:.4f}",
            f"{coder['used']} of {coder['codes']}",
            f"{coder['perplexity']:.0f}",
        ]
        for name, coder in results["coders"].items()
    ]
    drawers = [
        [
            DALLES[name],
            f"{drawer['parameters']:,}",
            f"{drawer['bits']:.3f}",
            f"{drawer['bits_other']:.3f}",
            *(f"{drawer['seconds'][count]:.1f}" for count in COUNTS),
        ]
        for name, drawer in results["drawers"].items()
    ]
    held_rows = [
        [split, way if not way.isdecimal() else f"best of {way}", *(cell(shares, kind) for kind in OF)]
        for split, ways in results.get("held", {}).items()
        for way, shares in ways.items()
    ]
    runs = [
        [
            name,
            run["plan"]["steps"],
            run["batch"],
            run["plan"]["learning_rate"],
            f"{run['seconds'] / 60:.0f}",
            run["hardware"],
        ]
        for name, run in results["runs"].items()
    ]
    header = ["", "pictures", "error", "dB", "mean colour", "codes used", "perplexity"]
    return {
        "coders_table": table(header, coders),
        "drawers_table": table(
            ["", "parameters", "bits", "of another", *(f"s for {count}" for count in COUNTS)], drawers
        ),
        "held_table": table(["split", "picture", *OF], held_rows)
        if held_rows
        else "Not measured: the reader was not there.",
        "runs_table": table(["", "steps", "batch", "learning rate", "minutes", "on"], runs),
    }


CARD = """# dalle

Pictures of 64 x 64 pixels as 16 x 16 codes out of 512 (a discrete autoencoder, `core/models/discrete_vae.py`), and a
transformer that goes on with a sentence in such codes (`core/models/dalle.py`; Ramesh et al. 2021), small. Codes are
those of the nearest vector (van den Oord et al. 2017); beside them stands Gumbel softmax, as in the paper. Weights are
stored in 8 bits, and were measured as they are stored.

## Data and licence
Scenes of the drawn world (`core/scenes/`), drawn for each step, with a true sentence each. Emoji, where they are here:
pictures of googlefonts/noto-emoji (Apache-2.0), names of github/gemoji (MIT). The weights are released under the
project's licence.

## Autoencoders
Held-out pictures: mean squared error of values 0 to 1, the same in decibels, that of each picture's mean colour; how
many codes are used at all, and how many, used alike, would be as hard to guess.

{coders_table}

## DALL-E
Bits for each code of a held-out picture after those before it, with its own text and with that of another picture;
seconds for 1, 4 and 16 pictures at once, on one thread.

{drawers_table}

## What holds in drawings
{sentences} sentences of each split, which nobody learned from, at temperature 1 from all codes: "test", new
scenes; "pairs", sentences that name a colour and a shape which were never joined; "relations", relations that were
never said. A network that reads scenes (weights/scene-reader) says which words hold, and whether all do. Best of k: of
k candidates the one that our CLIP likes best. "Another picture": what holds by chance in the true scene of another
sentence. "True scene through codes": what the reader sees in the true scene after its way through the autoencoder;
"true scene": without it. Standard errors are over words.

{held_table}

## What did not become of it
Photographs with captions (Flickr8k, 6,000 of them) as a third world. The autoencoder manages: on eight test photographs
an error of 0.0055 after 900 steps (mean colour 0.0634). But the DALL-E of the same size did not learn to read captions:
after 350 steps of 32 (45 minutes on one shared core) a code of 64 test photographs takes 5.733 bits with their own
caption and 5.739 with another, and it draws grass, sky and dark blurs whatever is asked. So that world is not offered.

## Training
{runs_table}

    python -m training.discrete_vae.train --only NAME --steps STEPS --batch BATCH [--device cuda] [--data PATH]
    python -m training.dalle.train --only NAME --steps STEPS --batch BATCH [--device cuda] [--data PATH]
    python -m training.scene_reader.train
    python -m training.dalle.report --data PATH

Seed 0; measured on {hardware}; torch {torch}. The runs on a graphics card shared it with one another, and had torch
2.11.0. "scenes" was planned for 4,400 steps, at whose end its rate had fallen to 0; it then went on as a run of 6,400,
at 0.78 of the full rate and falling, and ended 100 steps early: the command above takes a plainer way.
"""


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, emoji=True, out=WEIGHTS / "dalle", threads="one")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where discrete-vae/ and dalle/ are")
    parser.add_argument("--readers", type=Path, default=WEIGHTS, help="where scene-reader/ is")
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    return parser


if __name__ == "__main__":
    main()
