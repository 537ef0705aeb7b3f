"""Train AttnGAN (Xu et al. 2018) on the drawn world and on emoji: what matches words and regions, then the painter.

`training.attention_gan.report` then measures what came out and writes its card.
Scenes need no data; without `--data` emoji are left out.

    python -m training.attention_gan.train [--data PATH] [--only scenes emoji]
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, cast

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from core.models.attention_gan import (
    AttentionGANConfig,
    Discriminator,
    EncodedSentence,
    GeneratedPictures,
    Generator,
    condition_divergence,
    discriminator_loss,
    generator_loss,
)
from core.models.damsm import Matching, damsm_loss
from core.models.stored_weights import save_weights
from core.scenes.draw import draw
from training.common.card import hardware
from training.common.command_line import CommandLine, with_or_without_emoji
from training.common.emoji import HELD, Emoji, emoji_tokenizer, read_emoji
from training.common.loop import Plan, train
from training.common.pictures import as_pixels, batch_at
from training.common.scenes import scene_with_sentence, scenes_tokenizer, truth_table
from training.common.word_tokens import filled

MATCHING = Plan(steps=1500, learning_rate=1e-3, weight_decay=0.0, warm_up=50, log_every=100, save_every=250)
NAMES = ("scenes", "emoji")
MATCHED, BATCH = 48, 24  # pictures of a step of the one training, and of the other
STEPS, RATE, BETAS = 6000, 2e-4, (0.5, 0.999)  # of the painter and its judges (section 4.1; Radford et al. 2016)
EMA = 0.995  # of the painter's weights: what is kept is their running mean, over some 200 steps
LAMBDA = 5.0  # of the match of words and regions (section 4.1)
LOG_EVERY, SAVE_EVERY = 100, 250
SETTLING = 50  # batches from which the norms of the mean weights get their statistics


@dataclass(frozen=True, eq=False)
class Batch:
    """Pictures (values -1 to 1), a sentence for each, and True for all sentences that are true of a picture."""

    pixels: Float[Tensor, "batch channel row column"]
    ids: Int[Tensor, "batch token"]
    also_true: Bool[Tensor, "batch draw"]


def main() -> None:
    """Train the networks of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    for name in with_or_without_emoji(arguments, NAMES):
        folder = arguments.run / name
        emoji = read_emoji(arguments.data) if name == "emoji" else []
        tokenizer = emoji_tokenizer(emoji) if emoji else scenes_tokenizer()
        config = AttentionGANConfig(words=tokenizer.get_vocab_size())

        def batch(step: int, size: int, emoji=emoji, tokenizer=tokenizer, config=config) -> Batch:
            return (
                emoji_batch(emoji, tokenizer, config, step, size)
                if emoji
                else scene_batch(tokenizer, config, step, size)
            )

        torch.manual_seed(MATCHING.seed)
        matching = Matching(config).to(arguments.device)
        plan = replace(MATCHING, steps=arguments.matching_steps or MATCHING.steps)
        seconds = {
            "matching": train(matching, match_loss(matching, batch, arguments.device), plan, folder / "matching")
        }
        matching.eval().requires_grad_(False)
        steps = arguments.steps or STEPS
        generator, seconds["painting"] = paint(matching, config, batch, folder, steps, arguments.device)
        save_weights(generator, folder / "generator.safetensors", eight_bits=True)
        save_weights(matching, folder / "matching.safetensors", eight_bits=True)
        tokenizer.save(str(folder / "tokenizer.json"))
        record = {"matching": asdict(plan), "steps": steps, "rate": RATE, "batch": BATCH, "sizes": asdict(config)}
        record |= {"seconds": seconds, "seed": plan.seed, "hardware": hardware(arguments.device)}
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n")


def match_loss(matching: Matching, batch: Callable[[int, int], Batch], device: str) -> Callable[[int], Tensor]:
    """The loss of each step of the training of `matching`."""

    def loss_at(step: int) -> Tensor:
        pairs = to_device(batch(step, MATCHED), device)
        return matching(pairs.pixels, pairs.ids, pairs.also_true)

    return loss_at


def paint(
    matching: Matching,
    config: AttentionGANConfig,
    batch: Callable[[int, int], Batch],
    folder: Path,
    steps: int,
    device: str,
) -> tuple[Generator, float]:
    """Train generator and judges in turn; returns the running mean of the generator, and the seconds that it took."""
    generator = Generator(config).to(device)
    discriminators = [Discriminator(config, side).to(device) for side in config.stages]
    for module in nn.ModuleList([generator, *discriminators]).modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            nn.init.orthogonal_(module.weight)
    mean = AveragedModel(generator, multi_avg_fn=get_ema_multi_avg_fn(EMA), use_buffers=True)
    painter = torch.optim.Adam(generator.parameters(), RATE, BETAS)
    referee = torch.optim.Adam(nn.ModuleList(discriminators).parameters(), RATE, BETAS)
    trained_parts: dict[str, Any] = {"generator": generator, "judges": nn.ModuleList(discriminators), "mean": mean}
    trained_parts |= {"painter": painter, "referee": referee}
    step, seconds = resume(trained_parts, folder)
    started, totals = time.monotonic() - seconds, torch.zeros(3)
    while step < steps:
        torch.manual_seed(step)
        pairs = to_device(batch(10**6 + step, BATCH), device)
        read = matching.text(pairs.ids)
        with torch.autocast(device, torch.bfloat16):
            output = generate(generator, read, config, device)
            verdicts = [
                discriminator_loss(discriminator, smaller(pairs.pixels, side), picture.detach(), read.sentence)
                for discriminator, side, picture in zip(discriminators, config.stages, output.pictures, strict=True)
            ]
        losses = [torch.stack(verdicts).sum()]
        losses[0].backward()
        referee.step()
        painter.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16):
            passes = [
                generator_loss(discriminator, picture, read.sentence)
                for discriminator, picture in zip(discriminators, output.pictures, strict=True)
            ]
        regions, picture_vector = matching.regions(output.pictures[-1].float())
        match = damsm_loss(regions, picture_vector, read, pairs.also_true)
        losses += [torch.stack(passes).sum() + condition_divergence(output), match]
        (losses[1] + LAMBDA * match).backward()
        painter.step()
        for optimiser in (painter, referee):
            optimiser.zero_grad(set_to_none=True)
        mean.update_parameters(generator)
        totals += torch.tensor([float(loss.detach()) for loss in losses])
        step += 1
        if step % LOG_EVERY == 0 or step == steps:
            parts = "  ".join(
                f"{name} {value / LOG_EVERY:.3f}"
                for name, value in zip(("judges", "painter", "match"), totals.tolist(), strict=True)
            )
            print(f"step {step:>6} of {steps}  {parts}  {time.monotonic() - started:.0f} s", flush=True)
            totals.zero_()
        if step % SAVE_EVERY == 0 or step == steps:
            saved = {key: part.state_dict() for key, part in trained_parts.items()}
            saved |= {"step": step, "seconds": time.monotonic() - started}
            torch.save(saved, folder / "checkpoint.tmp")
            (folder / "checkpoint.tmp").replace(folder / "checkpoint.pt")
    update_norm_statistics(cast(Generator, mean.module), matching, config, batch, device)
    return cast(Generator, mean.module), time.monotonic() - started


@torch.no_grad()
def update_norm_statistics(
    generator: Generator,
    matching: Matching,
    config: AttentionGANConfig,
    batch: Callable[[int, int], Batch],
    device: str,
) -> None:
    """Recompute the batch norms' statistics, which must be those of the averaged weights and no average themselves."""
    norms = [part for part in generator.modules() if isinstance(part, nn.BatchNorm1d | nn.BatchNorm2d)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # a plain mean over all batches
    generator.train()
    for number in range(SETTLING):
        torch.manual_seed(number)
        generate(generator, matching.text(to_device(batch(2 * 10**6 + number, BATCH), device).ids), config, device)
    generator.eval()


def resume(parts: dict[str, Any], folder: Path) -> tuple[int, float]:
    """Load the checkpoint of `folder` into the parts; returns its step and seconds, 0 where there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "checkpoint.pt").exists():
        return 0, 0.0
    saved = torch.load(folder / "checkpoint.pt", weights_only=True)
    for key, part in parts.items():
        part.load_state_dict(saved[key])
    print(f"resumed at step {saved['step']}", flush=True)
    return saved["step"], saved["seconds"]


def generate(generator: Generator, read: EncodedSentence, config: AttentionGANConfig, device: str) -> GeneratedPictures:
    """Pictures of sentences from new noise."""
    count = len(read.sentence)
    noise = torch.randn(count, config.noise, device=device)
    return generator(read, noise, torch.randn(count, config.condition, device=device))


def smaller(pixels: Float[Tensor, "batch channel row column"], side: int) -> Float[Tensor, "batch channel _ _"]:
    """Pictures averaged down to the size of a stage."""
    return F.adaptive_avg_pool2d(pixels, side)


def scene_batch(tokenizer: Tokenizer, config: AttentionGANConfig, step: int, size: int) -> Batch:
    """The batch of a step: new scenes, each with a true sentence."""
    examples = [scene_with_sentence("train", step * size + place) for place in range(size)]
    pixels = 2 * as_pixels([draw(scene) for scene, _ in examples]) - 1
    return Batch(
        pixels, filled(tokenizer, [sentence.text for _, sentence in examples], config.context), truth_table(examples)
    )


def emoji_batch(emoji: list[Emoji], tokenizer: Tokenizer, config: AttentionGANConfig, step: int, size: int) -> Batch:
    """The batch of a step: training emoji, half of them mirrored, each with one of its names."""
    training_emoji = [item for number, item in enumerate(emoji) if number % HELD]
    rng = Random(f"emoji {step}")
    chosen = [training_emoji[number] for number in batch_at(step, len(training_emoji), size, MATCHING.seed).tolist()]
    texts = [rng.choice(item.texts) for item in chosen]
    pixels = 2 * as_pixels([item.picture[:, :: rng.choice((1, -1))] for item in chosen]) - 1
    also_true = torch.tensor([[text in item.texts for text in texts] for item in chosen])
    return Batch(pixels, filled(tokenizer, texts, config.context), also_true)


def to_device(batch: Batch, device: str) -> Batch:
    """Move a batch to a device."""
    return Batch(batch.pixels.to(device), batch.ids.to(device), batch.also_true.to(device))


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        emoji=True,
        run=Path("runs/attention-gan"),
        only=NAMES,
        steps="plan",
        device=True,
        threads="all",
        helps={"steps": "of the painter"},
    )
    parser.add_argument("--matching-steps", type=int)
    return parser


if __name__ == "__main__":
    main()
