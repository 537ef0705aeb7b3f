"""Train captioners, of photographs and of scenes: LSTMs with attention (Xu et al. 2015) and decoders of transformers.

Photographs are encoded by EfficientNet-Lite0, which is frozen. Each step sees a random quarter of the 196 places: that
takes a quarter of the time and keeps the decoder from learning photographs by heart (Liu et al. 2022, "PatchDropout").
Scenes are encoded by a small convolutional body that is trained with its decoder.

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
from core.models.efficientnet import CHANNELS
from core.models.plain_convolution import small_body
from core.models.show_attend_tell import CaptionerConfig, ShowAttendTell, caption_loss
from core.models.stored_weights import save_weights
from training.captioning.data import (
    PLACES,
    SIDE,
    Batch,
    both_ways_round,
    flickr_batches,
    flickr_tokenizer,
    labelled_places,
    named_pictures,
    read_flickr,
    scene_batches,
)
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import FLICKR8K, TINY_IMAGENET
from training.common.loop import Plan, mixed_precision, train
from training.common.scenes import scenes_tokenizer

SEED, PAD = 0, 0
PHOTOGRAPHS = Plan(steps=950, learning_rate=1e-3, warm_up=50, decay=0.6, log_every=25, save_every=50, optimiser="adamw")
SCENES = Plan(steps=6000, learning_rate=1.5e-3, warm_up=200, decay=0.5, log_every=100, save_every=250)
FEWER_STEPS = 850  # steps of the transformer for photographs, which learns more in a step
PLACE_WIDTH = 128  # channels of a place of a scene, as the small body makes it
LABELLED = 10_000  # pictures of Tiny ImageNet
FIRST_NAMED = 700  # step from which pictures of single things are learned beside the photographs
PLACES_IN_STEP = PLACES // 4  # places of a photograph that a step sees
# Lambda of equation 14: Xu et al. have 1. A caption has far fewer words than a picture has places, so that to attend to
# each place once would mean to attend to all of them all the time.
FAIRNESS = 0.1


@dataclass(frozen=True)
class TrainingSetup:
    """What a captioner is trained with: batches by step, their tokenizer, the channels of a place, and the plan."""

    batch: Callable[[int], Batch]
    tokenizer: Tokenizer
    width: int
    plan: Plan


def photographs(data: Path, run: Path) -> TrainingSetup:
    """The training setup of photographs: features of Flickr8k's photographs and of their mirror images."""
    photos = read_flickr(data, "train", run, side=SIDE)
    tokenizer = flickr_tokenizer(photos.captions)
    named = named_pictures(labelled_places(data, run, LABELLED), tokenizer)
    places = both_ways_round(photos, run)
    batch = flickr_batches(places, photos.captions, tokenizer, 128, SEED, named, FIRST_NAMED)
    return TrainingSetup(batch, tokenizer, CHANNELS, PHOTOGRAPHS)


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
        places = 64 if small else PLACES
        decoder = CaptionTransformer(CaptionTransformerConfig(words, setup.width, places, width, layers))
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
    with mixed_precision():
        place_numbers = None if isinstance(network, Captioner) else torch.randperm(PLACES)[:PLACES_IN_STEP]
        decoder: nn.Module = network
        if isinstance(network, Captioner):
            places, decoder = network.places(batch.inputs), network.decoder
        else:
            places = batch.inputs[:, place_numbers]
        if isinstance(decoder, ShowAttendTell):
            logits, weights, _ = decoder.attend(places, batch.words)
            return caption_loss(logits.float(), weights.float(), batch.following, ignore=PAD, fairness=FAIRNESS)
        logits = decoder(places, batch.words, place_numbers).float()
    return F.cross_entropy(logits.flatten(0, 1), batch.following.flatten(), ignore_index=PAD, label_smoothing=0.1)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[FLICKR8K, TINY_IMAGENET.below("tiny_imagenet")],
        run=Path("runs/captioning"),
        only=NAMES,
        threads="all",
    )


if __name__ == "__main__":
    main()
