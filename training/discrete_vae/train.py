"""Train the discrete autoencoders of DALL-E (Ramesh et al. 2021, stage one): on drawn scenes, and on emoji.

Scenes need no data; without `--data` emoji are left out.

    python -m training.discrete_vae.train [--data PATH] [--only scenes scenes-gumbel emoji]
"""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from core.models.discrete_vae import DiscreteVAE, DiscreteVAEConfig, DiscreteVAEOutput, loss_of
from core.models.stored_weights import save_weights
from core.scenes.draw import draw
from core.scenes.things import scene_at
from training.common.card import hardware
from training.common.command_line import CommandLine, with_or_without_emoji
from training.common.emoji import read_emoji
from training.common.loop import Plan, train
from training.common.pictures import as_pixels, batch_at

# After as many steps the nearest vector uses nine times the codes of scenes that Gumbel softmax uses.
WORLDS = {
    "scenes": DiscreteVAEConfig(quantiser="nearest"),
    "scenes-gumbel": DiscreteVAEConfig(quantiser="gumbel"),
    "emoji": DiscreteVAEConfig(quantiser="nearest"),
}
PLAN = Plan(steps=900, learning_rate=2e-3, warm_up=100, decay=0.3, log_every=100, save_every=250)
BATCH = 32
COLDEST = 1 / 16  # the last temperature (appendix A.2)
COOLED = 0.5  # the share of the run after which it is reached
BETA = 0.1  # of the divergence: with 1, codes of all colours but a few were given up
RESTART, LAST = 20, 0.7  # steps after which codes that none of them took begin anew, up to this share of the run
SHIFT = 6  # pixels by which emoji are moved at random, at most


def main() -> None:
    """Train the autoencoders of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    for name in with_or_without_emoji(arguments, WORLDS):
        torch.manual_seed(PLAN.seed)
        network, folder = DiscreteVAE(WORLDS[name]).to(arguments.device), arguments.run / name
        plan = replace(PLAN, steps=arguments.steps or PLAN.steps)
        pictures = emoji(arguments.data, arguments.batch) if name == "emoji" else scenes(arguments.batch)

        used = torch.zeros(network.config.codes, dtype=torch.bool)

        def loss_at(step: int, network=network, pictures=pictures, plan=plan, used=used) -> Tensor:
            pixels = pictures(step).to(arguments.device)
            with torch.autocast(arguments.device, torch.bfloat16):
                coded = network(pixels, temperature_at(step / plan.steps))
            if network.config.quantiser == "gumbel":
                return loss_of(network, pixels, coded, BETA)
            used[coded.codes.unique().cpu()] = True
            if step % RESTART == 0 and step < LAST * plan.steps:
                restart_codes(network, coded, ~used if step else torch.ones_like(used))
                used.zero_()
            return loss_of(network, pixels, coded)

        seconds = train(network, loss_at, plan, folder)
        save_weights(network, folder / "model.safetensors", eight_bits=True)
        record = {"plan": asdict(plan), "batch": arguments.batch, "sizes": asdict(WORLDS[name])}
        record |= {"seconds": round(seconds), "seed": plan.seed, "hardware": hardware(arguments.device)}
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n")


@torch.no_grad()
def restart_codes(network: DiscreteVAE, coded: DiscreteVAEOutput, unused: Bool[Tensor, " code"]) -> None:
    """Move unused codes to random encoder outputs of the batch (Dhariwal et al. 2020, section 3.1)."""
    vectors = coded.encoded.float().permute(0, 2, 3, 1).flatten(0, 2)
    places = torch.randint(len(vectors), (int(unused.sum()),), device=vectors.device)
    spread = 0.01 * torch.randn(len(places), vectors.shape[1], device=vectors.device)
    network.codebook.weight[unused.to(vectors.device)] = vectors[places] + spread


def temperature_at(share: float) -> float:
    """The temperature of the Gumbel softmax after a share of the run: a cosine from 1 to COLDEST (appendix A.2)."""
    return COLDEST + (1 - COLDEST) * (1 + math.cos(math.pi * min(1.0, share / COOLED))) / 2


def scenes(size: int) -> Callable[[int], Float[Tensor, "batch channel row column"]]:
    """Batches by step: new scenes, values 0 to 1."""

    def batch(step: int) -> Tensor:
        return as_pixels([draw(scene_at("train", step * size + place)) for place in range(size)])

    return batch


def emoji(data: Path, size: int) -> Callable[[int], Float[Tensor, "batch channel row column"]]:
    """Batches by step: emoji, mirrored and moved at random, values 0 to 1."""
    pictures = as_pixels([item.picture for item in read_emoji(data)])

    def batch(step: int) -> Tensor:
        chosen = pictures[batch_at(step, len(pictures), size, PLAN.seed)]
        chosen = torch.where(torch.rand(size)[:, None, None, None] < 0.5, chosen.flip(3), chosen)
        moved = torch.empty_like(chosen)
        for place, (down, right) in enumerate(torch.randint(-SHIFT, SHIFT + 1, (size, 2)).tolist()):
            moved[place] = torch.roll(chosen[place], (down, right), dims=(1, 2))
        return moved

    return batch


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__, emoji=True, run=Path("runs/discrete-vae"), only=WORLDS, steps="plan", device=True, threads="all"
    )
    parser.add_argument("--batch", type=int, default=BATCH)
    return parser


if __name__ == "__main__":
    main()
