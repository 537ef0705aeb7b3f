"""Install image-GPT, and measure it as it is stored: bits of the next pixel, hidden pixels, a linear probe by layer.

Needs the networks of `training.image_gpt.train`; a task that was not trained is left out. About a quarter of an hour on
one core.

    python -m training.image_gpt.report --data PATH
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from core.models.image_gpt import ImageGPT, ImageGPTConfig, nearest
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
from core.vision.pixel_contexts import HISTOGRAM, TWO, count_contexts
from core.vision.pixel_drawing import fill_hidden, hide_pixels, neighbour_mean, surprise
from core.zoo.embedded import WEIGHTS
from core.zoo.image_gpts import IMAGE_GPTS, PixelReader, load_image_gpt
from training.common.card import save_card, table
from training.common.command_line import TRAINED, CommandLine
from training.common.data_sets import CIFAR10
from training.image_gpt.train import HIDDEN as SHARE
from training.image_gpt.train import PLAN, TASKS, read_cifar

TOGETHER = 8  # pictures
COUNTED = 10_000  # training pictures whose contexts are counted
TRIED = 200  # further ones, which say how strongly contexts are smoothed
STRENGTHS = (1.0, 4.0, 16.0, 64.0, 256.0)
PENALTY = 0.1  # C of the logistic regression: the smaller, the smaller its weights

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
    """Install what was trained, measure it, and write results.json and CARD.md."""
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
    """Store in 8 bits what was trained, with its sizes; gives what each run says of itself."""
    found, sizes = {}, {}
    for task, config in TASKS.items():
        file = run / task / "model.safetensors"
        if file.exists():
            story = json.loads((file.parent / "run.json").read_text())
            config = ImageGPTConfig(**story["sizes"])
            network = load_weights(partial(ImageGPT, config), file)
            save_weights(network, out / f"{task}.safetensors", eight_bits=True)
            found[task], sizes[task] = story, asdict(config)
    if sizes:
        (out / "config.json").write_text(json.dumps(sizes, indent=1) + "\n")
    return found


def bits(reader: PixelReader, images: Int[Tensor, "_ channel row column"], tests: Tensor) -> dict[str, Any]:
    """Bits a pixel of the network, of contexts of two pixels and of the palette's histogram."""
    palette, side = reader.network.palette, reader.side
    colours = torch.cat([reader.network.read(part) for part in portions(tests)])
    own = torch.cat([surprise(reader.network, part).mean(dim=1) for part in colours.split(TOGETHER)])
    counted = min(COUNTED, len(images) * 9 // 10)
    known = [
        torch.cat([nearest_of(part, palette) for part in portions(images[first:last])])
        for first, last in ((0, counted), (counted, counted + TRIED))
    ]
    contexts = count_contexts(known[0], palette, side=side)
    strength = min(STRENGTHS, key=lambda each: float(contexts.bits(known[1], strength=each)[TWO].mean()))
    told = contexts.bits(colours, strength=strength)
    found = {IMAGE_GPT: own, TWO: told[TWO].mean(dim=1), HISTOGRAM: told[HISTOGRAM].mean(dim=1)}
    about = {"pictures": len(tests), "counted": counted, "strength": strength}
    return about | {way: mean_of(found[way]) for way in WAYS}


def filled(reader: PixelReader, tests: Int[Tensor, "_ channel row column"]) -> dict[str, Any]:
    """Hidden pixels of each test picture, guessed at once, beside the mean of seen neighbours."""
    errors: dict[str, list[float]] = {filling: [] for filling in FILLINGS}
    mean_bits, right, near, count = [], 0, 0, 0
    for number, part in enumerate(portions(tests, 1)):
        colours = reader.network.read(part)[0]
        flat = hide_pixels(reader.side, SHARE, seed=number)
        hidden, truth = flat.unflatten(0, (reader.side, -1)), reader.network.paint(colours[None])[0]
        made = fill_hidden(reader.network, colours, flat, seed=number)
        around = neighbour_mean(truth, hidden)
        for filling, picture in {BEST: made.best, DRAWN: made.drawn, MEAN: made.mean, NEIGHBOURS: around}.items():
            errors[filling].append(error_of(picture, truth, hidden))
        mean_bits.append(float(made.bits.mean()))
        first, second = (nearest_of(picture[None], reader.network.palette)[0] for picture in (made.best, around))
        right, near = (total + int((each == colours)[flat].sum()) for total, each in ((right, first), (near, second)))
        count += int(flat.sum())
    return {
        "pictures": len(tests),
        "pixels": count,
        "share": SHARE,
        "right": round(right / count, 4),
        BY_NEIGHBOURS: round(near / count, 4),
        "bits": mean_of(torch.tensor(mean_bits)),
    } | {filling: mean_of(torch.tensor(each)) for filling, each in errors.items()}


def probe(
    readers: Mapping[str, PixelReader],
    images: Int[Tensor, "_ channel row column"],
    labels: Int[Tensor, " _"],
    tests: Int[Tensor, "_ channel row column"],
    test_labels: Int[Tensor, " _"],
) -> dict[str, Any]:
    """The share of right classes by a linear classifier: of raw pixels, and of each layer of each network."""
    torch.manual_seed(PLAN.seed)
    first = next(iter(readers.values())).network
    untrained = ImageGPT(first.config).eval().requires_grad_(False)
    untrained.palette.copy_(first.palette)
    found: dict[str, Any] = {"train": len(images), "test": len(tests)}
    raw = [(part.flatten(1).float() / 255).numpy() for part in (images, tests)]
    found["pixels"] = told(raw[0], labels, raw[1], test_labels)
    networks = {task: reader.network for task, reader in readers.items()} | {UNTRAINED: untrained}
    for name, network in networks.items():
        learned, asked = (pooled(network, part) for part in (images, tests))
        layers = zip(learned.unbind(dim=1), asked.unbind(dim=1), strict=True)
        found[name] = {
            str(layer): {"right": told(one.numpy(), labels, two.numpy(), test_labels)}
            for layer, (one, two) in enumerate(layers)
        }
        print(name, json.dumps(found[name]), flush=True)
    return found


@torch.inference_mode()
def pooled(network: ImageGPT, images: Int[Tensor, "_ channel row column"]) -> Float[Tensor, "_ layer width"]:
    """The mean of all places after each layer; layer 0 is before the first (section 2.5 of the paper)."""
    found = []
    for part in portions(images):
        colours = network.read(part)
        x = network.features(network.after_start(colours) if network.config.causal else colours, 0)
        means = [x.mean(dim=1)]
        with torch.autocast("cpu", torch.bfloat16):
            for block in network.blocks:
                x = block(x)
                means.append(x.float().mean(dim=1))
        found.append(torch.stack(means, dim=1))
    return torch.cat(found)


def told(learned: np.ndarray, labels: Tensor, asked: np.ndarray, test_labels: Tensor) -> float:
    """The share of right classes, by a logistic regression on standardised numbers."""
    classifier = make_pipeline(StandardScaler(), LogisticRegression(C=PENALTY, max_iter=1000))
    classifier.fit(learned, labels.numpy())
    return round(float((classifier.predict(asked) == test_labels.numpy()).mean()), 4)


def portions(
    images: Int[Tensor, "_ channel row column"], count: int = TOGETHER
) -> Iterator[Float[Tensor, "_ channel row column"]]:
    """Some pictures at a time, values 0 to 1."""
    return (part.float() / 255 for part in images.split(count))


def nearest_of(
    pixels: Float[Tensor, "batch channel row column"], palette: Float[Tensor, "colour channel"]
) -> Int[Tensor, "batch place"]:
    """The nearest colours, row by row."""
    return nearest(pixels.flatten(2).transpose(1, 2), palette)


def mean_of(values: Float[Tensor, " point"]) -> dict[str, float]:
    """Over pictures, with its standard error."""
    return {"mean": round(float(values.mean()), 5), "error": round(float(values.std() / len(values) ** 0.5), 5)}


def tables_of(results: Mapping[str, Any]) -> dict[str, str]:
    """What the card shows; a sentence for what was not measured."""
    shown = {"bits": "Next pixels were not measured.", "filled": "Hidden pixels were not measured."}
    if found := results.get("bits"):
        means = {way: found[way]["mean"] for way in WAYS}
        rows = [[way, f"{mean:.3f} ± {found[way]['error']:.3f}", f"{mean / 3:.3f}"] for way, mean in means.items()]
        title = f"Bits of the next pixel, {found['pictures']:,} pictures (± standard error):"
        shown["bits"] = title + "\n\n" + table(["", "bits a pixel", "a third of it"], rows)
    if found := results.get("filled"):
        rows = [[filling, f"{found[filling]['mean']:.5f} ± {found[filling]['error']:.5f}"] for filling in FILLINGS]
        shown["filled"] = (
            f"{found['share']:.0%} of the pixels hidden: the first guess is the very colour for {found['right']:.1%} "
            f"(the colour nearest to the mean of seen neighbours for {found[BY_NEIGHBOURS]:.1%}); "
            f"{found['bits']['mean']:.3f} bits each. Mean squared errors, values 0 to 1:\n\n"
            + table(["", "error"], rows)
        )
    found = results["probe"]
    networks = [name for name in (*IMAGE_GPTS, UNTRAINED) if name in found]
    layers = list(found[networks[0]])
    rows = [[name, *(f"{found[name][layer]['right']:.1%}" for layer in layers)] for name in networks]
    shown["probe"] = (
        "Right classes of CIFAR-10 by a linear classifier of the mean of all places after each layer, "
        f"{found['train']:,} pictures to learn from, {found['test']:,} asked; of raw pixels {found['pixels']:.1%}:\n\n"
        + table(["", *(f"layer {layer}" for layer in layers)], rows)
    )
    runs = []
    for task, run in results.items():
        if task in IMAGE_GPTS:
            minutes = f"{run['seconds'] / 60:.0f}"
            runs.append([task, f"{run['parameters']:,}", run["plan"]["steps"], run["batch"], minutes, run["hardware"]])
    return shown | {"runs": table(["task", "parameters", "steps", "pictures a step", "minutes", "on"], runs)}


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
