"""Install the masked autoencoder, measure it as stored, and write its card.

Errors by the share of masked patches, beside fillings without a network, over 1,000 held-out pictures; a linear probe
of its frozen encoder; the cost of encoding with and without masked patches; and the results of
`training.mae.fine_tuning` as far as they exist.

    python -m training.mae.report --data PATH
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.models.mae import MaskedAutoencoder, pixels_of
from core.models.stored_weights import load_weights, save_weights
from core.results.mae_results import ERROR, FEATURES, FILLED_BY, LABELS, NETWORK, STARTS
from core.vision.fillings import FILLINGS
from core.vision.patch_masks import RANDOM, error_of, hide_patches, pixel_mask
from core.vision.skipped_patches import READ, WORK, measure
from core.zoo.embedded import WEIGHTS
from core.zoo.masked_autoencoders import PLAIN, AutoencoderReader, load_autoencoder
from training.common.card import save_card, table
from training.common.command_line import CommandLine
from training.common.data_sets import TINY_IMAGENET
from training.mae.fine_tuning import RUNS
from training.mae.linear_probe import BATCH_SIZE, probes
from training.mae.train import CONFIG
from training.tiny_imagenet.data import DEVIATION, MEAN, normalise, read_pictures

SHARES = (10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95)  # per cent of the patches
PICTURES = 1000

CARD = """# mae

A masked autoencoder (He et al. 2022): `core/models/mae.py`, {parameters:,} parameters. Pictures have 64 x 64 pixels in
8 x 8 patches. The encoder (6 layers, width 256) has the sizes of `vit-tiny-imagenet` and reads the patches that are not
hidden; the decoder (4 layers, width 128) guesses the others, as pixels and as normalised pixels at once.

## Data and licence
The 50,000 training pictures of a hundred classes of Tiny ImageNet (Stanford CS231n), without their labels. The weights
are released under the project's licence; rights in the pictures stay with their owners.

## Held-out results
Weights as they are stored, in 8 bits. The mean squared error of hidden pixels (values 0 to 1, guesses cut off there)
over {pictures:,} validation pictures, patches hidden at random, with its standard error. Fillings need no network: the
mean colour of what is seen; the nearest visible patch; straight lines between the visible pixels of row and column.

{errors}

A linear classifier on the frozen encoder's vectors of all 64 patches, top-1 on {validation:,} validation pictures;
beside it the same on an encoder that was never trained, and on 32 x 32 pixels. The penalty is chosen on a tenth of the
labelled pictures.

{probes}

The whole encoder trained with labels, from the autoencoder and from scratch: the same steps, pictures and settings, one
seed each, top-1 and top-5 after so many steps. Longer training would bring the two nearer to one another.

{tuned}

## What leaving hidden patches out saves
Three quarters of the patches hidden, a batch of {batch}, median of several rounds on the machine named below.

{savings}

## Training
{steps:,} steps of {training_batch} pictures, three quarters of the patches hidden; {minutes:.0f} minutes on
{trained_on}, which was shared with other runs; torch 2.11.0. How many there would be was settled under way: the rate
began to fall 180 steps later than it does with the command below.

    python -m training.mae.train --data PATH --steps {steps} --batch {training_batch}     (and --device cuda)
    python -m training.mae.report --data PATH
    python -m training.mae.fine_tuning --data PATH --labels LABELS --start START --steps STEPS
    python -m training.mae.report --data PATH

Seed 0; measured on {hardware}; torch {torch}.
"""


def main() -> None:
    """Install, measure, write results.json and the card."""
    arguments = command_line().read()
    install(arguments.run / "model.safetensors", arguments.out)
    reader = load_autoencoder("mae", weights=arguments.out.parent)
    cache = arguments.run.parent / "tiny-imagenet"
    train, validation = (read_pictures(arguments.data, split, cache) for split in ("train", "val"))
    run = json.loads((arguments.run / "run.json").read_text())
    results: dict[str, Any] = {"training": run, "parameters": reader.parameters}
    held_out = sample_pictures(validation[0], arguments.pictures)
    results |= {"pictures": len(held_out), "errors": errors_by_share(reader, held_out)}
    print(json.dumps(results["errors"], indent=1), flush=True)
    results |= {"validation": len(validation[1]), "probe": probes(reader.network, train, validation)}
    print(json.dumps(results["probe"], indent=1), flush=True)
    saving = measure(reader.network.config)
    results["saving"] = {"operations": saving.operations, "seconds": saving.seconds, "batch": saving.batch}
    if tuned := read_tuned(arguments.tuned):
        results["fine_tuning"] = tuned
    save_card(arguments.out, CARD, results, tables_of(results) | _numbers_of(results))


def install(file: Path, out: Path) -> None:
    """Store the weights of a run in 8 bits, with their config.json."""
    network = load_weights(lambda: MaskedAutoencoder(CONFIG), file)
    save_weights(network, out / "model.safetensors", eight_bits=True)
    settings = {"sizes": asdict(CONFIG), "mean": MEAN, "deviation": DEVIATION}
    (out / "config.json").write_text(json.dumps(settings, indent=1) + "\n")


def sample_pictures(pictures: Tensor, count: int) -> Tensor:
    """`count` random pictures, always the same ones."""
    return pictures[torch.randperm(len(pictures), generator=torch.Generator().manual_seed(0))[:count]]


def errors_by_share(reader: AutoencoderReader, pictures: Tensor) -> dict[str, dict[str, float]]:
    """Mean squared error and its standard error, by share of masked patches and by way of filling."""
    results: dict[str, dict[str, float]] = {}
    for share in SHARES:
        errors = torch.tensor(
            [
                [error[name] for name in FILLED_BY]
                for start in range(0, len(pictures), BATCH_SIZE)
                for error in _errors(reader, pictures[start : start + BATCH_SIZE], share, start)
            ]
        )
        means, deviations = errors.mean(dim=0).tolist(), errors.std(dim=0).tolist()
        results[str(share)] = {}
        for name, mean, deviation in zip(FILLED_BY, means, deviations, strict=True):
            results[str(share)] |= {name: round(mean, 6), name + ERROR: round(deviation / len(errors) ** 0.5, 7)}
    return results


@torch.inference_mode()
def _errors(reader: AutoencoderReader, pictures: Tensor, share: int, first: int) -> list[dict[str, float]]:
    """The squared error of each picture by way of filling; the mask of picture number n is that of seed n."""
    grid, patch = reader.grid, reader.patch
    hidden = torch.stack(
        [hide_patches(RANDOM, grid, grid, share / 100, seed=first + number) for number in range(len(pictures))]
    )
    targets = pictures.float() / 255
    outputs = reader.network(normalise(targets), hidden)[:, reader.targets.index(PLAIN)]
    guesses = [reader.colours(guess) for guess in pixels_of(outputs, patch)]
    errors = []
    for target, guess, mask in zip(targets, guesses, hidden, strict=True):
        hidden_pixels = pixel_mask(mask, grid, grid, patch)
        fillings = {NETWORK: guess} | {name: fill(target, mask, patch) for name, fill in FILLINGS.items()}
        errors.append({name: error_of(picture, target, hidden_pixels) for name, picture in fillings.items()})
    return errors


def read_tuned(folder: Path) -> dict[str, dict[str, Any]]:
    """The results of `training.mae.fine_tuning`, by per cent of the labels and by start."""
    files = {(labels, start): folder / f"{labels}-{start}.json" for labels in LABELS for start in STARTS}
    results: dict[str, dict[str, Any]] = {}
    for (labels, start), file in files.items():
        if file.exists():
            results.setdefault(str(labels), {})[start] = json.loads(file.read_text())
    return results


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the card."""
    errors = [
        [f"{share} %", *(f"{errors_of_share[name]:.4f} ± {errors_of_share[name + ERROR]:.4f}" for name in FILLED_BY)]
        for share, errors_of_share in results["errors"].items()
    ]
    probes = [[name, *(f"{results['probe'][str(share)][name]:.1%}" for share in LABELS)] for name in FEATURES]
    tuned = [
        [
            f"{share} %",
            start,
            run["steps"],
            f"{run['top1']:.1%}",
            f"{run['top5']:.1%}",
            f"{run['seconds'] / 60:.1f}",
            run["hardware"],
        ]
        for share, starts in results.get("fine_tuning", {}).items()
        for start, run in starts.items()
    ]
    saving = results["saving"]
    costs = [
        ["million multiply-adds of a picture", *(f"{saving['operations'][read] / 1e6:.1f}" for read in READ)],
        *([f"seconds of a {work}", *(f"{saving['seconds'][work][read]:.3f}" for read in READ)] for work in WORK),
    ]
    return {
        "errors": table(["hidden", *FILLED_BY], errors),
        "probes": table(["features", *(f"{share} % of the labels" for share in LABELS)], probes),
        "tuned": table(["labels", "start", "steps", "top-1", "top-5", "minutes", "on"], tuned)
        if tuned
        else "Not yet run.",
        "savings": table(["", *READ], costs),
    }


def _numbers_of(results: dict[str, Any]) -> dict[str, Any]:
    run = results["training"]
    return {
        "batch": results["saving"]["batch"],
        "steps": run["plan"]["steps"],
        "training_batch": run["batch"],
        "minutes": run["seconds"] / 60,
        "trained_on": run["hardware"],
    }


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[TINY_IMAGENET],
        run=Path("runs/mae"),
        out=WEIGHTS / "mae",
        threads="one",
        helps={"run": "where the network is"},
    )
    parser.add_argument("--tuned", type=Path, default=RUNS, help="where its fine-tuned copies are")
    parser.add_argument("--pictures", type=int, default=PICTURES)
    return parser


if __name__ == "__main__":
    main()
