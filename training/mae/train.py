"""Train a masked autoencoder (He et al. 2022) on Tiny ImageNet, without a single label.

`training.mae.report` then measures what came out and writes its card.

    python -m training.mae.train --data PATH
"""

import json
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.mae import MAEConfig, MaskedAutoencoder, loss_of, random_mask
from core.models.stored_weights import save_weights
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import TINY_IMAGENET
from training.common.loop import Plan, train
from training.common.pictures import batch_at, standardise, vary
from training.tiny_imagenet.data import DEVIATION, MEAN, read_pictures

CONFIG = MAEConfig()
HIDDEN = 0.75  # of the patches (section 4.1: the best share for linear probing, and nearly so for fine-tuning)
BATCH = 256
PLAN = Plan(steps=2400, learning_rate=2e-3, weight_decay=0.05, warm_up=100, decay=0.4, save_every=100)


def main() -> None:
    """Train, and write the weights and the record to the run's folder."""
    arguments = command_line().read()
    images, _ = read_pictures(arguments.data, "train", arguments.run.parent / "tiny-imagenet")
    torch.manual_seed(PLAN.seed)
    network = MaskedAutoencoder(CONFIG).to(arguments.device)
    plan = replace(PLAN, steps=arguments.steps or PLAN.steps)

    def loss_at(step: int) -> Tensor:
        chosen = batch_at(step, len(images), arguments.batch, plan.seed)
        pictures = vary(images[chosen].to(arguments.device).float() / 255, CONFIG.side, light=False)
        pictures = standardise(pictures, MEAN, DEVIATION)
        hidden = random_mask(len(pictures), CONFIG.patches, HIDDEN, device=arguments.device)
        # Written-out attention: the fused kernel's bfloat16 backward pass is slow on a CPU.
        with torch.autocast(arguments.device, torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
            output = network(pictures, hidden)
        return loss_of(output.float(), pictures, hidden, CONFIG)

    seconds = train(network, loss_at, plan, arguments.run)
    save_weights(network, arguments.run / "model.safetensors")
    record = {"plan": asdict(plan), "batch": arguments.batch, "hidden": HIDDEN, "pictures": len(images)}
    record |= {"seconds": round(seconds), "seed": plan.seed, "hardware": hardware(arguments.device)}
    (arguments.run / "run.json").write_text(json.dumps(record, indent=1) + "\n")


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[TINY_IMAGENET], run=Path("runs/mae"), steps="plan", device=True, threads="all")
    parser.add_argument("--batch", type=int, default=BATCH)
    return parser


if __name__ == "__main__":
    main()
