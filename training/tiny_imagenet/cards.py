"""The cards of the image classifiers, written from the results that lie beside their weights."""

import json
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.attribution.image_methods import ACTIVATION, ATTENTION, RELEVANCE, ROLLOUT
from core.results.classifier_results import RANDOM, SIDE, SIDES, Faithful, Quality, faithful, quality
from core.results.result_files import error_of
from training.common.card import table, write_card


def write_cards(weights: Path, names: list[str]) -> None:
    """Write a card into each of the folders `names`; all cards hold the same comparison."""
    results = {name: json.loads((weights / name / "results.json").read_text()) for name in names}
    qualities = [quality(weights / name) for name in names]
    tables = {
        "comparison": comparison(qualities, results[names[0]]["logistic_regression"]),
        "fair": fairness(results),
        "enlarged": by_size(qualities),
    }
    for name, result in results.items():
        kind = name.partition("-")[0]
        of_model = {
            "name": name,
            "what": WHAT[kind],
            "how": HOW[kind].format_map(result),
            "command": f"`make train-{name} DATA=...`",
            "first": _first(result),
            "storage": _storage(result),
            "faithfulness": faithfulness_table(weights / name),
        }
        write_card(weights / name, CARD, tables | of_model)


def comparison(qualities: list[Quality], base: dict[str, float]) -> str:
    """The table of all models beside the baseline (its "top1" and "top5") and chance."""
    rows = [
        [
            model.name,
            f"{model.top1:.1%}",
            f"{model.top5:.1%}",
            f"{model.parameters / 1e6:.2f} M",
            f"{model.macs / 1e6:.0f} M",
            f"{model.images_per_second:.0f}",
            f"{model.seconds:,.0f}",
        ]
        for model in qualities
        if model.parameters and model.macs and model.images_per_second and model.seconds
    ]
    rows.append(["logistic regression on pixels", f"{base['top1']:.1%}", f"{base['top5']:.1%}", *[""] * 4])
    rows.append(["chance", "1.0%", "5.0%", *[""] * 4])
    header = ["5,000 validation pictures", "top-1", "top-5", "parameters", "MACs", "images/s", "seconds trained"]
    return table(header, rows)


def by_size(qualities: list[Quality]) -> str:
    """Top-1 at each size that was measured, with its standard error."""
    sides = sorted({side for model in qualities for side in model.enlarged})
    if not sides:
        return "Not measured at larger sizes."
    by_model = {model.name: {side: model.at(side) for side in (SIDE, *sides)} for model in qualities}
    first = next(iter(by_model.values()))
    header = ["top-1 at", *(f"{side} x {side}, {accuracy.pictures:,}" for side, accuracy in first.items() if accuracy)]
    rows = [
        [
            name,
            *(
                f"{accuracy.top1:.1%} ± {100 * accuracy.standard_error:.1f}" if accuracy else ""
                for accuracy in sides.values()
            ),
        ]
        for name, sides in by_model.items()
    ]
    return table(header, rows)


def fairness(results: dict[str, dict[str, Any]]) -> str:
    """A text about what the trainings of the models have in common, and how others differ."""
    from_scratch = [name for name, result in results.items() if not (result.get("first_run") or result.get("teacher"))]
    steps = {results[name]["plan"]["steps"] for name in from_scratch}
    text = "All of them were trained by the same script on the same pictures"
    if len(from_scratch) > 1 and len(steps) == 1:
        text += f", {_listed(from_scratch)} also in the same order and for the same {steps.pop():,} steps"
    text += "."
    for name, result in results.items():
        if name not in from_scratch:
            text += f" `{name}` learned otherwise: {_otherwise(result)}."
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _otherwise(result: dict[str, Any]) -> str:
    with_teacher = f"from the answers of `{result['teacher']}-tiny-imagenet` too" if result.get("teacher") else ""
    if not (first := result.get("first_run")):
        return f"in {result['plan']['steps']:,} steps, {with_teacher}"
    runs = f"in two runs of {first['plan']['steps']:,} and {result['plan']['steps']:,} steps"
    return runs + (f", in the second one {with_teacher}" if with_teacher else "")


def _listed(names: list[str]) -> str:
    *most, last = (f"`{name}`" for name in names)
    return f"{', '.join(most)} and {last}"


def faithfulness_table(folder: Path) -> str:
    """Areas under the deletion and insertion curves of each explanation; a sentence where nothing was measured."""
    if not (folder / "faithfulness.json").exists():
        return "Not measured for this model."
    return card_table(faithful(folder), TITLES)


def _first(result: dict[str, Any]) -> str:
    first = result.get("first_run")
    if not first:
        return ""
    teacher = f"with the teacher `{first['teacher']}-tiny-imagenet`" if first.get("teacher") else "without a teacher"
    text = f"It went on from a first run of {first['plan']['steps']:,} steps {teacher}"
    text += f" ({first['seconds'] / 60:.0f} minutes)"
    if "validation" in first:
        text += f", which reached {first['validation']['top1']:.1%} (top-5 {first['validation']['top5']:.1%})"
    return f"\n{text}."


def _storage(result: dict[str, Any]) -> str:
    in_half_precision = ["explanations"]
    if result.get("enlarged_in_half_precision"):
        in_half_precision.append("accuracy on enlarged pictures")
    text = f"The weights are stored in 8 bits, and were measured so, but for {' and '.join(in_half_precision)}."
    if half_precision := result.get("half_precision"):
        error = error_of(half_precision["top1"], half_precision["pictures"])
        text += f" Top-1 was {half_precision['top1']:.2%} ± {error:.2%} in half precision, and is"
        text += f" {result['validation']['top1']:.2%} in 8 bits."
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


TITLES = {
    ATTENTION: "attention of the last layer",
    ROLLOUT: "rollout (Abnar and Zuidema 2020)",
    RELEVANCE: "gradient x attention (Chefer et al. 2021)",
    ACTIVATION: "class activation map (Selvaraju et al. 2017)",
    RANDOM: "random order",
}
WHAT = {
    "vit": """\
A small vision transformer (timm's `VisionTransformer`, Dosovitskiy et al. 2020): 6 layers of 4 heads, width 256,
patches of 8 x 8 pixels on 64 x 64, a class token and learned positions, which are resized for larger pictures.""",
    "swin": """\
A small Swin transformer (timm's `SwinTransformer`, Liu et al. 2021): patches of 4 x 4 pixels on 64 x 64, windows of
4 x 4 patches, stages of 2, 6 and 2 blocks with 2, 4 and 8 heads, width 80, 160 and 320. Every second block shifts its
windows, in the last stage too, where one window fills the grid: larger pictures find each block as it was trained.""",
    "resnet": """\
A small residual network (timm's `ResNet` of basic blocks, He et al. 2015): 16 convolutions of 3 x 3 in four stages of
48, 96, 192 and 320 channels, a stem of 7 x 7, no pooling after it. It has no attention.""",
    "plain": """\
The same convolutions as in `resnet-tiny-imagenet`, without the shortcuts (the plain networks of He et al. 2015,
section 3.3): `core/models/plain_convolution.py`. It has no attention. Better at nothing than the network with
shortcuts, it does not come along: these are its results, and training writes its weights.""",
}
CONVOLUTIONS = """\
Nesterov momentum with weight decay {plan[weight_decay]}; crops of 48 x 48 for the first 70 % of the steps, then of
64 x 64 (Touvron et al. 2019)."""
HOW = {
    "vit": """\
Muon for the matrices of the blocks and AdamW for the rest; half of the patches left out for the first 90 % of the steps
(PatchDropout, Liu et al. 2022). Half of the loss was the distance to what `{teacher}-tiny-imagenet` says of the same
crops (distillation, Hinton et al. 2015; Beyer et al. 2021).""",
    "swin": "Muon for the matrices of the blocks and AdamW for the rest.",
    "resnet": CONVOLUTIONS,
    "plain": CONVOLUTIONS,
}
CARD = """# {name}

{what}
It tells a hundred kinds of things apart, from goldfish to seashore, and nothing else. {parameters:,} parameters.

## Data and licence
Tiny ImageNet (Stanford CS231n), every second of its 200 classes, 500 training pictures each. Derived from ImageNet:
non-commercial research and education; the same holds for these weights.

## Held-out results
{comparison}

{fair}

MACs are multiply-adds of the matrix products and convolutions for one picture of 64 x 64; images/s in single precision
on {hardware}, measured in turn. The logistic regression sees the same pictures at 32 x 32 pixels. Nothing was chosen by
these numbers.

{storage}

The pages show larger pictures, too. The same pictures enlarged (bicubic), at n times the pixels every n-th of them;
behind the size stands how many, then the standard error. A visitor's photograph is reduced to that size instead, and
may be sharper.

{enlarged}

## How faithful are the explanations?
{faithfulness}

Areas under the curves of the class's probability while patches are removed (set to the mean colour) or inserted (into a
blurred picture) in the order of the explanation (Petsiuk et al. 2018), with standard errors; the class is the one that
the model predicts. Measured by `python -m training.measurements.vision_faithfulness`.

## How it was made
{command} (`python -m training.tiny_imagenet.train`), seed {plan[seed]}:
{plan[steps]:,} steps of {batch} pictures ({epochs} epochs), learning rate {plan[learning_rate]}, label smoothing 0.1,
random crops, mirroring and light; bfloat16 autocast.{first}
{how}
{minutes} minutes on {hardware}, shared with other work. torch {torch}.
"""


def card_table(faithful: Faithful, titles: Mapping[str, str]) -> str:
    """The table for a card: one row for each explanation, areas with their standard errors."""
    rows = [
        [titles.get(name, name), *(f"{areas[side].mean:.3f} ± {areas[side].standard_error:.3f}" for side in SIDES)]
        for name, areas in faithful.areas.items()
    ]
    return table(["order", "deletion (lower is better)", "insertion (higher is better)"], rows)
