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
    Generator,
    Judge,
    Matching,
    Painted,
    Read,
    damsm_loss,
    divergence,
    judges_loss,
    makers_loss,
)
from core.models.stored_weights import save_weights
from core.scenes.draw import draw
from training.common.card import hardware
from training.common.command_line import CommandLine, with_or_without_emoji
from training.common.emoji import HELD, Emoji, emoji_tokenizer, read_emoji
from training.common.loop import Plan, train
from training.common.pictures import as_pixels, batch_at
from training.common.scenes import scenes_tokenizer, told_scene, truths
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
class Told:
    """Pictures (-1 to 1), a sentence for each, and which other pairs belong together too."""

    pixels: Float[Tensor, "batch channel row column"]
    ids: Int[Tensor, "batch token"]
    also_true: Bool[Tensor, "batch draw"]


def main() -> None:
    """Train those that were asked for; each goes on where it stopped."""
    arguments = command_line().read()
    for name in with_or_without_emoji(arguments, NAMES):
        folder = arguments.run / name
        emoji = read_emoji(arguments.data) if name == "emoji" else []
        tokenizer = emoji_tokenizer(emoji) if emoji else scenes_tokenizer()
        config = AttentionGANConfig(words=tokenizer.get_vocab_size())

        def batch(step: int, size: int, emoji=emoji, tokenizer=tokenizer, config=config) -> Told:
            return named(emoji, tokenizer, config, step, size) if emoji else scenes(tokenizer, config, step, size)

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
        story = {"matching": asdict(plan), "steps": steps, "rate": RATE, "batch": BATCH, "sizes": asdict(config)}
        story |= {"seconds": seconds, "seed": plan.seed, "hardware": hardware(arguments.device)}
        (folder / "run.json").write_text(json.dumps(story, indent=1) + "\n")


def match_loss(matching: Matching, batch: Callable[[int, int], Told], device: str) -> Callable[[int], Tensor]:
    """The loss of each step of the first training."""

    def loss_at(step: int) -> Tensor:
        told = moved(batch(step, MATCHED), device)
        return matching(told.pixels, told.ids, told.also_true)

    return loss_at


def paint(
    matching: Matching,
    config: AttentionGANConfig,
    batch: Callable[[int, int], Told],
    folder: Path,
    steps: int,
    device: str,
) -> tuple[Generator, float]:
    """Train painter and judges in turn; the running mean of the painter, and the seconds that it took."""
    generator = Generator(config).to(device)
    judges = [Judge(config, side).to(device) for side in config.stages]
    for module in nn.ModuleList([generator, *judges]).modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            nn.init.orthogonal_(module.weight)
    mean = AveragedModel(generator, multi_avg_fn=get_ema_multi_avg_fn(EMA), use_buffers=True)
    painter = torch.optim.Adam(generator.parameters(), RATE, BETAS)
    referee = torch.optim.Adam(nn.ModuleList(judges).parameters(), RATE, BETAS)
    kept: dict[str, Any] = {"generator": generator, "judges": nn.ModuleList(judges), "mean": mean}
    kept |= {"painter": painter, "referee": referee}
    step, seconds = resume(kept, folder)
    started, totals = time.monotonic() - seconds, torch.zeros(3)
    while step < steps:
        torch.manual_seed(step)
        told = moved(batch(10**6 + step, BATCH), device)
        read = matching.text(told.ids)
        with torch.autocast(device, torch.bfloat16):
            painted = made(generator, read, config, device)
            verdicts = [
                judges_loss(judge, smaller(told.pixels, side), picture.detach(), read.sentence)
                for judge, side, picture in zip(judges, config.stages, painted.pictures, strict=True)
            ]
        losses = [torch.stack(verdicts).sum()]
        losses[0].backward()
        referee.step()
        painter.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16):
            passes = [
                makers_loss(judge, picture, read.sentence)
                for judge, picture in zip(judges, painted.pictures, strict=True)
            ]
        regions, whole = matching.regions(painted.pictures[-1].float())
        match = damsm_loss(regions, whole, read, told.also_true)
        losses += [torch.stack(passes).sum() + divergence(painted), match]
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
            saved = {key: part.state_dict() for key, part in kept.items()}
            saved |= {"step": step, "seconds": time.monotonic() - started}
            torch.save(saved, folder / "checkpoint.tmp")
            (folder / "checkpoint.tmp").replace(folder / "checkpoint.pt")
    settle(cast(Generator, mean.module), matching, config, batch, device)
    return cast(Generator, mean.module), time.monotonic() - started


@torch.no_grad()
def settle(
    generator: Generator, matching: Matching, config: AttentionGANConfig, batch: Callable[[int, int], Told], device: str
) -> None:
    """Give the norms the statistics of these weights: a mean of those that other weights had is not that."""
    norms = [part for part in generator.modules() if isinstance(part, nn.BatchNorm1d | nn.BatchNorm2d)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # a plain mean over all batches
    generator.train()
    for number in range(SETTLING):
        torch.manual_seed(number)
        made(generator, matching.text(moved(batch(2 * 10**6 + number, BATCH), device).ids), config, device)
    generator.eval()


def resume(kept: dict[str, Any], folder: Path) -> tuple[int, float]:
    """Put back what a run had reached; its step and seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "checkpoint.pt").exists():
        return 0, 0.0
    saved = torch.load(folder / "checkpoint.pt", weights_only=True)
    for key, part in kept.items():
        part.load_state_dict(saved[key])
    print(f"resumed at step {saved['step']}", flush=True)
    return saved["step"], saved["seconds"]


def made(generator: Generator, read: Read, config: AttentionGANConfig, device: str) -> Painted:
    """Pictures of sentences, with noise drawn anew."""
    count = len(read.sentence)
    noise = torch.randn(count, config.noise, device=device)
    return generator(read, noise, torch.randn(count, config.condition, device=device))


def smaller(pixels: Float[Tensor, "batch channel row column"], side: int) -> Float[Tensor, "batch channel _ _"]:
    """Pictures at the size of a stage."""
    return F.adaptive_avg_pool2d(pixels, side)


def scenes(tokenizer: Tokenizer, config: AttentionGANConfig, step: int, size: int) -> Told:
    """Ever new scenes, each with a sentence that is true of it."""
    told = [told_scene("train", step * size + place) for place in range(size)]
    pixels = 2 * as_pixels([draw(scene) for scene, _ in told]) - 1
    return Told(pixels, filled(tokenizer, [sentence.text for _, sentence in told], config.context), truths(told))


def named(emoji: list[Emoji], tokenizer: Tokenizer, config: AttentionGANConfig, step: int, size: int) -> Told:
    """Emoji that are not held out, some mirrored, each with one of its names."""
    seen = [each for number, each in enumerate(emoji) if number % HELD]
    dice = Random(f"emoji {step}")
    chosen = [seen[number] for number in batch_at(step, len(seen), size, MATCHING.seed).tolist()]
    texts = [dice.choice(each.texts) for each in chosen]
    pixels = 2 * as_pixels([each.picture[:, :: dice.choice((1, -1))] for each in chosen]) - 1
    also_true = torch.tensor([[text in each.texts for text in texts] for each in chosen])
    return Told(pixels, filled(tokenizer, texts, config.context), also_true)


def moved(told: Told, device: str) -> Told:
    """The same on a device."""
    return Told(told.pixels.to(device), told.ids.to(device), told.also_true.to(device))


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
