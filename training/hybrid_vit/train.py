"""Train the hybrid vision transformer: attention over EfficientNet's features, taught by EfficientNet itself.

The convolutional network stays as it is, so the features of all pictures are computed once. The transformer over them
learns to give, from its class token, what EfficientNet makes of the picture before its classifier, and so its answers
(distillation, Hinton et al. 2015). Each step sees a random quarter of the places, and is asked about the whole picture:
attention has to find what tells most of it, and a step takes a quarter of the time (Li et al. 2023, "Scaling
Language-Image Pre-training via Masking", section 3). No labels are used.

    python -m training.hybrid_vit.train --data PATH
"""

import json
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, UInt8
from torch import Tensor, nn

from core.models.image_classifiers import make_image_classifier
from core.zoo.embedded import BODY, WEIGHTS, load_embedded_image, save_image
from training.captioning.data import (
    PLACES,
    SIDE,
    Captioned,
    both_ways_round,
    labelled_places,
    places_of,
    pooled_places,
    read_flickr,
)
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import FLICKR8K, TINY_IMAGENET
from training.common.loop import Plan, train
from training.common.pictures import batch_at, vary

OUT = WEIGHTS / "hybrid-vit"
SIZES: dict[str, Any] = {
    "variant": "tf_efficientnet_lite0",
    "output_stride": 16,
    "img_size": SIDE,
    "embed_dim": 320,
    "depth": 4,
    "num_heads": 5,
    "num_classes": 1000,
}
PLAN = Plan(steps=1600, learning_rate=1e-3, warm_up=100, decay=0.6, log_every=20, save_every=50, optimiser="adamw")
BATCH = 96  # pictures
PLACES_IN_STEP = PLACES // 4  # places that a step sees
LABELLED = 12_000  # pictures of Tiny ImageNet, whose labels are not used
CROPS = 1  # of each photograph, at a random place and of a random size, beside it and its mirror image
SEED = 0


def main() -> None:
    """Compute the features, train, write the weights; an interrupted run resumes."""
    arguments = command_line().read()
    run: Path = arguments.run
    run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(SEED)
    pictures, network = taught_pictures(arguments.data, run), untrained()
    seconds = train(network, partial(pictures.loss, network), PLAN, run)
    body = load_embedded_image(BODY)
    save_image(
        network,
        arguments.out,
        architecture="hybrid",
        sizes=SIZES,
        side=SIDE,
        mean=body.framing.mean,
        deviation=body.framing.std,
        classes=body.classes,
        eight_bits=True,
    )
    record = {"plan": asdict(PLAN), "batch": BATCH, "pictures": len(pictures), "seconds": round(seconds)}
    record |= {"seed": SEED, "hardware": hardware(), "torch": torch.__version__}
    (arguments.out / "results.json").write_text(json.dumps(record, indent=1) + "\n")
    print(f"{arguments.out} written", flush=True)


def untrained() -> nn.Module:
    """A hybrid with EfficientNet's stages and classifier, which stay as they are, and a random transformer."""
    network, body = make_image_classifier("hybrid", SIZES), load_embedded_image(BODY).network
    stages, classifier = network.get_submodule("patch_embed.backbone"), network.get_submodule("head.2")
    stages.load_state_dict({name: weight for name, weight in body.state_dict().items() if name in stages.state_dict()})
    classifier.load_state_dict(body.get_submodule("classifier").state_dict())
    for weight in (*stages.parameters(), *classifier.parameters()):
        weight.requires_grad_(False)
    return network


@dataclass(frozen=True)
class TaughtPictures:
    """Features of pictures in several parts, and for each part what EfficientNet makes of its pictures."""

    places: tuple[Float[np.ndarray, "picture patch width"], ...]
    pooled: tuple[Float[Tensor, "picture channel"], ...]

    def __len__(self) -> int:
        return sum(map(len, self.places))

    def loss(self, network: Any, step: int) -> Tensor:
        """The divergence from EfficientNet's answers, and the error of the vectors, by their variance."""
        places, target = self.batch(batch_at(step, len(self), BATCH, SEED))
        place_numbers = torch.randperm(PLACES)[:PLACES_IN_STEP]
        pooled = network.head[:2](class_vectors(network, places[:, place_numbers], place_numbers))
        answers, truth = (network.head[2](vectors).log_softmax(dim=-1) for vectors in (pooled, target))
        divergence = F.kl_div(answers, truth, log_target=True, reduction="batchmean")
        return divergence + F.mse_loss(pooled, target) / target.var()

    def batch(self, numbers: Int[Tensor, " batch"]) -> tuple[Float[Tensor, "batch patch width"], Tensor]:
        """The features of pictures, counted through all parts, and EfficientNet's vectors of them."""
        places, pooled = [], []
        for part_places, part_pooled in zip(self.places, self.pooled, strict=True):
            inside = numbers[(numbers >= 0) & (numbers < len(part_places))]
            places.append(torch.from_numpy(part_places[inside.numpy()]).float())
            pooled.append(part_pooled[inside])
            numbers = numbers - len(part_places)
        return torch.cat(places), torch.cat(pooled)


def class_vectors(
    network: Any, places: Float[Tensor, "batch patch width"], place_numbers: Int[Tensor, " patch"]
) -> Float[Tensor, "batch channel"]:
    """The class token's vectors after the transformer, from features at the places with the numbers `place_numbers`."""
    projection, positions = network.patch_embed.proj, network.pos_embed
    x = F.linear(places, projection.weight.flatten(1), projection.bias) + positions[:, 1 + place_numbers]
    token = (network.cls_token + positions[:, :1]).expand(len(x), -1, -1)
    return network.norm(network.blocks(torch.cat([token, x], dim=1)))[:, 0]


def taught_pictures(data: Path, run: Path) -> TaughtPictures:
    """Photographs of Flickr8k, their mirror images and parts of them, and Tiny ImageNet; computed once, into `run`."""
    photos, labelled = read_flickr(data, "train", run, side=SIDE), labelled_places(data, run, LABELLED)
    crops = (places_of(partial(crops_of, photos, seed), run / f"places-crops-{seed}.npy") for seed in range(CROPS))
    places = (*both_ways_round(photos, run), *crops, labelled.places)
    classifier = load_embedded_image(BODY).network
    return TaughtPictures(places, tuple(pooled_places(classifier, part) for part in places))


def crops_of(photos: Captioned, seed: int) -> UInt8[np.ndarray, "picture channel row column"]:
    """A part of each photograph, scaled to its whole size."""
    torch.manual_seed(seed)
    crops = np.empty(photos.pictures.shape, np.uint8)
    for start in range(0, len(crops), BATCH):
        part = torch.from_numpy(np.array(photos.pictures[start : start + BATCH])).float() / 255
        crops[start : start + BATCH] = (255 * vary(part, SIDE, light=False)).round().byte().numpy()
    return crops


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[FLICKR8K, TINY_IMAGENET.below("tiny_imagenet")],
        run=Path("runs/hybrid-vit"),
        out=OUT,
        threads="all",
    )


if __name__ == "__main__":
    main()
