"""Train captioners, of photographs and of scenes: LSTMs with attention (Xu et al. 2015) and decoders of transformers.

Photographs are encoded by `resnet-tiny-imagenet`, which is frozen; scenes by a small convolutional body that is trained
with its decoder.

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
FEWER_STEPS = 2000  # steps of the transformer for photographs, which learns more in a step
PLACE_WIDTH = 128  # channels of a place of a scene, as the small body makes it
# Lambda of equation 14: Xu et al. have 1. A caption of a scene has five words for 64 places, so that looking at each
# place once would mean to look at all of them all the time.
FAIRNESS, FAIRNESS_OF_SCENES = 1.0, 0.1


@dataclass(frozen=True)
class TrainingSetup:
    """What a captioner is trained with: batches by step, their tokenizer, the channels of a place, and the plan."""

    batch: Callable[[int], Batch]
    tokenizer: Tokenizer
    width: int
    plan: Plan


def photographs(data: Path, run: Path) -> TrainingSetup:
    """The training setup of photographs: features of Flickr8k's photographs and of their mirror images."""
    photos = read_flickr(data, "train", run)
    tokenizer, places = flickr_tokenizer(photos.captions), places_to_learn(photos, run)
    batch = flickr_batches(places, photos.captions, tokenizer, 128, SEED)
    return TrainingSetup(batch, tokenizer, places[0].shape[-1], PHOTOGRAPHS)


def places_to_learn(photos: Captioned, run: Path) -> list[Tensor]:
    """Features of the training photographs, and of their mirror images; computed once, into `run`."""
    file = run / "flickr-train-places.pt"
    if not file.exists():
        body = load_embedded_image("resnet-tiny-imagenet").network
        pixels = torch.from_numpy(photos.pictures)
        both = []
        for mirrored in (False, True):
            parts = (part.float() / 255 for part in pixels.split(500))
            features = [places_of(body, normalise(part.flip(-1) if mirrored else part)).half() for part in parts]
            both.append(torch.cat(features))
        torch.save(both, file)
    return torch.load(file)


def scenes(_data: Path, _run: Path) -> TrainingSetup:
    """The training setup of scenes, which are drawn for each step."""
    tokenizer = scenes_tokenizer()
    return TrainingSetup(scene_batches(tokenizer, 128), tokenizer, PLACE_WIDTH, SCENES)


WORLDS: dict[str, Callable[[Path, Path], TrainingSetup]] = {"photographs": photographs, "scenes": scenes}
NAMES = [f"{world}-{decoder}" for world in WORLDS for decoder in ("lstm", "transformer")]


def make_network(name: str, setup: TrainingSetup) -> nn.Module:
    """An untrained network; `name` is one of NAMES."""
    world, _, kind = name.partition("-")
    words, small = setup.tokenizer.get_vocab_size(), world == "scenes"
    decoder: ShowAttendTell | CaptionTransformer
    if kind == "lstm":
        sizes = (
            {"width": 128, "state": 256, "attention": 128} if small else {"width": 256, "state": 512, "attention": 256}
        )
        decoder = ShowAttendTell(CaptionerConfig(words, setup.width, **sizes))
    else:
        width, layers = (128, 2) if small else (256, 3)
        decoder = CaptionTransformer(CaptionTransformerConfig(words, setup.width, width=width, layers=layers))
    return Captioner(small_body(), decoder) if small else decoder


def main() -> None:
    """Train the captioners of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    for name in arguments.only or NAMES:
        setup = WORLDS[name.partition("-")[0]](arguments.data, arguments.run)
        torch.manual_seed(SEED)
        if name == "photographs-transformer":
            setup = replace(setup, plan=replace(setup.plan, steps=FEWER_STEPS))
        network, folder = make_network(name, setup), arguments.run / name
        seconds = learn(network, setup, folder)
        save_weights(network, folder / "model.safetensors")
        setup.tokenizer.save(str(folder / "tokenizer.json"))
        record = {"plan": asdict(setup.plan), "seconds": round(seconds), "seed": SEED, "hardware": hardware()}
        (folder / "run.json").write_text(json.dumps(record | {"torch": torch.__version__}, indent=1) + "\n")
        print(name, "done", flush=True)


def learn(network: nn.Module, setup: TrainingSetup, folder: Path) -> float:
    """Train a network; returns the seconds that it took."""
    return train(network, lambda step: loss_of(network, setup.batch(step)), setup.plan, folder)


def loss_of(network: nn.Module, batch: Batch) -> Tensor:
    """Cross-entropy of the next word; for the LSTM with the doubly stochastic term (Xu et al. 2015, equation 14)."""
    with torch.autocast("cpu", torch.bfloat16):
        places, decoder, fairness = batch.inputs, network, FAIRNESS
        if isinstance(network, Captioner):
            places, decoder, fairness = network.places(batch.inputs), network.decoder, FAIRNESS_OF_SCENES
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
