"""Train DALL-E (Ramesh et al. 2021, stage two) on the drawn world, and on emoji with their names.

Needs the discrete autoencoders of `training.discrete_vae.train`. `training.dalle.report` then measures what came out.
Scenes need no data; without `--data` emoji are left out.

    python -m training.dalle.train [--data PATH] [--only scenes emoji]
"""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from random import Random

import torch
from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor

from core.models.dalle import DALLE, DALLEConfig, loss_of
from core.models.discrete_vae import DiscreteVAE
from core.models.stored_weights import load_weights, save_weights
from core.scenes.draw import draw
from training.common.card import hardware
from training.common.command_line import CommandLine, with_or_without_emoji
from training.common.emoji import HELD, Emoji, emoji_tokenizer, read_emoji
from training.common.loop import Plan, train
from training.common.pictures import as_pixels, batch_at
from training.common.scenes import scene_with_sentence, scenes_tokenizer
from training.common.word_tokens import filled
from training.discrete_vae.train import WORLDS

PLAN = Plan(steps=1500, learning_rate=2e-3, warm_up=100, decay=0.4, log_every=50, save_every=100)
BATCH = 32
NAMES = ("scenes", "emoji")


def main() -> None:
    """Train the networks of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    for name in with_or_without_emoji(arguments, NAMES):
        file = arguments.run.parent / "discrete-vae" / name / "model.safetensors"
        coder = load_weights(partial(DiscreteVAE, WORLDS[name]), file).to(arguments.device)
        emoji = read_emoji(arguments.data) if name == "emoji" else []
        tokenizer = emoji_tokenizer(emoji) if emoji else scenes_tokenizer()
        config = DALLEConfig(words=tokenizer.get_vocab_size())
        torch.manual_seed(PLAN.seed)
        network, folder = DALLE(config).to(arguments.device), arguments.run / name
        batch = emoji_batches(emoji, coder, tokenizer, config, arguments.batch) if emoji else None
        batch = batch or scene_batches(coder, tokenizer, config, arguments.batch)
        plan = replace(PLAN, steps=arguments.steps or PLAN.steps)

        def loss_at(step: int, network=network, batch=batch) -> Tensor:
            words, codes = (part.to(arguments.device) for part in batch(step))
            with torch.autocast(arguments.device, torch.bfloat16):
                expected = network(words, codes[:, :-1])
            return loss_of(expected, words, codes)

        seconds = train(network, loss_at, plan, folder)
        save_weights(network, folder / "model.safetensors", eight_bits=True)
        tokenizer.save(str(folder / "tokenizer.json"))
        record = {"plan": asdict(plan), "batch": arguments.batch, "sizes": asdict(config)}
        record |= {"seconds": round(seconds), "seed": plan.seed, "hardware": hardware(arguments.device)}
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n")


Batch = Callable[[int], tuple[Int[Tensor, "batch token"], Int[Tensor, "batch place"]]]


def scene_batches(coder: DiscreteVAE, tokenizer: Tokenizer, config: DALLEConfig, size: int) -> Batch:
    """Batches by step, as words and codes: new scenes, each with a true sentence."""

    def batch(step: int) -> tuple[Tensor, Tensor]:
        examples = [scene_with_sentence("train", step * size + place) for place in range(size)]
        words = filled(tokenizer, [sentence.text for _, sentence in examples], config.context)
        return words, codes_of(coder, as_pixels([draw(scene) for scene, _ in examples]))

    return batch


def emoji_batches(
    emoji: list[Emoji], coder: DiscreteVAE, tokenizer: Tokenizer, config: DALLEConfig, size: int
) -> Batch:
    """Batches by step, as words and codes: training emoji, half of them mirrored, each with one of its names."""
    training_emoji = [item for number, item in enumerate(emoji) if number % HELD]
    pictures = as_pixels([item.picture for item in training_emoji])
    codes = torch.cat([codes_of(coder, part) for part in pictures.split(64)])
    mirrored = torch.cat([codes_of(coder, part.flip(3)) for part in pictures.split(64)])

    def batch(step: int) -> tuple[Tensor, Tensor]:
        chosen, rng = batch_at(step, len(training_emoji), size, PLAN.seed).tolist(), Random(f"emoji {step}")
        texts = [rng.choice(training_emoji[number].texts) for number in chosen]
        chosen_codes = torch.stack([rng.choice((codes, mirrored))[number] for number in chosen])
        return filled(tokenizer, texts, config.context), chosen_codes

    return batch


@torch.no_grad()
def codes_of(coder: DiscreteVAE, pixels: Tensor) -> Int[Tensor, "batch place"]:
    """The codes of pictures, row by row."""
    device = next(coder.parameters()).device
    return coder.codes(pixels.to(device)).flatten(1)


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__, emoji=True, run=Path("runs/dalle"), only=NAMES, steps="plan", device=True, threads="all"
    )
    parser.add_argument("--batch", type=int, default=BATCH)
    return parser


if __name__ == "__main__":
    main()
