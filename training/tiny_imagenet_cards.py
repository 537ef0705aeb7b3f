"""The cards of the image classifiers, written from the results that lie beside their weights."""

import json
from pathlib import Path
from typing import Any

from core.vision.explain import ACTIVATION, ATTENTION, RELEVANCE, ROLLOUT
from training.card import table, write_card
from training.vision_faithfulness import card_table


def write_cards(weights: Path, names: list[str]) -> None:
    """A card in each of the folders `names`; all of them hold the same tables."""
    results = {name: json.loads((weights / name / "results.json").read_text()) for name in names}
    tables = {"comparison": comparison(results)}
    for name in names:
        found, kind = results[name], name.partition("-")[0]
        command = f"`make train-{name} DATA=...`"
        own = {"name": name, "what": WHAT[kind], "how": HOW[kind].format_map(found), "command": command}
        write_card(
            weights / name, CARD, tables | own | {"first": _first(found), "faithfulness": faithfulness(weights / name)}
        )


def comparison(results: dict[str, dict[str, Any]]) -> str:
    """All models beside the baseline and chance."""
    rows = [
        [
            name,
            f"{found['validation']['top1']:.1%}",
            f"{found['validation']['top5']:.1%}",
            f"{found['parameters'] / 1e6:.2f} M",
            f"{found['macs'] / 1e6:.0f} M",
            f"{found['images_per_second']:.0f}",
            f"{_all_seconds(found):,.0f}",
        ]
        for name, found in results.items()
    ]
    base = next(iter(results.values()))["logistic_regression"]
    rows.append(["logistic regression on pixels", f"{base['top1']:.1%}", f"{base['top5']:.1%}", *[""] * 4])
    rows.append(["chance", "1.0%", "5.0%", *[""] * 4])
    header = ["5,000 validation pictures", "top-1", "top-5", "parameters", "MACs", "images/s", "seconds trained"]
    return table(header, rows)


def faithfulness(folder: Path) -> str:
    """Areas under the deletion and insertion curves of each explanation; a sentence where nothing was measured."""
    file = folder / "faithfulness.json"
    return card_table(json.loads(file.read_text()), TITLES) if file.exists() else "Not measured for this model."


def _all_seconds(found: dict[str, Any]) -> float:
    """An earlier run that the last one went on from counts too."""
    return found["seconds"] + (found["first_run"]["seconds"] if found.get("first_run") else 0.0)


def _first(found: dict[str, Any]) -> str:
    first = found.get("first_run")
    if not first:
        return ""
    told = f"It went on from a first run of {first['plan']['steps']:,} steps without a teacher"
    told += f" ({first['seconds'] / 60:.0f} minutes)"
    if "validation" in first:
        told += f", which reached {first['validation']['top1']:.1%} (top-5 {first['validation']['top5']:.1%})"
    return f"\n{told}."


TITLES = {
    ATTENTION: "attention of the last layer",
    ROLLOUT: "rollout (Abnar and Zuidema 2020)",
    RELEVANCE: "gradient x attention (Chefer et al. 2021)",
    ACTIVATION: "class activation map (Selvaraju et al. 2017)",
    "random": "random order",
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
section 3.3): `core/models/plain_convolution.py`. It has no attention.""",
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

All of them were trained by the same script on the same pictures in the same order. MACs are multiply-adds of the matrix
products and convolutions for one picture of 64 x 64; images/s in single precision on {hardware}, measured in turn. The
logistic regression sees the same pictures at 32 x 32 pixels. Nothing was chosen by these numbers.

## How faithful are the explanations?
{faithfulness}

Areas under the curves of the class's probability while patches are removed (set to the mean colour) or inserted (into a
blurred picture) in the order of the explanation (Petsiuk et al. 2018), with standard errors; the class is the one that
the model predicts. Measured by `python -m training.vision_faithfulness`.

## How it was made
{command} (`python -m training.tiny_imagenet`), seed {plan[seed]}:
{plan[steps]:,} steps of {batch} pictures ({epochs} epochs), learning rate {plan[learning_rate]}, label smoothing 0.1,
random crops, mirroring and light; bfloat16 autocast.{first}
{how}
{minutes} minutes on {hardware}, shared with other work. torch {torch}.
"""
