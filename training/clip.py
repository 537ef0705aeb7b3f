"""Train CLIPs (Radford et al. 2021): one for the drawn world, one for emoji.

Data: a folder with `emoji_image_text`: emoji64.npz (pictures of googlefonts/noto-emoji, Apache-2.0) and emoji.json
(descriptions, aliases and tags of github/gemoji, MIT), joined by code point. Drawn scenes need none.

    python -m training.clip --data PATH [--only scenes ...]
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from core.models.clip import CLIP, CLIPConfig, EncoderConfig, contrastive_loss
from core.models.half_precision import save_weights
from training.card import hardware
from training.clip_data import Pairs, emoji_pairs, read_emoji, scene_pairs, scenes_tokenizer, words_tokenizer
from training.loop import Plan, train

SEED = 0


@dataclass(frozen=True)
class Variant:
    """A network with its tokenizer, where its batches come from, and how it is trained."""

    config: CLIPConfig
    tokenizer: Tokenizer
    batch: Callable[[int], Pairs]
    plan: Plan


def scenes(_data: Path) -> Variant:
    """The drawn world: scenes that are drawn for each step."""
    tokenizer = scenes_tokenizer()
    config = CLIPConfig(vocabulary=tokenizer.get_vocab_size(), context=24)
    plan = Plan(steps=6000, learning_rate=1.5e-3, warm_up=300, decay=0.5, log_every=100, save_every=250)
    return Variant(config, tokenizer, scene_pairs(tokenizer, config.context, 128), plan)


def emoji(data: Path) -> Variant:
    """Emoji and their names; one in ten is held out."""
    learned = [each for number, each in enumerate(read_emoji(data)) if number % 10]
    words = sorted({word for each in learned for text in each.texts for word in text.split()})
    tokenizer = words_tokenizer(words)
    config = CLIPConfig(
        EncoderConfig(160, 4, 5),
        EncoderConfig(128, 2, 4),
        vocabulary=tokenizer.get_vocab_size(),
        context=16,
        space=96,
    )
    plan = Plan(steps=3000, learning_rate=1.5e-3, warm_up=200, decay=0.5, log_every=100, save_every=250)
    return Variant(config, tokenizer, emoji_pairs(learned, tokenizer, config.context, 128, SEED), plan)


VARIANTS: dict[str, Callable[[Path], Variant]] = {"scenes": scenes, "emoji": emoji}


def main() -> None:
    """Train those that were asked for; each goes on where it stopped."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    for name in arguments.only or VARIANTS:
        variant = VARIANTS[name](arguments.data)
        torch.manual_seed(SEED)
        network = CLIP(variant.config)
        folder = arguments.run / name
        seconds = learn(network, variant, folder)
        save_weights(network, folder / "model.safetensors")
        variant.tokenizer.save(str(folder / "tokenizer.json"))
        story = {
            "plan": asdict(variant.plan),
            "sizes": asdict(variant.config),
            "seconds": round(seconds),
            "seed": SEED,
            "hardware": hardware(),
            "torch": torch.__version__,
        }
        (folder / "run.json").write_text(json.dumps(story, indent=1) + "\n")
        print(name, "done", flush=True)


def learn(network: CLIP, variant: Variant, folder: Path) -> float:
    """Train with the contrastive loss; the seconds that it took."""

    def loss_at(step: int) -> Tensor:
        pairs = variant.batch(step)
        with torch.autocast("cpu", torch.bfloat16):
            similarities = network(pairs.pixels, pairs.ids).float()
        return contrastive_loss(similarities, pairs.also_true)

    return train(network, loss_at, variant.plan, folder)


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/clip"), help="checkpoints; resumed if present")
    parser.add_argument("--only", nargs="+", choices=VARIANTS)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    return parser.parse_args()


if __name__ == "__main__":
    main()
