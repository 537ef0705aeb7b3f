"""Install image-GPT, and measure it as stored: bits of the next pixel, hidden pixels, a linear probe of each layer.

Needs the networks of `training.image_gpt.train`; tasks without a network are left out. Takes about a quarter of an hour
on one core.

    python -m training.image_gpt.report --data PATH
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.models.image_gpt import ImageGPT, ImageGPTConfig, nearest_colours
from core.models.stored_weights import load_weights, save_weights
from core.results.image_gpt_results import (
    BEST,
    BY_NEIGHBOURS,
    DRAWN,
    FILLINGS,
    HIDDEN,
    IMAGE_GPT,
    MEAN,
    NEIGHBOURS,
    NEXT,
    UNTRAINED,
    WAYS,
)
from core.vision.patch_masks import error_of
from core.vision.pixel_contexts import HISTOGRAM, LEFT_AND_ABOVE, count_contexts
from core.vision.pixel_drawing import fill_hidden, fill_with_neighbours, hide_pixels, surprise
from core.zoo.embedded import WEIGHTS
from core.zoo.image_gpts import IMAGE_GPTS, PixelReader, load_image_gpt
from training.common.card import save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.data_sets import CIFAR10
from training.image_gpt.linear_probe import probe
from training.image_gpt.train import HIDDEN as SHARE
from training.image_gpt.train import PORTION, TASKS, portions, read_cifar

COUNTED = 10_000  # training pictures whose contexts are counted
TRIED = 200  # further ones, which say how strongly contexts are smoothed
STRENGTHS = (1.0, 4.0, 16.0, 64.0, 256.0)

CARD = """# image-gpt

Pixels read as words (Chen et al. 2020): `core/models/image_gpt.py`, one network for each of the paper's tasks: the next
pixel, and hidden pixels. 32 x 32 pixels, each one of 512 colours, which k-means found in the training pictures; weights
are stored in 8 bits, and measured as they are stored.

## Data and licence
CIFAR-10 (Krizhevsky 2009) in a copy made of JPEG files (quality about 75, colours at half the resolution), so its
pixels are not quite the canonical ones. The data set has no formal licence: cite the technical report. Mirrored at
random. The weights are released under the project's licence.

## Held-out results
Test pictures of the same copy.

{bits}

Published figures (core/published/image_density.csv) are bits of one of three channels with 256 values; here a pixel is
one of 512 colours, which takes fewer, so the two are not the same quantity.

{filled}

{probe}

## Training
{runs}

    python -m training.image_gpt.train --data PATH --only TASK --steps STEPS --batch PICTURES     (and --device cuda)
    python -m training.image_gpt.report --data PATH

Hidden pixels begin with what was learned of next ones. Measured on {hardware}; torch {torch}. The graphics card was
shared with other runs, and had torch 2.11.0. How many steps there would be was settled under way: the rate began to
fall 20 and 140 steps later than it does with the command above.
"""


def main() -> None:
    """Install the trained networks, measure them, and write results.json and CARD.md."""
    arguments = command_line().read()
    runs = installed(arguments.run, arguments.out)
    readers = {task: load_image_gpt(task, folder=arguments.out) for task in runs}
    if not readers:
        raise SystemExit(f"Nothing is trained in {arguments.run}: python -m training.image_gpt.train --data PATH")
    images, labels, tests, test_labels = (
        part for split in ("train", "test") for part in read_cifar(arguments.data, split, arguments.run / "pictures")
    )
    results: dict[str, Any] = {task: run | {"parameters": readers[task].parameters} for task, run in runs.items()}
    tests, test_labels = tests[: arguments.pictures], test_labels[: arguments.pictures]
    if NEXT in readers:
        results["bits"] = bits(readers[NEXT], images, tests)
        print(json.dumps(results["bits"], indent=1), flush=True)
    if HIDDEN in readers:
        results["filled"] = filled(readers[HIDDEN], tests)
        print(json.dumps(results["filled"], indent=1), flush=True)
    learned = images[: arguments.probe], labels[: arguments.probe]
    results["probe"] = probe(readers, *learned, tests, test_labels)
    print(json.dumps(results["probe"], indent=1), flush=True)
    save_card(arguments.out, CARD, results, tables_of(results))


def installed(run: Path, out: Path) -> dict[str, dict[str, Any]]:
    """Store the trained networks in 8 bits, with their sizes; returns the record of each training by task."""
    records, sizes = {}, {}
    for task, config in TASKS.items():
        file = run / task / "model.safetensors"
        if file.exists():
            record = json.loads((file.parent / "run.json").read_text())
            config = ImageGPTConfig(**record["sizes"])
            network = load_weights(partial(ImageGPT, config), file)
            save_weights(network, out / f"{task}.safetensors", eight_bits=True)
            records[task], sizes[task] = record, asdict(config)
    if sizes:
        (out / "config.json").write_text(json.dumps(sizes, indent=1) + "\n")
    return records


def bits(reader: PixelReader, images: Int[Tensor, "_ channel row column"], tests: Tensor) -> dict[str, Any]:
    """Bits of a pixel by the network, by contexts of two pixels and by the histogram of the palette."""
    palette, side = reader.network.palette, reader.side
    colours = torch.cat([reader.network.read(part) for part in portions(tests)])
    own = torch.cat([surprise(reader.network, part).mean(dim=1) for part in colours.split(PORTION)])
    counted = min(COUNTED, len(images) * 9 // 10)
    colour_parts = [
        torch.cat([nearest_of(part, palette) for part in portions(images[first:last])])
        for first, last in ((0, counted), (counted, counted + TRIED))
    ]
    contexts = count_contexts(colour_parts[0], palette, side=side)
    strength = min(
        STRENGTHS, key=lambda strength: float(contexts.bits(colour_parts[1], strength=strength)[LEFT_AND_ABOVE].mean())
    )
    context_bits = contexts.bits(colours, strength=strength)
    bits_by_way = {
        IMAGE_GPT: own,
        LEFT_AND_ABOVE: context_bits[LEFT_AND_ABOVE].mean(dim=1),
        HISTOGRAM: context_bits[HISTOGRAM].mean(dim=1),
    }
    about = {"pictures": len(tests), "counted": counted, "strength": strength}
    return about | {way: mean_of(bits_by_way[way]) for way in WAYS}


def filled(reader: PixelReader, tests: Int[Tensor, "_ channel row column"]) -> dict[str, Any]:
    """Errors of the guesses for hidden pixels of each test picture, beside the mean of visible neighbours."""
    errors: dict[str, list[float]] = {filling: [] for filling in FILLINGS}
    mean_bits, right, near, count = [], 0, 0, 0
    for number, part in enumerate(portions(tests, 1)):
        colours = reader.network.read(part)[0]
        flat = hide_pixels(reader.side, SHARE, seed=number)
        hidden, truth = flat.unflatten(0, (reader.side, -1)), reader.network.paint(colours[None])[0]
        guess = fill_hidden(reader.network, colours, flat, seed=number)
        neighbours = fill_with_neighbours(truth, hidden)
        for filling, picture in {
            BEST: guess.best,
            DRAWN: guess.drawn,
            MEAN: guess.mean,
            NEIGHBOURS: neighbours,
        }.items():
            errors[filling].append(error_of(picture, truth, hidden))
        mean_bits.append(float(guess.bits.mean()))
        first, second = (nearest_of(picture[None], reader.network.palette)[0] for picture in (guess.best, neighbours))
        right += int((first == colours)[flat].sum())
        near += int((second == colours)[flat].sum())
        count += int(flat.sum())
    return {
        "pictures": len(tests),
        "pixels": count,
        "share": SHARE,
        "right": round(right / count, 4),
        BY_NEIGHBOURS: round(near / count, 4),
        "bits": mean_of(torch.tensor(mean_bits)),
    } | {filling: mean_of(torch.tensor(values)) for filling, values in errors.items()}


def nearest_of(
    pixels: Float[Tensor, "batch channel row column"], palette: Float[Tensor, "colour channel"]
) -> Int[Tensor, "batch place"]:
    """The nearest colour of the palette for each pixel, row by row."""
    return nearest_colours(pixels.flatten(2).transpose(1, 2), palette)


def mean_of(values: Float[Tensor, " point"]) -> dict[str, float]:
    """The mean over pictures, with its standard error."""
    return {"mean": round(float(values.mean()), 5), "error": round(float(values.std() / len(values) ** 0.5), 5)}


def tables_of(results: Mapping[str, Any]) -> dict[str, str]:
    """The tables of the card; a sentence instead of a table that was not measured."""
    texts = {"bits": "Next pixels were not measured.", "filled": "Hidden pixels were not measured."}
    if measured := results.get("bits"):
        means = {way: measured[way]["mean"] for way in WAYS}
        rows = [[way, f"{mean:.3f} ± {measured[way]['error']:.3f}", f"{mean / 3:.3f}"] for way, mean in means.items()]
        title = f"Bits of the next pixel, {measured['pictures']:,} pictures (± standard error):"
        texts["bits"] = title + "\n\n" + table(["", "bits a pixel", "a third of it"], rows)
    if measured := results.get("filled"):
        rows = [
            [filling, f"{measured[filling]['mean']:.5f} ± {measured[filling]['error']:.5f}"] for filling in FILLINGS
        ]
        texts["filled"] = (
            f"{measured['share']:.0%} of the pixels hidden: the first guess is the very colour for "
            f"{measured['right']:.1%} (the colour nearest to the mean of seen neighbours for "
            f"{measured[BY_NEIGHBOURS]:.1%}); {measured['bits']['mean']:.3f} bits each. "
            f"Mean squared errors, values 0 to 1:\n\n" + table(["", "error"], rows)
        )
    measured = results["probe"]
    networks = [name for name in (*IMAGE_GPTS, UNTRAINED) if name in measured]
    layers = list(measured[networks[0]])
    rows = [[name, *(f"{measured[name][layer]['right']:.1%}" for layer in layers)] for name in networks]
    texts["probe"] = (
        "Right classes of CIFAR-10 by a linear classifier of the mean of all places after each layer, "
        f"{measured['train']:,} pictures to learn from, {measured['test']:,} asked; of raw pixels "
        f"{measured['pixels']:.1%}:\n\n" + table(["", *(f"layer {layer}" for layer in layers)], rows)
    )
    runs = []
    for task, run in results.items():
        if task in IMAGE_GPTS:
            minutes = f"{run['seconds'] / 60:.0f}"
            runs.append([task, f"{run['parameters']:,}", run["plan"]["steps"], run["batch"], minutes, run["hardware"]])
    return texts | {"runs": table(["task", "parameters", "steps", "pictures a step", "minutes", "on"], runs)}


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[CIFAR10],
        run=Path("runs/image-gpt"),
        out=WEIGHTS / "image-gpt",
        threads="one",
        helps={"run": TRAINED},
    )
    parser.add_argument("--pictures", type=int, default=1000, help="test pictures")
    parser.add_argument("--probe", type=int, default=1500, help="training pictures of the linear probe")
    return parser


if __name__ == "__main__":
    main()
