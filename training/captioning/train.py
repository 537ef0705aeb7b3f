"""Train captioners, of photographs and of scenes: LSTMs with attention (Xu et al. 2015) and decoders of transformers.

Photographs are seen by `resnet-tiny-imagenet`, which does not learn on; scenes by a small convolutional body that
learns with its decoder.

Drawn scenes need no data.

    python -m training.captioning.train --data PATH [--only photographs-lstm ...]
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.models.caption_transformer import CaptionTransformer, CaptionTransformerConfig
from core.models.captioner import Captioner
from core.models.plain_convolution import small_body
from core.models.show_attend_tell import CaptionerConfig, ShowAttendTell, caption_loss
from core.models.stored_weights import save_weights
from core.zoo.embedded import load_embedded_image
from training.captioning.data import (
    Batch,
    Captioned,
    flickr_batches,
    flickr_tokenizer,
    places_of,
    read_flickr,
    scene_batches,
)
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import FLICKR8K
from training.common.loop import Plan, train
from training.common.scenes import scenes_tokenizer
from training.tiny_imagenet.data import normalise

SEED, PAD = 0, 0
PHOTOGRAPHS = Plan(steps=3000, learning_rate=1e-3, warm_up=100, decay=0.6, log_every=100, save_every=250)
SCENES = Plan(steps=6000, learning_rate=1.5e-3, warm_up=200, decay=0.5, log_every=100, save_every=250)
FEWER = 2000  # steps of the transformer for photographs, which learns more in a step
SEEN = 128  # channels of a place of a scene, as the small body makes it
# Lambda of equation 14: Xu et al. have 1. A caption of a scene has five words for 64 places, so that looking at each
# place once would mean to look at all of them all the time.
FAIRNESS, FAIRNESS_OF_SCENES = 1.0, 0.1


@dataclass(frozen=True)
class Given:
    """What a network learns from: batches, their tokenizer, the channels of a place, and how long it is trained."""

    batch: Callable[[int], Batch]
    tokenizer: Tokenizer
    seen: int
    plan: Plan


def photographs(data: Path, run: Path) -> Given:
    """Flickr8k's photographs as the residual network sees them, and mirrored."""
    told = read_flickr(data, "train", run)
    tokenizer, places = flickr_tokenizer(told.captions), places_to_learn(told, run)
    batch = flickr_batches(places, told.captions, tokenizer, 128, SEED)
    return Given(batch, tokenizer, places[0].shape[-1], PHOTOGRAPHS)


def places_to_learn(told: Captioned, run: Path) -> list[Tensor]:
    """The places of the photographs of training, and of these mirrored; computed once, into `run`."""
    kept = run / "flickr-train-places.pt"
    if not kept.exists():
        body = load_embedded_image("resnet-tiny-imagenet").network
        pixels = torch.from_numpy(told.pictures)
        both = []
        for mirrored in (False, True):
            parts = (part.float() / 255 for part in pixels.split(500))
            seen = [places_of(body, normalise(part.flip(-1) if mirrored else part)).half() for part in parts]
            both.append(torch.cat(seen))
        torch.save(both, kept)
    return torch.load(kept)


def scenes(_data: Path, _run: Path) -> Given:
    """Scenes that are drawn for each step."""
    tokenizer = scenes_tokenizer()
    return Given(scene_batches(tokenizer, 128), tokenizer, SEEN, SCENES)


WORLDS: dict[str, Callable[[Path, Path], Given]] = {"photographs": photographs, "scenes": scenes}
NAMES = [f"{world}-{decoder}" for world in WORLDS for decoder in ("lstm", "transformer")]


def make(name: str, given: Given) -> nn.Module:
    """An untrained network."""
    world, _, kind = name.partition("-")
    words, small = given.tokenizer.get_vocab_size(), world == "scenes"
    decoder: ShowAttendTell | CaptionTransformer
    if kind == "lstm":
        sizes = (
            {"width": 128, "state": 256, "attention": 128} if small else {"width": 256, "state": 512, "attention": 256}
        )
        decoder = ShowAttendTell(CaptionerConfig(words, given.seen, **sizes))
    else:
        width, layers = (128, 2) if small else (256, 3)
        decoder = CaptionTransformer(CaptionTransformerConfig(words, given.seen, width=width, layers=layers))
    return Captioner(small_body(), decoder) if small else decoder


def main() -> None:
    """Train those that were asked for; each goes on where it stopped."""
    arguments = command_line().read()
    for name in arguments.only or NAMES:
        given = WORLDS[name.partition("-")[0]](arguments.data, arguments.run)
        torch.manual_seed(SEED)
        if name == "photographs-transformer":
            given = replace(given, plan=replace(given.plan, steps=FEWER))
        network, folder = make(name, given), arguments.run / name
        seconds = learn(network, given, folder)
        save_weights(network, folder / "model.safetensors")
        given.tokenizer.save(str(folder / "tokenizer.json"))
        story = {"plan": asdict(given.plan), "seconds": round(seconds), "seed": SEED, "hardware": hardware()}
        (folder / "run.json").write_text(json.dumps(story | {"torch": torch.__version__}, indent=1) + "\n")
        print(name, "done", flush=True)


def learn(network: nn.Module, given: Given, folder: Path) -> float:
    """Train a network; the seconds that it took."""
    return train(network, lambda step: loss_of(network, given.batch(step)), given.plan, folder)


def loss_of(network: nn.Module, batch: Batch) -> Tensor:
    """What a network is taught by: the next word, and of the LSTM that it looks everywhere (equation 14)."""
    with torch.autocast("cpu", torch.bfloat16):
        places, decoder, fairness = batch.seen, network, FAIRNESS
        if isinstance(network, Captioner):
            places, decoder, fairness = network.places(batch.seen), network.decoder, FAIRNESS_OF_SCENES
        if isinstance(decoder, ShowAttendTell):
            logits, weights, _ = decoder.attend(places, batch.words)
            return caption_loss(logits.float(), weights.float(), batch.following, ignore=PAD, fairness=fairness)
        logits = decoder(places, batch.words).float()
    return F.cross_entropy(logits.flatten(0, 1), batch.following.flatten(), ignore_index=PAD, label_smoothing=0.1)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, data=[FLICKR8K], run=Path("runs/captioning"), only=NAMES, threads="all")


if __name__ == "__main__":
    main()
