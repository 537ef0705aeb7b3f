"""Train CLIPs (Radford et al. 2021): one for the drawn world, one for photographs, one for emoji.

That for photographs starts from the vision transformer that comes with the project, and is trained on photographs with
captions and on the vision transformer's own training pictures with the names of their classes.

Drawn scenes need no data.

    python -m training.clip.train --data PATH [--only scenes ...]
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor

from core.models.clip import CLIP, CLIPConfig, EncoderConfig, contrastive_loss
from core.models.stored_weights import save_weights
from core.zoo.embedded import load_embedded_image
from training.captioning.data import read_flickr
from training.clip.data import Pairs, emoji_pairs, scene_pairs
from training.clip.photographs import photograph_pairs, photographs_tokenizer, read_tiny_imagenet
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import EMOJI, FLICKR8K, TINY_IMAGENET
from training.common.emoji import read_emoji
from training.common.loop import Plan, train
from training.common.pictures import standardise
from training.common.scenes import MEAN, SPREAD, scenes_tokenizer
from training.common.word_tokens import ids_of, words_tokenizer
from training.tiny_imagenet import data as tiny_imagenet

SEED = 0


@dataclass(frozen=True)
class Variant:
    """The configuration of a CLIP with its tokenizer, its batches by step, and the plan of its training."""

    config: CLIPConfig
    tokenizer: Tokenizer
    batch: Callable[[int], Pairs]
    plan: Plan
    start: Callable[[CLIP], None] = lambda _network: None  # initialises a network
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


def photographs(data: Path, run: Path) -> Variant:
    """The variant of photographs with captions, and pictures with the names of their classes."""
    photos, labelled = read_flickr(data, "train", run), read_tiny_imagenet(data)
    tokenizer = photographs_tokenizer(photos, labelled.names)
    config = CLIPConfig(
        EncoderConfig(256, 6, 4),
        EncoderConfig(192, 3, 4),
        vocabulary=tokenizer.get_vocab_size(),
        context=26,
        space=192,
        first_norm=False,
    )
    plan = Plan(steps=1000, learning_rate=5e-4, warm_up=100, decay=0.7, log_every=50, save_every=250)
    batch = photograph_pairs(photos, labelled, tokenizer, config.context, 96, SEED)
    return Variant(config, tokenizer, batch, plan, start_from_vit, tiny_imagenet.MEAN, tiny_imagenet.DEVIATION)


def start_from_vit(network: CLIP) -> None:
    """Load the weights of `vit-tiny-imagenet` into the picture encoder."""
    vit = load_embedded_image("vit-tiny-imagenet").network.state_dict()
    weights = {"patches.weight": vit["patch_embed.proj.weight"], "class_token": vit["cls_token"][0, 0]}
    # The bias of its patches goes into their positions.
    positions = vit["pos_embed"][0].clone()
    positions[1:] += vit["patch_embed.proj.bias"]
    weights["positions.weight"] = positions
    names = {"norm1": "attention_norm", "attn.qkv": "attention.qkv", "attn.proj": "attention.out"}
    names |= {"norm2": "mlp_norm", "mlp.fc1": "mlp.up", "mlp.fc2": "mlp.out"}
    for name, weight in vit.items():
        if name.startswith("blocks."):
            _, block, suffix = name.split(".", 2)
            part, _, kind = suffix.rpartition(".")
            weights[f"blocks.{block}.{names[part]}.{kind}"] = weight
        elif name.startswith("norm."):
            weights[name] = weight
    missing, unknown = network.pictures.load_state_dict(weights, strict=False)
    assert (missing, unknown) == (["projection.weight"], [])


VARIANTS: dict[str, Callable[[Path, Path], Variant]] = {"scenes": scenes, "photographs": photographs, "emoji": emoji}


def main() -> None:
    """Train the networks of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    for name in arguments.only or VARIANTS:
        variant = VARIANTS[name](arguments.data, arguments.run)
        torch.manual_seed(SEED)
        network = CLIP(variant.config)
        variant.start(network)
        folder = arguments.run / name
        seconds = learn(network, variant, folder)
        # The largest in 8 bits: all weights of the project together have a limit.
        save_weights(network, folder / "model.safetensors", eight_bits=name == "photographs")
        variant.tokenizer.save(str(folder / "tokenizer.json"))
        record = {
            "plan": asdict(variant.plan),
            "sizes": asdict(variant.config),
            "mean": variant.mean,
            "deviation": variant.deviation,
            "seconds": round(seconds),
            "seed": SEED,
            "hardware": hardware(),
            "torch": torch.__version__,
        }
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n")
        print(name, "done", flush=True)


def learn(network: CLIP, variant: Variant, folder: Path) -> float:
    """Train with the contrastive loss; returns the seconds that it took."""

    def loss_at(step: int) -> Tensor:
        pairs = variant.batch(step)
        with torch.autocast("cpu", torch.bfloat16):
            similarities = network(pairs.pixels, pairs.ids).float()
        return contrastive_loss(similarities, pairs.also_true)

    return train(network, loss_at, variant.plan, folder)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[EMOJI, FLICKR8K, TINY_IMAGENET.below("tiny_imagenet")],
        run=Path("runs/clip"),
        only=VARIANTS,
        threads="all",
    )


if __name__ == "__main__":
    main()
