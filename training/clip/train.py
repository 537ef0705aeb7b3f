"""Train CLIPs (Radford et al. 2021): one for the drawn world, one for photographs, one for emoji.

That for photographs is a transformer and an adapter between two networks that others trained and that stay as they are;
these two learn from photographs with captions, and from pictures with the names of their classes.

Drawn scenes need no data.

    python -m training.clip.train --data PATH [--only scenes ...]
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.models.clip import CLIP, CLIPConfig, EncoderConfig, contrastive_loss
from core.models.locked_clip import LockedCLIPConfig, TunedLayers
from core.models.stored_weights import save_weights
from core.zoo.clips import LOCKED
from training.clip.data import Pairs, emoji_pairs, scene_pairs
from training.clip.photographs import PLAN, locked_pairs
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import EMOJI, FLICKR8K, TINY_IMAGENET
from training.common.emoji import read_emoji
from training.common.loop import Plan, mixed_precision, train
from training.common.pictures import standardise
from training.common.scenes import MEAN, SPREAD, scenes_tokenizer
from training.common.word_tokens import ids_of, words_tokenizer

SEED = 0


@dataclass(frozen=True)
class Variant:
    """The configuration of a CLIP with its tokenizer, its batches by step, and the plan of its training."""

    config: CLIPConfig
    tokenizer: Tokenizer
    batch: Callable[[int], Pairs]
    plan: Plan
    mean: tuple[float, ...] = (MEAN,) * 3
    deviation: tuple[float, ...] = (SPREAD,) * 3

    @torch.inference_mode()
    def pictures(self, network: CLIP, pictures: Sequence[np.ndarray]) -> Float[Tensor, "batch width"]:
        """The vectors of pictures (row, column, channel) of the network's size."""
        pixels = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)
        parts = (standardise(part.float() / 255, self.mean, self.deviation) for part in pixels.split(100))
        return torch.cat([network.picture(part) for part in parts])

    @torch.inference_mode()
    def texts(self, network: CLIP, texts: Sequence[str]) -> Float[Tensor, "batch width"]:
        """The vectors of texts."""
        return network.text(ids_of(self.tokenizer, texts, self.config.context))


def scenes(_data: Path, _run: Path) -> Variant:
    """The variant of scenes, which are drawn for each step."""
    tokenizer = scenes_tokenizer()
    config = CLIPConfig(vocabulary=tokenizer.get_vocab_size(), context=24, convolved=True)
    plan = Plan(steps=4000, learning_rate=1.5e-3, warm_up=200, decay=0.5, log_every=100, save_every=250)
    return Variant(config, tokenizer, scene_pairs(tokenizer, config.context, 128), plan)


def emoji(data: Path, _run: Path) -> Variant:
    """The variant of emoji and their names; one emoji in ten is held out."""
    training_emoji = [item for number, item in enumerate(read_emoji(data)) if number % 10]
    words = sorted({word for item in training_emoji for text in item.texts for word in text.split()})
    tokenizer = words_tokenizer(words)
    config = CLIPConfig(
        EncoderConfig(160, 4, 5),
        EncoderConfig(128, 2, 4),
        vocabulary=tokenizer.get_vocab_size(),
        context=16,
        space=96,
        convolved=True,
    )
    plan = Plan(steps=1000, learning_rate=1.5e-3, warm_up=200, decay=0.5, log_every=100, save_every=250)
    return Variant(config, tokenizer, emoji_pairs(training_emoji, tokenizer, config.context, 128, SEED), plan)


VARIANTS: dict[str, Callable[[Path, Path], Variant]] = {"scenes": scenes, "emoji": emoji}
NAMES = (*VARIANTS, LOCKED)


def main() -> None:
    """Train the networks of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    for name in arguments.only or NAMES:
        folder = arguments.run / name
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(SEED)
        learn_one = learn_photographs if name == LOCKED else partial(learn_variant, name)
        network, record = learn_one(arguments.data, arguments.run, folder)
        save_weights(network, folder / "model.safetensors", eight_bits=True)
        record |= {"seed": SEED, "hardware": hardware(), "torch": torch.__version__}
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n")
        print(name, "done", flush=True)


def learn_variant(name: str, data: Path, run: Path, folder: Path) -> tuple[nn.Module, dict[str, Any]]:
    """Train a network of VARIANTS; the network, and the record of its training."""
    variant = VARIANTS[name](data, run)
    network = CLIP(variant.config)
    seconds = learn(network, variant, folder)
    variant.tokenizer.save(str(folder / "tokenizer.json"))
    record = {"plan": asdict(variant.plan), "sizes": asdict(variant.config), "seconds": round(seconds)}
    return network, record | {"mean": variant.mean, "deviation": variant.deviation}


def learn(network: CLIP, variant: Variant, folder: Path) -> float:
    """Train with the contrastive loss; returns the seconds that it took."""

    def loss_at(step: int) -> Tensor:
        pairs = variant.batch(step)
        with mixed_precision():
            similarities = network(pairs.pixels, pairs.ids).float()
        return contrastive_loss(similarities, pairs.also_true)

    return train(network, loss_at, variant.plan, folder)


def learn_photographs(data: Path, run: Path, folder: Path) -> tuple[nn.Module, dict[str, Any]]:
    """Train the layers between the locked networks; those layers, and the record of their training."""
    pairs, config = locked_pairs(data, run), LockedCLIPConfig()
    torch.manual_seed(SEED)  # again: what was computed before, or read from files, does not change the first weights
    network = TunedLayers(config)
    seconds = train(network, partial(pairs.loss, network), PLAN, folder)
    return network, {"plan": asdict(PLAN), "sizes": asdict(config), "seconds": round(seconds)}


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[EMOJI, FLICKR8K, TINY_IMAGENET.below("tiny_imagenet")],
        run=Path("runs/clip"),
        only=NAMES,
        threads="all",
    )


if __name__ == "__main__":
    main()
